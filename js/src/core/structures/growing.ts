// The members of filters that can add keys, and of those that can also delete keys.

import { eraseOperation, insertOperation } from '../../wasm/figures.js';
import { ownedOf } from '../border/lifetime.js';
import { batchCounts } from '../border/memory.js';
import { GrowingBytes } from '../growing-bytes.js';
import { type Key, type Keys, keep, lengthOf, listOf } from '../key-types.js';
import { appendHashes } from '../keys/hashing.js';
import { type AddFromOptions, readKeys, sourceReaders } from '../keys/read-keys.js';
import { readOptions } from '../options.js';
import type { Messages } from '../statuses.js';
import type { KeySource } from '../streams.js';
import { constructFor, type FromOptions, haveSize, readBuildOptions, sizeOf } from './building.js';
import { adopt, type ClassOf, definitionOf, type Sized } from './definition.js';
import { askHashes, askKeys, askOrThrow, Filter, pinHashes } from './filter.js';
import { callOrThrow, emptyLike, type FilterType, type LoadingClass } from './structure.js';

/** The message for a filter that has no room for a key. */
export const whyFull = ({ capacity, count }: Sized): Messages => ({
  ERR_TAMIS_FULL: `no room: created for ${capacity} keys, contains ${count}; pass a larger \`capacity\`, or add each key only once`,
});

/** Runs an operation on many keys, and returns how many answers are 1. */
function countKeys(structure: object, operation: number, keys: Keys): number {
  let ones = 0;
  askKeys(structure, operation, keys, (_count, answer) => {
    ones += answer ?? batchCounts().fresh; // of one key, or of a chunk
  });
  return ones;
}

/**
 * Checks the options of `from` or `fromAsync`, and makes the filter to fill. If the size is unknown, it collects the
 * hashes, 8 bytes each, or the keys if a scheme hashes in its own way, and `end` makes a filter for their number.
 */
function fill(Class: unknown, method: string, options: unknown, more = {}, count?: number) {
  const definition = definitionOf(Class);
  const what = `${definition.name}.${method}`;
  const checked = readBuildOptions(definition, options, what, { ...definition.readers, ...more });
  const hashes = new GrowingBytes();
  const kept: Key[] = [];
  let filter: MutableFilter | undefined;
  const make = (size: number): MutableFilter => {
    const handle = constructFor(definition, checked, what, size);
    filter = adopt(Class as ClassOf<MutableFilter>, handle);
    return filter;
  };
  if (count !== undefined || haveSize(checked)) make(count ?? 0);
  return {
    what,
    checked,
    add(keys: Keys): void {
      if (filter) filter.addMany(keys);
      else if (checked.scheme) for (const key of listOf(keys)) kept.push(keep(key));
      else appendHashes(hashes, keys, checked.secret);
    },
    end(): MutableFilter {
      if (filter) return filter;
      const { buffer, length } = hashes;
      const made = make(kept.length || length / 8);
      if (checked.scheme) made.addMany(kept);
      else made.addHashes(new BigUint64Array(buffer.buffer, 0, length / 8));
      return made;
    },
    /** Frees the filter, and returns the error to throw. */
    fail(error: unknown): unknown {
      filter?.dispose();
      return error;
    },
  };
}

/** The static methods of filters that can add keys. */
interface GrowingClass<F, Options> extends LoadingClass<F> {
  /**
   * Builds a filter of keys. `capacity` defaults to their number; pass it to add keys later.
   *
   * @example
   * import { CuckooFilter } from 'tamis';
   * const online = CuckooFilter.from(['alice', 'bob'], { capacity: 1000 });
   * online.add('carol'); // => true
   */
  from(keys: Keys, options?: FromOptions<Options>): F;

  /**
   * Builds a filter of keys that arrive over time, as `from` does. Without `capacity`, it keeps 8 bytes per key until
   * the last key has arrived. If `signal` aborts, it rejects with the signal's reason.
   */
  fromAsync(source: KeySource, options?: FromOptions<Options> & AddFromOptions): Promise<F>;

  /** Returns the size in bytes that a filter with these options has in memory. It builds no filter. */
  sizeFor(options: Options): number;
}

