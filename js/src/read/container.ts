// Checks the container of a file, in the order of FORMAT.md, section 2.1, and reads its payload.

import {
  classNameOf,
  cureOfBytes,
  guessContent,
  TamisError,
  type TamisErrorCode,
  typeError,
} from '../core/errors.js';
import { tagOf } from '../core/key-types.js';
import { crc32c } from './crc32c.js';
import { hash } from './hash.js';
import { lastId } from './last-id.js';
import { sipKeyOf } from './siphash.js';
import { h, u, type Words } from './u64.js';

/** The options for loading bytes. */
export interface LoadOptions {
  /** The 16 secret bytes of a keyed structure. */
  readonly secret?: Uint8Array;
  /** The maximum number of bytes to accept; default 256 MiB. */
  readonly maxBytes?: number;
  /**
   * Uses the bytes without a copy; they may be in a SharedArrayBuffer. Later changes of the bytes change the answers.
   * Once their buffer is transferred, look-ups throw ERR_TAMIS_DISPOSED.
   */
  readonly view?: boolean;
}

const bloomId = 1;
const blockedBloomId = 2;
export const bitArrayId = 15;
const urlListId = 32;
const urlDeltaId = 33;

/** The name of a type, and its id in the format. */
export type Kind<Type extends string = string> = readonly [type: Type, id: number];

export const keyedHash = 2;
/** The highest known hash id, which is Parquet's. */
const lastHash = 16;

/** True if bit i of a set of bits is 1. */
const isIn = (set: number, i: number): boolean => ((set >> i) & 1) === 1;
/** The hash ids that a type may have, as a set of bits; 0 if the type is unknown. */
const hashesOf = (id: number): number => {
  if (id === bloomId) return 0b1111_1111_0111_1110;
  if (id === blockedBloomId) return 0b1_0000_0000_0000_0110;
  if (id === bitArrayId) return 1 << 0;
  if (id === urlListId || id === urlDeltaId) return 1 << 7;
  return id > 0 && id <= lastId ? 0b110 : 0; // 1 without a secret, 2 with one
};
/** The hash ids that accept a seed, as a set of bits. */
const seededHashes = 0b0110_0100_0000_1110;

type Suffix<Code> = Code extends `ERR_TAMIS_${infer End}` ? End : never;

/** Throws a TamisError unless the condition holds. */
export function need(
  holds: boolean,
  code: Suffix<TamisErrorCode> = 'CORRUPT',
  text = 'damaged bytes; fetch them again',
): asserts holds {
  if (!holds) throw new TamisError(`ERR_TAMIS_${code}`, text);
}

export const headerBytes = 64;
const magic = '\x89TMS\r\n\x1a\n';

export const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);

/** Returns a view of a caller's bytes. Throws TypeError for another value. */
export function bytesOf(input: ArrayBuffer | Uint8Array): Uint8Array {
  try {
    // DataView accepts only real buffers. It accepts shared ones, but none that is detached.
    const { buffer, byteOffset, byteLength } =
      tagOf(input) === 'Uint8Array' ? (input as Uint8Array) : new DataView(input as ArrayBuffer);
    return new Uint8Array(buffer, byteOffset, byteLength);
  } catch {
    throw typeError(
      `expected a Uint8Array or an ArrayBuffer, got ${classNameOf(input)}${cureOfBytes(input)}`,
    );
  }
}

/** A file with a valid container. Each read of the payload begins where the last one ended. */
export class Container {
  declare bytes: Uint8Array;
  declare view: DataView;
  declare readonly id: number;
  declare readonly hashId: number;
  declare readonly capacity: number;
  declare readonly count: number;
  /** The number of bytes of the file. */
  declare readonly size: number;
  /** The secret, if the hash id is 2. */
  declare secret: Int32Array | undefined;
  /** The number of bytes of the arrays that were read so far. */
  arrayBytes = 0;
  /** The offset of the next read. */
  at = headerBytes;

