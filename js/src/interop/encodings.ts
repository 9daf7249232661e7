// Functions that turn a key into the bytes that other software hashes, by name.

import { rangeError, show, typeError } from '../core/errors.js';
import type { Key } from '../core/key-types.js';
import { type Funnel, funnel, key } from '../core/structures/funnel.js';

const utf8: Funnel<string> = /* @__PURE__ */ funnel((value, sink) => sink.string(value));
const bytes: Funnel<Uint8Array> = /* @__PURE__ */ funnel((value, sink) => sink.bytes(value));
const float: Funnel<number> = /* @__PURE__ */ funnel((value, sink) => sink.float32(value));

/** Encodes text as UTF-8 and keeps bytes unchanged, like every key of tamis. */
const plain: Funnel<Key> = /* @__PURE__ */ funnel((value, sink) =>
  typeof value === 'string' ? sink.string(value) : sink.bytes(value),
);

const decimal: Funnel<number | bigint> = /* @__PURE__ */ funnel((value, sink) => {
  const code = 'ERR_TAMIS_INVALID_KEY';
  if (typeof value !== 'bigint' && typeof value !== 'number') {
    throw typeError(`decimal: expected a number or a bigint, got ${show(value)}`, code);
  }
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    const expected = 'a whole number of at most 2^53 - 1, or a bigint';
    throw rangeError(`decimal: expected ${expected}, got ${value}`, code);
  }
  return sink.string(BigInt(value).toString()); // -0 becomes '0', since no other program writes -0
});

/** The type of `encodings`. */
export interface Encodings {
  readonly utf8: Funnel<string>;
  readonly utf16: Funnel<string>;
  readonly bytes: Funnel<Uint8Array>;
  readonly int32: Funnel<number>;
  readonly int64: Funnel<bigint>;
  readonly decimal: Funnel<number | bigint>;
  readonly long: Funnel<bigint>;
  readonly float: Funnel<number>;
  readonly double: Funnel<number>;
  readonly BYTE_ARRAY: Funnel<Key>;
  readonly FIXED_LEN_BYTE_ARRAY: Funnel<Uint8Array>;
  readonly INT32: Funnel<number>;
  readonly INT64: Funnel<bigint>;
  readonly FLOAT: Funnel<number>;
  readonly DOUBLE: Funnel<number>;
}

/**
 * Functions that turn a key into the bytes that another program hashes, for `withFunnel`. Numbers are little-endian.
 * Text is UTF-8 almost everywhere. `utf8` throws TypeError for a lone surrogate, since programs disagree on it; `utf16`
 * accepts it.
 *
 * | name | bytes of the key | written by |
 * | --- | --- | --- |
 * | `utf8` | text as UTF-8 | Guava's `stringFunnel(UTF_8)`, Spark's `putString`, Go, Redis, DataSketches, Parquet |
 * | `utf16` | its UTF-16 code units | Guava's `unencodedCharsFunnel` |
 * | `bytes` | bytes as they are | all |
 * | `int32` | 4 bytes | Guava's `integerFunnel`, Parquet's INT32 |
 * | `int64` | 8 bytes | Guava's `longFunnel`, Parquet's INT64, DataSketches for a whole number of any width |
 * | `long` | the same 8 bytes | Spark's `putLong`, for a whole number of any width |
 * | `decimal` | decimal digits | Redis for a number |
 * | `float`, `double` | IEEE 754; 0 and -0 are two keys | Parquet's FLOAT and DOUBLE |
 *
 * Parquet's plain types also have their own names: `BYTE_ARRAY`, `FIXED_LEN_BYTE_ARRAY`, `INT32`, `INT64`, `FLOAT`,
 * `DOUBLE`.
 *
 * @example
 * import { withFunnel } from 'tamis';
 * import { encodings, guava } from 'tamis/interop';
 * const users = withFunnel(guava.create({ capacity: 1000, fpr: 0.01 }), encodings.int64);
 * users.add(42n); // => true
 * users.has(42n); // => true
 */
export const encodings: Encodings = /* @__PURE__ */ Object.freeze({
  utf8,
  utf16: key.utf16,
  bytes,
  int32: key.int32,
  int64: key.int64,
  decimal,
  long: key.int64,
  float,
  double: key.float64,
  BYTE_ARRAY: plain,
  FIXED_LEN_BYTE_ARRAY: bytes,
  INT32: key.int32,
  INT64: key.int64,
  FLOAT: float,
  DOUBLE: key.float64,
});
