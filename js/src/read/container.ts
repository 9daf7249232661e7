// The container: its checks in the order of FORMAT.md, section 2.1, and what the types read of it.

import { TamisError, type TamisErrorCode, typeError } from '../core/errors.js';
import { tagOf } from '../core/tags.js';
import { crc32c } from './crc32c.js';
import { hash } from './hash.js';
import { sipKeyOf } from './siphash.js';
import { u, type Words } from './u64.js';

/** Options of everything that loads bytes. */
export interface LoadOptions {
  /** The 16 bytes of a keyed structure. */
  readonly key?: Uint8Array;
  /** The most bytes that are taken; default 256 MiB. */
  readonly maxBytes?: number;
  /**
   * Keeps the bytes themselves in the place of a copy; they may lie in a SharedArrayBuffer. Bytes that change later
   * change the answers. Once their buffer is transferred, look-ups throw DISPOSED.
   */
  readonly view?: boolean;
}

const bloomId = 1;
const blockedBloomId = 2;
const bitArrayId = 15;
const urlListId = 32;
const urlDeltaId = 33;

/** A type: its name, and its id in the format. */
export type Kind<Type extends string = string> = readonly [type: Type, id: number];

export const keyedHash = 2;
const parquetHash = 16;

/** Whether a number is in a set, which has a bit for each. */
const isIn = (set: number, i: number): boolean => ((set >> i) & 1) === 1;
/** The hash ids that a type may have, of those that are known: bit 7 is that of lists of URLs. None: it is no type. */
const hashesOf = (id: number): number => {
  if (id === bloomId) return 0b1111_1111_0111_1110;
  if (id === blockedBloomId) return 0b1_0000_0000_0000_0110;
  if (id === bitArrayId) return 1 << 0;
  if (id === urlListId || id === urlDeltaId) return 1 << 7;
  return id > 0 && id < bitArrayId ? 0b110 : 0;
};
/** Those that take a seed. */
const seededHashes = 0b0110_0100_0000_1110;

type Suffix<Code> = Code extends `ERR_TAMIS_${infer End}` ? End : never;

/** Throws a TamisError unless it holds. */
export function need(
  holds: boolean,
  code: Suffix<TamisErrorCode> = 'CORRUPT',
  text = 'damaged; fetch it again',
): asserts holds {
  if (!holds) throw new TamisError(`ERR_TAMIS_${code}`, text);
}

export const headerBytes = 64;
const magic = '\x89TMS\r\n\x1a\n';

/** What bytes are that begin so, and are no structure: often a page that tells of an error. */
function kindOf(start: string): string {
  const [first] = start.trim();
  if (first === '<') return 'HTML';
  if (first === '{' || first === '[') return 'JSON';
  if (first === '\x1f') return 'gzip';
  return first ? JSON.stringify(start.slice(0, 8)) : 'no bytes';
}

/** A DataView of the same bytes. */
export const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);

/** The bytes of a caller. Throws TypeError. */
export function bytesOf(input: ArrayBuffer | Uint8Array): Uint8Array {
  try {
    // A DataView takes real buffers alone, shared ones too, and none that is detached.
    const { buffer, byteOffset, byteLength } =
      tagOf(input) === 'Uint8Array' ? (input as Uint8Array) : new DataView(input as ArrayBuffer);
    return new Uint8Array(buffer, byteOffset, byteLength);
  } catch {
    const got = Object.prototype.toString.call(input);
    throw typeError(`expected bytes, got ${got}: await it, or use fromStream(response.body)`);
  }
}

/** A file whose container is right. What is read of its payload begins where the last reading ended. */
export class Container {
  declare bytes: Uint8Array;
  declare view: DataView;
  declare readonly id: number;
  declare readonly hashId: number;
  declare readonly capacity: number;
  declare readonly count: number;
  /** Of all bytes. */
  declare readonly size: number;
  /** The secret key of hash id 2. */
  declare secret: Int32Array | undefined;
  /** Bytes of arrays that were read. */
  declare arrayBytes: number;
  /** How far it was read. */
  declare at: number;

