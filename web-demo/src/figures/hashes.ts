// The functions by which filters derive numbers from a key's hash: FORMAT.md, 4.1.

const MASK = (1n << 64n) - 1n;

export function fmix64(value: bigint): bigint {
  let x = value & MASK;
  x = ((x ^ (x >> 33n)) * 0xff51afd7ed558ccdn) & MASK;
  x = ((x ^ (x >> 33n)) * 0xc4ceb9fe1a85ec53n) & MASK;
  return x ^ (x >> 33n);
}

export function splitmix64(value: bigint): bigint {
  let x = (value + 0x9e3779b97f4a7c15n) & MASK;
  x = ((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
  x = ((x ^ (x >> 27n)) * 0x94d049bb133111ebn) & MASK;
  return x ^ (x >> 31n);
}

/** The upper half of 64 bits, scaled to a number below `count`. */
export function scaleUpper(value: bigint, count: number): number {
  return Number((((value & MASK) >> 32n) * BigInt(count)) >> 32n);
}
