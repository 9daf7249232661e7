// The retrieval of ribbon filters and Bloomier maps: its levels from the bytes, and a key's equation from its hash
// (FORMAT.md, section 5.12).
import { readBit } from './bytes';
import { fmix64, multiply64, scale, splitmix64 } from './hash';

/** The number of slots, from its start on, that a row may mark. */
export const BAND = 64;

/** The number of starts that share a threshold. */
export const BUCKET = 128;

/** The possible thresholds of a bucket. Rows whose start in the bucket is below it go on to the next level. */
const BUMPED_BELOW = [BUCKET, 38, 17, 0] as const;

export interface Level {
  readonly width: number;
  /** The value of each slot. */
  readonly slots: readonly number[];
  /** The number of possible starts of a row: 0 up to this number, exclusive. */
  readonly starts: number;
  /** The threshold of each bucket, below which starts are bumped. The last level has none. */
  readonly bumpedBelow: readonly number[];
  /** The number that is added to the hashes at this level. */
  readonly seed: bigint;
  /** The byte of the payload at which the data of the level end. */
  readonly end: number;
}

export interface Equation {
  readonly level: number;
  readonly start: number;
  /** Bit k is 1 if slot `start + k` is marked. */
  readonly coefficients: bigint;
  /** The marked slots, in ascending order. */
  readonly marked: readonly number[];
  /** The 32 bits with which the lowest bits of the sum are compared. */
  readonly check: number;
  /** The XOR of the marked slots' values. */
  readonly sum: number;
}

function readSlots(view: DataView, at: number, slots: number, width: number): number[] {
  const planes = width >> 3;
  const bits = width & 7;
  return Array.from({ length: slots }, (_, slot) => {
    let value = 0;
    for (let p = 0; p < planes; p++) value += view.getUint8(at + p * slots + slot) * 2 ** (8 * p);
    const block = slot >> 6;
    const inBlock = Math.min(64, slots - 64 * block);
    for (let j = 0; j < bits; j++) {
      const bit = 64 * block * bits + j * inBlock + (slot & 63);
      if (readBit(view, at + planes * slots, bit)) value += 2 ** (8 * planes + j);
    }
    return value;
  });
}

/**
 * The levels of the retrieval that begins at an offset of the payload. The first level uses part `first` of the seed.
 */
export function readLevels(view: DataView, offset: number, seed: bigint, first = 0): Level[] {
  const count = view.getUint8(offset + 7) + 1;
  let at = offset + 8 * count;
  return Array.from({ length: count }, (_, index) => {
    const record = offset + 8 * index;
    const size = view.getUint32(record, true);
    const attempt = view.getUint16(record + 4, true);
    const width = view.getUint8(record + 6);
    const starts = size < BAND ? 1 : size - (BAND - 1);
    const buckets = index + 1 < count ? Math.ceil(starts / BUCKET) : 0;
    const bumpedBelow = Array.from({ length: buckets }, (_, bucket) => {
      const threshold = (view.getUint8(at + (bucket >> 2)) >> (2 * (bucket & 3))) & 3;
      return BUMPED_BELOW[threshold] as number;
    });
    at += Math.ceil(buckets / 4);
    const slots = readSlots(view, at, size, width);
    at += (width >> 3) * size + Math.ceil(((width & 7) * size) / 8);
    const part = BigInt(first + index) * 2n ** 32n + BigInt(attempt);
    const levelSeed = splitmix64(splitmix64(seed) + part);
    return { width, slots, starts, bumpedBelow, seed: levelSeed, end: at };
  });
}

/** Tests whether a row with this start goes on to the next level. */
function isBumped({ bumpedBelow }: Level, start: number): boolean {
  return start % BUCKET < (bumpedBelow[Math.floor(start / BUCKET)] ?? 0);
}

/** The start of a key's row at a level. */
export const startAt = (level: Level, hash: bigint): number =>
  scale(fmix64(hash + level.seed), level.starts);

/** The equation of a key, from the hash that hashKey returns. */
export function equationOf(levels: readonly Level[], hash: bigint): Equation {
  const index = levels.findIndex((level) => !isBumped(level, startAt(level, hash)));
  const level = levels[index] as Level;
  const start = startAt(level, hash);
  const g = fmix64(hash + level.seed);
  const x = multiply64(g, 0x9e3779b97f4a7c15n);
  const all = (x ^ (x >> 32n)) | 1n;
  const inside = Math.min(BAND, level.slots.length);
  const coefficients = all & ((1n << BigInt(inside)) - 1n);
  const check = Number(multiply64(g, 0xd1342543de82ef95n) >> 32n);
  const marked = bitsOf(coefficients).map((k) => start + k);
  const sum = marked.reduce((so, slot) => (so ^ (level.slots[slot] as number)) >>> 0, 0);
  return { level: index, start, coefficients, marked, check, sum };
}

/** The places of the bits of a 64-bit word that are 1. */
export function bitsOf(word: bigint): number[] {
  const low = Number(word & 0xffffffffn);
  const high = Number(word >> 32n);
  return Array.from({ length: BAND }, (_, k) => k).filter(
    (k) => ((k < 32 ? low >>> k : high >>> (k - 32)) & 1) === 1,
  );
}

/** The lowest bits of a number, at most 32 of them. */
export const lowest = (value: number, bits: number): number => value % 2 ** bits;
