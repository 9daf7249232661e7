/** Puts faults into tamis/read. The golden files and the published hashes must show each of them. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { golden, urlGolden } from '../js/support/golden.js';
import { bundle, checkModules, sources } from '../js/support/read-bundle.js';
import type { Found } from '../js/support/read-golden.mjs';

/** The name of each fault, its file in js/src/read, the text there, and the text that replaces it. */
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
  // A word that is signed and should be unsigned.
  ...['ah = aHigh', 'al = aLow', 'bh = bHigh', 'bl = bLow'].map(
    (text) => [`XXH3, a signed ${text}`, 'xxh3.ts', `${text} >>> 0`, text] as const,
  ),
  ...['Math.imul(aHigh, bLow)', 'Math.imul(aLow, bHigh)', 'Math.imul(aHigh, bHigh)'].map(
    (text) => [`XXH3, a signed ${text}`, 'xxh3.ts', `${text} >>> 0`, text] as const,
  ),
  ['XXH3, a signed ll', 'xxh3.ts', 'al * bl - (ll >>> 0)', 'al * bl - ll'],
  ['XXH3, a signed carry of a stripe', 'xxh3.ts', 'next >>> 0 < product >>> 0', 'next < product'],
  [
    'XXH3, a signed carry between the sums',
    'xxh3.ts',
    'neighbour >>> 0 < low >>> 0',
    'neighbour < low',
  ],
  ['XXH3, no scramble after 1,024 bytes', 'xxh3.ts', 'if (i % 16 === 15) scramble();', ''],
  ['a signed carry of 64 bits', 'u64.ts', 'sum >>> 0 < low >>> 0', 'sum < low'],
  ['a signed carry in SipHash', 'siphash.ts', 'sum >>> 0 < low >>> 0', 'sum < low'],
];

/** Takes the whole product of 64 bits. The format takes only the upper half of x (FORMAT.md, section 4.1). */
const whole = (high: string, low: string, by: string): string =>
  `Number((((BigInt((${high}) >>> 0) << 32n) | BigInt((${low}) >>> 0)) * BigInt(${by})) >> 64n)`;

/** The other form of `hi`: its file, its place, and the golden files that must show it. */
const otherForms: readonly (readonly [file: string, text: string, other: string, shows: string])[] =
  [
    [
      'bloom-bits.ts',
      'highOfProduct(high, bits)',
      whole('high', 'low', 'bits'),
      'bloom-hi deletable-bloom-hi tombstone-bloom-hi-classic scalable-bloom-hi-classic rotating-bloom-hi-classic',
    ],
    [
      'bloom-bits.ts',
      'highOfProduct(u[1], blocks)',
      whole('u[1]', 'u[0]', 'blocks'),
      'blocked-bloom-hi tombstone-bloom-hi scalable-bloom-hi rotating-bloom-hi',
    ],
    [
      'counting-bloom.ts',
      'highOfProduct(u[1], counters)',
      whole('u[1]', 'u[0]', 'counters'),
      'counting-bloom-hi',
    ],
    [
      'd-left-counting.ts',
      'highOfProduct(u[1], buckets)',
      whole('u[1]', 'u[0]', 'buckets'),
      'd-left-counting-hi',
    ],
    [
      'd-left-counting.ts',
      'highOfProduct(shifted[table] as number, buckets)',
      whole('shifted[table]', '[0, low, low << 21, 0][table]', 'buckets'),
      'd-left-counting-hi',
    ],
    ['cuckoo.ts', 'highOfProduct(u[1], buckets)', whole('u[1]', 'u[0]', 'buckets'), 'cuckoo-hi'],
    [
      'cuckoo.ts',
      'highOfProduct(shifted, buckets / 2)',
      whole('shifted', 'u[1] << (32 - fingerprintBits)', 'buckets / 2'),
      'cuckoo-hi',
    ],
    [
      'binary-fuse.ts',
      'highOfProduct(u[1], starts)',
      whole('u[1]', 'u[0]', 'starts'),
      'binary-fuse-hi-3 binary-fuse-hi-4',
    ],
    [
      'retrieval.ts',
      'highOfProduct(high, starts)',
      whole('high', 'low', 'starts'),
      'ribbon-hi exact-hi exact-hi-second bloomier-hi',
    ],
  ];

const all = [
  ...mutants,
  ...otherForms.map(([file, text, other]) => [text, file, text, other] as const),
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
  for (const [i, [, file, text, other]] of all.entries()) {
    const right = readFileSync(source(file), 'utf8');
    writeFileSync(source(file), right.replace(text, other));
    await bundle(source('index.ts'), moduleOf(i));
    writeFileSync(source(file), right);
  }
  const modules = Array.from({ length: all.length + 1 }, (_, i) => ({
    path: moduleOf(i - 1),
    mostFaults: i > 0 && i <= mutants.length ? 1 : 1000,
    ...(i > mutants.length ? { only: '-hi' } : {}),
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

test.each(otherForms.map((form, i) => [...form, mutants.length + i + 1] as const))(
  'the other form of hi in %s: %s',
  (file, text, _other, shows, i) => {
    expect(readFileSync(source(file), 'utf8').split(text)).toHaveLength(2);
    const files = found[i]?.faults.map((fault) => fault.slice(0, fault.indexOf('.tamis')));
    for (const one of shows.split(' ')) expect(files).toContain(one);
  },
);