  /**
   * The checks 1 to 9, of the first bytes; `kind` is the only one that is wanted. Throws NOT_TAMIS, TRUNCATED,
   * UNSUPPORTED_VERSION, CORRUPT, UNKNOWN_TYPE, WRONG_TYPE and TOO_LARGE.
   */
  constructor(bytes: Uint8Array, kind: Kind | undefined, maxBytes: number) {
    this.bytes = bytes;
    this.view = viewOf(bytes);
    this.at = headerBytes;
    this.arrayBytes = 0;
    const start = String.fromCharCode(...bytes.subarray(0, headerBytes));
    if (!start.startsWith(magic))
      need(false, 'NOT_TAMIS', `expected toBytes, got ${kindOf(start)}; see response.ok`);
    this.expect(10);
    const version = this.view.getUint16(8, true);
    need(version === 1, 'UNSUPPORTED_VERSION', `version ${version} is too new; update tamis`);
    this.expect(headerBytes);
    need(crc32c(this.view, 0, 60) === this.u32(60));
    const id = bytes[10] as number;
    const hashId = bytes[11] as number;
    const hashes = hashesOf(id);
    need(hashes > 0, 'UNKNOWN_TYPE', `type ${id} is too new; update tamis`);
    need(!kind || kind[1] === id, 'WRONG_TYPE', `expected ${kind?.[0]}, got type ${id}`);
    need(hashId <= parquetHash, 'UNSUPPORTED_VERSION', `hash ${hashId} is too new; update tamis`);
    need(
      isIn(hashes, hashId) &&
        this.u32(12) === 0 &&
        (this.u64(16) === 0 || isIn(seededHashes, hashId) || id === urlDeltaId) &&
        (this.u64(24) === 0 || hashId === keyedHash),
    );
    this.id = id;
    this.hashId = hashId;
    this.capacity = this.u64(32);
    this.count = this.u64(40);
    this.size = headerBytes + this.u64(48);
    const isCounted = Math.max(this.capacity, this.count) < 2 ** 53;
    const isSmall = isCounted && this.size <= maxBytes;
    need(isSmall, 'TOO_LARGE', `expected at most ${maxBytes} bytes, got ${this.size}`);
  }

  /** Throws TRUNCATED where there are fewer bytes. */
  expect(least: number): void {
    const { length } = this.bytes;
    need(length >= least, 'TRUNCATED', `expected ${least} bytes, got ${length}`);
  }

  u32(at: number): number {
    return this.view.getUint32(at, true);
  }

  /** A u64. From 2^53 on it is rounded, and over every limit all the same. */
  u64(at: number): number {
    return this.u32(at + 4) * 2 ** 32 + this.u32(at);
  }

  /** Where the next `size` bytes begin. */
  take(size: number): number {
    const { at } = this;
    need(size <= this.bytes.length - at);
    this.at += size;
    return at;
  }

  /** The next bytes, of an array. */
  takeArray(size: number): Uint8Array {
    const at = this.take(size);
    this.arrayBytes += size;
    return this.bytes.subarray(at, this.at);
  }

  /** The seed, which `u` holds then too. */
  seed(): Words {
    u[0] = this.u32(16);
    u[1] = this.u32(20);
    return u.slice() as Words;
  }
}

/** The options' own members. Throws TypeError. */
export function readOptions(options: LoadOptions | undefined) {
  // What somebody put on Object.prototype nobody meant.
  const own: LoadOptions = { __proto__: null, ...options } as object;
  const { key, maxBytes = 2 ** 28, view, ...others } = own;
  for (const name of Object.keys(others)) throw typeError(`unknown option ${name}`);
  // A copy has the bytes that there really are.
  if (
    key !== undefined &&
    !(tagOf(key) === 'Uint8Array' && key.length === 16 && new Uint8Array(key).length === 16)
  ) {
    throw typeError('expected a key of 16 bytes');
  }
  return { maxBytes, view, secret: key && sipKeyOf(key) };
}

/**
 * The file in some bytes: the checks 1 to 12. Throws what Container does, KEY_REQUIRED and WRONG_KEY. The rules of other
 * libraries are UNSUPPORTED.
 */
export function load(
  input: ArrayBuffer | Uint8Array,
  kind: Kind,
  options: LoadOptions | undefined,
): Container {
  const { maxBytes, view, secret } = readOptions(options);
  const given = bytesOf(input);
  const file = new Container(view ? given : new Uint8Array(given), kind, maxBytes);
  const { size, hashId } = file;
  file.expect(size);
  need(given.length === size);
  need(crc32c(file.view, headerBytes, size) === file.u32(56));
  const isKeyed = hashId === keyedHash;
  need(!isKeyed || secret !== undefined, 'KEY_REQUIRED', 'it has a key: pass key');
  // The id of a secret key; 0 where there is none.
  u.fill(0);
  if (secret) hash('tamis-key-id', secret);
  const isRight = file.u32(24) === u[0] >>> 0 && file.u32(28) === u[1] >>> 0;
  need(isRight && isKeyed === !!secret, 'WRONG_KEY', 'it has another key');
  need(hashId <= keyedHash, 'UNSUPPORTED', "of another scheme: import it from 'tamis'");
  file.secret = secret;
  return file;
}
