// The members of every set of keys: add, look up, delete.

import {
  eraseOperation,
  getOperation,
  hasOperation,
  insertOperation,
  keyedHash,
} from '../../wasm/figures.js';
import { loneSurrogate } from '../border/constants.js';
import { ownedOf } from '../border/lifetime.js';
import {
  batchCounts,
  bytesAddress,
  copyAnswers,
  helper,
  helperLimit,
  keyAddress,
  putKey,
  raw,
  readValues,
  releaseKey,
} from '../border/memory.js';
import { call, poison } from '../border/runtime.js';
import { mustBe, type TamisError } from '../errors.js';
import { GrowingBytes } from '../growing-bytes.js';
import {
  invalidKey,
  type Key,
  type Keys,
  keep,
  lengthOf,
  listOf,
  pin,
  tagOf,
} from '../key-types.js';
import { Blocks, joinBlocks } from '../keys/blocks.js';
import { appendHashes, sendHashes } from '../keys/hashing.js';
import { type Batch, sendKeys } from '../keys/keys.js';
import { type AddFromOptions, readKeys, sourceReaders } from '../keys/read-keys.js';
import { readOptions } from '../options.js';
import { type Messages, statusError } from '../statuses.js';
import type { KeySource } from '../streams.js';
import { constructFor, type FromOptions, haveSize, readBuildOptions, sizeOf } from './building.js';
import { adopt, type ClassOf, definitionOf, type Sized } from './definition.js';
import {
  callOrThrow,
  capacityFigure,
  countFigure,
  emptyLike,
  estimatedFprFigure,
  type FilterType,
  figure,
  figuresOf,
  fprFigure,
  hashIdOf,
  type Loadable,
  type LoadingClass,
  Structure,
  shownBy,
  sizeBytesFigure,
} from './structure.js';

/** The kind of hash that a structure uses. */
export function hashOf(structure: Loadable): 'fast' | 'keyed' {
  return hashIdOf(structure) === keyedHash ? 'keyed' : 'fast';
}

/** A plain view of a caller's hashes. Throws TypeError. */
export function pinHashes(hashes: unknown): BigUint64Array {
  if (tagOf(hashes) !== 'BigUint64Array') {
    throw mustBe('the BigUint64Array of hashKeys', 'hashes', hashes);
  }
  return pin(hashes as BigUint64Array, 'hashes');
}

/** Runs an operation on one key, and returns the core's answer. Negative: a status, such as ERR_TAMIS_DISPOSED. */
export function askKey(structure: Loadable, operation: number, key: Key): number {
  const { handle } = ownedOf(structure);
  const isHelped = typeof key === 'string' && key.length <= helperLimit;
  const size = isHelped ? 0 : putKey(key);
  let answer: number;
  // Not by call(), which takes a closure per key. The try holds only calls into wasm, whose errors are traps.
  try {
    answer = isHelped
      ? helper.ask(operation, handle, key)
      : raw._tamis_ask(handle, operation, keyAddress, size);
  } catch (cause) {
    throw poison(cause);
  }
  if (keyAddress !== bytesAddress) releaseKey();
  if (answer === loneSurrogate) throw invalidKey(key);
  return answer;
}

/** The error of a negative answer for a key. */
const keyError = (structure: object, status: number): TamisError =>
  statusError(status, definitionOf(structure.constructor).keyMessages?.(structure as Filter));

/** The text for a filter without room for a key. */
export const whyFull = ({ capacity, count }: Sized): Messages => ({
  ERR_TAMIS_FULL: `no room: made for ${capacity} keys, holds ${count}; pass a larger \`capacity\``,
});

/** Runs an operation on one key, and throws for every negative answer. */
export function askOrThrow(structure: Loadable, operation: number, key: Key): number {
  const answer = askKey(structure, operation, key);
  if (answer < 0) throw keyError(structure, answer);
  return answer;
}

