// What all classes have: bytes that were checked, and what asks them.

import { atIndex, typeError } from '../core/errors.js';
import type { Key } from '../core/key-types.js';
import { tagOf } from '../core/tags.js';
import {
  Container,
  type Kind,
  keyedHash,
  type LoadOptions,
  load,
  need,
  viewOf,
} from './container.js';
import { hash } from './hash.js';
import { u } from './u64.js';

/** What a type makes of its payload. It has functions, so that nobody clones a reader without its answers. */
export interface Lookup {
  /** Whether the key of h = u is in, and u is another number then; of a bit array whether that bit is set. */
  readonly test: (index?: number) => boolean;
  /** The rate at capacity, computed from the geometry. */
  readonly rate: () => number;
  /** What else the type says of itself. */
  readonly figures?: Readonly<Record<string, number | undefined>>;
}

/** A structure that is asked. Nothing changes it. */
export abstract class Reader<Type extends string = string> {
  /** What it holds: of a filter its keys. */
  declare readonly count: number;
  /** Bytes of its arrays. */
  declare readonly sizeBytes: number;
  /** @internal */
  declare readonly file: Container;
  /** @internal */
  declare asked: Lookup;

  /** For `fromBytes` alone: the classes of `tamis` build. */
  constructor(file: Container) {
    if (!(file instanceof Container)) {
      throw typeError("use fromBytes, or import it from 'tamis' to build");
    }
    this.asked = this.read(file);
    need(file.at === file.bytes.length);
    // Not enumerable: what logs or serializes a reader shows neither the bytes nor the secret key.
    Object.defineProperty(this, 'file', { value: file });
    this.count = file.count;
    this.sizeBytes = file.arrayBytes;
  }

  /**
   * The structure in the bytes of `toBytes`, of which it keeps a copy. Throws rather than give a wrong one. Throws
   * NOT_TAMIS, TRUNCATED, UNSUPPORTED_VERSION, CORRUPT, UNKNOWN_TYPE, WRONG_TYPE, TOO_LARGE, UNSUPPORTED, KEY_REQUIRED
   * and WRONG_KEY, and TypeError for arguments that are wrong.
   */
  static fromBytes<R extends Reader>(
    this: Pick<ReaderClass<R>, 'prototype'> & (new (file: never) => R),
    bytes: ArrayBuffer | Uint8Array,
    options?: LoadOptions,
  ): R {
    return new this(load(bytes, this.prototype.kind, options) as never);
  }

  /** What kind of structure this is. */
  get type(): Type {
    return this.kind[0];
  }

  /** @internal */
  abstract get kind(): Kind<Type>;

  /**
   * What the payload of the file is asked by. Throws CORRUPT and TOO_LARGE.
   *
   * @internal
   */
  abstract read(file: Container): Lookup;

  /** @internal */
  get live(): Lookup {
    const { asked, file } = this;
    // Of a buffer that is gone all bits would read as zeros, and every key as absent.
    need(file.bytes.length > 0, 'DISPOSED', 'disposed of, or transferred');
    return asked;
  }

  /** Lets go of the bytes. Harmless when repeated. */
  dispose(): void {
    const { file } = this;
    file.secret?.fill(0);
    file.bytes = new Uint8Array();
    file.view = viewOf(file.bytes);
    this.asked = undefined as never;
  }
}

/** A class of this entry. */
export interface ReaderClass<R extends Reader = Reader> {
  /** By fromBytes alone. */
  new (file: never): R;
  readonly prototype: R;
  fromBytes(bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): R;
}

/** A set of keys that says "certainly absent" or "probably present", and never calls a key absent that is in it. */
export abstract class Filter<Type extends string = string> extends Reader<Type> {
  /** Keys that it was made for. */
  get capacity(): number {
    return this.file.capacity;
  }

  /** `'keyed'` where a secret key is mixed in. */
  get hash(): 'fast' | 'keyed' {
    return this.file.hashId === keyedHash ? 'keyed' : 'fast';
  }

  /** The designed false-positive rate at `capacity`. */
  get fpr(): number {
    return this.live.rate();
  }

  /** `false` means certainly absent, `true` probably present. Throws TypeError for what is no key, and DISPOSED. */
  has(key: Key): boolean {
    const { test } = this.live;
    hash(key, this.file.secret);
    return test();
  }

  /** 1 (probably present) or 0 (certainly absent) for each key, in order. An error names the `index` of its key. */
  hasMany(keys: Iterable<Key>): Uint8Array<ArrayBuffer> {
    this.live;
    return Uint8Array.from(mapKeys(keys, (key) => +this.has(key)));
  }

  /** hasMany for the hashes of keys that `hashKey`, or `hashKeys` of `tamis`, gave with the same secret key. */
  hasHashes(hashes: BigUint64Array): Uint8Array<ArrayBuffer> {
    const { test } = this.live;
    if (tagOf(hashes) !== 'BigUint64Array') throw typeError('expected a BigUint64Array');
    const words = new Int32Array(new BigUint64Array(hashes).buffer);
    return Uint8Array.from({ length: words.length / 2 }, (_, i) => {
      u.set(words.subarray(2 * i, 2 * i + 2));
      return +test();
    });
  }
}

/** What `act` gives for each key. Throws for one key, and names the index of a key that it fails for. */
export function mapKeys<T>(keys: Iterable<Key>, act: (key: Key) => T): T[] {
  // Its units or bytes would pass for keys.
  if (typeof keys === 'string' || tagOf(keys) !== undefined || !keys?.[Symbol.iterator]) {
    throw typeError('expected many keys', 'ERR_TAMIS_INVALID_KEY');
  }
  const found: T[] = [];
  try {
    for (const key of keys) found.push(act(key));
  } catch (error) {
    throw atIndex(error as Error, found.length);
  }
  return found;
}
