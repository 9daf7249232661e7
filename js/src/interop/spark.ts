// What Spark's BloomFilter.writeTo writes, big-endian: i32 version, i32 k, in version 2 an i32 seed, i32 words, words.

import { typeError } from '../core/errors.js';
import { integer } from '../core/options.js';
import { BloomFilter } from '../filters/bloom.js';
import { sparkV1 } from '../schemes/spark-v1.js';
import { sparkV2 } from '../schemes/spark-v2.js';
import { adoptBits, bitsOf } from './adopt.js';
import {
  type Binary,
  type Codec,
  type CreateOptions,
  type Creator,
  checkFilter,
  type Encoder,
  ForeignReader,
  maxBytesOf,
  writeSwapped,
} from './codec.js';
import { javaSize, readCreate } from './sizing.js';

/** The options of `spark.create`. */
export interface SparkOptions extends CreateOptions {
  /** The version of the format: 1, the default, for every Spark from 2.0 on; 2 for Spark 4.1. */
  readonly version?: 1 | 2;
  /** The seed, only in version 2, -2^31 to 2^31 - 1; default 0. */
  readonly seed?: number;
}

const format = 'spark';

/** The scheme and the seed for a version of the format. In version 1 the seed is always 0. */
const schemeOf = (version: number, seed: number) => {
  return { scheme: version === 1 ? sparkV1 : sparkV2, seed: BigInt(seed >>> 0) };
};

/** True for files of Velox and Gluten: u8 1, i32le words, the words. No version of Spark begins with this byte. */
function isVelox({ bytes }: ForeignReader): boolean {
  if (bytes.length < 5 || bytes[0] !== 1) return false;
  const words = new DataView(bytes.buffer, bytes.byteOffset).getInt32(1, true);
  return bytes.length === 5 + 8 * words;
}

/**
 * Reads and writes files of `org.apache.spark.util.sketch.BloomFilter.writeTo` of Apache Spark 2.0 to 4.1. Keys are
 * strings and bytes, unchanged. For a number of any width that Spark put, use `encodings.long`.
 *
 * @example
 * import { withFunnel } from 'tamis';
 * import { encodings, spark } from 'tamis/interop';
 * const filter = spark.create({ capacity: 1000, fpr: 0.03 });
 * withFunnel(filter, encodings.long).add(42n);
 * const read = withFunnel(spark.decode(spark.encode(filter)), encodings.long);
 * read.has(42n); // => true
 */
export const spark: Codec<Binary, BloomFilter> &
  Encoder<BloomFilter, Uint8Array<ArrayBuffer>> &
  Creator<SparkOptions, BloomFilter> = /* @__PURE__ */ Object.freeze({
  name: format,

  decode(data: Binary, options?: object): BloomFilter {
    const reader = new ForeignReader(format, data, maxBytesOf(options, format));
    reader.refuseJavaObject();
    if (isVelox(reader)) {
      throw reader.unsupported(
        'Velox or Gluten wrote these bytes, in its own format; build the filter with Spark itself',
      );
    }
    const version = reader.i32be();
    if (version !== 1 && version !== 2) {
      throw reader.unsupported(`unknown version ${version}; expected 1 or 2`);
    }
    const k = reader.i32be();
    const seed = version === 1 ? 0 : reader.i32be();
    const words = reader.i32be();
    if (words < 1) throw reader.corrupt(`it has ${words} words`);
    const hashes = reader.checkHashes(k);
    const about = { ...schemeOf(version, seed), bits: 64 * words, hashes, order: 'words' } as const;
    return adoptBits(about, reader.rest(8 * words));
  },

  encode(filter: BloomFilter): Uint8Array<ArrayBuffer> {
    checkFilter(format, filter, 'bloom', ['spark-v1', 'spark-v2']);
    const bits = bitsOf(filter);
    const words = bits.length / 8;
    const { hashes, seed } = filter;
    const header =
      filter.scheme === 'spark-v1'
        ? [1, hashes, words]
        : [2, hashes, Number(BigInt.asIntN(32, seed)), words];
    const bytes = new Uint8Array(4 * header.length + bits.length);
    const view = new DataView(bytes.buffer); // writes big-endian
    for (const [i, value] of header.entries()) view.setInt32(4 * i, value);
    writeSwapped(bytes, 4 * header.length, bits);
    return bytes;
  },

  create(options: SparkOptions): BloomFilter {
    const readers = { version: integer(1, 2), seed: integer(-(2 ** 31), 2 ** 31 - 1) };
    const { capacity, fpr, version = 1, seed } = readCreate(format, options, readers);
    const size = javaSize(format, capacity, fpr);
    if (version === 1 && seed !== undefined) {
      throw typeError(`${format}.create: version 1 has no seed`);
    }
    return new BloomFilter({ ...size, ...schemeOf(version, seed ?? 0) });
  },
});