/** The `has` of every class with keys. */
export function hasKey(structure: object, key: Key): boolean {
  // This repeats askKey in one small function: each call takes 4 ns in Firefox, and V8 inlines only small functions.
  const { handle } = ownedOf(structure);
  const isHelped = typeof key === 'string' && key.length <= helperLimit;
  const size = isHelped ? 0 : putKey(key);
  let answer: number;
  try {
    answer = isHelped ? helper.has(handle, key) : raw._tamis_has(handle, keyAddress, size);
  } catch (cause) {
    throw poison(cause);
  }
  if (keyAddress !== bytesAddress) releaseKey();
  if (answer < 0) throw answer === loneSurrogate ? invalidKey(key) : statusError(answer);
  return answer === 1;
}

/** Runs an operation on many keys. `take` gets the answer of a key sent alone; the scratch has those of a chunk. */
function askKeys(structure: object, operation: number, keys: Keys, take: Batch['take']): void {
  // The handle is read for each call, since an iterator of keys may dispose of the structure.
  const owned = ownedOf(structure).check();
  sendKeys(keys, {
    many: (offset, size, count) =>
      raw._tamis_ask_many(owned.handle, operation, offset, size, count),
    one: (address, size) => raw._tamis_ask(owned.handle, operation, address, size),
    errorOf: (status) => keyError(structure, status),
    take,
  });
}

/** Runs an operation on a caller's hashes; `take` receives the start and the size of each chunk processed. */
function askHashes(
  structure: Loadable,
  operation: number,
  hashes: BigUint64Array,
  take: (at: number, count: number) => void,
): void {
  const { handle } = ownedOf(structure);
  const ask = (count: number) => raw._tamis_ask_hashes(handle, operation, count);
  // The call without hashes makes an unsupported operation throw, even if there are no hashes.
  const status = call(() => ask(0));
  if (status < 0) {
    throw statusError(status, { ERR_TAMIS_UNSUPPORTED: 'the scheme needs the keys, not hashes' });
  }
  sendHashes(hashes, ask, take);
}

/** Looks up many keys, and returns the answers; `take` is called with the size of each chunk. */
function lookUpKeys(
  structure: object,
  operation: number,
  keys: Keys,
  take: (count: number) => void = () => {},
): Uint8Array<ArrayBuffer> {
  const answers = new GrowingBytes(lengthOf(keys));
  askKeys(structure, operation, keys, (count, answer) => {
    const at = answers.extend(count);
    if (answer === undefined) copyAnswers(answers.buffer, at, count);
    else answers.buffer[at] = answer;
    take(count);
  });
  const { all, buffer } = answers;
  return all.length === buffer.length ? buffer : all.slice(); // without the free part
}

/** The `hasMany` of every class with keys. */
export function hasKeys(structure: object, keys: Keys): Uint8Array<ArrayBuffer> {
  return lookUpKeys(structure, hasOperation, keys);
}

/** The values of many keys in a map; `found` says which keys are present. */
export function getKeys(
  map: Loadable,
  keys: Keys,
): { values: Uint32Array<ArrayBuffer>; found: Uint8Array<ArrayBuffer> } {
  const values = new Blocks(Uint32Array);
  const found = lookUpKeys(map, getOperation, keys, (count) => {
    const chunk = readValues(count); // of the keys just looked up
    values.add(count, (block, at, from, n) => block.set(chunk.subarray(from, from + n), at));
  });
  return { values: joinBlocks(values), found };
}

/** The members of every filter's toJSON behind its type, hash and seed. */
const filterFigures = ['count', 'capacity', 'fpr', 'estimatedFpr', 'bitsPerKey', 'sizeBytes'];

/** A set of keys that answers "certainly absent" or "probably present". A key in the set is never called absent. */
export abstract class Filter<
  Type extends FilterType = FilterType,
  Options = never,
