// Retrieval by bumped ribbons (FORMAT.md, section 5.12): a function from keys to small values.

import { bitAt, isClear } from './bits.js';
import { type Container, need, viewOf } from './container.js';
import { add, highOfProduct, mixHash, multiply, splitMix, u, type Words } from './u64.js';

/** A bucket has 128 starts of keys. By threshold: the first start whose keys are at this level, and not at the next. */
const firstStaying = [128, 38, 17, 0];

/** What a level writes for a key: the row of up to 64 bits, low word first, and the check bits that the key expects. */
const row = /* @__PURE__ */ new Int32Array(3) as Int32Array & { 0: number; 1: number; 2: number };

/** The XOR of the bits of a word. The bits of 0x6996 are the parities of 0 to 15. */
function parity(word: number): number {
  let x = word ^ (word >>> 16);
  x ^= x >>> 8;
  x ^= x >>> 4;
  return (0x6996 >>> (x & 15)) & 1;
}

/** Reads an array of bits in whole bytes. Its unused bits must be 0. */
function readBytes(file: Container, bits: number): Uint8Array {
  const bytes = file.takeArray(Math.ceil(bits / 8));
  need(isClear(bytes, bits));
  return bytes;
}

/**
 * Reads bit planes: plane p has bit firstBit + p of each slot. Every 64 slots are one 64-bit word per plane. The last
 * slots have shorter words in the file, which are copied into whole ones. The returned function takes 64 coefficients,
 * one per slot from `first` on. For each plane it puts the parity of the slots with a coefficient of 1 into `row`.
 */
function readPlanes(file: Container, slots: number, planes: number, firstBit: number) {
  const bytes = readBytes(file, planes * slots);
  const lastSlots = slots & 63;
  const lastBytes = new Uint8Array(8 * planes); // the whole words of the last slots
  for (let i = 0; i < planes * lastSlots; i++) {
    const at = 64 * Math.floor(i / lastSlots) + (i % lastSlots); // one slot's bit in one plane's word
    if (bitAt(bytes, (slots - lastSlots) * planes + i))
      lastBytes[at >> 3] = (lastBytes[at >> 3] as number) | (1 << (at & 7));
  }
  const blocks = viewOf(bytes);
  const last = viewOf(lastBytes);
  const wholeBytes = (slots >>> 6) * 8 * planes;

  /** Returns 32 slots of a bit plane, from slot 32 i on. */
  const slotsOf = (plane: number, i: number): number => {
    const at = 8 * ((i >>> 1) * planes + plane) + 4 * (i & 1);
    return at < wholeBytes ? blocks.getInt32(at, true) : last.getInt32(at - wholeBytes, true);
  };

  return (first: number, low: number, high: number): void => {
    const i = first >>> 5;
    const shift = first & 31;
    // The coefficients are shifted into three words of 32 slots: low << shift, middle and end.
    const isShifted = shift > 0;
    const middle = (high << shift) | (isShifted ? low >>> (32 - shift) : 0);
    const end = isShifted ? high >>> (32 - shift) : 0;
    for (let plane = 0; plane < planes; plane++) {
      let sum = (slotsOf(plane, i) & (low << shift)) ^ (slotsOf(plane, i + 1) & middle);
      // If no coefficients are left, there may be no third word.
      if (end !== 0) sum ^= slotsOf(plane, i + 2) & end;
      const bit = firstBit + plane;
      row[bit < 32 ? 0 : 1] |= parity(sum) << (bit % 32);
    }
  };
}

/** Returns the XOR of the bytes from `from` on whose coefficient is 1. Each round handles the lowest 1 left in c. */
function sumOfBytes(bytes: Uint8Array, from: number, low: number, high: number): number {
  let sum = 0;
  for (let c = low; c !== 0; c &= c - 1) sum ^= bytes[from + 31 - Math.clz32(c & -c)] as number;
  for (let c = high; c !== 0; c &= c - 1) sum ^= bytes[from + 63 - Math.clz32(c & -c)] as number;
  return sum;
}

