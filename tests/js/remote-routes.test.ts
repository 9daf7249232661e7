/** The pages of keys by tamis/remote, which computes them without the core. */

import { describe, expect, test } from '@jest/globals';
import { hashKey } from 'tamis';
import { groupOf, hashesOfKeys, keyCheckOf, pagesBy } from '../../js/src/remote/key-hashes.js';
import { KEY } from './classes.js';
import { expectCode } from './support/errors.js';
import { randomStrings } from './support/keys.js';
import { placeOf } from './support/routes.js';

const keys = randomStrings(300, 'routed');
const toNumber = ([low, high]: Iterable<number> & readonly number[]): bigint =>
  (BigInt((high as number) >>> 0) << 32n) | BigInt((low as number) >>> 0);

describe.each([0n, 1n, 0x123456789abcdef0n, (1n << 64n) - 1n])('seed %s', (seed) => {
  test.each([1, 2, 3, 83_334, 2 ** 31 - 1, 2 ** 31])('%d pages', (pages) => {
    const pageOf = pagesBy(seed, pages);
    const hashes = hashesOfKeys(keys, undefined);
    expect(hashes.map(pageOf)).toEqual(
      keys.map((key) => placeOf('tamis pages', hashKey(key), seed, pages)),
    );
  });
});

test('hashes are those of tamis, keyed too', () => {
  for (const key of [undefined, KEY]) {
    const expected = keys.map((one) => hashKey(one, key && { secret: key }));
    expect(hashesOfKeys(keys, key).map((hash) => toNumber([...hash]))).toEqual(expected);
  }
  expect(BigInt(`0x${keyCheckOf(KEY)}`)).toBe(hashKey('tamis-key-id', { secret: KEY }));
});

test('an error names the key that is none', () => {
  expect(expectCode(() => hashesOfKeys(['a', 7 as never], undefined), 'INVALID_KEY').index).toBe(1);
  for (const one of ['a', 7, new Uint8Array(3)]) {
    expectCode(() => hashesOfKeys(one as never, undefined), 'INVALID_KEY');
  }
});

describe('groups of pages', () => {
  test.each([
    [1, 1],
    [1, 65],
    [2, 2],
    [7, 3],
    [30, 30],
    [31, 30],
    [59, 30],
    [60, 30],
    [1000, 1],
    [1000, 7],
    [3_334, 30],
  ])('divide %d pages into groups of %d or more', (pages, size) => {
    const groups = new Map<string, number[]>();
    for (let page = 0; page < pages; page++) {
      const group = groupOf(page, pages, size);
      expect(group).toContain(page);
      groups.set(String(group), group);
    }
    const all = [...groups.values()];
    expect(all.flat().sort((one, other) => one - other)).toEqual(
      Array.from({ length: pages }, (_, page) => page),
    );
    const least = Math.min(size, pages);
    expect(all.every(({ length }) => length >= least && length <= 2 * least)).toBe(true);
  });

  test('lie at the same places in sets of other sizes', () => {
    for (const pages of [2 ** 31, 2 ** 31 - 1, 1_234_567]) {
      const page = Math.floor(0.4567 * pages);
      const group = groupOf(page, pages, 30);
      expect(group[13]).toBe(page);
      for (const [i, member] of group.entries()) {
        expect(Math.abs(member - page - ((i - 13) * pages) / 30)).toBeLessThanOrEqual(1);
      }
    }
  });
});
