// What Guava's BloomFilter.writeTo writes: i8 strategy, u8 k, i32be words, words as i64be. No magic and no version.

import { oneOf } from '../core/options.js';
import { BloomFilter } from '../filters/bloom.js';
import { guava32 } from '../schemes/guava-32.js';
import { guava64 } from '../schemes/guava64.js';
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
import { guavaHashes, javaSize, readCreate } from './sizing.js';

/** The options of `guava.create`. */
export interface GuavaOptions extends CreateOptions {
  /** Guava's strategy: `MURMUR128_MITZ_64`, its default since Guava 17, or `MURMUR128_MITZ_32`. */
  readonly strategy?: 'mitz64' | 'mitz32';
  /**
   * The version whose size formula is used: `'33.4'`, the default, for Guava 33.4 and later, or `'33.3'` for earlier
   * ones. Their numbers of hashes differ at some, mostly small, capacities, and Guava does not merge such filters.
   */
  readonly guava?: '33.3' | '33.4';
}

const format = 'guava';

/**
 * Reads and writes files of `BloomFilter.writeTo` of Google Guava.
 *
 * The file does not say which funnel turned a key into bytes. Pass strings for `stringFunnel(UTF_8)`; for other funnels
 * see `encodings`. `create` chooses the size of Guava 33.4 and later, or of earlier versions.
 *
 * @example
 * import { guava } from 'tamis/interop';
 * const filter = guava.create({ capacity: 1000, fpr: 0.01 });
 * filter.add('alice');
 * const bytes = guava.encode(filter);
 * bytes.length; // => 1206
 * guava.decode(bytes).has('alice'); // => true
 */
export const guava: Codec<Binary, BloomFilter> &
  Encoder<BloomFilter, Uint8Array<ArrayBuffer>> &
  Creator<GuavaOptions, BloomFilter> = /* @__PURE__ */ Object.freeze({
  name: format,

  decode(data: Binary, options?: object): BloomFilter {
    const reader = new ForeignReader(format, data, maxBytesOf(options, format));
    reader.refuseJavaObject();
    const strategy = reader.u8();
    if (strategy > 1) throw reader.unsupported(`unknown strategy ${strategy}`);
    const k = reader.u8();
    const words = reader.i32be();
    if (words < 1) throw reader.corrupt(`it has ${words} words`);
    const hashes = reader.checkHashes(k);
    const scheme = strategy === 0 ? guava32 : guava64;
    return adoptBits({ scheme, bits: 64 * words, hashes, order: 'words' }, reader.rest(8 * words));
  },

  encode(filter: BloomFilter): Uint8Array<ArrayBuffer> {
    checkFilter(format, filter, 'bloom', ['guava-32', 'guava64']);
    const bits = bitsOf(filter);
    const bytes = new Uint8Array(6 + bits.length);
    bytes.set([filter.scheme === 'guava-32' ? 0 : 1, filter.hashes]);
    new DataView(bytes.buffer).setInt32(2, bits.length / 8); // big-endian
    writeSwapped(bytes, 6, bits);
    return bytes;
  },

  create(options: GuavaOptions): BloomFilter {
    const { capacity, fpr, ...checked } = readCreate(format, options, {
      strategy: oneOf(['mitz64', 'mitz32'] as const),
      guava: oneOf(['33.3', '33.4'] as const),
    });
    const scheme = checked.strategy === 'mitz32' ? guava32 : guava64;
    const { bits, hashes: hashesBefore } = javaSize(format, capacity, fpr);
    const hashes = checked.guava === '33.3' ? hashesBefore : guavaHashes(fpr);
    return new BloomFilter({ bits, hashes, scheme });
  },
});
