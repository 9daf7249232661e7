/** The builds of tests/cpp/contract/builds_test.cpp: wasm writes the bytes that the native build wrote. */
import { readFileSync } from 'node:fs';

import { expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import { BloomierMap, ExactFilter } from 'tamis';

import { staticCases } from './classes.js';
import { classesOf } from './support/all-classes.mjs';
import { crc32c } from './support/crc32c.js';
import { splitmix64 } from './support/mixing.js';

interface Recorded {
  readonly type: string;
  readonly options: Readonly<Record<string, number>>;
  readonly seed: string;
  readonly keys: number;
  readonly crc: string;
}
const builds = JSON.parse(
  readFileSync(new URL('../vectors/builds.json', import.meta.url), 'utf8'),
) as Recorded[];

const numbered = (prefix: string, n: number): string[] =>
  Array.from({ length: n }, (_, i) => `${prefix}${i}`);

function build({ type, options: given, seed, keys: n }: Recorded): { toBytes(): Uint8Array } {
  const keys = numbered('k', n);
  const options = { ...given, seed: BigInt(seed) };
  if (type === 'exact') {
    return ExactFilter.from({ include: keys, exclude: numbered('x', 3 * n) }, options);
  }
  if (type === 'bloomier') {
    const { valueBits = 0 } = given;
    const entries = keys.map(
      (key, i) => [key, Number(splitmix64(BigInt(i)) >> BigInt(64 - valueBits))] as const,
    );
    return BloomierMap.from(entries, { ...options, valueBits });
  }
  const Class = classesOf(tamis).find(({ prototype }) => prototype.type === type);
  return (Class as unknown as typeof tamis.RibbonFilter).from(keys, options);
}

test.each(builds.map((one) => [one.type, JSON.stringify(one.options), one.keys, one] as const))(
  '%s %s, %d keys',
  (_type, _options, _keys, one) => {
    expect(crc32c(build(one).toBytes()).toString(16).padStart(8, '0')).toBe(one.crc);
  },
);

test('the file has builds of everything that is built once, small and large', () => {
  const types = new Set(staticCases.map(({ type }) => type));
  expect(new Set(builds.map(({ type }) => type))).toEqual(types);
  for (const type of types) {
    const sizes = builds.filter((one) => one.type === type).map(({ keys }) => keys);
    expect([Math.min(...sizes), Math.max(...sizes)]).toEqual([0, 120_000]);
  }
});
