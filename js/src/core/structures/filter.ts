// What every set of keys has: the data plane.

import { keyedHash } from '../../wasm/figures.js';
import { keyOperations } from '../../wasm/registry.js';
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
  readValue,
  readValues,
  releaseKey,
} from '../border/memory.js';
import { call, poison } from '../border/runtime.js';
import { mustBe } from '../errors.js';
import { GrowingBytes } from '../growing-bytes.js';
import { invalidKey, type Key, type Keys, lengthOf, pin } from '../key-types.js';
import { Blocks } from '../keys/blocks.js';
import { sendHashes } from '../keys/hashing.js';
import { type Batch, sendKeys } from '../keys/keys.js';
import { type AddFromOptions, readKeys, sourceReaders } from '../keys/read-keys.js';
import { readOptions } from '../options.js';
import { check, statusError } from '../statuses.js';
import type { KeySource } from '../streams.js';
import { tagOf } from '../tags.js';
import { constructFor, type FromOptions, sizeOf } from './building.js';
import { adopt, definitionOf } from './definition.js';
import {
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
  Structure,
  shownBy,
  tell,
} from './structure.js';

/** Answers of a batch whose size may not be known beforehand. */
class Answers extends GrowingBytes {
  constructor(keys: Keys) {
    super(lengthOf(keys));
  }

  put(count: number, answer?: number): void {
    const at = this.extend(count);
    if (answer === undefined) copyAnswers(this.buffer, at, count);
    else this.buffer[at] = answer;
  }

  get(): Uint8Array<ArrayBuffer> {
    const { all, buffer } = this;
    return all.length === buffer.length ? buffer : all.slice();
  }
}

/** How the structure hashes its keys. */
export function hashOf(structure: Loadable): 'fast' | 'keyed' {
  return hashIdOf(structure) === keyedHash ? 'keyed' : 'fast';
}

/** The hashes of a caller, fixed. Throws TypeError. */
export function pinHashes(hashes: unknown): BigUint64Array {
  if (tagOf(hashes) !== 'BigUint64Array') {
    throw mustBe('the BigUint64Array of hashKeys', 'hashes', hashes);
  }
  return pin(hashes as BigUint64Array, 'hashes');
}

export { keyOperations };

