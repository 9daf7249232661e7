// Reads arrays of bits, and arrays of fields of a few bits, in the layout of files (FORMAT.md, section 1).

import { type Container, need, viewOf } from './container.js';

export const bitAt = (bytes: Uint8Array, i: number): boolean =>
  (((bytes[i >>> 3] as number) >>> (i & 7)) & 1) === 1;

/** True if no bit from `from` on is set. */
export function isClear(bytes: Uint8Array, from: number): boolean {
  for (let i = from; i < 8 * bytes.length; i++) if (bitAt(bytes, i)) return false;
  return true;
}

export const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0);

/** Reads bits in whole 64-bit words. Throws ERR_TAMIS_CORRUPT if an unused bit is set, and ERR_TAMIS_TOO_LARGE. */
export function readBits(file: Container, bits: number): Uint8Array {
  const bytes = file.takeArray(Math.ceil(bits / 64) * 8);
  need(bits <= 2 ** 32, 'TOO_LARGE', `${bits} bits`);
  need(isClear(bytes, bits));
  return bytes;
}

export type Fields = (i: number) => number;

/** Reads an array of fields of `width` bits, 1 to 32. Throws the errors of readBits. */
export function readFields(file: Container, length: number, width: number): Fields {
  const view = viewOf(readBits(file, length * width));
  return (i) => {
    const bit = i * width;
    const at = (bit >>> 5) * 4; // the word of 32 bits in which the field begins
    const shift = bit & 31;
    let field = view.getUint32(at, true) >>> shift;
    if (shift + width > 32) field |= view.getUint32(at + 4, true) << (32 - shift);
    return (field << (32 - width)) >>> (32 - width); // clears the bits above the field
  };
}

/** Returns how many of the first `length` fields are not 0. */
export function countUsed(field: Fields, length: number): number {
  let used = 0;
  for (let i = 0; i < length; i++) if (field(i) !== 0) used++;
  return used;
}
