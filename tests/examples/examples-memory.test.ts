/** The examples of sets that memory shall not hold, run as their reader would run them. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { BloomFilter, BloomierMap, ExactFilter } from 'tamis';
import { binomialInterval } from '../../js/examples/binomial.mjs';
import { type ExampleOutput, runExample } from '../js/support/example-output.js';

const LONG_MS = 2_400_000;
const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
const of = ({ figure }: ExampleOutput, label: string, columns: number): number[] =>
  Array.from({ length: columns }, (_, i) => figure(label, i));

test.each([
  ['visited-states.mjs', '1', 'PHILOSOPHERS: expected a whole number from 2 to 16, got 1'],
  ['visited-states.mjs', 'all', 'PHILOSOPHERS: expected a whole number from 2 to 16, got all'],
  ['mail-list.mjs', '10', 'ADDRESSES: expected a whole number from 1000 to 100000000, got 10'],
])('%s %s is refused', async (name, argument, line) => {
  const file = fileURLToPath(new URL(`../../js/examples/${name}`, import.meta.url));
  const failure = await promisify(execFile)(process.execPath, [file, argument], {
    env: { ...process.env, NODE_OPTIONS: '' },
  }).catch(({ code, stdout, stderr }) => ({ code, stdout, stderr }));
  expect(failure).toEqual({ code: 2, stdout: '', stderr: `${line}\n` });
});

describe('visited states', () => {
  const SEATS = 10;
  const BITS = [2, 4, 8, 16];
  const BEST = [2, 3, 6, 12];
  let output: ExampleOutput;
  beforeAll(async () => {
    output = await runExample('visited-states.mjs', [`${SEATS}`]);
  }, LONG_MS);

  /** All words of T, L and E around the table in which nobody who eats sits before one with the fork between them. */
  const words = Array.from({ length: 3 ** SEATS }, (_, i) =>
    i
      .toString(3)
      .padStart(SEATS, '0')
      .replaceAll('0', 'T')
      .replaceAll('1', 'L')
      .replaceAll('2', 'E'),
  );
  const states = words.filter((word) => !/E[LE]/.test(word + word[0]));

  /** The states that a search with such a filter meets, the last one found first. */
  function statesMet(bitsPerState: number, hashes: number, seed: bigint): Set<string> {
    const filter = new BloomFilter({ bits: bitsPerState * states.length, hashes, seed });
    const met = new Set<string>();
    const stack: string[] = [];
    const meet = (state: string): void => {
      if (!filter.add(state)) return;
      met.add(state);
      stack.push(state);
    };
    meet('T'.repeat(SEATS));
    for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
      for (let i = 0; i < SEATS; i++) {
        // The neighbours of a seat, around the table.
        const [left, seat, right] = (state.slice(-1) + state + state[0]).slice(i, i + 3);
        const [before, after] = [state.slice(0, i), state.slice(i + 1)];
        if (seat === 'T' && left !== 'E') meet(`${before}L${after}`);
        if (seat === 'L' && right === 'T') meet(`${before}E${after}`);
        if (seat === 'E') meet(`${before}T${after}`);
      }
    }
    return met;
  }

  test('the exact search meets all states, in what a Set takes', () => {
    expect(states.length).toBe(6726);
    expect(output.figure('states')).toBe(states.length);
    const bytes = output.figure('bytes');
    expect(bytes).toBeGreaterThan(40 * states.length);
    expect(bytes).toBeLessThan(120 * states.length);
    expect(output.figure('bytes per state')).toBe(rounded(bytes / states.length, 1));
  });

  test.each([
    ['2 hashes', [2, 2, 2, 2]],
    ['best', BEST],
  ])('%s: what a run misses, and what two runs miss', (name, hashes) => {
    const runs = BITS.map((bits, i) =>
      [1n, 2n].map((seed) => statesMet(bits, hashes[i] as number, seed)),
    );
    const missedBy = (...met: Set<string>[]): number =>
      states.filter((state) => met.every((run) => !run.has(state))).length;
    const missed = runs.map(([first]) => missedBy(first as Set<string>));
    const share = (count: number): number => rounded((100 * count) / states.length, 3);
    expect(of(output, `${name}, missed by a run`, 4)).toEqual(missed);
    expect(of(output, `${name}, in percent`, 4)).toEqual(missed.map(share));
    const byBoth = runs.map((both) => missedBy(...both));
    expect(of(output, `${name}, missed by both of two runs`, 4)).toEqual(byBoth);
    byBoth.forEach((count, i) => {
      expect(count).toBeLessThanOrEqual((missed[i] as number) / 2);
    });
  });
});

describe('mail list', () => {
  const ADDRESSES = 30_000;
  const BLOCKED = 27_000;
  const FPR = 2 ** -10;
  const address = (i: number): string => `user-${i.toString(36)}@mail-${i % 997}.example`;
  const all = Array.from({ length: 2 * ADDRESSES }, (_, i) => address(i));
  const lists = [all.slice(0, BLOCKED), all.slice(BLOCKED, ADDRESSES), all.slice(ADDRESSES)];
  const [blocked = [], allowed = []] = lists;
  const bloom = BloomFilter.from(blocked, { fpr: FPR });
  const exact = ExactFilter.from({ include: blocked, exclude: allowed }, { fpr: FPR });
  const map = BloomierMap.from(
    [
      ...blocked.map((sender) => [sender, 1] as const),
      ...allowed.map((sender) => [sender, 0] as const),
    ],
    { valueBits: 1, checkBits: 10 },
  );

  let output: ExampleOutput;
  beforeAll(async () => {
    output = await runExample('mail-list.mjs', [`${ADDRESSES}`]);
  }, LONG_MS);

  test('whom each calls blocked', () => {
    const sum = (answers: Iterable<number>): number => [...answers].reduce((a, b) => a + b, 0);
    expect(of(output, 'looked up', 3)).toEqual([BLOCKED, ADDRESSES - BLOCKED, ADDRESSES]);
    const called = {
      BloomFilter: lists.map((list) => sum(bloom.hasMany(list))),
      ExactFilter: lists.map((list) => sum(exact.hasMany(list))),
      BloomierMap: lists.map((list) => list.filter((sender) => map.get(sender) === 1).length),
    };
    for (const [name, counts] of Object.entries(called)) {
      expect(of(output, `called blocked by ${name}`, 3)).toEqual(counts);
    }
    expect(called.ExactFilter.slice(0, 2)).toEqual([BLOCKED, 0]);
    expect(called.BloomierMap.slice(0, 2)).toEqual([BLOCKED, 0]);
  });

  test('no mail is refused by chance', () => {
    const row = (label: string): number[] => of(output, label, 3);
    expect(row('mails')).toEqual([60_000, 30_000, 10_000]);
    expect(row('refused')).toEqual([60_000, 0, 0]);
    const [fromBlocked, fromAllowed, inVain = 0] = row('looked up on disk');
    expect([fromBlocked, fromAllowed]).toEqual([60_000, 0]);
    const [never, atOnce, unseen = 0] = row('delivered at once');
    expect([never, atOnce]).toEqual([0, 30_000]);
    expect(row('scanned for spam')).toEqual([0, 0, 10_000 - unseen]);
    // One in 1,024 senders on neither list has some verdict. Both verdicts are equally likely.
    const { high } = binomialInterval(10_000, FPR / 2, 1e-9);
    for (const taken of [inVain, unseen]) expect(taken).toBeLessThanOrEqual(high);
  });
});
