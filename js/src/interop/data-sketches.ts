// The file of Apache DataSketches' BloomFilter, little-endian. Four bytes come first: the header's length in 64-bit
// words (4, or 3 for an empty filter), version, family, flags. Then u16 k, u16 0, u64 seed, u32 number of words, u32 0.
// If the filter is not empty, the number of set bits follows as i64 (-1: not counted), and then the words.

import { seedReader } from '../core/options.js';
import { BloomFilter } from '../filters/bloom.js';
import { datasketches } from '../schemes/datasketches.js';
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
} from './codec.js';
import { dataSketchesSize, readCreate } from './sizing.js';

/** The options of `dataSketches.create`. */
export interface DataSketchesOptions extends CreateOptions {
  /** The seed, 0 to 2n ** 64n - 1n; default 0. DataSketches picks it at random. Only filters of equal seeds merge. */
  readonly seed?: number | bigint;
}

const format = 'datasketches';
const family = 21;
const emptyFlag = 4;
/** The header's size in bytes for an empty filter, and for any other. */
const emptyHeader = 24;
const fullHeader = 32;
const notCounted = -1n; // stored in place of the number of set bits

/** Contains each filter whose file had words. The value is true if the file stated the number of set bits too. */
const countedOf = /* @__PURE__ */ new WeakMap<BloomFilter, boolean>();

function countSetBits(filter: BloomFilter): number {
  return Math.round(filter.fillRatio * filter.bits); // exact, since rounding removes only the error of the product
}

/**
 * Reads and writes `BloomFilter` files of Apache DataSketches for Java, C++ and Rust.
 *
 * Keys are strings and bytes, unchanged; for an integer of any width use `encodings.int64`. `add('')` throws
 * ERR_TAMIS_INVALID_KEY, because the library skips an empty key (but Java adds an empty `byte[]`, which is not found
 * here). `create` chooses the size of C++'s `create_by_accuracy`; at some rates Java uses one hash more.
 *
 * @example
 * import { dataSketches } from 'tamis/interop';
 * const filter = dataSketches.create({ capacity: 1000, fpr: 0.01, seed: 9001n });
 * dataSketches.encode(filter).length; // => 24
 * filter.add('alice');
 * dataSketches.decode(dataSketches.encode(filter)).has('alice'); // => true
 */
export const dataSketches: Codec<Binary, BloomFilter> &
  Encoder<BloomFilter, Uint8Array<ArrayBuffer>> &
  Creator<DataSketchesOptions, BloomFilter> = /* @__PURE__ */ Object.freeze({
  name: format,

  decode(data: Binary, options?: object): BloomFilter {
    const reader = new ForeignReader(format, data, maxBytesOf(options, format));
    const longs = reader.u8();
    const version = reader.u8();
    const familyId = reader.u8();
    const flags = reader.u8();
    if (version !== 1) throw reader.unsupported(`unknown version ${version}; expected 1`);
    if (familyId !== family) {
      throw reader.unsupported(`expected the family 21 of Bloom filters, got ${familyId}`);
    }
    if ((flags & ~emptyFlag) !== 0) {
      throw reader.unsupported(`unknown flags ${flags}; expected 0 or 4`);
    }
    const isEmpty = flags === emptyFlag;
    if (longs !== (isEmpty ? 3 : 4)) throw reader.corrupt(`wrong preamble of ${longs} longs`);
    const k = reader.u16le();
    const zeros = reader.u16le();
    const seed = reader.u64le();
    const words = reader.u32le();
    const moreZeros = reader.u32le();
    if ((zeros | moreZeros) !== 0) throw reader.corrupt('an unused field is not 0');
    if (words === 0) throw reader.corrupt('it has no words');
    const geometry = { bits: 64 * words, hashes: reader.checkHashes(k) };
    if (isEmpty) {
      reader.expect(0);
      // The limit applies to the size that an empty filter claims, too.
      reader.checkLimit(fullHeader + 8 * words);
      return new BloomFilter({ ...geometry, scheme: datasketches, seed });
    }
    const setBits = reader.i64le();
    const array = reader.rest(8 * words);
    const filter = adoptBits({ ...geometry, scheme: datasketches, seed, order: 'lsb' }, array);
    const isCounted = setBits !== notCounted;
    const actual = countSetBits(filter);
    if (isCounted && setBits !== BigInt(actual)) {
      filter.dispose();
      throw reader.corrupt(`it states ${setBits} set bits, but has ${actual}`);
    }
    countedOf.set(filter, isCounted);
    return filter;
  },

  encode(filter: BloomFilter): Uint8Array<ArrayBuffer> {
    checkFilter(format, filter, 'bloom', ['datasketches']);
    const setBits = countSetBits(filter);
    const isEmpty = setBits === 0 && !countedOf.has(filter); // a file that had words keeps them, even if all are 0
    const words = isEmpty ? undefined : bitsOf(filter);
    const bytes = new Uint8Array(words === undefined ? emptyHeader : fullHeader + words.length);
    const view = new DataView(bytes.buffer);
    bytes.set([isEmpty ? 3 : 4, 1, family, isEmpty ? emptyFlag : 0]);
    view.setUint16(4, filter.hashes, true);
    view.setBigUint64(8, filter.seed, true);
    view.setUint32(16, filter.bits / 64, true);
    if (words === undefined) return bytes;
    // Other libraries write -1 until a program asks for the count. `encode` does too, unless the file had a count.
    view.setBigInt64(24, countedOf.get(filter) ? BigInt(setBits) : notCounted, true);
    bytes.set(words, fullHeader);
    return bytes;
  },

  create(options: DataSketchesOptions): BloomFilter {
    const { capacity, fpr, seed = 0n } = readCreate(format, options, { seed: seedReader });
    return new BloomFilter({ ...dataSketchesSize(capacity, fpr), scheme: datasketches, seed });
  },
});
