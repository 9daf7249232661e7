// 64-bit arithmetic on pairs of 32-bit words. An operation writes its result to `u`, low word first. Words are signed,
// because engines keep signed words in registers; `>>> 0` makes a word unsigned.

/** A 64-bit number: its low word, then its high word. */
export type Words = { 0: number; 1: number; slice(): Words } & Int32Array;

/** The result of each operation, and the input of some. */
export const u = /* @__PURE__ */ new Int32Array(2) as Words;
/** The hash of the key that is looked up (FORMAT.md, section 4.1). Look-ups only read it. */
export const h = /* @__PURE__ */ new Int32Array(2) as Words;

/**
 * Returns the high word of the product of a word and an integer up to 2^32. It is fast for many independent products. A
 * product of doubles is wrong by at most 2^10, and its quotient by less than 2^-20, so + 0.5 and >>> 0 round correctly.
 */
export const highOfProduct = (word: number, by: number): number =>
  (((word >>> 0) * by - (Math.imul(word, by) >>> 0)) * 2 ** -32 + 0.5) >>> 0;

/** Returns the same high word, from four products of 16-bit halves. It is fast if each call depends on the last one. */
function highOfProductByHalves(a: number, b: number): number {
  const one = Math.imul(a & 0xffff, b >>> 16) >>> 0;
  const other = Math.imul(a >>> 16, b & 0xffff) >>> 0;
  const carry = (Math.imul(a & 0xffff, b & 0xffff) >>> 16) + (one & 0xffff) + (other & 0xffff);
  return Math.imul(a >>> 16, b >>> 16) + (one >>> 16) + (other >>> 16) + (carry >>> 16);
}

/** u += (high, low). */
export function add(high: number, low: number): void {
  const sum = (u[0] + low) | 0;
  u[0] = sum;
  u[1] += high + (sum >>> 0 < low >>> 0 ? 1 : 0);
}

/** u = (high, low) times a constant. */
export function multiply(high: number, low: number, byHigh: number, byLow: number): void {
  u[1] = highOfProductByHalves(low, byLow) + Math.imul(high, byLow) + Math.imul(low, byHigh);
  u[0] = Math.imul(low, byLow);
}

/** u ^= u >> shift, then u *= a constant. */
export function mixStep(shift: number, byHigh: number, byLow: number): void {
  const low = u[0];
  const high = u[1];
  if (shift < 32) {
    const shifted = (low >>> shift) | (high << (32 - shift));
    multiply(high ^ (high >>> shift), low ^ shifted, byHigh, byLow);
  } else {
    multiply(high, low ^ (high >>> (shift - 32)), byHigh, byLow);
  }
}

/** u ^= u >> shift. */
export const xorShift = (shift: number): void => mixStep(shift, 0, 1);

/** u = fmix64(h + seed): the key's hash in this filter, from which all else follows (g in FORMAT.md, section 4.1). */
export function mixHash(seed: Words): void {
  u[0] = seed[0];
  u[1] = seed[1];
  add(h[1], h[0]);
  mixStep(33, 0xff51afd7, 0xed558ccd);
  mixStep(33, 0xc4ceb9fe, 0x1a85ec53);
  u[0] ^= u[1] >>> 1; // u ^= u >> 33
}

/** u = splitmix64(u) (FORMAT.md, section 4.1). */
export function splitMix(): void {
  add(0x9e3779b9, 0x7f4a7c15);
  mixStep(30, 0xbf58476d, 0x1ce4e5b9);
  mixStep(27, 0x94d049bb, 0x133111eb);
  xorShift(31);
}
