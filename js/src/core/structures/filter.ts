// The members of every set of keys: look-ups and figures.

import { getOperation, hasOperation, keyedHash } from '../../wasm/figures.js';
import { loneSurrogate } from '../border/constants.js';
import { ownedOf } from '../border/lifetime.js';
import {
  batchKeys,
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
import { invalidKey, type Key, type Keys, lengthOf, pin, tagOf } from '../key-types.js';
import { Blocks, joinBlocks } from '../keys/blocks.js';
import { sendHashes } from '../keys/hashing.js';
import { type Batch, sendKeys } from '../keys/keys.js';
import { statusError } from '../statuses.js';
import { findDefinition } from './definition.js';
import {
  capacityFigure,
  countFigure,
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

/** Returns a fixed view of a caller's hashes. Throws TypeError for another value. */
export function pinHashes(hashes: unknown): BigUint64Array {
  if (tagOf(hashes) !== 'BigUint64Array') {
    throw mustBe('the BigUint64Array of hashKeys', 'hashes', hashes);
  }
  return pin(hashes as BigUint64Array, 'hashes');
}

/** Runs an operation on one key, and returns the core's answer. A negative answer is a status. */
export function askKey(structure: Loadable, operation: number, key: Key): number {
  const { handle } = ownedOf(structure);
  const isHelped = typeof key === 'string' && key.length <= helperLimit;
  const size = isHelped ? 0 : putKey(key);
  let answer: number;
  // call() would need a closure per key. The try block contains only calls into wasm, so that every error is a trap.
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

/** Makes the error of a negative answer for a key. */
const keyError = (structure: object, status: number): TamisError =>
  statusError(status, findDefinition(structure.constructor)?.keyMessages?.(structure as Filter));

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

/** Runs an operation on many keys. `take` gets the answer for a single key. A chunk's answers are in the scratch. */
export function askKeys(
  structure: object,
  operation: number,
  keys: Keys,
  take: Batch['take'],
): void {
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
export function askHashes(
  structure: Loadable,
  operation: number,
  hashes: BigUint64Array,
  take: (at: number, count: number) => void,
): void {
  const { handle } = ownedOf(structure);
  const ask = (count: number) => raw._tamis_ask_hashes(handle, operation, count);
  // A first call without hashes makes an unsupported operation throw, even if the caller's array is empty.
  const status = call(() => ask(0));
  if (status < 0) {
    throw statusError(status, { ERR_TAMIS_UNSUPPORTED: 'the scheme needs the keys, not hashes' });
  }
  sendHashes(hashes, ask, take, batchKeys, (status) => keyError(structure, status));
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

/** Looks up the values of many keys in a map. `found` says which keys are present. */
export function getKeys(
  map: Loadable,
  keys: Keys,
): { values: Uint32Array<ArrayBuffer>; found: Uint8Array<ArrayBuffer> } {
  const values = new Blocks(Uint32Array);
  const found = lookUpKeys(map, getOperation, keys, (count) => {
    const chunk = readValues(count); // the values of the keys just looked up
    values.add(count, (block, at, from, n) => block.set(chunk.subarray(from, from + n), at));
  });
  return { values: joinBlocks(values), found };
}

/** The members of every filter's toJSON that come after its type, hash and seed. */
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

  /** The number of keys in the filter. Each class documents how it counts. */
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

  /** The false-positive rate of the present content. If it is above `fpr`, build a larger filter. */
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

  /** Returns 1 (probably present) or 0 (certainly absent) for each key, in order. */
  hasMany(keys: Keys): Uint8Array<ArrayBuffer> {
    return hasKeys(this, keys);
  }

  /** As hasMany, but for hashes of hashKeys. Throws ERR_TAMIS_UNSUPPORTED if a scheme needs the keys. */
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

/** The constructor and the static methods of a filter class. */
export interface FilterClass<F, Type extends FilterType, Options> extends LoadingClass<F> {
  new (options: Options): Filter<Type, Options>;
}
