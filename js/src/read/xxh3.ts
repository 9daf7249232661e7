// XXH3-64 with seed 0 (Y. Collet, xxHash 0.8, doc/xxhash_spec.md), and the memory for short keys.

import { add, highOfProduct, mixStep, multiply, u, xorShift } from './u64.js';

/** The default secret of the specification, as words in base 36, which are shorter than hexadecimal. */
const secret =
  'fxlygo,1gst3qb,ccjce4,7yfto7,1srno4e,1oxfz43,19ok4mq,8pp2uv,lw42iz,xjm024,ywpwua,9a44wc,' +
  'w9f9vc,13fta7r,1rz16g0,l4mu81,1fz3h30,1kbqnbl,12oekqw,199yvx7,15z4dip,lwu5ya,jojfi0,' +
  '1o4b4bt,hlxjmw,hjcbmr,1jf3309,84r9af,l1wn0q,doy40d,1jwo91k,rvdlg9,10j9hwq,1id02t0,' +
  '1yxdx39,1tb7r3u,mppm3b,khpwaf,amw3bn,17yb3ft,omf9yj,1y3g7zx,1m6uykv,1l7mbui,13qoith,' +
  'b3pi1h,1kbjqgf,z135iz';

/** The offset of a key in `memory`, after the secret. */
export const keyStart = 192;
/** The longest string that is written into `memory`, in UTF-16 code units of at most 3 bytes each. */
export const longestText = 1280;

function makeWords(): Int32Array {
  const words = new Int32Array((keyStart + 3 * longestText) / 4);
  words.set(secret.split(',').map((word) => Number.parseInt(word, 36)));
  return words;
}

export const memoryWords = /* @__PURE__ */ makeWords();
export const memory = /* @__PURE__ */ new Uint8Array(memoryWords.buffer);
export const memoryView = /* @__PURE__ */ new DataView(memoryWords.buffer);
/** The little-endian word at an offset of `memory`. */
const word = (at: number): number => memoryView.getInt32(at, true);

/** u += (low half ^ high half) of the product of two 64-bit numbers. */
function addFolded(aHigh: number, aLow: number, bHigh: number, bLow: number): void {
  // Unsigned words, for products of doubles. Math.imul gets the signed words, which engines keep in registers.
  const ah = aHigh >>> 0;
  const al = aLow >>> 0;
  const bh = bHigh >>> 0;
  const bl = bLow >>> 0;
  const ll = Math.imul(aLow, bLow);
  const hl = Math.imul(aHigh, bLow) >>> 0;
  const lh = Math.imul(aLow, bHigh) >>> 0;
  const hh = Math.imul(aHigh, bHigh) >>> 0;
  // The product's words from the lowest: ll, second, third, fourth. High words are computed as in highOfProduct.
  const second = (al * bl - (ll >>> 0)) * 2 ** -32 + hl + lh + 0.5;
  const third =
    (ah * bl - hl + (al * bh - lh)) * 2 ** -32 + hh + 0.5 + Math.floor(second * 2 ** -32);
  const fourth = (ah * bh - hh) * 2 ** -32 + 0.5 + Math.floor(third * 2 ** -32);
  add(second ^ fourth, ll ^ third);
}

/** u += the mix of 16 bytes of the key, at `at` in `memory`, with 16 bytes of the secret, at `from`. */
function mix16(at: number, from: number): void {
  addFolded(
    word(at + 4) ^ word(from + 4),
    word(at) ^ word(from),
    word(at + 12) ^ word(from + 12),
    word(at + 8) ^ word(from + 8),
  );
}

function avalanche(): void {
  mixStep(37, 0x16566791, 0x9e3779f9);
  u[0] ^= u[1]; // u ^= u >> 32
}

/** The big-endian word at an offset of `memory`. */
const bigEndian = (at: number): number => memoryView.getInt32(at);

function hashTo3(size: number): void {
  u[0] = word(56) ^ word(64); // the value for an empty key
  u[1] = word(60) ^ word(68);
  if (size > 0) {
    const first = memory[keyStart] as number;
    const middle = memory[keyStart + (size >> 1)] as number;
    const last = memory[keyStart + size - 1] as number;
    u[0] = ((first << 16) | (middle << 24) | last | (size << 8)) ^ word(0) ^ word(4);
    u[1] = 0;
  }
  // This is the avalanche of XXH64.
  mixStep(33, 0xc2b2ae3d, 0x27d4eb4f);
  mixStep(29, 0x165667b1, 0x9e3779f9);
  u[0] ^= u[1]; // u ^= u >> 32
}

function hash4To8(size: number): void {
  const low = word(keyStart + size - 4) ^ word(8) ^ word(16);
  const high = word(keyStart) ^ word(12) ^ word(20);
  multiply(
    high ^ ((low << 17) | (high >>> 15)) ^ ((high << 24) | (low >>> 8)), // x ^ rotateLeft(x, 49) ^ rotateLeft(x, 24)
    low ^ ((high << 17) | (low >>> 15)) ^ ((low << 24) | (high >>> 8)),
    0x9fb21c65,
    0x1e98df25,
  );
  multiply(u[1], u[0] ^ ((u[1] >>> 3) + size), 0x9fb21c65, 0x1e98df25); // u ^ ((u >> 35) + size)
  xorShift(28);
}

