// Funnels: functions that a caller writes to turn an object into the bytes of a key.

import { mapLazily, mustBe, rangeError, show, typeError } from '../errors.js';
import { GrowingBytes } from '../growing-bytes.js';
import { checkIterable, invalidKey, isBytes, type Key, type KeySet, pin } from '../key-types.js';
import { type AddFromOptions, sourceReaders } from '../keys/read-keys.js';
import { readOptions } from '../options.js';
import { valuesOf } from '../streams.js';
import type { DeletableFilter, MutableFilter } from './growing.js';

/**
 * Receives the parts of a value, in order. All numbers are little-endian, as in Guava's PrimitiveSink, so that the same
 * funnel on a Java server makes the same bytes.
 */
export interface Sink {
  /** One byte, -128 to 255. */
  byte(value: number): Sink;
  bytes(value: Uint8Array): Sink;
  /** One byte, 1 or 0. */
  bool(value: boolean): Sink;
  int8(value: number): Sink;
  int16(value: number): Sink;
  int32(value: number): Sink;
  int64(value: bigint): Sink;
  float32(value: number): Sink;
  float64(value: number): Sink;
  /** UTF-8 without a length: ("ab", "c") and ("a", "bc") make the same bytes. */
  string(value: string): Sink;
  /** UTF-16 code units without a length (Guava's putUnencodedChars). */
  utf16(value: string): Sink;
  /** The length of the UTF-8 bytes as int32, then the bytes. */
  prefixedString(value: string): Sink;
  /** Appends the bytes that another funnel makes of a part of the value. */
  object<T>(value: T, funnel: Funnel<T>): Sink;
}

/** Turns a value into bytes. */
export type Funnel<T> = (value: T) => Uint8Array<ArrayBuffer>;

const wrongType = (value: unknown, what: string, expected: string): TypeError =>
  typeError(`${what}: expected a ${expected}, got ${show(value)}`, 'ERR_TAMIS_INVALID_KEY');

function checkNumber(value: number, what: string): number {
  if (typeof value !== 'number') throw wrongType(value, what, 'number');
  return value;
}

function checkWhole(value: number, least: number, most: number, what: string): number {
  if (Number.isInteger(checkNumber(value, what)) && value >= least && value <= most) return value;
  throw rangeError(
    `${what}: expected a whole number from ${least} to ${most}, got ${value}`,
    'ERR_TAMIS_INVALID_KEY',
  );
}

function checkString(value: string): string {
  if (typeof value !== 'string') throw invalidKey(value);
  return value;
}

/** Returns the UTF-8 of a string. It does without TextEncoder, which jsdom and audio worklets lack. */
function utf8(value: string): Uint8Array {
  let units: string;
  try {
    // encodeURIComponent throws for lone surrogates. The result has one unit per byte.
    units = unescape(encodeURIComponent(checkString(value)));
  } catch {
    throw invalidKey(value);
  }
  return Uint8Array.from(units, (unit) => unit.charCodeAt(0));
}

// Each value is checked before room is made for it, so that a refused value leaves nothing behind.
class ByteSink implements Sink {
  readonly #bytes = new GrowingBytes(64);
  #isUsed = false;

  /** Appends `size` bytes, and returns a view of them. */
  #append(size: number): DataView {
    this.#isUsed = true;
    const at = this.#bytes.extend(size);
    return new DataView(this.#bytes.buffer.buffer, at, size);
  }

  #whole(bits: 8 | 16 | 32, value: number): this {
    const end = 2 ** (bits - 1);
    const checked = checkWhole(value, -end, end - 1, `int${bits}`);
    this.#append(bits / 8)[`setInt${bits}` as const](0, checked, true);
    return this;
  }

  #float(bits: 32 | 64, value: number): this {
    const checked = checkNumber(value, `float${bits}`);
    this.#append(bits / 8)[`setFloat${bits}` as const](0, checked, true);
    return this;
  }

  byte(value: number): this {
    const checked = checkWhole(value, -128, 255, 'byte');
    this.#append(1).setUint8(0, checked);
    return this;
  }

  bytes(value: Uint8Array): this {
    if (!isBytes(value)) throw wrongType(value, 'bytes', 'Uint8Array');
    this.#isUsed = true;
    this.#bytes.add(pin(value, 'bytes', 'ERR_TAMIS_INVALID_KEY'));
    return this;
  }

  bool(value: boolean): this {
    if (typeof value !== 'boolean') throw wrongType(value, 'bool', 'boolean');
    return this.byte(value ? 1 : 0);
  }

  int8(value: number): this {
    return this.#whole(8, value);
  }

  int16(value: number): this {
    return this.#whole(16, value);
  }

  int32(value: number): this {
    return this.#whole(32, value);
  }

  int64(value: bigint): this {
    if (typeof value !== 'bigint') throw wrongType(value, 'int64', 'bigint');
    if (BigInt.asIntN(64, value) !== value) {
      throw rangeError(
        `int64: expected -(2n ** 63n) to 2n ** 63n - 1n, got ${value}n`,
        'ERR_TAMIS_INVALID_KEY',
      );
    }
    this.#append(8).setBigInt64(0, value, true);
    return this;
  }

  float32(value: number): this {
    return this.#float(32, value);
  }

  float64(value: number): this {
    return this.#float(64, value);
  }

  string(value: string): this {
    return this.bytes(utf8(value));
  }

  utf16(value: string): this {
    const view = this.#append(2 * checkString(value).length);
    for (let i = 0; i < value.length; i++) view.setUint16(2 * i, value.charCodeAt(i), true);
    return this;
  }

  prefixedString(value: string): this {
    const bytes = utf8(value);
    return this.int32(bytes.length).bytes(bytes);
  }

  object<T>(value: T, funnel: Funnel<T>): this {
    return this.bytes(funnel(value));
  }

  /** Returns the bytes. Throws if nothing was written, since then every value would be the same key. */
  done(): Uint8Array<ArrayBuffer> {
    if (!this.#isUsed) {
      throw typeError(
        'funnel: write must call the sink before it returns',
        'ERR_TAMIS_INVALID_KEY',
      );
    }
    return this.#bytes.all.slice();
  }
}