export interface MutableClass<F, Type extends FilterType, Options>
  extends GrowingClass<F, Options> {
  new (options: Options): MutableFilter<Type, Options>;
}

export interface DeletableClass<F, Type extends FilterType, Options>
  extends GrowingClass<F, Options> {
  new (options: Options): DeletableFilter<Type, Options>;
}

/** A filter that can add keys. */
export abstract class MutableFilter<
  Type extends FilterType = FilterType,
  Options = never,
> extends Filter<Type, Options> {
  // GrowingClass declares the static methods for users.
  static from(keys: Keys, options?: never): MutableFilter {
    const filling = fill(this, 'from', options, {}, lengthOf(keys));
    try {
      filling.add(keys);
      return filling.end();
    } catch (error) {
      throw filling.fail(error);
    }
  }

  static async fromAsync(source: KeySource, options?: never): Promise<MutableFilter> {
    const filling = fill(this, 'fromAsync', options, sourceReaders());
    try {
      await readKeys<Key>(source, filling.checked, filling.what, filling.add);
      return filling.end();
    } catch (error) {
      throw filling.fail(error);
    }
  }

  static sizeFor(options: never): number {
    return sizeOf(definitionOf(this), options);
  }

  /** Makes an empty filter with the same options, seed and secret, for merge. */
  emptyCopy(): this {
    return emptyLike(this);
  }

  /**
   * Adds a key. Returns `true` if the key was certainly new, which means that `has(key)` was `false` before.
   *
   * @example
   * import { BloomFilter } from 'tamis';
   * const seen = new BloomFilter({ capacity: 1000 });
   * seen.add('alice'); // => true
   * seen.add('alice'); // => false
   */
  add(key: Key): boolean {
    return askOrThrow(this, insertOperation, key) === 1;
  }

  /**
   * Adds keys, and returns the number that were certainly new. Throws at the first key that cannot be added: the keys
   * before it stay, and `error.index` is its index.
   */
  addMany(keys: Keys): number {
    return countKeys(this, insertOperation, keys);
  }

  /** As addMany, but for hashes of hashKeys. Throws ERR_TAMIS_UNSUPPORTED if a scheme needs the keys. */
  addHashes(hashes: BigUint64Array): number {
    let fresh = 0;
    askHashes(this, insertOperation, pinHashes(hashes), () => {
      fresh += batchCounts().fresh;
    });
    return fresh;
  }

  /**
   * As addMany, but for keys that arrive over time. If `signal` aborts, it rejects with the signal's reason, and the
   * keys added so far stay. A stream of bytes rejects with a TypeError; `keyBatchesFrom` splits it into keys.
   */
  async addFrom(source: KeySource, options?: AddFromOptions): Promise<number> {
    ownedOf(this);
    const settings = readOptions(options, sourceReaders(), 'addFrom');
    let fresh = 0;
    await readKeys(source, settings, 'addFrom', (keys) => {
      fresh += this.addMany(keys);
    });
    return fresh;
  }

  /** Deletes all keys. */
  clear(): void {
    callOrThrow(this, (core, handle) => core.clear(handle));
  }
}

/** A filter that can delete keys. */
export abstract class DeletableFilter<
  Type extends FilterType = FilterType,
  Options = never,
> extends MutableFilter<Type, Options> {
  /**
   * Deletes one copy of the key. If the key was certainly absent, returns `false` and changes nothing. Delete only keys
   * that you added: deleting a false positive removes a real key's bits, and that key then wrongly returns `false`.
   */
  delete(key: Key): boolean {
    return askOrThrow(this, eraseOperation, key) === 1;
  }

  /**
   * Deletes keys, and returns how many were present. Throws at the first key that cannot be deleted: the keys before it
   * are deleted, and `error.index` is its index.
   *
   * @example
   * import { CuckooFilter } from 'tamis';
   * const online = CuckooFilter.from(['alice', 'bob', 'carol']);
   * online.deleteMany(['alice', 'bob', 'zoe']); // => 2
   * online.count; // => 1
   */
  deleteMany(keys: Keys): number {
    return countKeys(this, eraseOperation, keys);
  }
}
