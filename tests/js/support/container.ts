/**
 * The rules of the container, implemented independently from cpp/FORMAT.md. For any bytes, they tell how a reader must
 * answer, in the order of the format's checks.
 */
import { readFileSync } from 'node:fs';
import { hashKey } from 'tamis/read';

import { crc32c } from './crc32c.js';
import type { Code } from './errors.js';

export const HEADER = 64;
const MAGIC = [0x89, 0x54, 0x4d, 0x53, 0x0d, 0x0a, 0x1a, 0x0a];
const MAX_COUNT = (1n << 53n) - 1n;

/** The rows of section 3. */
const format = readFileSync(new URL('../../../cpp/FORMAT.md', import.meta.url), 'utf8');
const types = [...format.matchAll(/^\| (\d+) \| ([\w-]+) \| 5\.\d+ \|$/gm)].map(
  ([, id, type]) => [type as string, Number(id)] as const,
);
export const TYPE_IDS: Readonly<Record<string, number>> = Object.fromEntries(
  types.filter(([, id]) => id < 32),
);

/** The types of 'tamis/url', which the readers of 'tamis' know and do not load. */
export const URL_TYPE_IDS = types.map(([, id]) => id).filter((id) => id >= 32);
const SHA256_PREFIX = 7;

/** The hash ids that a type allows. */
const hashesOf = (type: string): readonly number[] => {
  if (type === 'bit-array') return [0];
  if (type === 'blocked-bloom') return [1, 2, 16];
  return type === 'bloom' ? [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15] : [1, 2];
};
const LAST_HASH = 16;
const KEYED = 2;
const SEEDED = [1, 2, 3, 10, 13, 14];
/** True for hash ids whose header can have a seed, and for that of url-delta, which uses the field differently. */
const mayHaveSeed = (hash: number) => SEEDED.includes(hash) || hash === SHA256_PREFIX;

export interface Reading {
  /** The requested type, or undefined for any type. */
  readonly asked?: string;
  readonly secret?: Uint8Array;
  readonly maxBytes?: number;
}

/**
 * The code that a reader must throw for `bytes` by all rules up to the deep check. 'DEEP' if the header and both
 * checksums are right, so that the check of the type decides.
 */
export function codeExpected(bytes: Uint8Array, reading: Reading = {}): Code | 'DEEP' {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (MAGIC.some((byte, i) => bytes[i] !== byte)) return 'NOT_TAMIS';
  if (bytes.length < 10) return 'TRUNCATED';
  if (view.getUint16(8, true) !== 1) return 'UNSUPPORTED_VERSION';
  if (bytes.length < HEADER) return 'TRUNCATED';
  if (view.getUint32(60, true) !== crc32c(bytes.subarray(0, 60))) return 'CORRUPT';

  const typeId = bytes[10] as number;
  const type = Object.keys(TYPE_IDS).find((name) => TYPE_IDS[name] === typeId);
  const isElsewhere = URL_TYPE_IDS.includes(typeId);
  if (type === undefined && !isElsewhere) return 'UNKNOWN_TYPE';
  if (reading.asked !== undefined && reading.asked !== type) return 'WRONG_TYPE';
  const hash = bytes[11] as number;
  if (hash > LAST_HASH) return 'UNSUPPORTED_VERSION';
  const storedKeyId = view.getBigUint64(24, true);
  const hashes = type === undefined ? [SHA256_PREFIX] : hashesOf(type);
  if (!hashes.includes(hash)) return 'CORRUPT';
  if (view.getUint32(12, true) !== 0) return 'CORRUPT';
  if (!mayHaveSeed(hash) && view.getBigUint64(16, true) !== 0n) return 'CORRUPT';
  if (hash !== KEYED && storedKeyId !== 0n) return 'CORRUPT';

  const payload = view.getBigUint64(48, true);
  if (view.getBigUint64(32, true) > MAX_COUNT) return 'TOO_LARGE';
  if (view.getBigUint64(40, true) > MAX_COUNT) return 'TOO_LARGE';
  if (payload + BigInt(HEADER) > BigInt(reading.maxBytes ?? 2 ** 28)) return 'TOO_LARGE';
  if (isElsewhere) return 'WRONG_TYPE';
  const present = BigInt(bytes.length - HEADER);
  if (present < payload) return 'TRUNCATED';
  if (present > payload) return 'CORRUPT';
  if (view.getUint32(56, true) !== crc32c(bytes.subarray(HEADER))) return 'CORRUPT';

  if (hash === KEYED) {
    if (reading.secret === undefined) return 'KEY_REQUIRED';
    const id = hashKey('tamis-key-id', { secret: reading.secret });
    if (id !== storedKeyId) return 'WRONG_KEY';
  } else if (reading.secret !== undefined) {
    return 'WRONG_KEY';
  }
  return 'DEEP';
}

/** A copy with corrected checksums. */
export function repaired(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  const view = new DataView(copy.buffer);
  view.setUint32(56, crc32c(copy.subarray(HEADER)), true);
  view.setUint32(60, crc32c(copy.subarray(0, 60)), true);
  return copy;
}

/** A copy that `edit` changed, with corrected checksums. */
export function edited(bytes: Uint8Array, edit: (view: DataView) => void): Uint8Array {
  const copy = bytes.slice();
  edit(new DataView(copy.buffer));
  return repaired(copy);
}

/** A copy with one bit flipped: bit `index % 8` of byte `index / 8`. */
export function flipped(bytes: Uint8Array, index: number): Uint8Array {
  const copy = bytes.slice();
  copy[index >> 3] = (copy[index >> 3] as number) ^ (1 << (index & 7));
  return copy;
}
