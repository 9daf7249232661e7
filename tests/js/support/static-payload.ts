/**
 * The payloads of what is built once, read from cpp/FORMAT.md: what they answer to a key, and at which
 * rate to a stranger. Written a second time, in BigInt and bit by bit; slow on purpose.
 */

import { HEADER } from './container.js';
import { fmix64, keyHash } from './reference.js';

const MASK32 = 0xffffffffn;
const word = (x: bigint): bigint => BigInt.asUintN(64, x);

/** What a payload says. */
export interface Answers {
  has(key: Uint8Array): boolean;
  /** The probability that a stranger is answered with true. */
  readonly rate: number;
  /** Bytes beside the data that sizeBytes counts. */
  readonly recordBytes: number;
}

/** `width` bits from the one numbered `at` on, the lowest first. */
export function bitsAt(data: Uint8Array, at: number, width: number): number {
  let value = 0;
  for (let bit = at + width - 1; bit >= at; bit--) {
    value = 2 * value + (((data[Math.floor(bit / 8)] as number) >> (bit % 8)) & 1);
  }
  return value;
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The number in front of the payload that every key's hash is mixed with. */
const seedOf = (bytes: Uint8Array): bigint => viewOf(bytes).getBigUint64(16, true);

export interface FuseTable {
  readonly segments: number;
  readonly segmentLog: number;
  readonly arity: number;
  readonly width: number;
  readonly slots: number;
  readonly data: Uint8Array;
}

export function fuseTable(bytes: Uint8Array): FuseTable {
  const segments = viewOf(bytes).getUint32(HEADER, true);
  const [segmentLog, arity, width] = bytes.subarray(HEADER + 4) as unknown as [
    number,
    number,
    number,
  ];
  const slots = segments === 0 ? 0 : (segments + arity - 1) * 2 ** segmentLog;
  return { segments, segmentLog, arity, width, slots, data: bytes.subarray(HEADER + 8) };
}

/** A binary fuse filter. */
export function fuseAnswers(bytes: Uint8Array, key?: Uint8Array): Answers {
  const { segments, segmentLog, arity, width, data } = fuseTable(bytes);
  const seed = seedOf(bytes);
  const length = 1n << BigInt(segmentLog);
  const has = (text: Uint8Array): boolean => {
    if (segments === 0) return false;
    const g = fmix64(word(keyHash(text, key) + seed));
    const spread = word(g * 0x9e3779b97f4a7c15n);
    const first = ((g >> 32n) * BigInt(segments) * length) >> 32n;
    let sum = Number((g ^ (g >> 32n)) & MASK32 & ((1n << BigInt(width)) - 1n));
    for (let i = 0; i < arity; i++) {
      const offset = i === 0 ? 0n : (spread >> BigInt(64 - 18 * i)) & (length - 1n);
      const slot = (first + BigInt(i) * length) ^ offset;
      sum = (sum ^ bitsAt(data, Number(slot) * width, width)) >>> 0;
    }
    return sum === 0;
  };
  return { has, rate: segments === 0 ? 0 : 2 ** -width, recordBytes: 8 };
}

/** What a file of one of these types says; undefined for the other types. */
export function answersOf(bytes: Uint8Array, key?: Uint8Array): Answers | undefined {
  if (bytes[10] === 10) return fuseAnswers(bytes, key);
  return undefined;
}
