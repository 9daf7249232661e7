/**
 * The payloads of structures that are built once, read by cpp/FORMAT.md: their answers, and their rate for
 * absent keys. It is a second implementation in BigInt, bit by bit, and slow on purpose.
 */

import { HEADER } from './container.js';
import { fmix64, keyHash, splitmix64 } from './reference.js';

const MASK32 = 0xffffffffn;
const word = (x: bigint): bigint => BigInt.asUintN(64, x);

/** The answers that follow from a payload. */
export interface Answers {
  has(key: Uint8Array): boolean;
  /** The probability that `has` returns true for an absent key. */
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

/** The fingerprint of a key and its slots. A filter of arity 3 has no fourth slot. */
export function fusePlaces(
  g: bigint,
  segments: number,
  segmentLog: number,
): { fingerprint: bigint; slots: number[] } {
  const length = 1n << BigInt(segmentLog);
  const spread = word(g * 0x9e3779b97f4a7c15n);
  const first = ((g >> 32n) * BigInt(segments) * length) >> 32n;
  const slots = [first];
  for (let i = 1; i < 4; i++) {
    slots.push((first + BigInt(i) * length) ^ ((spread >> BigInt(64 - 18 * i)) & (length - 1n)));
  }
  return { fingerprint: (g ^ (g >> 32n)) & MASK32, slots: slots.map(Number) };
}

/** A binary fuse filter. */
export function fuseAnswers(bytes: Uint8Array, key?: Uint8Array): Answers {
  const { segments, segmentLog, arity, width, data } = fuseTable(bytes);
  const seed = seedOf(bytes);
  const has = (text: Uint8Array): boolean => {
    if (segments === 0) return false;
    const g = fmix64(word(keyHash(text, key) + seed));
    const { fingerprint, slots } = fusePlaces(g, segments, segmentLog);
    let sum = Number(fingerprint & ((1n << BigInt(width)) - 1n));
    for (const slot of slots.slice(0, arity)) sum = (sum ^ bitsAt(data, slot * width, width)) >>> 0;
    return sum === 0;
  };
  return { has, rate: segments === 0 ? 0 : 2 ** -width, recordBytes: 8 };
}

/** One level of a retrieval. */
interface Level {
  readonly slots: number;
  readonly bumps: boolean;
  readonly seed: bigint;
  readonly thresholds: Uint8Array;
  /** The slots' rows, each cut out of its planes. */
  readonly rows: readonly bigint[];
}

export interface LevelRecord {
  readonly slots: number;
  readonly attempt: number;
  readonly width: number;
  readonly following: number;
}

/** Rows that a level's keys may start at. */
export const startsOf = (slots: number): number => (slots < 64 ? 1 : slots - 63);
export const thresholdBytes = (slots: number): number =>
  Math.ceil(Math.ceil(startsOf(slots) / 128) / 4);

/** The records of a retrieval's levels. The first one has their number. */
export function levelRecords(bytes: Uint8Array, at: number): LevelRecord[] {
  const view = viewOf(bytes);
  const record = (i: number): LevelRecord => ({
    slots: view.getUint32(at + 8 * i, true),
    attempt: view.getUint16(at + 8 * i + 4, true),
    width: view.getUint8(at + 8 * i + 6),
    following: view.getUint8(at + 8 * i + 7),
  });
  return Array.from({ length: record(0).following + 1 }, (_, i) => record(i));
}

/** Bytes of a level's data: thresholds, then rows. */
export const levelBytes = ({ slots, width, following }: LevelRecord): number =>
  (following > 0 ? thresholdBytes(slots) : 0) + Math.ceil((slots * width) / 8);

/** The row of each slot: bytes plane by plane, then the bits that are left, in blocks of 64 slots. */
function rowsOf(data: Uint8Array, slots: number, width: number): bigint[] {
  const planes = Math.floor(width / 8);
  const bits = width % 8;
  return Array.from({ length: slots }, (_, slot) => {
    let row = 0n;
    for (let plane = 0; plane < planes; plane++) {
      row |= BigInt(data[plane * slots + slot] as number) << BigInt(8 * plane);
    }
    const block = slot - (slot % 64);
    const together = Math.min(64, slots - block);
    for (let bit = 0; bit < bits; bit++) {
      const at = 8 * planes * slots + block * bits + bit * together + (slot % 64);
      row |= BigInt(bitsAt(data, at, 1)) << BigInt(8 * planes + bit);
    }
    return row;
  });
}

/** Returns the start of a key's row, its slots as coefficients, and its check bits; `x` is h with a level's seed. */
export function ribbonPlace(
  x: bigint,
  slots: number,
): { start: number; coefficients: bigint; check: bigint } {
  const g = fmix64(x);
  const product = word(g * 0x9e3779b97f4a7c15n);
  return {
    start: Number(((g >> 32n) * BigInt(startsOf(slots))) >> 32n),
    coefficients: (product ^ (product >> 32n)) | 1n,
    check: word(g * 0xd1342543de82ef95n) >> 32n,
  };
}

/** The seed of one level of a structure with that seed. */
export const levelSeed = (seed: bigint, part: number, attempt: number): bigint =>
  splitmix64(word(splitmix64(seed) + (BigInt(part) << 32n) + BigInt(attempt)));

/** The rows that were stored for hashes. */
export class Retrieval {
  readonly #levels: readonly Level[];
  readonly #checkBits: bigint;
  /** The offset after the payload's retrieval. */
  readonly end: number;
  readonly records: number;

