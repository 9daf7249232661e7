// The base of all classes. It keeps checked bytes, and looks up keys in them.

import { mapLazily, notInJson, typeError } from '../core/errors.js';
import { areSame, type Key, tagOf } from '../core/key-types.js';
import {
  Container,
  type Kind,
  keyedHash,
  type LoadOptions,
  load,
  need,
  readOptions,
  viewOf,
} from './container.js';
import { hash } from './hash.js';
import { h } from './u64.js';

/** The look-ups in a type's payload. They are functions, so that structuredClone refuses a reader. */
export interface Lookup {
  /** True if the key with the hash h is in the set; for a bit array, if the bit at `index` is set. */
  readonly test: (index?: number) => boolean;
  /** The false-positive rate at capacity, computed from the geometry. */
  readonly rate: () => number;
  readonly figures?: Readonly<Record<string, number | undefined>>;
}

/** The type of the constructor's argument. It tells callers that `fromBytes` makes the objects. */
interface Use {
  readonly use: 'fromBytes(bytes)';
}

/** A structure that is read-only. */
export abstract class Reader<Type extends string = string> {
  /** The number of elements; for a filter, of its keys. */
  declare readonly count: number;
  /** The number of bytes of its arrays. */
  declare readonly sizeBytes: number;
  /** Exists only as a type, so that TypeScript does not accept classes of `tamis` as classes of `tamis/read`. */
  declare protected readonly entry: 'tamis/read';
  /** @internal */
  declare readonly file: Container;
  /** @internal */
  declare lookup: Lookup;

  // This has no JSDoc, so that editors show that of the class.
  constructor(file: Use) {
    if (!(file instanceof Container)) {
      throw typeError("load with fromBytes; build with 'tamis'");
    }
    this.lookup = this.read(file);
    need(file.at === file.bytes.length); // nothing follows the payload
    // The property is not enumerable, so that logs and JSON show neither the bytes nor the secret.
    Object.defineProperty(this, 'file', { value: file });
    this.count = file.count;
    this.sizeBytes = file.arrayBytes;
  }

  /**
   * Loads a structure from a copy of the bytes of `toBytes`. Throws if they are damaged.
   *
   * Damaged bytes: ERR_TAMIS_NOT_TAMIS, ERR_TAMIS_TRUNCATED, ERR_TAMIS_CORRUPT, ERR_TAMIS_UNSUPPORTED_VERSION,
   * ERR_TAMIS_UNKNOWN_TYPE. Other bytes than expected: ERR_TAMIS_WRONG_TYPE, ERR_TAMIS_TOO_LARGE,
   * ERR_TAMIS_UNSUPPORTED, ERR_TAMIS_KEY_REQUIRED, ERR_TAMIS_WRONG_KEY. Wrong arguments: TypeError.
   */
  static fromBytes(bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): Reader {
    const Class = this as unknown as ReaderClass;
    return new Class(load(bytes, Class.prototype.kind, options) as never);
  }

  /** The kind of structure. */
  get type(): Type {
    return this.kind[0];
  }

  /** @internal */
  abstract get kind(): Kind<Type>;

  /** Reads the payload of the file. Throws ERR_TAMIS_CORRUPT and ERR_TAMIS_TOO_LARGE. @internal */
  abstract read(file: Container): Lookup;

  /** The figures of the structure, as in `tamis`, but without those that need every bit. The content is not in JSON. */
  toJSON(): Record<string, unknown> {
    const { figures } = liveOf(this);
    const { type, count, sizeBytes } = this;
    return { type, count, ...figures, sizeBytes, content: notInJson };
  }

  /** True if type, options, secret and content are equal. Throws TypeError unless `other` is from `tamis/read`. */
  equals(other: Reader): boolean {
    return areSame(liveFileOf(this).bytes, liveFileOf(other).bytes);
  }

  /** Releases the bytes. A second call does nothing. */
  dispose(): void {
    const file = fileOf(this);
    file.secret?.fill(0);
    file.bytes = new Uint8Array();
    file.view = viewOf(file.bytes);
    this.lookup = undefined as never;
  }
}