function hash9To16(size: number): void {
  const end = keyStart + size;
  const low = word(keyStart) ^ word(24) ^ word(32);
  const high = word(keyStart + 4) ^ word(28) ^ word(36);
  const lastLow = word(end - 8) ^ word(40) ^ word(48);
  const lastHigh = word(end - 4) ^ word(44) ^ word(52);
  u[0] = bigEndian(keyStart + 4) ^ bigEndian(28) ^ bigEndian(36); // (high, low) with its 8 bytes reversed
  u[1] = bigEndian(keyStart) ^ bigEndian(24) ^ bigEndian(32);
  add(lastHigh, lastLow);
  add(0, size);
  addFolded(high, low, lastHigh, lastLow);
  avalanche();
}

function hash17To240(size: number): void {
  multiply(0, size, 0x9e3779b1, 0x85ebca87);
  const end = keyStart + size - 16;
  if (size > 128) {
    for (let i = 0; i < 128; i += 16) mix16(keyStart + i, i);
    avalanche();
    for (let i = 128; i + 16 <= size; i += 16) mix16(keyStart + i, i - 125); // the secret from byte 3 on
    mix16(end, 119);
  } else {
    // Pairs of 16 bytes, one from each end. The innermost pair comes first.
    for (let i = ((size - 1) >>> 5) << 4; i >= 0; i -= 16) {
      mix16(keyStart + i, 2 * i);
      mix16(end - i, 2 * i + 16);
    }
  }
  avalanche();
}

/** The maximum length in bytes of a key for hashShort. */
export const mostShortBytes = 240;

/** u = XXH3-64 of the key in `memory`, of at most mostShortBytes. */
export function hashShort(size: number): void {
  if (size > 16) hash17To240(size);
  else if (size > 8) hash9To16(size);
  else if (size > 3) hash4To8(size);
  else hashTo3(size);
}

const firstSums = [
  0xc2b2ae3d, 0, 0x85ebca87, 0x9e3779b1, 0x27d4eb4f, 0xc2b2ae3d, 0x9e3779f9, 0x165667b1, 0xc2b2ae63,
  0x85ebca77, 0x85ebca77, 0, 0x165667c5, 0x27d4eb2f, 0x9e3779b1, 0,
];
/** Eight sums of 64 bits, each as its low word and its high word. */
const sums = /* @__PURE__ */ new Int32Array(16);
const sum = (i: number): number => sums[i] as number;

/**
 * Adds 64 bytes of a key to the eight sums, 8 bytes to each. They are mixed with the secret at `from`, and the sum gets
 * the product of their halves. The neighbouring sum, words i ^ 2 and i ^ 3, gets the bytes themselves.
 */
function addStripe(key: DataView, at: number, from: number): void {
  for (let i = 0; i < 16; i += 2) {
    const low = key.getInt32(at + 4 * i, true);
    const high = key.getInt32(at + 4 * i + 4, true);
    const mixedLow = low ^ word(from + 4 * i);
    const mixedHigh = high ^ word(from + 4 * i + 4);
    const neighbour = (sum(i ^ 2) + low) | 0;
    sums[i ^ 2] = neighbour;
    sums[i ^ 3] = sum(i ^ 3) + high + (neighbour >>> 0 < low >>> 0 ? 1 : 0);
    const product = Math.imul(mixedLow, mixedHigh);
    const next = (sum(i) + product) | 0;
    sums[i] = next;
    const carry = next >>> 0 < product >>> 0 ? 1 : 0;
    sums[i + 1] = sum(i + 1) + highOfProduct(mixedLow, mixedHigh >>> 0) + carry;
  }
}

/** Scrambles the sums, after each 1,024 bytes of the key. */
function scramble(): void {
  for (let i = 0; i < 16; i += 2) {
    const high = sum(i + 1);
    const low = sum(i) ^ (high >>> 15); // the low word of x ^ (x >> 47)
    multiply(high ^ word(132 + 4 * i), low ^ word(128 + 4 * i), 0, 0x9e3779b1);
    sums.set(u, i);
  }
}

/** u = XXH3-64 of at least 241 bytes. */
export function hashLong(key: DataView, at: number, size: number): void {
  sums.set(firstSums);
  const stripes = Math.floor((size - 1) / 64);
  for (let i = 0; i < stripes; i++) {
    addStripe(key, at + 64 * i, 8 * (i % 16));
    if (i % 16 === 15) scramble();
  }
  addStripe(key, at + size - 64, 121);
  multiply(0, size, 0x9e3779b1, 0x85ebca87);
  const merged = (i: number): number => sum(i) ^ word(11 + 4 * i);
  for (let i = 0; i < 16; i += 4) {
    addFolded(merged(i + 1), merged(i), merged(i + 3), merged(i + 2));
  }
  avalanche();
}