  constructor(bytes: Uint8Array, at: number, checkBits: number, firstPart: number) {
    const records = levelRecords(bytes, at);
    let data = at + 8 * records.length;
    this.#checkBits = BigInt(checkBits);
    this.records = 8 * records.length;
    this.#levels = records.map((record, i) => {
      const { slots, attempt, width, following } = record;
      const taken = bytes.subarray(data, data + levelBytes(record));
      data += taken.length;
      const split = following > 0 ? thresholdBytes(slots) : 0;
      return {
        slots,
        bumps: following > 0,
        seed: levelSeed(seedOf(bytes), firstPart + i, attempt),
        thresholds: taken.subarray(0, split),
        rows: rowsOf(taken.subarray(split), slots, width),
      };
    });
    this.end = data;
  }

  /** The value of a hash; undefined if its check bits differ. */
  find(h: bigint): bigint | undefined {
    for (const { slots, bumps, seed, thresholds, rows } of this.#levels) {
      if (slots === 0) return undefined;
      const { start, coefficients, check } = ribbonPlace(word(h + seed), slots);
      const threshold = bumps ? bitsAt(thresholds, 2 * Math.floor(start / 128), 2) : 3;
      if (start % 128 < ([128, 38, 17, 0][threshold] as number)) continue;
      let row = 0n;
      const digits = coefficients.toString(2);
      for (let i = 0; i < Math.min(64, slots); i++) {
        if (digits.at(-1 - i) === '1') row ^= rows[start + i] as bigint;
      }
      const mask = (1n << this.#checkBits) - 1n;
      return ((row ^ check) & mask) === 0n ? row >> this.#checkBits : undefined;
    }
    throw new Error('the last level bumps no key');
  }
}

const hashed = (text: Uint8Array, key?: Uint8Array): bigint => keyHash(text, key);
const countOf = (bytes: Uint8Array): bigint => viewOf(bytes).getBigUint64(40, true);

function ribbonAnswers(bytes: Uint8Array, key?: Uint8Array): Answers {
  const width = levelRecords(bytes, HEADER)[0]?.width as number;
  const filter = new Retrieval(bytes, HEADER, width, 0);
  return {
    has: (text) => filter.find(hashed(text, key)) !== undefined,
    rate: countOf(bytes) === 0n ? 0 : 2 ** -width,
    recordBytes: filter.records,
  };
}

export interface MapAnswers extends Answers {
  get(key: Uint8Array): number | undefined;
}

export function mapAnswers(bytes: Uint8Array, key?: Uint8Array): MapAnswers {
  const checkBits = viewOf(bytes).getUint32(HEADER + 4, true);
  const map = new Retrieval(bytes, HEADER + 8, checkBits, 0);
  const get = (text: Uint8Array): number | undefined => {
    const value = map.find(hashed(text, key));
    return value === undefined ? undefined : Number(value);
  };
  return {
    get,
    has: (text) => get(text) !== undefined,
    rate: countOf(bytes) === 0n ? 0 : 2 ** -checkBits,
    recordBytes: 8 + map.records,
  };
}

function exactAnswers(bytes: Uint8Array, key?: Uint8Array): Answers {
  const checkBits = viewOf(bytes).getUint32(HEADER + 16, true);
  const first = checkBits === 0 ? undefined : new Retrieval(bytes, HEADER + 24, checkBits, 0);
  const second = new Retrieval(bytes, first?.end ?? HEADER + 24, 0, 16);
  const seed = seedOf(bytes);
  return {
    has(text) {
      const h = hashed(text, key);
      if (first !== undefined && first.find(h) === undefined) return false;
      const value = second.find(h);
      return value !== undefined && (value ^ (fmix64(word(h + seed)) & 1n)) === 1n;
    },
    rate: countOf(bytes) === 0n ? 0 : 2 ** -(checkBits + 1),
    recordBytes: 24 + (first?.records ?? 0) + second.records,
  };
}

/** Returns the answers of a file of one of these types; undefined for other types. */
export function answersOf(bytes: Uint8Array, key?: Uint8Array): Answers | undefined {
  if (bytes[10] === 10) return fuseAnswers(bytes, key);
  if (bytes[10] === 11) return ribbonAnswers(bytes, key);
  if (bytes[10] === 12) return exactAnswers(bytes, key);
  if (bytes[10] === 13) return mapAnswers(bytes, key);
  return undefined;
}
