/**
 * The uses of filters in the literature. Each example runs as its reader would run it. Its figures are compared
 * with counts that were made here, or with the bounds of the designed rate.
 */
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { BloomFilter, bloomSizing } from 'tamis';
import { binomialInterval } from '../../js/examples/binomial.mjs';
import { type ExampleOutput, runExample } from '../js/support/example-output.js';
import { random } from '../js/support/keys.js';

// The probability, on either side, that a sound filter with other keys would be refused.
const ALPHA = 1e-9;
// On a busy machine longer than a test usually may take.
const LONG_MS = 2_400_000;

const folder = mkdtempSync(join(tmpdir(), 'tamis-articles-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Rounds a value as the examples do. */
const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

/** Expects that `passed` of `n` absent keys is what a filter of rate `fpr` lets pass. */
function expectRate(passed: number, n: number, fpr: number): void {
  const { low, high } = binomialInterval(n, fpr, ALPHA);
  expect(passed).toBeGreaterThanOrEqual(low);
  expect(passed).toBeLessThanOrEqual(high);
}

test(
  'servers: a request to the server that has the key, and few in vain',
  async () => {
    const { figure } = await runExample('servers.mjs');
    const asked = figure('keys asked for');
    const held = figure('held by a server');
    const all = figure('requests, asking every server');
    const sent = figure('requests, asking the filters');
    const inVain = figure('requests in vain');
    expect(all).toBe(64 * asked);
    expect(held).toBe((4 * asked) / 5);
    expect(figure('held keys missed')).toBe(0);
    expect(sent).toBe(held + inVain);
    expectRate(inVain, all - held, 0.001);
    expect(figure('in vain by the designed rate')).toBe(Math.round((all - held) / 1000));
    expect(figure('requests saved')).toBe(rounded(100 * (1 - sent / all), 1));
    const keys = figure('keys on the servers');
    const { bitsPerKey } = bloomSizing({ capacity: Math.floor(keys / 64), fpr: 0.001 });
    const bytes = figure('bytes of the filters');
    expect(bytes).toBeGreaterThan((bitsPerKey * keys) / 8);
    expect(bytes).toBeLessThan((1.01 * bitsPerKey * keys) / 8);
    expect(figure('bits per key')).toBe(rounded((8 * bytes) / keys, 1));
  },
  LONG_MS,
);

describe('spell checker', () => {
  const require = createRequire(import.meta.url);
  const list = readFileSync(join(dirname(require.resolve('word-list')), 'words.txt'));
  const words = list.toString().split('\n');
  const known = new Set(words);
  const checker = BloomFilter.from(words, { fpr: 0.001 });
  const flaggedOf = (candidates: string[]): string[] =>
    candidates.filter((word) => !checker.has(word));

  test(
    'weighs what it says, and lets pass what the rate allows',
    async () => {
      const { figure, lines } = await runExample('spell-checker.mjs');
      const bytes = checker.toBytes().length;
      expect(figure('words of the list')).toBe(known.size);
      expect(figure('bytes as text')).toBe(list.length);
      expect(figure('bytes as text, gzipped')).toBe(gzipSync(list, { level: 9 }).length);
      expect(figure('bytes as filter')).toBe(bytes);
      expect(figure('bits per word')).toBe(rounded((8 * bytes) / known.size, 1));
      expect(figure('words of the list that are flagged')).toBe(0);

      const extension = require.resolve('@cspell/dict-en-common-misspellings/cspell-ext.json');
      const parts = ['dict-en.json', 'dict-en-gb.json', 'dict-en-us.json'].map((name) =>
        readFileSync(join(dirname(extension), 'dict', name), 'utf8'),
      );
      const wrong = parts.join('').matchAll(/"([^"\s'\-\d]{2,})->/g);
      const tried = new Set([...wrong].map((match) => (match[1] as string).toLowerCase()));
      for (const word of known) tried.delete(word);
      expect(figure('misspellings tried')).toBe(tried.size);
      const slipped = tried.size - flaggedOf([...tried]).length;
      expect(figure('slipped through')).toBe(slipped);
      expectRate(slipped, tried.size, checker.estimatedFpr);
      expect(figure('observed rate')).toBe(rounded((100 * slipped) / tried.size, 3));
      expect(figure('designed rate')).toBe(rounded(100 * checker.fpr, 3));

      const faults =
        'goverment recieved seperate definately embarassing occurence beleived tommorow';
      expect(lines.at(-1)).toBe(flaggedOf(faults.split(' ')).join(' '));
    },
    LONG_MS,
  );

  test('reads a file', async () => {
    const file = join(folder, 'text.txt');
    const strange = ['wrod', 'zzyx', 'caf\u00e9'];
    writeFileSync(file, `I can't see A Word, ${strange.join('; ')}. ${strange[0]}\nit's the end!`);
    const { figure, lines } = await runExample('spell-checker.mjs', [file]);
    const flagged = flaggedOf(strange);
    expect(figure('words of the text')).toBe(['see', 'word', 'the', 'end', ...strange].length);
    expect(figure('flagged')).toBe(flagged.length);
    expect(lines.at(-1)).toBe(flagged.join(' '));
  });
});

test(
  'read guard: reads are saved, no key is missed, nothing is left behind',
  async () => {
    const temporary = join(folder, 'temporary');
    mkdirSync(temporary);
    const { figure } = await runExample('read-guard.mjs', [], { TMPDIR: temporary });
    expect(readdirSync(temporary)).toEqual([]);
    const questions = figure('questions');
    const absent = figure('for absent keys');
    const reads = figure('reads with the guard');
    const inVain = figure('reads in vain');
    expectRate(absent, questions, 0.9);
    expect(figure('reads without the guard')).toBe(questions);
    expect(reads).toBe(questions - absent + inVain);
    expect(figure('reads saved')).toBe(rounded(100 * (1 - reads / questions), 1));
    expect(figure('present keys missed')).toBe(0);
    expectRate(inVain, absent, 0.01);
    expect(figure('in vain by the designed rate')).toBe(Math.round(absent / 100));
    const guard = new BloomFilter({ capacity: figure('keys in the store'), fpr: 0.01 });
    expect(figure('bytes of the guard')).toBe(guard.toBytes().length);
  },
  LONG_MS,
);

describe('cache digest', () => {
  let output: ExampleOutput;
  beforeAll(async () => {
    output = await runExample('cache-digest.mjs');
  }, LONG_MS);
  const columns = (label: string): number[] => [0, 1, 2].map((i) => output.figure(label, i));
  const sum = (...labels: string[]): number[] =>
    labels.map(columns).reduce((total, row) => total.map((x, i) => x + (row[i] as number)));

  test('every request is in one row', () => {
    const inVain = ['asked in vain, dropped since', 'asked in vain, false positive'];
    const neighbour = ['hits found at the neighbour', 'hits missed, newer than the digest'];
    const all = ['hits in the own cache', ...neighbour, ...inVain, 'not asked, and rightly'];
    expect(sum(...all)).toEqual([100_000, 100_000, 100_000]);
    // The digests decide which cache gets the request, and not the caches' content.
    const alike = [
      columns('hits in the own cache'),
      sum(...neighbour),
      sum(...inVain, 'not asked, and rightly'),
    ];
    for (const row of alike) expect(new Set(row).size).toBe(1);
  });

  test('staleness costs more with every column', () => {
    const rising = ['hits missed, newer than the digest', 'asked in vain, dropped since'];
    for (const label of ['requests between exchanges', ...rising]) {
      const [first, second, third] = columns(label) as [number, number, number];
      expect(first).toBeGreaterThan(0);
      expect(second).toBeGreaterThan(first);
      expect(third).toBeGreaterThan(second);
    }
  });

  test('false positives are as few as designed', () => {
    const positives = columns('asked in vain, false positive');
    const refused = columns('not asked, and rightly');
    positives.forEach((passed, i) => {
      expectRate(passed, passed + (refused[i] as number), 0.01);
    });
  });

  test('the digest is smaller than the list', () => {
    const digest = new BloomFilter({ capacity: 2_500, fpr: 0.01 }).toBytes().length;
    expect(columns('bytes of a digest')).toEqual([digest, digest, digest]);
    const periods = columns('requests between exchanges');
    expect(columns('digests sent')).toEqual(periods.map((period) => (2 * 100_000) / period));
    const lists = columns('bytes of the last list of URLs');
    columns('bytes of that list, gzipped').forEach((gzipped, i) => {
      expect(gzipped).toBeGreaterThan(digest);
      expect(gzipped).toBeLessThan(lists[i] as number);
    });
  });
});

describe('dedupe of a tree', () => {
  const labels = {
    blocks: 'blocks',
    bytes: 'bytes',
    twiceBlocks: 'duplicate blocks',
    twiceBytes: 'duplicate bytes',
  };
  const tally = ({ figure }: ExampleOutput): Record<string, number> =>
    Object.fromEntries(Object.entries(labels).map(([name, label]) => [name, figure(label)]));

  function expectSaved({ figure }: ExampleOutput): void {
    const blocks = figure('blocks');
    const twice = figure('duplicate blocks');
    const lookUps = figure('index look-ups with the filter');
    const inVain = figure('look-ups in vain');
    expect(figure('index look-ups without the filter')).toBe(blocks);
    expect(lookUps).toBe(twice + inVain);
    // The rate is reached when the filter is full, so this many would be too many on the way there.
    expect(inVain).toBeLessThanOrEqual(binomialInterval(blocks - twice, 0.01, ALPHA).high);
    expect(figure('look-ups saved')).toBe(blocks - lookUps);
    expect(figure('look-ups saved', 1)).toBe(rounded(100 * (1 - lookUps / blocks), 1));
    expect(figure('duplicate blocks', 1)).toBe(rounded((100 * twice) / blocks, 1));
    expect(figure('stored blocks taken for new')).toBe(0);
  }

  test('blocks of known files', async () => {
    const next = random(5);
    const [a, b, c] = [0, 0, 0].map(() => Buffer.from(Uint8Array.from({ length: 8192 }, next)));
    const blocks = [a, b, c] as Buffer[];
    const tail = Buffer.alloc(100, 7);
    const tree = join(folder, 'tree');
    mkdirSync(join(tree, 'inner'), { recursive: true });
    writeFileSync(join(tree, 'one'), Buffer.concat([...blocks, tail]));
    writeFileSync(join(tree, 'inner', 'two'), Buffer.concat([c, a] as Buffer[]));
    writeFileSync(join(tree, 'inner', 'three'), tail);
    writeFileSync(join(tree, 'empty'), '');
    symlinkSync('one', join(tree, 'link'));
    const output = await runExample('dedupe-tree.mjs', [tree]);
    expect(output.lines[0]).toBe('4 files in blocks of 8,192 bytes');
    expect(tally(output)).toEqual({
      blocks: 7,
      bytes: 5 * 8192 + 200,
      twiceBlocks: 3,
      twiceBytes: 2 * 8192 + 100,
    });
    expectSaved(output);
  });

  test('a package, as it was installed', async () => {
    const tree = fileURLToPath(new URL('../../node_modules/fast-check', import.meta.url));
    const expected = { blocks: 0, bytes: 0, twiceBlocks: 0, twiceBytes: 0 };
    const stored = new Set<string>();
    const walk = (path: string): void => {
      for (const entry of readdirSync(path, { withFileTypes: true })) {
        const inner = join(path, entry.name);
        if (entry.isDirectory()) walk(inner);
        if (!entry.isFile()) continue;
        for (let rest = readFileSync(inner); rest.length > 0; rest = rest.subarray(8192)) {
          const block = rest.subarray(0, 8192);
          const digest = createHash('sha256').update(block).digest('hex');
          expected.blocks++;
          expected.bytes += block.length;
          if (stored.has(digest)) {
            expected.twiceBlocks++;
            expected.twiceBytes += block.length;
          }
          stored.add(digest);
        }
      }
    };
    walk(tree);
    const output = await runExample('dedupe-tree.mjs', [tree]);
    expect(tally(output)).toEqual(expected);
    expectSaved(output);
  });

  test('a folder without content is refused', async () => {
    const empty = join(folder, 'nothing');
    mkdirSync(empty);
    await expect(runExample('dedupe-tree.mjs', [empty])).rejects.toThrow('no file with content');
  });
});