/** Reads a level. The returned function sets `row` for a key, or returns false if the key is at a later level. */
function readLevel(
  file: Container,
  slots: number,
  width: number,
  seed: Words,
  isBumping: boolean,
): () => boolean {
  const starts = Math.max(slots - 63, 1);
  const bytePlanes = width >> 3;
  const planes = width & 7;
  const thresholds = isBumping ? readBytes(file, 2 * Math.ceil(starts / 128)) : undefined;
  const bytes = readBytes(file, 8 * bytePlanes * slots);
  const addPlanes = readPlanes(file, slots, planes, 8 * bytePlanes);

  return () => {
    mixHash(seed); // sets u to the key's hash
    const low = u[0];
    const high = u[1];
    const first = highOfProduct(high, starts);
    if (thresholds !== undefined) {
      const bucket = first >>> 7;
      const threshold = ((thresholds[bucket >>> 2] as number) >>> (2 * (bucket & 3))) & 3; // 2 bits per bucket
      if ((first & 127) < (firstStaying[threshold] as number)) return false;
    }
    multiply(high, low, 0xd1342543, 0xde82ef95);
    row[2] = u[1];
    multiply(high, low, 0x9e3779b9, 0x7f4a7c15);
    // The key's 64 coefficients, one per slot from `first` on. A level with fewer slots uses only the first ones.
    let lowCoefficients = (u[0] ^ u[1]) | 1;
    let highCoefficients = u[1];
    if (slots < 64) {
      if (slots < 32) lowCoefficients &= (1 << slots) - 1;
      highCoefficients &= slots > 32 ? (1 << (slots - 32)) - 1 : 0;
    }
    row[0] = 0;
    row[1] = 0;
    for (let j = 0; j < bytePlanes; j++) {
      const sum = sumOfBytes(bytes, j * slots + first, lowCoefficients, highCoefficients);
      row[j < 4 ? 0 : 1] |= sum << (8 * j);
    }
    if (planes > 0) addPlanes(first, lowCoefficients, highCoefficients);
    return true;
  };
}

/** Derives the seed of a level from the file's seed. It changes u. */
function seedOf(file: Container, part: number, attempt: number): Words {
  file.seed();
  splitMix();
  add(part, attempt);
  splitMix();
  return u.slice();
}

/** Returns the value of the key with the hash h, or undefined if the key's check bits do not match. */
export type Get = () => number | undefined;

/** Reads a retrieval of `count` keys. `part` separates its hashes from others in the file. Throws ERR_TAMIS_CORRUPT. */
export function readRetrieval(
  file: Container,
  count: number,
  valueBits: number,
  checkBits: number,
  part = 0,
): Get {
  const width = valueBits + checkBits;
  need(width > 0 && width <= 64);
  const records: { slots: number; attempt: number }[] = [];
  let allSlots = 0;
  let slotsBefore = 2 ** 32;
  // A level's record: its number of slots, and a word with the attempt, the width, and the number of later levels.
  for (let levelsLeft = 8; levelsLeft > 0; ) {
    const slots = file.u32();
    const word = file.u32();
    const attempt = word & 0xffff;
    const following = word >>> 24;
    need(((word >>> 16) & 0xff) === width);
    need(count > 0 ? slots > 0 : slots === 0 && attempt === 0);
    // The first record says how many levels follow, and each later record says one less than the record before it.
    need(records.length === 0 ? following < levelsLeft : following === levelsLeft - 1);
    need(slots < slotsBefore && (following === 0 || slots >= 64));
    slotsBefore = slots;
    levelsLeft = following;
    allSlots += slots;
    records.push({ slots, attempt });
  }
  // The format fixes the size of the first of several levels, and bounds the sum. An empty retrieval has one level.
  need(records.length === 1 || records[0]?.slots === count - Math.floor(count / 16));
  need(count <= allSlots && allSlots <= 2 * count + 64 && (count > 0 || records.length === 1));
  if (count === 0) return () => undefined;
  const levels = records.map(({ slots, attempt }, i) => {
    const isBumping = i < records.length - 1;
    return readLevel(file, slots, width, seedOf(file, part + i, attempt), isBumping);
  });
  return () => {
    for (const readRow of levels) if (readRow()) break; // ends at the key's level, which sets `row`
    // The lowest bits of the row are check bits, and the others the value.
    if (checkBits > 0 && (row[0] ^ row[2]) << (32 - checkBits) !== 0) return undefined;
    if (checkBits === 0) return row[0] >>> 0;
    if (checkBits === 32) return row[1] >>> 0;
    return ((row[0] >>> checkBits) | (row[1] << (32 - checkBits))) >>> 0;
  };
}
