// A Bloom filter in a plain Redis string. SETBIT's bit 0 is the highest of byte 0. The string ends where the last bit
// was written.

import { integer, need, readOptions, uint64 } from '../core/options.js';
import { type BloomScheme, bloomScheme } from '../core/structures/scheme.js';
import type { BloomFilter } from '../filters/bloom.js';
import { adoptBits, bitsOf } from './adopt.js';
import {
  type Binary,
  checkFilter,
  type DecodeOptions,
  decodeReaders,
  type Encoder,
  ForeignReader,
} from './codec.js';

/** Options of `redisBitmap.decode`: what the string does not say. */
export interface RedisBitmapOptions extends DecodeOptions {
  /** Bits of the filter; the string may be shorter. */
  readonly bits: number;
  /** Bits that a key sets, 1 to 64. */
  readonly hashes: number;
  /** Which bits a key sets: a value of `tamis/schemes`, or that of `BloomFilter` itself without one. */
  readonly scheme?: BloomScheme;
  /** The seed, of a scheme that has one; default 0n. */
  readonly seed?: bigint;
}

/** The one codec whose `decode` needs options. */
export interface RedisBitmapCodec extends Encoder<BloomFilter, Uint8Array<ArrayBuffer>> {
  readonly name: string;
  /** The filter in the string. Throws TOO_LARGE, CORRUPT, TypeError, RangeError. */
  decode(data: Binary, options: RedisBitmapOptions): BloomFilter;
}

const format = 'redis-bitmap';

/** How long the strings were. */
const lengths = /* @__PURE__ */ new WeakMap<BloomFilter, number>();

/** Turns the bits of each byte round. */
function reverseBits(bytes: Uint8Array<ArrayBuffer>): void {
  const reversed = Uint8Array.from({ length: 256 }, (_, byte) => {
    let bits = 0;
    for (let i = 0; i < 8; i++) bits |= ((byte >> i) & 1) << (7 - i);
    return bits;
  });
  for (let i = 0; i < bytes.length; i++) bytes[i] = reversed[bytes[i] as number] as number;
}

/**
 * What `GET` gives of a Redis string whose bits clients set by `SETBIT`, one for each position of a key. It is a filter
 * without a Redis module. The string does not say how many bits and hashes there are, nor which bits a key sets.
 * `encode` gives bytes for `SET`, which end where Redis ends them.
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
    const readers = {
      ...decodeReaders(),
      bits: integer(1),
      hashes: integer(1, 64),
      scheme: bloomScheme,
      seed: uint64,
    };
    const given = readOptions(options, readers, what);
    need(given, what, 'bits', 'hashes');
    const { maxBytes, bits, hashes, scheme, seed } = given as typeof given & RedisBitmapOptions;
    scheme?.check({ bits, hashes, seed }, what);
    const reader = new ForeignReader(format, data, maxBytes);
    const size = Math.ceil(bits / 8);
    reader.checkLimit(size);
    const { bytes } = reader;
    const { length } = bytes;
    if (length > size) throw reader.corrupt(`${length} bytes are more than ${bits} bits`);
    const filter = adoptBits({ bits, hashes, order: 'msb', scheme, seed }, bytes);
    lengths.set(filter, length);
    return filter;
  },

  encode(filter: BloomFilter): Uint8Array<ArrayBuffer> {
    checkFilter(format, filter, 'bloom');
    const bytes = bitsOf(filter).slice(0, Math.ceil(filter.bits / 8));
    reverseBits(bytes);
    let end = bytes.length;
    while (end > 0 && bytes[end - 1] === 0) end--;
    return bytes.slice(0, Math.max(end, lengths.get(filter) ?? 0));
  },
});
