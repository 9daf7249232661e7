/** Members of one class, called on an object of another: an error, and never another's memory. */

import { describe, expect, test } from '@jest/globals';
import {
  BinaryFuseFilter,
  BlockedBloomFilter,
  BloomFilter,
  CountingBloomFilter,
  CuckooFilter,
  DeletableBloomFilter,
  DLeftCountingFilter,
  type Filter,
  hashKeys,
  InvertibleBloomTable,
  RotatingBloomFilter,
  ScalableBloomFilter,
  TombstoneBloomFilter,
} from 'tamis';
import { expectCode } from './support/errors.js';

const filters: Record<string, () => Filter | InvertibleBloomTable> = {
  BloomFilter: () => BloomFilter.from(['a']),
  BlockedBloomFilter: () => BlockedBloomFilter.from(['a']),
  CountingBloomFilter: () => CountingBloomFilter.from(['a']),
  TombstoneBloomFilter: () => TombstoneBloomFilter.from(['a']),
  DeletableBloomFilter: () => DeletableBloomFilter.from(['a']),
  ScalableBloomFilter: () => ScalableBloomFilter.from(['a']),
  RotatingBloomFilter: () => RotatingBloomFilter.from(['a'], { periodMs: 5 }),
  DLeftCountingFilter: () => DLeftCountingFilter.from(['a']),
  CuckooFilter: () => CuckooFilter.from(['a']),
  BinaryFuseFilter: () => BinaryFuseFilter.from(['a']),
  InvertibleBloomTable: () => new InvertibleBloomTable({ differences: 3, keyBytes: 8 }),
};

/** What only one class has, and how it is called. */
const members: [owner: string, name: string, call: (object: never, other: never) => unknown][] = [
  ['BloomFilter', 'fill', (o) => BloomFilter.prototype.fill.call(o)],
  ['BloomFilter', 'positions', (o) => BloomFilter.prototype.positions.call(o, 'a')],
  ['BloomFilter', 'jaccard', (o, p) => BloomFilter.prototype.jaccard.call(o, p)],
  ['CountingBloomFilter', 'toBloom', (o) => CountingBloomFilter.prototype.toBloom.call(o)],
  ['RotatingBloomFilter', 'rotate', (o) => RotatingBloomFilter.prototype.rotate.call(o)],
  ['RotatingBloomFilter', 'advance', (o) => RotatingBloomFilter.prototype.advance.call(o, 7)],
  ['InvertibleBloomTable', 'decode', (o) => InvertibleBloomTable.prototype.decode.call(o)],
  [
    'InvertibleBloomTable',
    'subtract',
    (o, p) => InvertibleBloomTable.prototype.subtract.call(o, p),
  ],
];

describe.each(members)('%s.%s', (owner, _name, call) => {
  test.each(Object.keys(filters).filter((name) => name !== owner))('called on a %s', (name) => {
    const object = filters[name]?.() as Filter;
    const other = filters[name]?.() as Filter;
    const before = object.toBytes();
    expect(() => call(object as never, other as never)).toThrow();
    expect(object.toBytes()).toEqual(before);
    // The runtime lives on.
    expect(BloomFilter.from(['b']).has('b')).toBe(true);
  });
});

test('a getter that was put on a table sizes no buffer', () => {
  const table = new InvertibleBloomTable({ differences: 500, keyBytes: 64 });
  const key = 'k'.repeat(64);
  table.add(key);
  Object.defineProperty(table, 'keyBytes', { value: 1 });
  expect(table.decode().added).toEqual([new TextEncoder().encode(key)]);
});

test('addHashes names the hash that found no room', () => {
  const keys = Array.from({ length: 400 }, (_, i) => `key-${i}`);
  const options = { capacity: 4, bucketSize: 1 };
  const byKey = expectCode(() => new CuckooFilter(options).addMany(keys), 'FULL').index;
  const byHash = expectCode(
    () => new CuckooFilter(options).addHashes(hashKeys(keys)),
    'FULL',
  ).index;
  expect(byHash).toBe(byKey);
  expect(byHash).toBeGreaterThan(0);
});
