/**
 * The container's rules, written a second time from cpp/FORMAT.md: what a reader has to say to any
 * bytes, in the order in which the format checks them.
 */
import { crc32c } from './crc32c.js';
import type { Code } from './errors.js';
import { keyId } from './reference.js';

export const HEADER = 64;
const MAGIC = [0x89, 0x54, 0x4d, 0x53, 0x0d, 0x0a, 0x1a, 0x0a];
const MAX_COUNT = (1n << 53n) - 1n;

export const TYPE_IDS = { bloom: 1, 'bit-array': 15 } as const;
export type TypeName = keyof typeof TYPE_IDS;

/** Which hash ids a type allows. */
const HASHES: Readonly<Record<TypeName, readonly number[]>> = {
  bloom: [1, 2, 3, 4, 5, 6],
  'bit-array': [0],
};
const KEYED = 2;
const SEEDLESS = [0, 4, 5, 6];

export interface Reading {
  /** The type asked for; undefined: any. */
  readonly asked?: TypeName;
  readonly key?: Uint8Array;
  readonly maxBytes?: number;
}

/**
 * The code that reading `bytes` gives by the rules up to the deep check; 'DEEP' where the header
 * and both checksums hold, so that the type's own check decides.
 */
export function verdict(bytes: Uint8Array, reading: Reading = {}): Code | 'DEEP' {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (MAGIC.some((byte, i) => bytes[i] !== byte)) return 'NOT_TAMIS';
  if (bytes.length < 10) return 'TRUNCATED';
  if (view.getUint16(8, true) !== 1) return 'UNSUPPORTED_VERSION';
  if (bytes.length < HEADER) return 'TRUNCATED';
  if (view.getUint32(60, true) !== crc32c(bytes.subarray(0, 60))) return 'CORRUPT';

  const typeId = bytes[10] as number;
  const type = (Object.keys(TYPE_IDS) as TypeName[]).find((name) => TYPE_IDS[name] === typeId);
  if (type === undefined) return 'UNKNOWN_TYPE';
  if (reading.asked !== undefined && reading.asked !== type) return 'WRONG_TYPE';
  const hash = bytes[11] as number;
  const storedKeyId = view.getBigUint64(24, true);
  if (!HASHES[type].includes(hash)) return 'CORRUPT';
  if (view.getUint32(12, true) !== 0) return 'CORRUPT';
  if (SEEDLESS.includes(hash) && view.getBigUint64(16, true) !== 0n) return 'CORRUPT';
  if (hash !== KEYED && storedKeyId !== 0n) return 'CORRUPT';

  const payload = view.getBigUint64(48, true);
  if (view.getBigUint64(32, true) > MAX_COUNT) return 'TOO_LARGE';
  if (view.getBigUint64(40, true) > MAX_COUNT) return 'TOO_LARGE';
  if (payload + BigInt(HEADER) > BigInt(reading.maxBytes ?? 2 ** 28)) return 'TOO_LARGE';
  const present = BigInt(bytes.length - HEADER);
  if (present < payload) return 'TRUNCATED';
  if (present > payload) return 'CORRUPT';
  if (view.getUint32(56, true) !== crc32c(bytes.subarray(HEADER))) return 'CORRUPT';

  if (hash === KEYED) {
    if (reading.key === undefined) return 'KEY_REQUIRED';
    if (keyId(reading.key) !== storedKeyId) return 'WRONG_KEY';
  } else if (reading.key !== undefined) {
    return 'WRONG_KEY';
  }
  return 'DEEP';
}

const bitsSet = (words: Uint8Array): number => {
  let set = 0;
  for (const byte of words) for (let b = byte; b > 0; b &= b - 1) set++;
  return set;
};

/** Whether a bit at `length` or beyond is set. */
function spareBits(words: Uint8Array, length: number): boolean {
  for (let i = length; i < 8 * words.length; i++) {
    if ((((words[i >> 3] as number) >> (i & 7)) & 1) === 1) return true;
  }
  return false;
}

/** Whether the deep check of a container (verdict 'DEEP') finds a fault. */
export function deepFault(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const payload = bytes.subarray(HEADER);
  const capacity = view.getBigUint64(32, true);
  const count = view.getBigUint64(40, true);
  const wordsFor = (bits: bigint): bigint => 8n * ((bits + 63n) / 64n);
  if (bytes[10] === TYPE_IDS['bit-array']) {
    if (BigInt(payload.length) !== wordsFor(capacity)) return true;
    return spareBits(payload, Number(capacity)) || count !== BigInt(bitsSet(payload));
  }
  if (payload.length < 16) return true;
  const bits = view.getBigUint64(HEADER, true);
  const hashes = view.getUint32(HEADER + 8, true);
  const words = payload.subarray(16);
  if (view.getUint32(HEADER + 12, true) !== 0) return true;
  if (bits === 0n || hashes < 1 || hashes > 64 || capacity === 0n) return true;
  if (BigInt(words.length) !== wordsFor(bits) || spareBits(words, Number(bits))) return true;
  if (count === 0n && bitsSet(words) > 0) return true;
  const scheme = bytes[11];
  if (scheme === 4) return bits ** BigInt(hashes) >= 1n << 512n;
  if (scheme === 5) return hashes !== 2;
  return scheme === 6 && bits % 64n !== 0n;
}

/** A copy with both checksums made right again. */
export function repaired(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  const view = new DataView(copy.buffer);
  view.setUint32(56, crc32c(copy.subarray(HEADER)), true);
  view.setUint32(60, crc32c(copy.subarray(0, 60)), true);
  return copy;
}

/** A copy that `edit` changed, with both checksums made right again. */
export function edited(bytes: Uint8Array, edit: (view: DataView) => void): Uint8Array {
  const copy = bytes.slice();
  edit(new DataView(copy.buffer));
  return repaired(copy);
}

/** A copy with one bit turned over: bit `index % 8` of byte `index / 8`. */
export function flipped(bytes: Uint8Array, index: number): Uint8Array {
  const copy = bytes.slice();
  copy[index >> 3] = (copy[index >> 3] as number) ^ (1 << (index & 7));
  return copy;
}
