// What is counted once and not timed: how many keys can be deleted at which load, and the load at which a
// table refuses its first key.

import { CuckooFilter, DeletableBloomFilter, DLeftCountingFilter } from 'tamis';
import { FPR } from './dynamic-contenders.mjs';
import { randomHashes } from './urls.mjs';

const CURVE_KEYS = 100_000;
const REGION_BITS = [4, 8, 16, 32, 64];
const LOADS = Array.from({ length: 15 }, (_, i) => (i + 1) / 10);

/**
 * DeletableBloomFilter: the share of the keys held that could be deleted, for each width of region, at
 * each load. Every key is asked.
 */
export function deletableCurve() {
  const { bits } = new DeletableBloomFilter({ capacity: CURVE_KEYS, fpr: FPR });
  const keys = Array.from({ length: CURVE_KEYS * LOADS.at(-1) }, (_, i) => `key-${i}`);
  const curves = REGION_BITS.map((regionBits) => {
    const regions = Math.ceil(bits / regionBits);
    const filter = new DeletableBloomFilter({ capacity: CURVE_KEYS, fpr: FPR, regions });
    let held = 0;
    const shares = LOADS.map((load) => {
      for (const end = Math.round(load * CURVE_KEYS); held < end; held++) filter.add(keys[held]);
      let deletable = 0;
      for (let i = 0; i < held; i++) if (filter.isDeletable(keys[i])) deletable++;
      return deletable / held;
    });
    const bitsPerKey = (8 * filter.sizeBytes) / CURVE_KEYS;
    filter.dispose();
    return { regionBits, bitsPerKey, shares };
  });
  return { keys: CURVE_KEYS, fpr: FPR, loads: LOADS, curves };
}

/** Adds distinct keys until the filter refuses one. All those that it took must still be there. */
function refusal(filter) {
  const step = 1000;
  const hashes = randomHashes(0, 2 * filter.capacity);
  let code;
  for (let at = 0; code === undefined && at < hashes.length; at += step) {
    try {
      filter.addHashes(hashes.subarray(at, at + step));
    } catch (error) {
      code = error.code;
    }
  }
  if (code !== 'ERR_TAMIS_FULL') throw new Error(`expected ERR_TAMIS_FULL, got ${code}`);
  const { capacity, count, loadFactor } = filter;
  const answers = filter.hasHashes(hashes.subarray(0, count));
  const falseNegatives = answers.reduce((lost, answer) => lost + 1 - answer, 0);
  filter.dispose();
  return { capacity, count, loadFactor, falseNegatives };
}

export const refusals = (capacity) => ({
  'cuckoo-12': refusal(new CuckooFilter({ capacity, fingerprintBits: 12 })),
  'd-left-counting': refusal(new DLeftCountingFilter({ capacity, fpr: FPR })),
});
