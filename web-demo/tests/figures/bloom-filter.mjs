import assert from 'node:assert/strict';
import { BloomFilter } from 'tamis';
import { listed, numbersOf } from './figure-page.mjs';

/** The filter of the Bloom figure. */
export const BITS = 128;
export const HASHES = 4;
export const SEED = 26777n;

export function makeFilter(names, hashes = HASHES) {
  const filter = new BloomFilter({ bits: BITS, hashes, seed: SEED });
  for (const name of names) filter.add(name);
  return filter;
}

/** The members as the figure's own text lists them. */
export async function membersOf(figure) {
  const line = (await figure.text()).find((line) => line.includes('names are in the filter: '));
  const names = listed(line.split(': ')[1]);
  assert.equal(names.length, numbersOf(line)[0]);
  return names;
}