> extends Structure<Type, Options> {
  /** `'keyed'` if a secret is mixed in; `'fast'` for every unkeyed scheme. */
  get hash(): 'fast' | 'keyed' {
    return hashOf(this);
  }

  /** The number of keys in the filter. Each class says how it counts. */
  get count(): number {
    return figure(this, countFigure);
  }

  /** The number of keys that the filter was made for. */
  get capacity(): number {
    return figure(this, capacityFigure);
  }

  /** The false-positive rate at `capacity`, computed from the geometry. It is never above the wanted rate. */
  get fpr(): number {
    return figure(this, fprFigure);
  }

  /** The false-positive rate of the present content. Above `fpr`, build a larger filter. */
  get estimatedFpr(): number {
    return figure(this, estimatedFprFigure);
  }

  /** `8 * sizeBytes / count`; NaN while the filter is empty. */
  get bitsPerKey(): number {
    const count = figure(this, countFigure);
    return count === 0 ? Number.NaN : (8 * figure(this, sizeBytesFigure)) / count;
  }

  /**
   * `false` means certainly absent; `true` means probably present.
   *
   * @example
   * import { BloomFilter } from 'tamis';
   * const names = BloomFilter.from(['alice', 'bob']);
   * names.has('alice'); // => true
   * names.has('carol'); // => false
   */
  has(key: Key): boolean {
    return hasKey(this, key);
  }

  /** 1 (probably present) or 0 (certainly absent) for each key, in order. */
  hasMany(keys: Keys): Uint8Array<ArrayBuffer> {
    return hasKeys(this, keys);
  }

  /** hasMany for hashes of hashKeys. Throws ERR_TAMIS_UNSUPPORTED if a scheme needs the keys. */
  hasHashes(hashes: BigUint64Array): Uint8Array<ArrayBuffer> {
    const pinned = pinHashes(hashes);
    const answers = new Uint8Array(pinned.length);
    askHashes(this, hasOperation, pinned, (at, count) => copyAnswers(answers, at, count));
    return answers;
  }

  override toJSON(): Record<string, unknown> {
    return figuresOf(this, ['type', 'hash', 'seed', ...filterFigures, ...shownBy(this)]);
  }
}

/** Runs an operation on many keys, and returns how many answers are 1. */
function countKeys(structure: object, operation: number, keys: Keys): number {
  let ones = 0;
  askKeys(structure, operation, keys, (_count, answer) => {
    ones += answer ?? batchCounts().fresh; // of one key, or of a chunk
  });
  return ones;
}

/**
 * Checks the options of `from` or `fromAsync`, and makes the filter that it fills. Without a size, keys are collected
 * until `end`, and their number is the size: 8 bytes a key, or the keys themselves if a scheme hashes in its own way.
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

/** The static side of a class of filters. */
export interface FilterClass<F, Type extends FilterType, Options> extends LoadingClass<F> {
  new (options: Options): Filter<Type, Options>;
}

/** The static side of a class of filters that keys are added to. */
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
   * Builds a filter of keys that arrive over time, as `from` does. Without `capacity`, it keeps 8 bytes a key until the
   * last has arrived. If `signal` aborts, it rejects with the signal's reason.
   */
  fromAsync(source: KeySource, options?: FromOptions<Options> & AddFromOptions): Promise<F>;

  /** The size in bytes that a filter with these options has in memory. The call builds no filter. */
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

/** A filter that keys are added to. */
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

  /** An empty filter of the same options, seed and secret, for merge. */
  emptyCopy(): this {
    return emptyLike(this);
  }

  /**
   * Adds a key. `true`: the key was certainly new, as `!has(key)` before the call.
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

  /** addMany for hashes of hashKeys. Throws ERR_TAMIS_UNSUPPORTED if a scheme needs the keys. */
  addHashes(hashes: BigUint64Array): number {
    let fresh = 0;
    askHashes(this, insertOperation, pinHashes(hashes), () => {
      fresh += batchCounts().fresh;
    });
    return fresh;
  }

  /**
   * addMany for keys that arrive over time. If `signal` aborts, it rejects with the signal's reason, and the keys added
   * so far stay. A stream of bytes rejects with a TypeError: `keyBatchesFrom` makes keys of its lines.
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
   * Deletes one copy of the key. `false`: it was certainly absent, and nothing changed. Delete only keys that you
   * added. Deleting a false positive removes a real key's bits, and that key then wrongly returns `false`.
   */
  delete(key: Key): boolean {
    return askOrThrow(this, eraseOperation, key) === 1;
  }

  /**
   * Deletes keys, and returns the number that were in. Throws at the first key that cannot be deleted: the keys before
   * it are deleted, and `error.index` is its index.
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
