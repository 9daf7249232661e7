/** Members of one class, called on an object of another: an error, and never another's memory. */

import { describe, expect, test } from '@jest/globals';
import {
  BloomFilter,
  CountingBloomFilter,
  CuckooFilter,
  hashKeys,
  InvertibleBloomTable,
  RotatingBloomFilter,
  type Structure,
} from 'tamis';
import { goCuckoo } from 'tamis/interop';
import { structureCases } from './classes.js';
import { expectCode } from './support/errors.js';

/** Functions that make a structure of each class, with one thing in it. */
const made = new Map(
  [...structureCases].reverse().map(({ className, make }) => [className, () => make(1)]),
);

/** Members that only one class has, each with a call of it. */
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
  test.each([...made.keys()].filter((name) => name !== owner))('called on a %s', (name) => {
    const object = made.get(name)?.() as Structure;
    const other = made.get(name)?.() as Structure;
    const before = object.toBytes();
    expect(() => call(object as never, other as never)).toThrow();
    expect(object.toBytes()).toEqual(before);
    // The runtime lives on.
    expect(BloomFilter.from(['b']).has('b')).toBe(true);
  });
});

test.each(['toBytes', 'clone', 'validate'] as const)(
  '%s of the filter of another library',
  (name) => {
    const member: (this: unknown) => unknown = BloomFilter.prototype[name];
    expectCode(() => member.call(goCuckoo.decode(new Uint8Array(64))), 'UNSUPPORTED');
  },
);

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
