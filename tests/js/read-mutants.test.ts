/** Faults that were put into tamis/read, each of which the golden files and the published hashes must show. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { golden, urlGolden } from './support/golden.js';
import { bundle, checkModules, sources } from './support/read-bundle.js';
import type { Found } from './support/read-golden.mjs';

/** What it is, in which file of js/src/read, and what text comes in the place of which. */
const mutants: readonly (readonly [name: string, file: string, text: string, other: string])[] = [
  ...[37, 39, 40, 45].map(
    (other) =>
      [
        `ribbon, a threshold of ${other} for 38`,
        'retrieval.ts',
        '[128, 38, 17, 0]',
        `[128, ${other}, 17, 0]`,
      ] as const,
  ),
  ['ribbon, a threshold of 18 for 17', 'retrieval.ts', '[128, 38, 17, 0]', '[128, 38, 18, 0]'],
  [
    'scalable-bloom, no look at the rate of a layer',
    'scalable-bloom.ts',
    'rate() <= fpr * (1 - tightening) * tightening ** i * (1 + 1e-9)',
    'true',
  ],
  // A word that is signed where it should not be.
  ...['ah = aHigh', 'al = aLow', 'bh = bHigh', 'bl = bLow'].map(
    (text) => [`XXH3, a signed ${text}`, 'xxh3.ts', `${text} >>> 0`, text] as const,
  ),
  ...['Math.imul(aHigh, bLow)', 'Math.imul(aLow, bHigh)', 'Math.imul(aHigh, bHigh)'].map(
    (text) => [`XXH3, a signed ${text}`, 'xxh3.ts', `${text} >>> 0`, text] as const,
  ),
  ['XXH3, a signed ll', 'xxh3.ts', 'al * bl - (ll >>> 0)', 'al * bl - ll'],
  ['XXH3, a signed carry of a stripe', 'xxh3.ts', 'own >>> 0 < product >>> 0', 'own < product'],
  ['XXH3, a signed carry between the sums', 'xxh3.ts', 'other >>> 0 < low >>> 0', 'other < low'],
  ['XXH3, no scramble after 1,024 bytes', 'xxh3.ts', 'if (i % 16 === 15) scramble();', ''],
  ['a signed carry of 64 bits', 'u64.ts', 'sum >>> 0 < low >>> 0', 'sum < low'],
  ['a signed carry in SipHash', 'siphash.ts', 'sum >>> 0 < low >>> 0', 'sum < low'],
];

const folder = mkdtempSync(join(tmpdir(), 'tamis-mutants-'));
afterAll(() => rmSync(folder, { recursive: true }));
const source = (file: string): string => join(folder, 'read', file);

/** The module of a mutant; that of -1 is as it should be. */
const moduleOf = (i: number): string => join(folder, `${i}.mjs`);
const found: Found[] = [];

beforeAll(async () => {
  for (const room of ['core', 'read']) {
    cpSync(join(sources, room), join(folder, room), { recursive: true });
  }
  await bundle(source('index.ts'), moduleOf(-1));
  for (const [i, [, file, text, other]] of mutants.entries()) {
    const right = readFileSync(source(file), 'utf8');
    writeFileSync(source(file), right.replace(text, other));
    await bundle(source('index.ts'), moduleOf(i));
    writeFileSync(source(file), right);
  }
  const modules = Array.from({ length: mutants.length + 1 }, (_, i) => ({
    path: moduleOf(i - 1),
    mostFaults: i === 0 ? 100 : 1,
  }));
  found.push(...(await checkModules(modules)));
});

test('what has no fault shows none', () => {
  expect(found[0]?.faults).toEqual([]);
  expect(found[0]?.files).toBe(golden.length + urlGolden.length);
});

test.each(mutants.map((mutant, i) => [...mutant, i + 1] as const))(
  '%s',
  (_name, file, text, _other, i) => {
    expect(readFileSync(source(file), 'utf8').split(text)).toHaveLength(2);
    expect(found[i]?.faults).not.toEqual([]);
  },
);
