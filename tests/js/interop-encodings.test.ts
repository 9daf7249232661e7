/** Bytes that other software makes of a key, and filters in the bits of a Redis string. */
import { describe, expect, test } from '@jest/globals';
import { BloomFilter, withFunnel } from 'tamis';
import { encodings, guava, redisBitmap } from 'tamis/interop';
import * as schemes from 'tamis/schemes';
import { expectCode } from './support/errors.js';
import { toHex } from './support/url-vectors.js';

describe('encodings', () => {
  test.each<[keyof typeof encodings, unknown, string]>([
    ['utf8', '\u00e9\u{1f41d}', 'c3a9f09f909d'],
    ['utf8', '', ''],
    ['utf16', 'a\u{1f41d}', '61003dd81ddc'],
    ['utf16', '\ud800', '00d8'],
    ['bytes', Uint8Array.of(0, 255), '00ff'],
    ['int32', -2, 'feffffff'],
    ['int64', -2n, 'feffffffffffffff'],
    ['long', 2n ** 62n, '0000000000000040'],
    ['decimal', 42, '3432'],
    ['decimal', -0, '30'],
    ['decimal', -(2n ** 64n), '2d3138343436373434303733373039353531363136'],
    ['float', 1.5, '0000c03f'],
    ['double', -0.5, '000000000000e0bf'],
    ['BYTE_ARRAY', 'a', '61'],
    ['BYTE_ARRAY', Uint8Array.of(1), '01'],
    ['FIXED_LEN_BYTE_ARRAY', Uint8Array.of(1, 2), '0102'],
    ['INT32', 1, '01000000'],
    ['INT64', 1n, '0100000000000000'],
    ['FLOAT', 1, '0000803f'],
    ['DOUBLE', 1, '000000000000f03f'],
  ])('%s of %p', (name, value, bytes) => {
    const encode = encodings[name] as (value: unknown) => Uint8Array;
    expect(toHex(encode(value))).toBe(bytes);
  });

  test.each<[keyof typeof encodings, unknown[]]>([
    ['utf8', [7, '\ud800', undefined]],
    ['utf16', [7, undefined]],
    ['bytes', ['a', [1], undefined]],
    ['int32', [2 ** 31, 1.5, '7', 7n]],
    ['int64', [7, 2n ** 63n, '7']],
    ['long', [7, 2n ** 63n]],
    ['decimal', [1.5, 2 ** 53, Number.NaN, '7', undefined]],
    ['float', ['7', 7n]],
    ['double', ['7', 7n]],
    ['BYTE_ARRAY', [7, '\ud800']],
  ])('%s refuses what it does not encode', (name, values) => {
    const encode = encodings[name] as (value: unknown) => Uint8Array;
    for (const value of values) expectCode(() => encode(value), 'INVALID_KEY');
  });

  test('are frozen, and go with withFunnel', () => {
    expect(Object.isFrozen(encodings)).toBe(true);
    const users = withFunnel(guava.create({ capacity: 100, fpr: 0.01 }), encodings.decimal);
    users.addMany([1, 2n]);
    expect([...users.hasMany([1n, 2, 3])]).toEqual([1, 1, 0]);
    expect(users.filter.has('1')).toBe(true);
  });
});

describe('a Redis bitmap', () => {
  /** The string that SETBIT makes of these bits. */
  function setBits(positions: Iterable<number>): Uint8Array {
    const all = [...positions];
    const bytes = new Uint8Array(Math.floor(Math.max(-8, ...all) / 8) + 1);
    for (const at of all) bytes[at >> 3] = (bytes[at >> 3] as number) | (0x80 >> (at & 7));
    return bytes;
  }
  const keys = ['alice', 'bob', '\u00e9'];
  const { parquet: _, ...ofBloom } = schemes;

  test.each<[string, ConstructorParameters<typeof BloomFilter>[0]]>([
    ['mcg', { bits: 1003, hashes: 7 }],
    ['mcg with a seed', { bits: 1003, hashes: 7, seed: 5n }],
    ...Object.values(ofBloom).map(
      (scheme): [string, ConstructorParameters<typeof BloomFilter>[0]] => [
        scheme.name,
        { bits: 1024, hashes: 2, scheme },
      ],
    ),
  ])('%s: the bits that clients set', (_name, options) => {
    const filter = BloomFilter.from(keys, options);
    const bytes = setBits(keys.flatMap((key) => filter.positions(key)));
    expect(redisBitmap.encode(filter)).toEqual(bytes);
    const read = redisBitmap.decode(bytes, options as never);
    expect(read.scheme).toBe(filter.scheme);
    expect([...read.hasMany([...keys, 'carol'])]).toEqual([1, 1, 1, 0]);
    expect(redisBitmap.encode(read)).toEqual(bytes);
  });

  test('keeps zeros at the end of a string, and grows with new keys', () => {
    const options = { bits: 1000, hashes: 1 };
    for (const length of [0, 1, 17, 125]) {
      const bytes = new Uint8Array(length);
      const filter = redisBitmap.decode(bytes, options);
      expect([filter.count, filter.has('alice')]).toEqual([0, false]);
      expect(redisBitmap.encode(filter)).toEqual(bytes);
      filter.add('alice');
      const [position] = filter.positions('alice') as [number];
      const grown = redisBitmap.encode(filter);
      expect(grown).toHaveLength(Math.max(length, (position >> 3) + 1));
      expect(redisBitmap.decode(grown, options).has('alice')).toBe(true);
    }
  });
});