/** Returns the file of a reader. Throws TypeError for another value. */
export function fileOf(reader: Reader): Container {
  if (reader?.file instanceof Container) return reader.file;
  throw typeError("expected a filter of 'tamis/read'");
}

/** Returns the file of a reader. Throws ERR_TAMIS_DISPOSED, and TypeError for another value. */
function liveFileOf(reader: Reader): Container {
  const file = fileOf(reader);
  // In a detached buffer all bits would read as zeros, and every key as absent.
  need(file.bytes.length > 0, 'DISPOSED', 'disposed of, or transferred; load it again');
  return file;
}

/** Returns the look-ups of a reader. Throws as liveFileOf does. */
export function liveOf(reader: Reader): Lookup {
  liveFileOf(reader);
  return reader.lookup;
}

/** A class of `tamis/read`. */
export interface ReaderClass<R extends Reader = Reader> {
  /** Only fromBytes calls this. */
  new (file: never): R;
  readonly prototype: R;
  fromBytes(bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): R;
}

/** A set of keys that answers "certainly absent" or "probably present". A key in the set is never called absent. */
export abstract class Filter<Type extends string = string> extends Reader<Type> {
  /** The number of keys that the filter was made for. */
  get capacity(): number {
    return fileOf(this).capacity;
  }

  /** `'keyed'` if a secret is mixed in, else `'fast'`. */
  get hash(): 'fast' | 'keyed' {
    return fileOf(this).hashId === keyedHash ? 'keyed' : 'fast';
  }

  /** The false-positive rate at `capacity`. */
  get fpr(): number {
    return liveOf(this).rate();
  }

  /** Returns `false` for certainly absent, `true` for probably present. Throws TypeError and ERR_TAMIS_DISPOSED. */
  has(key: Key): boolean {
    const { test } = liveOf(this);
    hash(key, this.file.secret); // writes the hash to h, where `test` reads it
    return test();
  }

  /** Returns 1 (probably present) or 0 (certainly absent) for each key. An error has the `index` of its key. */
  hasMany(keys: Iterable<Key>): Uint8Array<ArrayBuffer> {
    liveOf(this); // throws if disposed
    return Uint8Array.from(mapKeys(keys, (key) => +this.has(key)));
  }

  /** As hasMany, but for hashes of `hashKey`, or of `hashKeys` in `tamis`, that were made with the same secret. */
  hasHashes(hashes: BigUint64Array): Uint8Array<ArrayBuffer> {
    const { test } = liveOf(this);
    if (tagOf(hashes) !== 'BigUint64Array') throw typeError('hashes must be a BigUint64Array');
    const words = new Int32Array(new BigUint64Array(hashes).buffer);
    return Uint8Array.from({ length: words.length / 2 }, (_, i) => {
      h.set(words.subarray(2 * i, 2 * i + 2)); // where `test` reads the hash
      return +test();
    });
  }

  override toJSON(): Record<string, unknown> {
    const figures = super.toJSON(); // throws if `this` is not a filter
    const { hash, capacity, fpr, file } = this;
    const seed = String(file.view.getBigUint64(16, true));
    return { ...figures, hash, seed, capacity, fpr };
  }
}

/**
 * Hashes a key, without a seed: XXH3-64, or SipHash-2-4 with a secret of 16 bytes. The hash equals that of `hashKey` in
 * `tamis`. Pass such hashes to `hasHashes`.
 *
 * @example
 * import { hashKey } from 'tamis/read';
 * hashKey(''); // => 0x2d06800538d394c2n
 */
export function hashKey(key: Key, options?: Pick<LoadOptions, 'secret'>): bigint {
  hash(key, readOptions(options).secret); // writes to h
  return new DataView(h.buffer).getBigUint64(0, true);
}

/** Returns the results of `act` for each key. Throws for a single key. An error of `act` gets the index of its key. */
export function mapKeys<T>(keys: Iterable<Key>, act: (key: Key) => T): T[] {
  // Otherwise the units of a string, or the bytes of an array, would pass for keys.
  if (typeof keys === 'string' || tagOf(keys) !== undefined || !keys?.[Symbol.iterator]) {
    throw typeError('keys must be an iterable', 'ERR_TAMIS_INVALID_KEY');
  }
  return [...mapLazily(keys, act)];
}
