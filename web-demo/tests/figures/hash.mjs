import { hashKey } from 'tamis';

export const u64 = (x) => BigInt.asUintN(64, x);

/** The mixing function of FORMAT.md, 4.1. */
function fmix64(x) {
  let y = u64(x);
  for (const factor of [0xff51afd7ed558ccdn, 0xc4ceb9fe1a85ec53n])
    y = u64((y ^ (y >> 33n)) * factor);
  return y ^ (y >> 33n);
}

/** The hash that a filter with this seed derives from a key's hash. */
export const seeded = (key, seed) => fmix64(hashKey(key) + seed);
