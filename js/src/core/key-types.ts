// The types of keys, and their checks.
//
// Classes are compared by name and not by instanceof, so that values of another realm (an iframe, a test) pass.

import { atIndex, classNameOf, rangeError, show, typeError } from './errors.js';

/**
 * A string, which is hashed as its UTF-8 bytes, or bytes. A string with a lone surrogate throws TypeError, because
 * encoders differ on it. A number throws TypeError too, because its width would be a guess.
 */
export type Key = string | Uint8Array;

/**
 * Many keys in one buffer: key i is `bytes[starts[i], ends[i])`. It is plain data, so it can be posted to a
 * worker and stored.
 */
export interface PackedKeys {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly length: number;
}

/** Many keys that are all in memory. */
export type Keys = Iterable<Key> | PackedKeys;

/** A set of keys to look up in: a filter of `tamis` or `tamis/read`, or a `ForeignFilter` of `tamis/interop`. */
export interface KeySet {
  /** The type of the filter, such as 'bloom'; absent in a `ForeignFilter`. */
  readonly type?: string;
  /** The number of keys; absent in a `ForeignFilter`. */
  readonly count?: number;
  readonly sizeBytes: number;
  has(key: Key): boolean;
  hasMany(keys: Iterable<Key>): Uint8Array<ArrayBuffer>;
  dispose(): void;
}

/** The name of a typed array's class, such as 'Uint8Array'; undefined for a value that is no typed array. */
export function tagOf(value: unknown): string | undefined {
  return ArrayBuffer.isView(value) ? (value as Uint8Array)[Symbol.toStringTag] : undefined;
}

export function isBytes(value: unknown): value is Uint8Array {
  return tagOf(value) === 'Uint8Array';
}

/** True if two arrays have the same bytes. */
export const areSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, i) => byte === other[i]);

type Pinnable = Uint8Array | Uint32Array | BigUint64Array;

/**
 * Returns a view of the same elements whose length stays, even if another thread grows the buffer. Every array of a
 * caller goes through this function before its length is read. Throws TypeError if the buffer was transferred or has
 * become too short, because the array would then pass for an empty one.
 */
export function pin<A extends Pinnable>(array: A, what: string, code?: 'ERR_TAMIS_INVALID_KEY'): A {
  try {
    array.keys(); // throws if the elements are gone
    const classes = { Uint8Array, Uint32Array, BigUint64Array };
    const Class = classes[array[Symbol.toStringTag]] as unknown as new (...of: unknown[]) => A;
    return new Class(array.buffer, array.byteOffset, array.length);
  } catch {
    throw typeError(`${what}: the buffer was transferred or resized`, code);
  }
}

/** Returns a value that an iterator yielded. Bytes are copied, since the iterator may reuse its buffer. */
export function keep<T>(value: T): T {
  // An empty array may be a detached one, which cannot be copied. The code that reads the key refuses a detached one.
  return isBytes(value) && value.length > 0 ? (new Uint8Array(value) as typeof value) : value;
}

/** Returns a value that an iterator yielded, which may be an entry of a map. Bytes in it are copied. */
export function keepEntry<T>(value: T): T {
  const isEntry = Array.isArray(value) && value.length === 2;
  return isEntry ? ([keep(value[0]), value[1]] as T) : keep(value);
}

/** Returns a value as packed keys, and reads each member once; undefined if a type, or the `length`, is wrong. */
export function packedOf(value: unknown): PackedKeys | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { bytes, starts, ends, length } = value as PackedKeys;
  if (!isBytes(bytes) || tagOf(starts) !== 'Uint32Array' || tagOf(ends) !== 'Uint32Array') {
    return undefined;
  }
  const pinPart = <A extends Uint8Array | Uint32Array>(array: A) =>
    pin(array, 'packed keys', 'ERR_TAMIS_INVALID_KEY');
  const keys = { bytes: pinPart(bytes), starts: pinPart(starts), ends: pinPart(ends), length };
  const most = Math.min(keys.starts.length, keys.ends.length);
  return Number.isSafeInteger(length) && length >= 0 && length <= most ? keys : undefined;
}

/** Throws if a value is a single key, or cannot be iterated. `noun` is the word for keys in the message. */
export function checkIterable(keys: unknown, noun = 'keys'): asserts keys is Iterable<Key> {
  const isSingleKey = typeof keys === 'string' || isBytes(keys);
  if (isSingleKey || typeof Object(keys)[Symbol.iterator] !== 'function') {
    throw typeError(
      `${noun} must be an array or another iterable, got ${show(keys)}`,
      'ERR_TAMIS_INVALID_KEY',
    );
  }
}

/** The number of keys if it is known without reading them, else undefined. */
export function lengthOf(keys: Keys): number | undefined {
  if (classNameOf(keys) === 'Set') return (keys as Set<Key>).size;
  return (Array.isArray(keys) ? keys : packedOf(keys))?.length;
}

/** Returns keys as an array. Packed keys become views of their bytes. */
export function listOf(keys: Keys): Key[] {
  const packed = packedOf(keys);
  if (packed) return Array.from({ length: packed.length }, (_, i) => packedKey(packed, i));
  checkIterable(keys);
  return Array.isArray(keys) ? [...keys] : Array.from(keys, keep);
}

/** Returns a view of the bytes of a packed key. Throws if its range is wrong. */
export function packedKey({ bytes, starts, ends }: PackedKeys, i: number): Uint8Array {
  const start = starts[i] as number;
  const end = ends[i] as number;
  if (start <= end && end <= bytes.length) return bytes.subarray(start, end);
  const message = `packed keys: [${start}, ${end}) is outside the ${bytes.length} bytes`;
  throw atIndex(rangeError(message, 'ERR_TAMIS_INVALID_KEY'), i);
}

/** True if a string has no lone surrogate. */
export function isWellFormed(text: string): boolean {
  // The oldest engines that tamis supports lack isWellFormed.
  const { isWellFormed: builtIn } = text as { isWellFormed?: () => boolean };
  return builtIn ? builtIn.call(text) : !/\p{Surrogate}/u.test(text);
}

/** The error for a value that is not a key, such as a string with a lone surrogate. */
export function invalidKey(value: unknown): TypeError {
  let got = show(value);
  if (typeof value === 'string') got = 'a lone surrogate';
  else if (typeof value === 'number' || typeof value === 'bigint') {
    got += '; use key.int32(n), key.int64(n) or key.float64(n)';
  }
  return typeError(
    `a key must be a well-formed string or a Uint8Array, got ${got}`,
    'ERR_TAMIS_INVALID_KEY',
  );
}
