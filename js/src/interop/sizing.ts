// The sizes of other libraries' filters. Each formula keeps the order of its operations, so that sizes are equal to the
// bit. The sizes of tamis's own filters are computed in C++.

import { rangeError } from '../core/errors.js';
import { integer, need, type Reader, rate, readOptions, type Values } from '../core/options.js';

interface Geometry {
  readonly bits: number;
  readonly hashes: number;
}

/** The options of `create`, which requires a capacity and a rate. */
export function readCreate<Readers extends Record<string, Reader<unknown>>>(
  format: string,
  options: unknown,
  more: Readers,
): Values<Readers> & { capacity: number; fpr: number } {
  const what = `${format}.create`;
  const checked = readOptions(options, { capacity: integer(1), fpr: rate, ...more }, what);
  need(checked, what, 'capacity', 'fpr');
  return checked as Values<Readers> & { capacity: number; fpr: number };
}

/** -n ln p / (ln 2)^2, not rounded. */
function idealBits(capacity: number, fpr: number): number {
  return (-capacity * Math.log(fpr)) / (Math.LN2 * Math.LN2);
}

/** The least multiple of 64 that is not below `bits`. */
function upToWholeWords(bits: number): number {
  return 64 * Math.ceil(bits / 64);
}

/** Guava up to 33.3, and Spark: k follows from whole bits, which then fill whole words. Both refuse 0 bits. */
export function javaSize(format: string, capacity: number, fpr: number): Geometry {
  const bits = Math.trunc(idealBits(capacity, fpr));
  if (bits === 0) {
    throw rangeError(
      `${format}.create: such a filter has no bit; take a larger capacity or a lower fpr`,
    );
  }
  const hashes = Math.max(1, Math.round((bits / capacity) * Math.LN2));
  return { bits: upToWholeWords(bits), hashes };
}

/** Guava from 33.4 on: the number of hashes follows from the rate only. */
export const guavaHashes = (fpr: number): number =>
  Math.max(1, Math.round(-Math.log(fpr) / Math.LN2));

/** bits-and-blooms: EstimateParameters and New. */
export function goSize(capacity: number, fpr: number): Geometry {
  const bits = Math.ceil(idealBits(capacity, fpr));
  return { bits, hashes: Math.ceil((Math.LN2 * bits) / capacity) };
}

/** DataSketches in C++: create_by_accuracy. */
export function dataSketchesSize(capacity: number, fpr: number): Geometry {
  const bits = upToWholeWords(Math.ceil(idealBits(capacity, fpr)));
  return { bits, hashes: Math.ceil(-Math.log(fpr) / Math.LN2) };
}

const mostParquetBytes = 2 ** 27; // 128 MiB

/** The bytes of parquet-java's filter: optimalNumOfBits, then the next power of two bytes, from 32 bytes to 128 MiB. */
export function parquetSize(capacity: number, fpr: number): number {
  const eighthRoot = Math.sqrt(Math.sqrt(Math.sqrt(fpr)));
  const ideal = (-8 * capacity) / Math.log(1 - eighthRoot);
  const bits = Math.min(Math.trunc(ideal), 8 * mostParquetBytes);
  // parquet-java means to round up to 256, but clears one bit instead.
  const bytes = Math.max(32, ((bits + 255) & ~256) >> 3);
  return Math.min(mostParquetBytes, 2 ** Math.ceil(Math.log2(bytes)));
}

/** 2 atanh(n / d) as a fixed-point number with 128 fractional bits. */
function twiceAtanh(n: bigint, d: bigint): bigint {
  const z = (n << 128n) / d;
  let sum = 0n;
  // The series z + z^3 / 3 + z^5 / 5 + ...
  for (let power = z, i = 1n; power !== 0n; i += 2n) {
    sum += power / i;
    power = (((power * z) >> 128n) * z) >> 128n;
  }
  return 2n * sum;
}

/** The natural logarithm, correctly rounded: engines differ in the last bit, and RedisBloom stores the result. */
export function roundedLog(x: number): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  const exponent = (view.getUint16(0) >> 4) - 1023;
  const one = 1n << 52n;
  const mantissa = one | (view.getBigUint64(0) & (one - 1n));
  // ln(x) is 2 atanh((x - 1) / (x + 1)): here of the mantissa, and of 2 for each power in the exponent.
  const log = twiceAtanh(mantissa - one, mantissa + one) + BigInt(exponent) * twiceAtanh(1n, 3n);
  return Number(log) / 2 ** 128;
}

/** RedisBloom's ln 2 and its square. */
// biome-ignore lint/suspicious/noApproximativeNumericConstant: RedisBloom has no more digits
const redisLn2 = 0.693147180559945;
const redisLn2Squared = 0.480453013918201;

/** The number of hashes of RedisBloom, from the bits per key. */
export const redisHashes = (bitsPerKey: number): number => Math.ceil(redisLn2 * bitsPerKey);

/** RedisBloom: one layer for a rate, in whole words. */
export function redisSize(capacity: number, error: number): Geometry & { bitsPerKey: number } {
  const bitsPerKey = -roundedLog(error) / redisLn2Squared;
  const bits = upToWholeWords(Math.max(1, Math.trunc(capacity * bitsPerKey)));
  return { bits, hashes: redisHashes(bitsPerKey), bitsPerKey };
}

/** The slots of a segment in xor_singleheader's binary fuse filters. */
export function fuseSegment(keys: number): number {
  if (keys === 0) return 4;
  return Math.min(2 ** 18, 2 ** Math.floor(Math.log(keys) / Math.log(3.33) + 2.25));
}

/** The slots of xor_singleheader's filter, and those if a logarithm was rounded otherwise; the likeliest first. */
export function fuseSlotCounts(keys: number): readonly number[] {
  const segment = fuseSegment(keys);
  const factor =
    keys <= 1 ? 0 : Math.max(1.125, 0.875 + (0.25 * Math.log(1_000_000)) / Math.log(keys));
  const ideal = keys * factor;
  const counts = [ideal, ideal * (1 - 2 ** -50), ideal * (1 + 2 ** -50)].map((slots) => {
    const segments = Math.ceil(Math.round(slots) / segment);
    return (Math.max(1, segments - 2) + 2) * segment;
  });
  return [...new Set(counts)];
}
