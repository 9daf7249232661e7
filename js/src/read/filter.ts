// The base of all classes: checked bytes, and look-ups in them.

import { atIndex, typeError } from '../core/errors.js';
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

/** The look-ups of a type on its payload. They are functions, so that structuredClone refuses a reader. */
export interface Lookup {
  /** True if the key with the hash h is in. For a bit array: true if the bit is set. */
  readonly test: (index?: number) => boolean;
  /** The false-positive rate at capacity, computed from the geometry. */
  readonly rate: () => number;
  /** Further figures of the type. */
  readonly figures?: Readonly<Record<string, number | undefined>>;
}

/** A structure that is only read. */
export abstract class Reader<Type extends string = string> {
  /** The number of elements; for a filter, of its keys. */
  declare readonly count: number;
  /** The number of bytes of its arrays. */
  declare readonly sizeBytes: number;
  /** @internal */
  declare readonly file: Container;
  /** @internal */
  declare lookup: Lookup;

  /** For `fromBytes` only: the classes of `tamis` build structures. */
  constructor(file: Container) {
    if (!(file instanceof Container)) {
      throw typeError("use fromBytes, or import it from 'tamis' to build");
    }
    this.lookup = this.read(file);
    need(file.at === file.bytes.length); // nothing follows the payload
    // Not enumerable, so that logs and JSON show neither the bytes nor the secret key.
    Object.defineProperty(this, 'file', { value: file });
    this.count = file.count;
    this.sizeBytes = file.arrayBytes;
  }

  /**
   * Loads a structure from a copy of the bytes of `toBytes`. Throws if they are damaged: ERR_TAMIS_NOT_TAMIS,
   * ERR_TAMIS_TRUNCATED, ERR_TAMIS_CORRUPT, ERR_TAMIS_UNSUPPORTED_VERSION, ERR_TAMIS_UNKNOWN_TYPE. Throws if they are
   * not as wanted: ERR_TAMIS_WRONG_TYPE, ERR_TAMIS_TOO_LARGE, ERR_TAMIS_UNSUPPORTED, ERR_TAMIS_KEY_REQUIRED,
   * ERR_TAMIS_WRONG_KEY. Throws TypeError for wrong arguments.
   */
  static fromBytes<R extends Reader>(
    this: Pick<ReaderClass<R>, 'prototype'> & (new (file: never) => R),
    bytes: ArrayBuffer | Uint8Array,
    options?: LoadOptions,
  ): R {
    return new this(load(bytes, this.prototype.kind, options) as never);
  }

  /** The kind of structure. */
  get type(): Type {
    return this.kind[0];
  }

  /** @internal */
  abstract get kind(): Kind<Type>;

  /**
   * Reads the payload of the file. Throws ERR_TAMIS_CORRUPT and ERR_TAMIS_TOO_LARGE.
   *
   * @internal
   */
  abstract read(file: Container): Lookup;

  /**
   * The look-ups. Throws ERR_TAMIS_DISPOSED.
   *
   * @internal
   */
  get live(): Lookup {
    const { lookup, file } = this;
    // In a detached buffer all bits would read as zeros, and every key as absent.
    need(file.bytes.length > 0, 'DISPOSED', 'disposed of, or transferred');
    return lookup;
  }

  /** True if type, options, secret and content are the same. Throws TypeError for no structure of this entry. */
  equals(other: Reader): boolean {
    const { file } = Object(other);
    if (!(file instanceof Container)) throw typeError('other must be a structure of tamis/read');
    this.live; // throws if disposed
    return areSame(this.file.bytes, other.live && file.bytes);
  }

  /** Releases the bytes. A second call does nothing. */
  dispose(): void {
    const { file } = this;
    file.secret?.fill(0);
    file.bytes = new Uint8Array();
    file.view = viewOf(file.bytes);
    this.lookup = undefined as never;
  }
}

/** A class of this entry. */
export interface ReaderClass<R extends Reader = Reader> {
  /** Called only by fromBytes. */
  new (file: never): R;
  readonly prototype: R;
  fromBytes(bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): R;
}

