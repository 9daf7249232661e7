// A Bloom filter in a plain Redis string. For SETBIT, bit 0 is the highest bit of byte 0. The string ends with the last
// byte that a client wrote.

import { integer, need, seedReader } from '../core/options.js';
import { type BloomScheme, bloomScheme } from '../core/structures/scheme.js';
import type { BloomFilter } from '../filters/bloom.js';
import { adoptBits, bitsOf } from './adopt.js';
import {
  type Binary,
  checkFilter,
  type DecodeOptions,
  type Encoder,
  ForeignReader,
  readDecode,
} from './codec.js';

/** The options of `redisBitmap.decode`: facts about the filter that the string does not contain. */
export interface RedisBitmapOptions extends DecodeOptions {
  /** The number of bits of the filter. The string may be shorter. */
  readonly bits: number;
  /** The number of bits that a key sets, 1 to 64. */
  readonly hashes: number;
  /** The scheme that maps a key to bits, from `tamis/schemes`; default: the scheme of `BloomFilter`. */
  readonly scheme?: BloomScheme;
  /** The seed, for a scheme that has one; default 0. */
  readonly seed?: number | bigint;
}

/** The codec of a filter in a Redis string. Its `decode` needs options. */
export interface RedisBitmapCodec extends Encoder<BloomFilter, Uint8Array<ArrayBuffer>> {
  readonly name: string;
  /** Reads the filter in the string. Throws TypeError, RangeError, ERR_TAMIS_TOO_LARGE and ERR_TAMIS_CORRUPT. */
  decode(data: Binary, options: RedisBitmapOptions): BloomFilter;
}

const format = 'redis-bitmap';

/** The length of the string from which a filter was decoded, since the string may end with zeros. */
const decodedLengths = /* @__PURE__ */ new WeakMap<BloomFilter, number>();

/** Reverses the bits of each byte, in place. */
function reverseBits(bytes: Uint8Array<ArrayBuffer>): void {
  const reversed = Uint8Array.from({ length: 256 }, (_, byte) => {
    let bits = 0;
    for (let i = 0; i < 8; i++) bits |= ((byte >> i) & 1) << (7 - i);
    return bits;
  });
  for (let i = 0; i < bytes.length; i++) bytes[i] = reversed[bytes[i] ?? 0] ?? 0;
}

/**
 * Reads and writes a Redis string in which clients set the bits of each key with `SETBIT`, without a Redis module. Get
 * the string with `GET`; it contains neither the number of bits and hashes nor the scheme. `encode` returns bytes for
 * `SET`, of the length that Redis would give the string.
 *
 * @example
 * import { BloomFilter } from 'tamis';
 * import { redisBitmap } from 'tamis/interop';
 * const filter = BloomFilter.from(['alice'], { bits: 1000, hashes: 7 });
 * const bytes = redisBitmap.encode(filter);
 * redisBitmap.decode(bytes, { bits: 1000, hashes: 7 }).has('alice'); // => true
 */
export const redisBitmap: RedisBitmapCodec = /* @__PURE__ */ Object.freeze({
  name: format,

  decode(data: Binary, options: RedisBitmapOptions): BloomFilter {
    const what = `${format}.decode`;
    const checked = readDecode(format, options, {
      bits: integer(1),
      hashes: integer(1, 64),
      scheme: bloomScheme,
      seed: seedReader,
    });
    need(checked, what, 'bits', 'hashes');
    const { maxBytes, bits, hashes, scheme, seed } = checked;
    scheme?.check({ bits, hashes, seed }, what);
    const reader = new ForeignReader(format, data, maxBytes);
    const size = Math.ceil(bits / 8);
    reader.checkLimit(size);
    const { length } = reader.bytes;
    if (length > size) throw reader.corrupt(`expected at most ${bits} bits, got ${length} bytes`);
    const filter = adoptBits({ bits, hashes, order: 'msb', scheme, seed }, reader.bytes);
    decodedLengths.set(filter, length);
    return filter;
  },

  encode(filter: BloomFilter): Uint8Array<ArrayBuffer> {
    checkFilter(format, filter, 'bloom');
    const bytes = bitsOf(filter).slice(0, Math.ceil(filter.bits / 8));
    reverseBits(bytes);
    let end = bytes.length; // like Redis, ends at the last byte with a bit, or where the decoded string ended
    while (end > 0 && bytes[end - 1] === 0) end--;
    return bytes.slice(0, Math.max(end, decodedLengths.get(filter) ?? 0));
  },
});
