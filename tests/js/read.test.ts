/** The structures of tamis/read: the keys that they take, and their life. */
import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import * as read from 'tamis/read';

import { OTHER_KEY } from './classes.js';
import { expectCode, expectOption } from './support/errors.js';
import { random, utf8 } from './support/keys.js';
import { pairOf, readable, transfer } from './support/readable.js';

const keys = Array.from({ length: 100 }, (_, i) => `key ${i}`);
const bloomBytes = tamis.BloomFilter.from(keys, { fpr: 1e-6 }).toBytes();
const mapBytes = tamis.BloomierMap.from(
  keys.map((key, i) => [key, i] as const),
  { valueBits: 9 },
).toBytes();

describe.each(readable.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  test('takes any iterable of keys', () => {
    const { whole, reader } = pairOf(one, 200);
    const all = [...keys, ...keys.map((key) => utf8(key))];
    const answers = whole.hasMany(all);
    const more = function* () {
      for (const key of all) {
        // In the middle of another look-up.
        reader.has('another');
        yield key;
      }
    };
    for (const iterable of [all, new Set(all), more(), all.values()]) {
      expect(reader.hasMany(iterable)).toEqual(answers);
    }
    expect(reader.hasMany([])).toEqual(new Uint8Array());
  });

  test('is gone once it was disposed of', () => {
    const { reader } = pairOf(one, 10);
    const dying = function* () {
      yield* keys;
      reader.dispose();
      yield 'the last';
    };
    expect(expectCode(() => reader.hasMany(dying()), 'DISPOSED').index).toBe(keys.length);
    reader.dispose();
    expectCode(() => reader.has('a'), 'DISPOSED');
    expectCode(() => reader.hasMany([]), 'DISPOSED');
    expectCode(() => reader.hasHashes(new BigUint64Array(1)), 'DISPOSED');
    expectCode(() => reader.fpr, 'DISPOSED');
    expectCode(() => reader.toJSON(), 'DISPOSED');
  });

  test('loads with its key, up to a limit, and with no other option', () => {
    const { bytes, Class, load } = pairOf(one, 50);
    const isKeyed = load.secret !== undefined;
    expect(Class.fromBytes(bytes, load).hash).toBe(isKeyed ? 'keyed' : 'fast');
    expect(Class.fromBytes(bytes.buffer, { ...load, maxBytes: bytes.length }).type).toBe(one.type);
    for (const maxBytes of [bytes.length - 1, 70, 0]) {
      expectCode(() => Class.fromBytes(bytes, { ...load, maxBytes }), 'TOO_LARGE');
    }
    expectCode(() => Class.fromBytes(bytes, { secret: OTHER_KEY }), 'WRONG_KEY');
    if (isKeyed) expectCode(() => Class.fromBytes(bytes), 'KEY_REQUIRED');
    expectOption(() => Class.fromBytes(bytes, { ...load, nokey: 1 } as never), TypeError);
    for (const key of [new Uint8Array(15), 'x'.repeat(16), new Uint16Array(16), null]) {
      expectOption(() => Class.fromBytes(bytes, { secret: key as never }), TypeError);
    }
  });

  test('keeps a copy, or looks at the bytes themselves wherever they lie', () => {
    const { whole, bytes, Class, load } = pairOf(one, 200);
    const answers = whole.hasMany(keys);
    for (const shift of [0, 1, 13]) {
      const within = new Uint8Array(new SharedArrayBuffer(bytes.length + 20), shift, bytes.length);
      within.set(bytes);
      const copied = Class.fromBytes(within, load);
      const viewed = Class.fromBytes(within, { ...load, view: true });
      expect(viewed.hasMany(keys)).toEqual(answers);
      expect(viewed.toJSON()).toEqual(copied.toJSON());
      within.fill(0);
      expect(copied.hasMany(keys)).toEqual(answers);
    }
  });

  test('never answers for bytes that were transferred', () => {
    const { bytes, Class, load } = pairOf(one, 200);
    const reader = Class.fromBytes(bytes, { ...load, view: true });
    const copied = Class.fromBytes(bytes, load);
    const hashes = tamis.hashKeys(keys, load);
    const due = copied.hasMany(keys);
    const half = function* () {
      yield* keys.slice(0, 50);
      transfer(bytes.buffer);
      yield* keys;
    };
    expect(expectCode(() => reader.hasMany(half()), 'DISPOSED').index).toBe(50);
    expectCode(() => reader.has('key 7'), 'DISPOSED');
    expectCode(() => reader.hasMany(keys), 'DISPOSED');
    expectCode(() => reader.hasMany([]), 'DISPOSED');
    expectCode(() => reader.hasHashes(hashes), 'DISPOSED');
    expectCode(() => reader.fpr, 'DISPOSED');
    expectCode(() => reader.toJSON(), 'DISPOSED');
    expect(copied.hasMany(keys)).toEqual(due);
  });
});