const encode =
  <T>(write: (value: T, sink: Sink) => unknown): Funnel<T> =>
  (value) => {
    const sink = new ByteSink();
    const result = write(value, sink) ?? sink;
    if (result !== sink) {
      const text = `funnel: write must return the sink or nothing, got ${show(result)}`;
      throw typeError(text, 'ERR_TAMIS_INVALID_KEY');
    }
    return sink.done();
  };

/**
 * Makes a funnel, which turns a value into the bytes of a key. Two values with equal bytes are the same key, so write a
 * length before each part that has no fixed length (`prefixedString`).
 *
 * @example
 * import { funnel } from 'tamis';
 * const userKey = funnel((user: { name: string; age: number }, sink) =>
 *   sink.prefixedString(user.name).int32(user.age));
 * userKey({ name: 'ada', age: 36 }).length; // => 11
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a function with a body returns nothing
export function funnel<T>(write: (value: T, sink: Sink) => Sink | void): Funnel<T> {
  if (typeof write !== 'function') throw mustBe('a function', 'funnel: write', write);
  return encode(write);
}

/**
 * Makes keys from numbers, with a fixed width and little-endian, and from strings as UTF-16.
 *
 * @example
 * import { BloomFilter, key } from 'tamis';
 * const filter = new BloomFilter({ capacity: 10 });
 * filter.add(key.int32(7));
 * filter.has(key.int32(7)); // => true
 */
export const key = /* @__PURE__ */ Object.freeze({
  int32: /* @__PURE__ */ encode<number>((value, sink) => sink.int32(value)),
  int64: /* @__PURE__ */ encode<bigint>((value, sink) => sink.int64(value)),
  float64: /* @__PURE__ */ encode<number>((value, sink) => sink.float64(value)),
  utf16: /* @__PURE__ */ encode<string>((value, sink) => sink.utf16(value)),
});

/** Yields the keys of a source's values, for addFrom. */
async function* mapKeysFrom<T>(
  source: ReadableStream<T> | AsyncIterable<T>,
  toKey: Funnel<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Key> {
  for await (const value of valuesOf(source, signal, 'addFrom')) yield toKey(value);
}

/** A filter whose keys are values of one type. It has `add` and `delete` if the inner filter has them. */
export type FunnelFilter<T, F extends KeySet> = FunnelMembers<T, F> &
  (F extends MutableFilter ? FunnelAdders<T> : unknown) &
  (F extends DeletableFilter ? FunnelDeleters<T> : unknown);

/** The members of every FunnelFilter. */
export interface FunnelMembers<T, F extends KeySet> {
  /** The inner filter. */
  readonly filter: F;
  has(value: T): boolean;
  hasMany(values: Iterable<T>): Uint8Array<ArrayBuffer>;
}

/** The members that a FunnelFilter has only if its inner filter can add keys. */
export interface FunnelAdders<T> {
  add(value: T): boolean;
  addMany(values: Iterable<T>): number;
  addFrom(source: ReadableStream<T> | AsyncIterable<T>, options?: AddFromOptions): Promise<number>;
}

/** The members that a FunnelFilter has only if its inner filter can delete keys. */
export interface FunnelDeleters<T> {
  delete(value: T): boolean;
  deleteMany(values: Iterable<T>): number;
}

/**
 * Wraps a filter, so that its keys are values of one type.
 *
 * @example
 * import { BloomFilter, funnel, withFunnel } from 'tamis';
 * const users = withFunnel(
 *   new BloomFilter({ capacity: 100 }),
 *   funnel((id: number, sink) => sink.int32(id)),
 * );
 * users.add(7); // => true
 * users.has(7); // => true
 */
export function withFunnel<T, F extends KeySet>(filter: F, toKey: Funnel<T>): FunnelFilter<T, F> {
  if (typeof toKey !== 'function') throw mustBe('a function', 'withFunnel: toKey', toKey);
  if (typeof filter?.hasMany !== 'function') throw mustBe('a filter', 'withFunnel: filter', filter);
  const keysOf = (values: Iterable<T>): Iterable<Key> => {
    checkIterable(values, 'values');
    return mapLazily(values, toKey);
  };
  const members: FunnelMembers<T, F> = {
    filter,
    has: (value) => filter.has(toKey(value)),
    hasMany: (values) => filter.hasMany(keysOf(values)),
  };
  const adders = (to: MutableFilter): FunnelAdders<T> => ({
    add: (value) => to.add(toKey(value)),
    addMany: (values) => to.addMany(keysOf(values)),
    addFrom: async (source, options) => {
      const settings = readOptions(options, sourceReaders(), 'addFrom');
      return to.addFrom(mapKeysFrom(source, toKey, settings.signal), settings as AddFromOptions);
    },
  });
  const deleters = (from: DeletableFilter): FunnelDeleters<T> => ({
    delete: (value) => from.delete(toKey(value)),
    deleteMany: (values) => from.deleteMany(keysOf(values)),
  });
  return Object.freeze({
    ...members,
    ...('addMany' in filter ? adders(filter as never) : undefined),
    ...('deleteMany' in filter ? deleters(filter as never) : undefined),
  }) as FunnelFilter<T, F>;
}
