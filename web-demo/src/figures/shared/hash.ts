// The numbers that filters derive from a key, as FORMAT.md defines them in section 4.1.
import { hashKey } from 'tamis';

const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);

export function multiply64(a: bigint, b: bigint): bigint {
  return u64(a * b);
}

/** The 64-bit finalizer of MurmurHash3. */
function fmix64(value: bigint): bigint {
  let x = u64(value);
  x = multiply64(x ^ (x >> 33n), 0xff51afd7ed558ccdn);
  x = multiply64(x ^ (x >> 33n), 0xc4ceb9fe1a85ec53n);
  return x ^ (x >> 33n);
}

/** A number from 0 to m - 1, from the upper half of x. */
export function scale(x: bigint, m: number): number {
  return Number(((x >> 32n) * BigInt(m)) >> 32n);
}

/** The hash that a filter with that seed derives from a key's hash: g of FORMAT.md. */
export function seededHash(key: string | Uint8Array, seed: bigint): bigint {
  return fmix64(hashKey(key) + seed);
}
