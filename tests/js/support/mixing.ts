/** Two mixing functions of cpp/FORMAT.md, implemented independently with BigInt. */

const MASK = (1n << 64n) - 1n;

/** MurmurHash3's 64-bit finalizer (Austin Appleby, public domain description). */
export function fmix64(x: bigint): bigint {
  x = ((x ^ (x >> 33n)) * 0xff51afd7ed558ccdn) & MASK;
  x = ((x ^ (x >> 33n)) * 0xc4ceb9fe1a85ec53n) & MASK;
  return x ^ (x >> 33n);
}

/** One step of SplitMix64 (Steele, Lea and Flood 2014) from the state `x`. */
export function splitmix64(x: bigint): bigint {
  x = (x + 0x9e3779b97f4a7c15n) & MASK;
  x = ((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
  x = ((x ^ (x >> 27n)) * 0x94d049bb133111ebn) & MASK;
  return x ^ (x >> 31n);
}
