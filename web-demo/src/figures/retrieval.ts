// A retrieval of one level, as FORMAT.md describes it in section 5.12: a row of bits for each key.
import { hashKey } from 'tamis';
import { readBit } from './bytes';
import { fmix64, multiply64, scale, splitmix64 } from './hash';

const RECORD_BYTES = 8;

/** The slots that a group of planes belongs to. */
const GROUP = 64;

export interface Retrieval {
  /** The bits of each slot. */
  readonly slots: readonly number[];
  readonly attempt: number;
  readonly width: number;
  readonly part: number;
  /** Where the next field begins. */
  readonly end: number;
}

export function readRetrieval(payload: DataView, offset: number, part: number): Retrieval {
  const count = payload.getUint32(offset, true);
  const attempt = payload.getUint16(offset + 4, true);
  const width = payload.getUint8(offset + 6);
  if (payload.getUint8(offset + 7) !== 0 || width > 7) {
    throw new Error('this figure reads retrievals of one level and of less than 8 bits');
  }
  const data = offset + RECORD_BYTES;
  const slots = Array.from({ length: count }, (_, i) => {
    const start = i - (i % GROUP);
    const size = Math.min(GROUP, count - start);
    let value = 0;
    for (let bit = 0; bit < width; bit++) {
      if (readBit(payload, data, start * width + bit * size + (i % GROUP))) value += 2 ** bit;
    }
    return value;
  });
  return { slots, attempt, width, part, end: data + Math.ceil((count * width) / 8) };
}

export interface Row {
  /** The slots that belong to the key. */
  readonly slots: readonly number[];
  /** The XOR of these slots. */
  readonly value: number;
  /** The check bits of the key; a row without them ignores these. */
  readonly check: number;
}

/** The row of a key, whether or not the key was stored. */
export function rowOf(retrieval: Retrieval, key: string, seed: bigint): Row {
  const { slots, attempt, width, part } = retrieval;
  const salt = splitmix64(splitmix64(seed) + (BigInt(part) << 32n) + BigInt(attempt));
  const g = fmix64(hashKey(key) + salt);
  const starts = Math.max(1, slots.length - (GROUP - 1));
  const start = scale(g, starts);
  const x = multiply64(g, 0x9e3779b97f4a7c15n);
  const mask = (x ^ (x >> 32n)) | 1n;
  const own = Array.from({ length: GROUP }, (_, k) => start + k).filter(
    (slot) => slot < slots.length && ((mask >> BigInt(slot - start)) & 1n) === 1n,
  );
  const value = own.reduce((sum, slot) => sum ^ (slots[slot] as number), 0);
  const check = Number(multiply64(g, 0xd1342543de82ef95n) >> 32n) % 2 ** width;
  return { slots: own, value, check };
}
