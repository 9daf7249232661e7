import { hashKey } from 'tamis';

const u64 = (x) => BigInt.asUintN(64, x);

function fmix64(x) {
  let y = u64(x);
  for (const factor of [0xff51afd7ed558ccdn, 0xc4ceb9fe1a85ec53n])
    y = u64((y ^ (y >> 33n)) * factor);
  return y ^ (y >> 33n);
}

function splitmix64(x) {
  let y = u64(x + 0x9e3779b97f4a7c15n);
  y = u64((y ^ (y >> 30n)) * 0xbf58476d1ce4e5b9n);
  y = u64((y ^ (y >> 27n)) * 0x94d049bb133111ebn);
  return y ^ (y >> 31n);
}

/** The hash that a filter with one seed derives from a key's hash: FORMAT.md, 4.1. */
export const seeded = (key, seed) => fmix64(hashKey(key) + seed);

/**
 * A retrieval of slots of 8 bits in a structure's bytes, at this offset in the payload: FORMAT.md, 5.12. Each level has
 * its slots, and for each bucket the threshold below which rows go on to the next level.
 */
export function retrievalOf(structure, after) {
  const bytes = structure.toBytes().subarray(64 + after);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const count = bytes[7] + 1;
  let at = 8 * count;
  const levels = Array.from({ length: count }, (_, i) => {
    const size = view.getUint32(8 * i, true);
    const attempt = view.getUint16(8 * i + 4, true);
    if (bytes[8 * i + 6] !== 8) throw new Error('the slots do not have 8 bits');
    const starts = size < 64 ? 1 : size - 63;
    const buckets = i + 1 < count ? Math.ceil(starts / 128) : 0;
    const bumped = Array.from({ length: buckets }, (_, b) => {
      const threshold = (bytes[at + Math.floor(b / 4)] >> (2 * (b % 4))) & 3;
      return [128, 38, 17, 0][threshold];
    });
    at += Math.ceil(buckets / 4);
    const slots = [...bytes.subarray(at, at + size)];
    at += size;
    const part = BigInt(i) * 2n ** 32n + BigInt(attempt);
    return { size, starts, bumped, slots, seed: splitmix64(splitmix64(structure.seed) + part) };
  });
  if (at !== bytes.length) throw new Error('the payload does not end with the retrieval');
  return levels;
}

/** The row of a key: its level, start, marked slots, required check, and the XOR of the slots. */
export function rowOf(levels, key) {
  for (const [level, { starts, bumped, slots, size, seed }] of levels.entries()) {
    const g = fmix64(hashKey(key) + seed);
    const start = Number(((g >> 32n) * BigInt(starts)) >> 32n);
    if (start % 128 < (bumped[Math.floor(start / 128)] ?? 0)) continue;
    const x = u64(g * 0x9e3779b97f4a7c15n);
    const word = (x ^ (x >> 32n)) | 1n;
    const places = Array.from({ length: Math.min(64, size) }, (_, k) => k);
    const marked = places.filter((k) => (word >> BigInt(k)) & 1n).map((k) => start + k);
    const sum = marked.reduce((so, slot) => so ^ slots[slot], 0);
    const check = Number(u64(g * 0xd1342543de82ef95n) >> 32n);
    return { level, start, marked, check, sum };
  }
  throw new Error('every level bumps');
}

/** The start of a key's row at the first level. */
export function firstStart([{ starts, seed }], key) {
  const g = fmix64(hashKey(key) + seed);
  return Number(((g >> 32n) * BigInt(starts)) >> 32n);
}
