/** The example of two sets that are synchronised: its figures against what is counted here. */
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { BloomFilter, InvertibleBloomTable } from 'tamis';
import { binomialInterval } from '../../js/examples/binomial.mjs';
import { type ExampleOutput, runExample } from '../js/support/example-output.js';

const ID_BYTES = 16;
const ids = (name: string, length: number): Buffer[] =>
  Array.from({ length }, (_, i) =>
    createHash('sha256').update(`${name}-${i}`).digest().subarray(0, ID_BYTES),
  );
const shared = ids('order', 99_900);
const [onlyHere, onlyThere] = [ids('here', 100), ids('there', 100)];
const here = [...shared, ...onlyHere];
const there = [...shared, ...onlyThere];

describe('two sets of ids', () => {
  let output: ExampleOutput;
  beforeAll(async () => {
    output = await runExample('sync-sets.mjs');
  }, 2_400_000);
  const columns = (label: string, ...at: number[]): number[] =>
    at.map((column) => output.figure(label, column));

  const tries = (): number[] => {
    const row = output.lines.find((line) => line.startsWith('tables, with room for'));
    return (row?.split(/ {2,}/).slice(1) ?? []).map((_, i) => i);
  };

  test('tables are asked for until one lists all, each twice the last', () => {
    const sizes = columns('tables, with room for', ...tries());
    expect(sizes).toEqual(sizes.map((_, i) => 50 * 2 ** i));
    // One key in a thousand or so leaves the third table incomplete, and makes a fourth.
    expect([3, 4]).toContain(sizes.length);
    const hex = /^the key of this session: ([\da-f]{32})$/.exec(output.lines[0] ?? '')?.[1] ?? '';
    const key = Buffer.from(hex, 'hex');
    const tables = sizes.map((differences) => {
      const options = { differences, keyBytes: ID_BYTES, secret: key } as const;
      const [ours, theirs] = [new InvertibleBloomTable(options), new InvertibleBloomTable(options)];
      for (const id of here) ours.add(id);
      for (const id of there) theirs.add(id);
      const { added, removed, complete } = ours.subtract(theirs).decode();
      return {
        bytes: theirs.toBytes().length,
        listed: added.length + removed.length,
        complete: complete ? 'yes' : 'no',
      };
    });
    expect(columns('bytes', ...tries())).toEqual(tables.map(({ bytes }) => bytes));
    expect(columns('differences listed', ...tries())).toEqual(tables.map(({ listed }) => listed));
    const said = output.lines
      .find((line) => line.startsWith('complete'))
      ?.split(/ {2,}/)
      .slice(1);
    expect(said).toEqual(tables.map(({ complete }) => complete));
    expect(said?.indexOf('yes')).toBe(sizes.length - 1);
    expect(tables.at(-1)?.listed).toBe(200);
  });

  test('each session has a key of its own', async () => {
    const again = await runExample('sync-sets.mjs');
    expect(again.lines[0]).not.toBe(output.lines[0]);
  });

  test('all tries together are a small part of the list, and miss nothing', () => {
    const sent = 16 + tries().length * 4 + 100 * ID_BYTES;
    const received = columns('bytes', ...tries()).reduce((sum, bytes) => sum + bytes);
    expect(columns('the tables', 0, 1, 2, 3)).toEqual([received, sent, received + sent, 0]);
    expect(received + sent).toBeLessThan(40_000);
  });

  test('filters miss what their rate allows, and nothing else', () => {
    const filters = [there, here].map((keys) => BloomFilter.from(keys, { fpr: 0.02 }));
    const [lacked, owed] = filters.map((filter, side) =>
      (side === 0 ? onlyHere : onlyThere).filter((key) => !filter.has(key)),
    );
    const [theirs = 0, ours = 0] = filters.map((filter) => filter.toBytes().length);
    const missed = 200 - (lacked?.length ?? 0) - (owed?.length ?? 0);
    const received = theirs + (owed?.length ?? 0) * ID_BYTES;
    const sent = ours + (lacked?.length ?? 0) * ID_BYTES;
    expect(columns('two filters', 0, 1, 2, 3)).toEqual([received, sent, received + sent, missed]);
    const { low, high } = binomialInterval(200, 0.02, 1e-9);
    expect(missed).toBeGreaterThanOrEqual(low);
    expect(missed).toBeLessThanOrEqual(high);
  });
});
