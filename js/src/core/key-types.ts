// What a key is.

import { mustBe, show, typeError } from './errors.js';
import { getterOf, isBytes, tagOf, typedArray } from './tags.js';

/**
 * A string, hashed as its UTF-8 bytes, or bytes. A string that is not well formed (a lone surrogate) is a
 * TypeError, since encoders differ on it. So is a number, whose width would be a guess.
 */
export type Key = string | Uint8Array;

/**
 * Many keys in one buffer: key i is `bytes[starts[i], ends[i])`. Plain data: it can be posted to a
 * worker and stored.
 */
export interface PackedKeys {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly length: number;
}

/** Any keys that are in hand. */
export type Keys = Iterable<Key> | PackedKeys;

const getLength = /* @__PURE__ */ getterOf('length');
const getBuffer = /* @__PURE__ */ getterOf('buffer');
const getOffset = /* @__PURE__ */ getterOf('byteOffset');
/** The shortest of the methods that throw where an array is out of its buffer. */
const checkBuffer: () => unknown = /* @__PURE__ */ (() => typedArray.keys)();

/** The length that a typed array really has. */
export function lengthOfBytes(bytes: Uint8Array): number {
  return getLength.call(bytes);
}

type Fixed = Uint8Array | Uint32Array | BigUint64Array;
const gone = 'whose buffer was transferred or resized';

/**
 * A view of the same elements that does not lie. A subclass may have members of its own, and an array of a buffer
 * that grows has no fixed length. Every array of a caller becomes such a view before it is measured. Throws
 * TypeError for a buffer that is gone; its bytes are not the empty array.
 */
export function pin<A extends Fixed>(array: A, what: string, code?: 'ERR_TAMIS_INVALID_KEY'): A {
  try {
    checkBuffer.call(array);
    const classes: Record<string, unknown> = { Uint8Array, Uint32Array, BigUint64Array };
    const Class = classes[tagOf(array) as string] as new (...of: unknown[]) => A;
    return new Class(getBuffer.call(array), getOffset.call(array), getLength.call(array));
  } catch {
    throw typeError(`${what}: an array ${gone}`, code);
  }
}

/** What an iterator gave, whose owner may use it again before it is looked at: a copy where it is bytes. */
export function keep<T>(value: T): T {
  // Detached bytes have none, and are refused when they are looked at.
  const isCopied = typeof value === 'object' && isBytes(value) && lengthOfBytes(value) > 0;
  return isCopied ? (new Uint8Array(value) as T) : value;
}

/** The same, where it may be an entry of a map. */
export function keepEntry<T>(value: T): T {
  const isEntry = Array.isArray(value) && value.length === 2;
  return isEntry ? ([keep(value[0]), value[1]] as T) : keep(value);
}

/** The packed keys that a value is, each member read once and fixed; undefined where it is none. */
export function packedOf(value: unknown): PackedKeys | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { bytes, starts, ends, length } = value as PackedKeys;
  if (!isBytes(bytes) || tagOf(starts) !== 'Uint32Array' || tagOf(ends) !== 'Uint32Array') {
    return undefined;
  }
  const fix = <A extends Uint8Array | Uint32Array>(array: A) =>
    pin(array, 'packed keys', 'ERR_TAMIS_INVALID_KEY');
  const keys = { bytes: fix(bytes), starts: fix(starts), ends: fix(ends), length };
  const most = Math.min(keys.starts.length, keys.ends.length);
  return Number.isSafeInteger(length) && length >= 0 && length <= most ? keys : undefined;
}

/** Throws for one key, and for what is no keys at all. */
export function checkIterable(keys: unknown): asserts keys is Iterable<Key> {
  const isOne = typeof keys === 'string' || isBytes(keys);
  if (isOne || typeof (keys as Iterable<Key> | undefined)?.[Symbol.iterator] !== 'function') {
    const what = 'an array or another iterable of keys';
    throw mustBe(what, 'many keys', keys, 'ERR_TAMIS_INVALID_KEY');
  }
}

/** The number of keys where that is known without reading them, else undefined. */
export function lengthOf(keys: Keys): number | undefined {
  return (Array.isArray(keys) ? keys : packedOf(keys))?.length;
}

/** Whether a string has no lone surrogate. */
export function isWellFormed(text: string): boolean {
  // isWellFormed is younger than the oldest engines that tamis runs on.
  const { isWellFormed } = text as { isWellFormed?: () => boolean };
  return isWellFormed ? isWellFormed.call(text) : !/\p{Surrogate}/u.test(text);
}

/** The error for something that is no key. */
export function invalidKey(value: unknown): TypeError {
  let got = show(value);
  if (typeof value === 'string') got = 'a lone surrogate';
  else if (isBytes(value)) got = `bytes ${gone}`;
  else if (typeof value === 'number' || typeof value === 'bigint') {
    got += '; fix its width by key.int32(n), key.int64(n) or key.float64(n)';
  }
  return typeError(
    `a key must be a well-formed string or a Uint8Array, got ${got}`,
    'ERR_TAMIS_INVALID_KEY',
  );
}
