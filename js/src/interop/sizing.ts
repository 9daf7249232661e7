// The size formulas of other libraries. Each keeps the order of operations of the original, so that the results are
// equal to the last bit. The sizes of tamis' own filters are computed in C++.

import { rangeError } from '../core/errors.js';
import { integer, need, type Reader, rate, readOptions, type Values } from '../core/options.js';

interface Geometry {
  readonly bits: number;
  readonly hashes: number;
}

/** Reads the options of `create`. The capacity and the rate are required. */
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

/** The ideal number of bits, not rounded: -n ln p / (ln 2)^2. */
function idealBits(capacity: number, fpr: number): number {
  return (-capacity * Math.log(fpr)) / (Math.LN2 * Math.LN2);
}

/** Rounds up to a multiple of 64. */
function upToWholeWords(bits: number): number {
  return 64 * Math.ceil(bits / 64);
}

/** The size in Guava up to 33.3 and in Spark: k is computed from the bits before they are rounded up to whole words. */
export function javaSize(format: string, capacity: number, fpr: number): Geometry {
  const bits = Math.trunc(idealBits(capacity, fpr));
  if (bits === 0) {
    throw rangeError(
      `${format}.create: the filter would have no bits; use a larger capacity or a lower fpr`,
    );
  }
  const hashes = Math.max(1, Math.round((bits / capacity) * Math.LN2));
  return { bits: upToWholeWords(bits), hashes };
}

/** The number of hashes in Guava from 33.4 on, which depends only on the rate. */
export const guavaHashes = (fpr: number): number =>
  Math.max(1, Math.round(-Math.log(fpr) / Math.LN2));

/** The size in Go's bits-and-blooms: EstimateParameters and New. */
export function goSize(capacity: number, fpr: number): Geometry {
  const bits = Math.ceil(idealBits(capacity, fpr));
  return { bits, hashes: Math.ceil((Math.LN2 * bits) / capacity) };
}

/** The size in DataSketches for C++: create_by_accuracy. */
export function dataSketchesSize(capacity: number, fpr: number): Geometry {
  const bits = upToWholeWords(Math.ceil(idealBits(capacity, fpr)));
  return { bits, hashes: Math.ceil(-Math.log(fpr) / Math.LN2) };
}

const mostParquetBytes = 2 ** 27; // 128 MiB

/** The size in parquet-java: optimalNumOfBits, then the next power of two bytes, from 32 bytes to 128 MiB. */
export function parquetSize(capacity: number, fpr: number): number {
  const eighthRoot = Math.sqrt(Math.sqrt(Math.sqrt(fpr)));
  const ideal = (-8 * capacity) / Math.log(1 - eighthRoot);
  const bits = Math.min(Math.trunc(ideal), 8 * mostParquetBytes);
  // parquet-java intends to round up to a multiple of 256, but clears only one bit.
  const bytes = Math.max(32, ((bits + 255) & ~256) >> 3);
  return Math.min(mostParquetBytes, 2 ** Math.ceil(Math.log2(bytes)));
}

/** 2 atanh(n / d) as a fixed-point number with 128 fractional bits. */
function twiceAtanh(n: bigint, d: bigint): bigint {
  const z = (n << 128n) / d;
  let sum = 0n;
  // Sums the series z + z^3 / 3 + z^5 / 5 + ...
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
  // ln(x) is 2 atanh((x - 1) / (x + 1)). Adds that of the mantissa, and ln 2 as often as the exponent says.
  const log = twiceAtanh(mantissa - one, mantissa + one) + BigInt(exponent) * twiceAtanh(1n, 3n);
  return Number(log) / 2 ** 128;
}

/** RedisBloom's values of ln 2 and (ln 2)^2. */
// biome-ignore lint/suspicious/noApproximativeNumericConstant: RedisBloom has no more digits
const redisLn2 = 0.693147180559945;
const redisLn2Squared = 0.480453013918201;

/** The number of hashes in RedisBloom for a number of bits per key. */
export const redisHashes = (bitsPerKey: number): number => Math.ceil(redisLn2 * bitsPerKey);

/** The size of one layer in RedisBloom, in whole words. */
export function redisSize(capacity: number, error: number): Geometry & { bitsPerKey: number } {
  const bitsPerKey = -roundedLog(error) / redisLn2Squared;
  const bits = upToWholeWords(Math.max(1, Math.trunc(capacity * bitsPerKey)));
  return { bits, hashes: redisHashes(bitsPerKey), bitsPerKey };
}

/** The number of slots in a segment of xor_singleheader's binary fuse filters. */
export function fuseSegment(keys: number): number {
  if (keys === 0) return 4;
  return Math.min(2 ** 18, 2 ** Math.floor(Math.log(keys) / Math.log(3.33) + 2.25));
}

/** The possible numbers of slots in xor_singleheader, the likeliest first: engines round a logarithm differently. */
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
