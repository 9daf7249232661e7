/** Hashes of keys and positions of bits: those that were published, and those of tests/vectors/bloom-positions.txt. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { BloomFilter, type BloomSchemeName, hashKey, hashKeys } from 'tamis';
import { digest, murmur2aFnv1a } from 'tamis/schemes';

import { hashIds } from '../../js/src/wasm/registry.js';
import { sipVectors, xxh3Vectors } from './support/hash-vectors.mjs';
import { schemeOption } from './support/schemes.js';

const SECRET = Uint8Array.from({ length: 16 }, (_, i) => i);

describe('hashKey', () => {
  test('is SipHash-2-4 with a key: the vectors of its authors', () => {
    expect(sipVectors.length).toBe(64);
    for (const { bytes, key, hash } of sipVectors) {
      expect(hashKey(bytes, { secret: key })).toBe(hash);
    }
    const [{ key }] = sipVectors as [(typeof sipVectors)[0]];
    const hashes = hashKeys(
      sipVectors.map(({ bytes }) => bytes),
      { secret: key },
    );
    expect([...hashes]).toEqual(sipVectors.map(({ hash }) => hash));
  });

  test("is XXH3-64 with seed 0: the vectors of its library's sanity test", () => {
    const unseeded = xxh3Vectors.filter(({ seed }) => seed === 0n);
    expect(unseeded.length).toBeGreaterThan(20);
    const [keys, due] = [unseeded.map(({ bytes }) => bytes), unseeded.map(({ hash }) => hash)];
    expect(keys.map((key) => hashKey(key))).toEqual(due);
    expect([...hashKeys(keys)]).toEqual(due);
  });
});

describe('positions', () => {
  /** The positions of each key, by what a filter is made of. */
  const rows = new Map<string, [key: Uint8Array, positions: number[]][]>();
  const file = new URL('../vectors/bloom-positions.txt', import.meta.url);
  for (const row of readFileSync(file, 'utf8').split('\n')) {
    if (!/^\d/.test(row)) continue;
    const [id, seed, bits, hashes, key = '', ...positions] = row.split(' ');
    const made = [id, seed, bits, hashes].join(' ');
    const bytes = new Uint8Array(Buffer.from(key === '-' ? '' : key, 'hex'));
    rows.set(made, [...(rows.get(made) ?? []), [bytes, positions.map(Number)]]);
  }

  // The package takes 2^32 bits at most, and the native tests have those.
  const held = [...rows].filter(([made]) => Number(made.split(' ')[2]) < 2 ** 31);
  test.each(held)('of hash, seed, bits and hashes %s', (made, expected) => {
    const [id, seed, bits, hashes] = made.split(' ');
    const scheme = Object.entries(hashIds).find(([, hashId]) => `${hashId}` === id)?.[0];
    const filter = new BloomFilter({
      bits: Number(bits),
      hashes: Number(hashes),
      ...(/^0+$/.test(seed as string) ? {} : { seed: BigInt(`0x${seed}`) }),
      ...(id === '2' ? { secret: SECRET } : {}),
      ...schemeOption(scheme as BloomSchemeName),
    } as ConstructorParameters<typeof BloomFilter>[0]);
    expect(expected.map(([key]) => [key, filter.positions(key)])).toEqual(expected);
    filter.addMany(expected.map(([key]) => key));
    const set = new Set(expected.flatMap(([, positions]) => positions));
    expect([...set].filter((bit) => !filter.bitAt(bit))).toEqual([]);
    expect(Math.round(filter.fillRatio * filter.bits)).toBe(set.size);
    filter.dispose();
  });

  test.each([
    [10_000_000, 'word', [9317235, 1868978, 8283780, 6312903, 3684713, 7425670, 2318073], digest],
    [10_000_000, 'pres', [8915252, 4500996, 5174162, 4785643, 270525, 3038832, 6301731], digest],
    [1000, 'word', [235, 317, 789, 689, 18, 378, 828], digest],
    [8192, 'Holland', [7720, 3193], murmur2aFnv1a],
    [8192, 'Russia', [6114, 6732], murmur2aFnv1a],
    [8192, 'Canada', [2464, 3067], murmur2aFnv1a],
    [8192, 'China', [6877, 816], murmur2aFnv1a],
  ])('in %d bits of %s: as an article prints them', (bits, key, positions, scheme) => {
    const filter = new BloomFilter({ bits, hashes: positions.length, scheme });
    expect(filter.positions(key)).toEqual(positions);
  });
});