/** What the core answers to one of these operations; negative: a status. */
export function askKey(structure: Loadable, operation: number, key: Key): number {
  const { handle } = ownedOf(structure);
  const isHelped = typeof key === 'string' && key.length <= helperLimit;
  const size = isHelped ? 0 : putKey(key);
  let answer: number;
  // Without a closure a key, and with nothing but calls into wasm, whose errors are traps.
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

/** The same, where every negative answer is an error. */
export function knowKey(structure: Loadable, operation: number, key: Key): number {
  const answer = askKey(structure, operation, key);
  if (answer < 0) throw statusError(answer);
  return answer;
}

/** What `has` does, of everything that has keys. */
export function hasKey(structure: object, key: Key): boolean {
  // As askKey, but all in one small function: each call is 4 ns in Firefox, and V8 inlines only so much.
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

/** Asks one thing of many keys; `take` as of Batch. */
function askKeys(structure: object, operation: number, keys: Keys, take: Batch['take']): void {
  const owned = ownedOf(structure).check();
  sendKeys(keys, {
    many: (offset, size, count) =>
      raw._tamis_ask_many(owned.handle, operation, offset, size, count),
    one: (address, size) => raw._tamis_ask(owned.handle, operation, address, size),
    take,
  });
}

/** Asks one thing of the hashes of a caller; `take` as of sendHashes. */
function askHashes(
  structure: Loadable,
  operation: number,
  hashes: BigUint64Array,
  take: (at: number, count: number) => void,
): void {
  const { handle } = ownedOf(structure);
  const ask = (count: number) => raw._tamis_ask_hashes(handle, operation, count);
  // Also of no hash at all, so that what cannot be done always says so.
  check(call(() => ask(0)));
  sendHashes(hashes, ask, take);
}

/** What `hasMany` does, of everything that has keys. */
export function hasKeys(structure: object, keys: Keys): Uint8Array<ArrayBuffer> {
  const answers = new Answers(keys);
  askKeys(structure, keyOperations.has, keys, (count, answer) => answers.put(count, answer));
  return answers.get();
}

/** What `hasHashes` does. */
export function hasHashed(structure: Loadable, hashes: BigUint64Array): Uint8Array<ArrayBuffer> {
  const own = pinHashes(hashes);
  const answers = new Uint8Array(own.length);
  askHashes(structure, keyOperations.has, own, (at, count) => copyAnswers(answers, at, count));
  return answers;
}

/** A map's value of the key. */
export function getKey(map: Loadable, key: Key): number | undefined {
  return knowKey(map, keyOperations.get, key) === 1 ? readValue() : undefined;
}

/** A map's values of many keys, and which keys are there. */
export function getKeys(
  map: Loadable,
  keys: Keys,
): { values: Uint32Array<ArrayBuffer>; found: Uint8Array<ArrayBuffer> } {
  const found = new Answers(keys);
  const values = new Blocks(Uint32Array);
  askKeys(map, keyOperations.get, keys, (count, answer) => {
    found.put(count, answer);
    const some = readValues(count);
    values.take(count, (block, at, from, n) => block.set(some.subarray(from, from + n), at));
  });
  const all = new Uint32Array(values.length);
  values.drain((part, at) => all.set(part, at));
  return { values: all, found: found.get() };
}

/** What toJSON of every filter gives. */
export const commonFigures = [
  'type',
  'hash',
  'seed',
  'count',
  'capacity',
  'fpr',
  'estimatedFpr',
  'bitsPerKey',
  'sizeBytes',
] as const;

/**
 * A set of keys that answers "certainly absent" or "probably present"; it never calls a key absent that
 * is in it.
 */
export abstract class Filter<
  Type extends FilterType = FilterType,
  Options = never,
> extends Structure<Type, Options> {
  /** `'keyed'` where a secret key is mixed in; `'fast'` for every unkeyed scheme. */
  get hash(): 'fast' | 'keyed' {
    return hashOf(this);
  }

  /** Keys held; what that means for a type stands at the type. */
  get count(): number {
    return figure(this, countFigure);
  }

  /** Keys that the filter was made for. */
  get capacity(): number {
    return figure(this, capacityFigure);
  }

  /** The designed rate at `capacity`, computed from the geometry: never above the one wanted. */
  get fpr(): number {
    return figure(this, fprFigure);
  }

  /** The rate of the present content; above `fpr` it is time to rebuild larger. */
  get estimatedFpr(): number {
    return figure(this, estimatedFprFigure);
  }

  /** `8 * sizeBytes / count`; NaN while the filter is empty. */
  get bitsPerKey(): number {
    const { count } = this;
    return count === 0 ? Number.NaN : (8 * this.sizeBytes) / count;
  }

  /** `false` means certainly absent; `true` means probably present. */
  has(key: Key): boolean {
    return hasKey(this, key);
  }

  /** 1 (probably present) or 0 (certainly absent) for each key, in order. */
  hasMany(keys: Keys): Uint8Array<ArrayBuffer> {
    return hasKeys(this, keys);
  }

  /** hasMany for keys that hashKeys hashed; throws UNSUPPORTED where a scheme needs the keys. */
  hasHashes(hashes: BigUint64Array): Uint8Array<ArrayBuffer> {
    return hasHashed(this, hashes);
  }

  override toJSON(): Record<string, unknown> {
    return figuresOf(this, [...commonFigures, ...shownBy(this)]);
  }
}

/** Asks one thing of many keys, and counts those that the core answers 1 for. */
function countKeys(structure: object, operation: number, keys: Keys): number {
  let ones = 0;
  askKeys(structure, operation, keys, (_count, answer) => {
    ones += answer ?? batchCounts().fresh;
  });
  return ones;
}

/** A filter that keys are added to. */
export abstract class MutableFilter<
  Type extends FilterType = FilterType,
  Options = never,
> extends Filter<Type, Options> {
  /** Builds a filter and adds the keys; `capacity` defaults to their number where that is known. */
  static from<Options, F extends MutableFilter>(
    this: new (
      options: Options,
    ) => F,
    keys: Keys,
    options?: FromOptions<Options>,
  ): F {
    const filter = adopt(this, constructFor(keys, definitionOf(this), options));
    try {
      filter.addMany(keys);
    } catch (error) {
      filter.dispose();
      throw error;
    }
    return filter;
  }

  /** Bytes in memory of a filter with these options, without building it. */
  static sizeFor<Options>(this: new (options: Options) => MutableFilter, options: Options): number {
    return sizeOf(definitionOf(this), options);
  }

  /** Same type, options, seed and key, no content: a partner for merge. */
  emptyCopy(): this {
    return emptyLike(this);
  }

  /** What `!has(key)` was before: `true`, the key is certainly new. */
  add(key: Key): boolean {
    return knowKey(this, keyOperations.insert, key) === 1;
  }

  /**
   * How many of the keys were certainly new. At the first that cannot go in it throws: the keys before
   * it stay, and `error.index` says which it was.
   */
  addMany(keys: Keys): number {
    return countKeys(this, keyOperations.insert, keys);
  }

  /** addMany for keys that hashKeys hashed; throws UNSUPPORTED where a scheme needs the keys. */
  addHashes(hashes: BigUint64Array): number {
    let fresh = 0;
    askHashes(this, keyOperations.insert, pinHashes(hashes), () => {
      fresh += batchCounts().fresh;
    });
    return fresh;
  }

  /**
   * addMany for keys that come in time. When `signal` aborts it rejects with the signal's reason, and
   * what was added stays. A stream of bytes is a TypeError: `linesFrom` makes keys of one.
   */
  async addFrom(source: KeySource, options?: AddFromOptions): Promise<number> {
    const settings = readOptions(options, sourceReaders(), 'addFrom');
    let fresh = 0;
    await readKeys(source, settings, 'addFrom', (keys) => {
      fresh += this.addMany(keys);
    });
    return fresh;
  }

  /** Takes all keys out. */
  clear(): void {
    tell(this, (core, handle) => core.clear(handle));
  }
}

/** A filter that keys can be taken out of again. */
export abstract class DeletableFilter<
  Type extends FilterType = FilterType,
  Options = never,
> extends MutableFilter<Type, Options> {
  /**
   * Deletes one copy of the key. `false`: it was certainly absent, and nothing changed. Delete only keys that you
   * added. Deleting a false positive removes a real key's bits, and that key then wrongly returns `false`.
   */
  delete(key: Key): boolean {
    return knowKey(this, keyOperations.erase, key) === 1;
  }

  /**
   * How many of the keys were in, and are taken out. At the first that cannot be taken out it throws: those
   * before it are out, and `error.index` says which it was.
   *
   * @example
   * import { CuckooFilter } from 'tamis';
   * const online = CuckooFilter.from(['alice', 'bob', 'carol']);
   * online.deleteMany(['alice', 'bob', 'zoe']); // => 2
   * online.count; // => 1
   */
  deleteMany(keys: Keys): number {
    return countKeys(this, keyOperations.erase, keys);
  }
}