/** A set of keys that answers "certainly absent" or "probably present". A key in the set is never called absent. */
export abstract class Filter<Type extends string = string> extends Reader<Type> {
  /** The number of keys that the filter was made for. */
  get capacity(): number {
    return this.file.capacity;
  }

  /** `'keyed'` if a secret key is mixed in. */
  get hash(): 'fast' | 'keyed' {
    return this.file.hashId === keyedHash ? 'keyed' : 'fast';
  }

  /** The false-positive rate at `capacity`. */
  get fpr(): number {
    return this.live.rate();
  }

  /** `false`: certainly absent; `true`: probably present. Throws TypeError for a wrong key, and ERR_TAMIS_DISPOSED. */
  has(key: Key): boolean {
    const { test } = this.live;
    hash(key, this.file.secret); // writes the hash to h, where `test` reads it
    return test();
  }

  /** 1 (probably present) or 0 (certainly absent) for each key, in order. An error has the `index` of its key. */
  hasMany(keys: Iterable<Key>): Uint8Array<ArrayBuffer> {
    this.live; // throws if disposed
    return Uint8Array.from(mapKeys(keys, (key) => +this.has(key)));
  }

  /** hasMany for hashes of `hashKey`, or of `hashKeys` of `tamis`, made with the same secret key. */
  hasHashes(hashes: BigUint64Array): Uint8Array<ArrayBuffer> {
    const { test } = this.live;
    if (tagOf(hashes) !== 'BigUint64Array') throw typeError('expected a BigUint64Array');
    const words = new Int32Array(new BigUint64Array(hashes).buffer);
    return Uint8Array.from({ length: words.length / 2 }, (_, i) => {
      h.set(words.subarray(2 * i, 2 * i + 2)); // where `test` reads the hash
      return +test();
    });
  }
}

/**
 * The figures of a structure as values of JSON, without its bits. They are those of `toJSON` in `tamis`, except for
 * figures that need every bit. Throws ERR_TAMIS_DISPOSED.
 *
 * @example
 * import { BloomFilter as Builder } from 'tamis';
 * import { BloomFilter, figuresOf } from 'tamis/read';
 * const filter = BloomFilter.fromBytes(Builder.from(['ant', 'bee'], { fpr: 0.01 }).toBytes());
 * figuresOf(filter).hashes; // => 5
 */
export function figuresOf(reader: Reader): Record<string, unknown> {
  const { type, count, sizeBytes, file, live } = reader;
  const common = { type, count, ...live.figures, sizeBytes };
  if (!(reader instanceof Filter)) return common;
  const { hash, capacity, fpr } = reader;
  return { ...common, hash, seed: String(file.view.getBigUint64(16, true)), capacity, fpr };
}

/**
 * Hashes a key, without a seed: XXH3-64, or SipHash-2-4 with a secret key of 16 bytes. It equals `hashKey` of `tamis`.
 * `hasHashes` takes such hashes.
 *
 * @example
 * import { hashKey } from 'tamis/read';
 * hashKey(''); // => 0x2d06800538d394c2n
 */
export function hashKey(key: Key, options?: Pick<LoadOptions, 'key'>): bigint {
  hash(key, readOptions(options).secret); // writes to h
  return new DataView(h.buffer).getBigUint64(0, true);
}

/** The results of `act` for each key. Throws for a single key; an error of `act` gets the index of its key. */
export function mapKeys<T>(keys: Iterable<Key>, act: (key: Key) => T): T[] {
  // The units of a string, or the bytes of an array, would pass for keys.
  if (typeof keys === 'string' || tagOf(keys) !== undefined || !keys?.[Symbol.iterator]) {
    throw typeError('expected many keys', 'ERR_TAMIS_INVALID_KEY');
  }
  const results: T[] = [];
  try {
    for (const key of keys) results.push(act(key));
  } catch (error) {
    throw atIndex(error as Error, results.length);
  }
  return results;
}