test('a map and a bit array never answer for bytes that were transferred', () => {
  const bytes = mapBytes.slice();
  const map = read.BloomierMap.fromBytes(bytes, { view: true });
  expect(map.get('key 7')).toBe(7);
  transfer(bytes.buffer);
  expectCode(() => map.get('key 7'), 'DISPOSED');
  expectCode(() => map.getMany(['key 7']), 'DISPOSED');
  expectCode(() => map.getMany([]), 'DISPOSED');
  const bitBytes = new tamis.BitArray(70).set(3).toBytes();
  const bits = read.BitArray.fromBytes(bitBytes, { view: true });
  expect(bits.has(3)).toBe(true);
  transfer(bitBytes.buffer);
  for (const index of [3, 4, 70]) expectCode(() => bits.has(index), 'DISPOSED');
  const disposed = read.BitArray.fromBytes(new tamis.BitArray(5).toBytes());
  disposed.dispose();
  disposed.dispose();
  expectCode(() => disposed.has(0), 'DISPOSED');
});

test('what is gone says so, also where there is nothing to answer', () => {
  const bits = read.BitArray.fromBytes(new tamis.BitArray(5).toBytes());
  bits.dispose();
  expectCode(() => bits.toJSON(), 'DISPOSED');
  const filter = read.BloomFilter.fromBytes(bloomBytes);
  filter.dispose();
  expectCode(() => filter.hasMany([]), 'DISPOSED');
  expectCode(() => filter.hasHashes(new BigUint64Array()), 'DISPOSED');
});

test('bytes of a buffer that became smaller are gone', () => {
  const { length } = bloomBytes;
  type Resizable = ArrayBuffer & { resize(length: number): void };
  const Buffer = ArrayBuffer as unknown as new (size: number, options: object) => Resizable;
  const buffer = new Buffer(length, { maxByteLength: length });
  new Uint8Array(buffer).set(bloomBytes);
  const reader = read.BloomFilter.fromBytes(buffer, { view: true });
  expect(reader.has('key 7')).toBe(true);
  buffer.resize(length - 1);
  expectCode(() => reader.has('key 7'), 'DISPOSED');
});

test('a map gives the values that it was built of', () => {
  const map = read.BloomierMap.fromBytes(mapBytes);
  const whole = tamis.BloomierMap.fromBytes(mapBytes);
  const asked = [...keys, 'none', 'another'];
  expect(map.getMany(asked)).toEqual(whole.getMany(asked));
  expect(asked.map((key) => map.get(key))).toEqual(asked.map((key) => whole.get(key)));
  expect(map.get('key 7')).toBe(7);
  expectCode(() => map.get(7 as never), 'INVALID_KEY');
  expect(expectCode(() => map.getMany(['a', 7 as never]), 'INVALID_KEY').index).toBe(1);
});

test('a bit array answers for its own indices alone', () => {
  const next = random(5);
  for (let length = 1; length < 200; length++) {
    const whole = new tamis.BitArray(length);
    for (let i = 0; i < length; i++) if (next() % 3 === 0) whole.set(i);
    const bits = read.BitArray.fromBytes(whole.toBytes());
    const all = Array.from({ length }, (_, i) => i);
    expect(all.map((i) => bits.has(i))).toEqual(all.map((i) => whole.has(i)));
    expect(bits.toJSON()).toEqual(whole.toJSON());
    for (const index of [length, -1, 2 ** 32, 0.5, NaN]) {
      expectOption(() => bits.has(index), RangeError);
    }
  }
});

test.each([1e-3, 1e-6, 1e-9])('the rate of generations has its digits at %p', (fpr) => {
  const whole = new tamis.RotatingBloomFilter({ capacity: 3000, fpr });
  const reader = read.RotatingBloomFilter.fromBytes(whole.toBytes());
  expect(Math.abs(reader.fpr / whole.fpr - 1)).toBeLessThan(1e-12);
});