  /**
   * Runs checks 1 to 9 on the first bytes. `kind` is the only accepted type, if the caller passes it. Throws
   * ERR_TAMIS_NOT_TAMIS, ERR_TAMIS_TRUNCATED, ERR_TAMIS_UNSUPPORTED_VERSION, ERR_TAMIS_CORRUPT, ERR_TAMIS_UNKNOWN_TYPE,
   * ERR_TAMIS_WRONG_TYPE and ERR_TAMIS_TOO_LARGE.
   */
  constructor(bytes: Uint8Array, maxBytes: number, kind?: Kind) {
    this.bytes = bytes;
    this.view = viewOf(bytes);
    const start = String.fromCharCode(...bytes.subarray(0, headerBytes));
    if (!start.startsWith(magic))
      need(
        false,
        'NOT_TAMIS',
        `expected the bytes of toBytes, got ${guessContent(start)}; check response.ok and the URL`,
      );
    this.expect(10); // up to the version
    const version = this.view.getUint16(8, true);
    need(version === 1, 'UNSUPPORTED_VERSION', `version ${version} is too new; update tamis`);
    this.expect(headerBytes);
    need(crc32c(this.view, 0, 60) === this.u32(60)); // the checksum of the header
    const id = this.view.getUint8(10);
    const hashId = this.view.getUint8(11);
    const hashes = hashesOf(id);
    need(hashes > 0, 'UNKNOWN_TYPE', `type ${id} is too new; update tamis`);
    need(
      !kind || kind[1] === id,
      'WRONG_TYPE',
      `expected ${kind?.[0]}, got type ${id}; the function fromBytes loads any filter`,
    );
    need(hashId <= lastHash, 'UNSUPPORTED_VERSION', `hash ${hashId} is too new; update tamis`);
    need(
      isIn(hashes, hashId) &&
        this.u32(12) === 0 && // reserved
        (this.u64(16) === 0 || isIn(seededHashes, hashId) || id === urlDeltaId) && // the seed
        (this.u64(24) === 0 || hashId === keyedHash), // the id of the secret
    );
    this.id = id;
    this.hashId = hashId;
    this.capacity = this.u64(32);
    this.count = this.u64(40);
    this.size = headerBytes + this.u64(48);
    const isExact = Math.max(this.capacity, this.count) < 2 ** 53; // larger numbers are rounded
    const isSmall = isExact && this.size <= maxBytes;
    need(isSmall, 'TOO_LARGE', `${this.size} bytes are more than maxBytes (${maxBytes})`);
  }

  /** Throws ERR_TAMIS_TRUNCATED if the file has fewer bytes than `least`. */
  expect(least: number): void {
    const { length } = this.bytes;
    need(length >= least, 'TRUNCATED', `expected ${least} bytes, got ${length}; fetch again`);
  }

  /** Reads an unsigned 32-bit number, by default the next one. */
  u32(at = this.take(4)): number {
    return this.view.getUint32(at, true);
  }

  /** Reads an unsigned 64-bit number, by default the next. From 2^53 on it is rounded, but stays above all limits. */
  u64(at = this.take(8)): number {
    return this.u32(at + 4) * 2 ** 32 + this.u32(at);
  }

  /** Skips `size` bytes, and returns their offset. */
  take(size: number): number {
    const { at } = this;
    need(size <= this.bytes.length - at);
    this.at += size;
    return at;
  }

  takeArray(size: number): Uint8Array {
    const at = this.take(size);
    this.arrayBytes += size;
    return this.bytes.subarray(at, this.at);
  }

  /** Reads the seed into `u`, and returns a copy. */
  seed(): Words {
    u[0] = this.u32(16);
    u[1] = this.u32(20);
    return u.slice();
  }
}

/** Checks the options, and returns them with their defaults and with the secret as words. Throws TypeError. */
export function readOptions(options: LoadOptions | undefined) {
  // Without a prototype, so that only the properties of `options` itself are read.
  const plain: LoadOptions = { __proto__: null, ...options } as object;
  const { secret, maxBytes = 2 ** 28, view, ...others } = plain;
  for (const name of Object.keys(others))
    throw typeError(`unknown option "${name}"; expected secret, maxBytes, view`);
  if (secret !== undefined && !(tagOf(secret) === 'Uint8Array' && secret.length === 16)) {
    throw typeError('secret must be a Uint8Array of 16 bytes');
  }
  return { maxBytes, view, secret: secret && sipKeyOf(secret) };
}

/** Opens a file with checks 1 to 12. Throws as Container does, or ERR_TAMIS_KEY_REQUIRED, _WRONG_KEY, _UNSUPPORTED. */
export function load(
  input: ArrayBuffer | Uint8Array,
  kind: Kind,
  options: LoadOptions | undefined,
): Container {
  const { maxBytes, view, secret } = readOptions(options);
  const bytes = bytesOf(input);
  const file = new Container(view ? bytes : new Uint8Array(bytes), maxBytes, kind);
  const { size, hashId } = file;
  file.expect(size);
  need(bytes.length === size);
  need(crc32c(file.view, headerBytes, size) === file.u32(56)); // the checksum of the payload
  const isKeyed = hashId === keyedHash;
  need(!isKeyed || secret !== undefined, 'KEY_REQUIRED', 'keyed bytes: pass the secret');
  // The header has the id of the secret, or 0. The id is the hash of a fixed text, which hash() writes to h.
  h.fill(0);
  if (secret) hash('tamis-key-id', secret);
  const isSameId = file.u32(24) === h[0] >>> 0 && file.u32(28) === h[1] >>> 0;
  need(isSameId && isKeyed === !!secret, 'WRONG_KEY', 'the bytes have another secret, or none');
  need(hashId <= keyedHash, 'UNSUPPORTED', "only 'tamis' loads this scheme, not 'tamis/read'");
  file.secret = secret;
  return file;
}
