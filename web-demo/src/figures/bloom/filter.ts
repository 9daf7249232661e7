// The filter of the Bloom figure, and what its bytes say.
import { BloomFilter } from 'tamis';
import { payloadOf, readBits, readU64 } from '../shared/bytes';
import { members } from '../shared/names';

export const BITS = 128;
export const HASHES = 4;

/** Under this seed each name of the filter has four bits of its own, and "Ruth" is found by four other names. */
export const SEED = 26777n;

/** The offset of the bit array in the payload of a Bloom filter. */
const ARRAY_AT = 16;

export function makeFilter(names: readonly string[] = members, hashes = HASHES): BloomFilter {
  const filter = new BloomFilter({ bits: BITS, hashes, seed: SEED });
  for (const name of names) filter.add(name);
  return filter;
}

/** The bits of a filter, from its bytes. */
export function bitsOf(filter: BloomFilter): boolean[] {
  const payload = payloadOf(filter.toBytes());
  return readBits(payload, ARRAY_AT, readU64(payload, 0));
}

/** The bits of a key without those it repeats, in the order of the look-up. */
export const positionsOf = (filter: BloomFilter, key: string): number[] => [
  ...new Set(filter.positions(key)),
];

/** The names that set each bit. */
export function settersOf(filter: BloomFilter, names: readonly string[]): string[][] {
  const setters = Array.from({ length: filter.bits }, (): string[] => []);
  for (const name of names) for (const bit of positionsOf(filter, name)) setters[bit]?.push(name);
  return setters;
}
