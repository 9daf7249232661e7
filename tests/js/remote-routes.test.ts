/** The pages of keys by tamis/remote, which computes them without the core. */

import { describe, expect, test } from '@jest/globals';
import { hashKey } from 'tamis';
import { hashesOfKeys, keyCheckOf, pagesBy } from '../../js/src/remote/key-hashes.js';
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
