/** Positions and hashes against a second implementation, written in BigInt from the format's text. */
import { describe, expect, test } from '@jest/globals';
import { BloomFilter, hashKey, hashKeys } from 'tamis';

import { KEY, OTHER_KEY } from './classes.js';
import { sipVectors, xxh3Vectors } from './support/hash-vectors.mjs';
import { random, utf8 } from './support/keys.js';
import type { Geometry } from './support/reference.js';
import {
  fnv1a,
  keyId,
  murmur2a,
  murmur3,
  positions,
  sipHash24,
  splitmix64,
} from './support/reference.js';
import { schemeOption } from './support/schemes.js';
import { xxh3 } from './support/xxh3.js';

const hex = (value: bigint, digits = 16): string => value.toString(16).padStart(digits, '0');

/** Keys of every length at which some hash takes another road, of random bytes. */
function inputs(): Uint8Array[] {
  const next = random(2024);
  const lengths = [
    ...Array.from({ length: 37 }, (_, n) => n),
    63,
    64,
    65,
    95,
    96,
    97,
    110,
    111,
    112,
    113,
    127,
    128,
    129,
    143,
    144,
    145,
    239,
    240,
    241,
    255,
    256,
    257,
    511,
    512,
    513,
    1023,
    1024,
    1025,
    1088,
    1089,
    2048,
    2049,
    5000,
  ];
  return lengths.map((n) => Uint8Array.from({ length: n }, () => next() & 255));
}

describe('the reference agrees with what was published', () => {
  test('SipHash-2-4: the vectors of its authors', () => {
    expect(sipVectors.length).toBe(64);
    for (const { bytes, key, hash } of sipVectors) {
      expect(sipHash24(bytes, key)).toBe(hash);
      expect(hashKey(bytes, { key })).toBe(hash);
    }
  });

  test("XXH3-64: the vectors of its library's sanity test", () => {
    expect(xxh3Vectors.length).toBeGreaterThan(20);
    for (const { bytes, seed, hash } of xxh3Vectors) {
      expect(hex(xxh3(bytes, seed))).toBe(hex(hash));
      if (seed === 0n) expect(hashKey(bytes)).toBe(hash);
    }
  });

  test('FNV-1a: the vectors of its reference page', () => {
    expect(hex(fnv1a(utf8('')), 8)).toBe('811c9dc5');
    expect(hex(fnv1a(utf8('a')), 8)).toBe('e40c292c');
    expect(hex(fnv1a(utf8('foobar')), 8)).toBe('bf9cf968');
  });

  test('SplitMix64: the first numbers from the state 1234567', () => {
    const states = [0n, 1n, 2n].map((i) => 1_234_567n + i * 0x9e3779b97f4a7c15n);
    expect(states.map((state) => splitmix64(state & ((1n << 64n) - 1n)))).toEqual([
      6457827717110365317n,
      3203168211198807973n,
      9817491932198370423n,
    ]);
  });

  test('MurmurHash3 x64 128 of "hello"', () => {
    expect(murmur3(utf8('hello')).map((half) => hex(half))).toEqual([
      'cbd8a7b341bd9b02',
      '5b1e906a48ae1d19',
    ]);
  });

  test('Murmur2A and FNV-1a in 8192 bits, as the C article prints them', () => {
    expect([murmur2a(utf8('Holland')) % 8192n, fnv1a(utf8('Holland')) % 8192n]).toEqual([
      7720n,
      3193n,
    ]);
  });
});

describe('hashKey', () => {
  test('is XXH3-64 with seed 0 at every length', () => {
    const keys = inputs();
    expect([...hashKeys(keys)].map((h) => hex(h))).toEqual(keys.map((key) => hex(xxh3(key))));
    expect(keys.map((key) => hashKey(key))).toEqual([...hashKeys(keys)]);
  });

  test('is SipHash-2-4 with a key', () => {
    const keys = inputs();
    for (const key of [KEY, OTHER_KEY, new Uint8Array(16)]) {
      expect([...hashKeys(keys, { key })]).toEqual(keys.map((bytes) => sipHash24(bytes, key)));
    }
  });
});

const geometries: readonly Geometry[] = [
  { scheme: 'mcg', bits: 1, hashes: 3 },
  { scheme: 'mcg', bits: 1000, hashes: 7 },
  { scheme: 'mcg', bits: 9_585_059, hashes: 7, seed: 0x0123_4567_89ab_cdefn },
  { scheme: 'mcg', bits: 65_536, hashes: 64, seed: (1n << 64n) - 1n },
  { scheme: 'mcg', bits: 50_021, hashes: 13, key: KEY },
  { scheme: 'mcg', bits: 50_021, hashes: 13, key: OTHER_KEY, seed: 77n },
  { scheme: 'seeds', bits: 1000, hashes: 7 },
  { scheme: 'seeds', bits: 9_585_059, hashes: 10, seed: (1n << 64n) - 3n },
  { scheme: 'digest', bits: 1000, hashes: 51 },
  { scheme: 'digest', bits: 10_000_000, hashes: 22 },
  { scheme: 'digest', bits: 255, hashes: 64 },
  { scheme: 'digest', bits: 2, hashes: 64 },
  { scheme: 'murmur2a-fnv1a', bits: 8192, hashes: 2 },
  { scheme: 'murmur2a-fnv1a', bits: 99_991, hashes: 2 },
  { scheme: 'guava64', bits: 64, hashes: 5 },
  { scheme: 'guava64', bits: 640_000, hashes: 64 },
];

describe('positions', () => {
  const named = geometries.map((geometry) => {
    const { scheme, bits, hashes, seed = 0n, key } = geometry;
    const kind = key === undefined ? '' : ', keyed';
    return [`${scheme}, ${bits} bits, ${hashes} hashes, seed ${seed}${kind}`, geometry] as const;
  });
  test.each(named)('%s', (_name, geometry) => {
    const { key, scheme, ...rest } = geometry;
    const filter = new BloomFilter({
      ...rest,
      ...schemeOption(scheme),
      ...(key === undefined ? {} : { hash: 'keyed' as const, key }),
    });
    for (const bytes of inputs()) {
      expect(filter.positions(bytes)).toEqual(positions(bytes, geometry));
    }
    expect(filter.positions('\u00fc')).toEqual(positions(utf8('\u00fc'), geometry));
  });

  test.each(named)('the bits of a filter are those positions: %s', (_name, geometry) => {
    const { key, scheme, ...rest } = geometry;
    const filter = new BloomFilter({
      ...rest,
      ...schemeOption(scheme),
      ...(key === undefined ? {} : { hash: 'keyed' as const, key }),
    });
    const keys = inputs().slice(0, 20);
    filter.addMany(keys);
    const expected = new Set(keys.flatMap((bytes) => positions(bytes, geometry)));
    const words = filter.toBytes().subarray(64 + 16);
    let set = 0;
    for (const [i, byte] of words.entries()) {
      for (let bit = 0; bit < 8; bit++) {
        if (((byte >> bit) & 1) === 0) continue;
        set++;
        if (!expected.has(8 * i + bit)) throw new Error(`bit ${8 * i + bit} is set`);
      }
    }
    expect(set).toBe(expected.size);
  });
});

test('a keyed container holds the id of its key', () => {
  const view = new DataView(
    new BloomFilter({ capacity: 5, hash: 'keyed', key: KEY }).toBytes().buffer,
  );
  expect(view.getBigUint64(24, true)).toBe(keyId(KEY));
});
