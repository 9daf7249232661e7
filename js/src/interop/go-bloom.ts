// The file of Go's bits-and-blooms/bloom: u64be m, u64be k, then the bitset: u64be length and the words as u64be. The
// JSON has m, k, and the bitset in base64.

import { flag, readOptions } from '../core/options.js';
import { BloomFilter } from '../filters/bloom.js';
import { go } from '../schemes/go.js';
import { adoptBits, bitsOf } from './adopt.js';
import {
  type Binary,
  type Codec,
  type CreateOptions,
  type Creator,
  checkFilter,
  ForeignReader,
  maxBytesOf,
  writeSwapped,
} from './codec.js';
import { base64In, ForeignJson, textOfBase64 } from './json.js';
import { goSize, readCreate } from './sizing.js';

const format = 'go';

interface Facts {
  /** The bitset's length in bits: m, or m rounded up to whole words. */
  readonly length: number;
  /** For JSON: true if its base64 uses the URL-safe alphabet, which a Go program can choose. */
  readonly isUrlSafe: boolean;
}

const factsOf = /* @__PURE__ */ new WeakMap<BloomFilter, Facts>();

/** Makes the filter from m, k and the bitset, which is the rest of the file. `encode` uses `isUrlSafe` again. */
function readBitset(reader: ForeignReader, m: bigint, k: bigint, isUrlSafe = true): BloomFilter {
  const length = reader.u64be();
  if (m === 0n) throw reader.corrupt('it has no bits');
  const hashes = reader.checkHashes(k);
  const words = (m + 63n) / 64n;
  // In Go, New makes a bitset of m bits, and FromWithM one of whole words.
  if (length !== m && length !== 64n * words) {
    throw reader.corrupt(`its bitset has ${length} bits, but the filter ${m}`);
  }
  const array = reader.rest(8n * words);
  const filter = adoptBits({ scheme: go, bits: Number(m), hashes, order: 'words' }, array);
  factsOf.set(filter, { length: Number(length), isUrlSafe });
  return filter;
}

/**
 * Reads and writes files of Go's bits-and-blooms/bloom 3.x: the bytes of `WriteTo`, `MarshalBinary` and `GobEncode`, or
 * the text of `MarshalJSON`.
 *
 * Keys are strings and bytes, unchanged. `create` chooses the size of Go's `NewWithEstimates`.
 *
 * @example
 * import { goBloom } from 'tamis/interop';
 * const filter = goBloom.create({ capacity: 10, fpr: 0.01 });
 * filter.add('alice');
 * goBloom.encode(filter).length; // => 40
 * const text = goBloom.encode(filter, { json: true });
 * goBloom.decode(text).has('alice'); // => true
 */
export const goBloom: Codec<Binary | string, BloomFilter> &
  GoEncoder &
  Creator<CreateOptions, BloomFilter> = /* @__PURE__ */ Object.freeze({
  name: format,

  decode(data: Binary | string, options?: object): BloomFilter {
    const maxBytes = maxBytesOf(options, format);
    if (typeof data !== 'string') {
      const reader = new ForeignReader(format, data, maxBytes);
      const [m, k] = [reader.u64be(), reader.u64be()];
      return readBitset(reader, m, k);
    }
    const json = new ForeignJson(format, data, maxBytes);
    const m = BigInt(json.whole('m'));
    const k = BigInt(json.hashes('k'));
    const reader = new ForeignReader(format, base64In(json, 'b'), maxBytes);
    const isUrlSafe = !/[+/]/.test(String(json.get('b')));
    return readBitset(reader, m, k, isUrlSafe);
  },

  encode: encode as GoEncoder['encode'],

  create(options: CreateOptions): BloomFilter {
    const { capacity, fpr } = readCreate(format, options, {});
    return new BloomFilter({ ...goSize(capacity, fpr), scheme: go });
  },
});

/** The writers of `goBloom`. */
export interface GoEncoder {
  /** Writes the bytes of WriteTo. Throws ERR_TAMIS_INCOMPATIBLE for a filter of another scheme. */
  encode(filter: BloomFilter, options?: { readonly json?: false }): Uint8Array<ArrayBuffer>;
  /** Writes the text of MarshalJSON. */
  encode(filter: BloomFilter, options: { readonly json: true }): string;
}

function encode(filter: BloomFilter, options?: object): Uint8Array<ArrayBuffer> | string {
  const { json = false } = readOptions(options, { json: flag }, `${format}.encode`);
  checkFilter(format, filter, 'bloom', ['go']);
  const { bits: m, hashes: k } = filter;
  const { length, isUrlSafe } = factsOf.get(filter) ?? { length: m, isUrlSafe: true };
  const bits = bitsOf(filter);
  const header = json ? [length] : [m, k, length]; // in JSON, m and k are members
  const bytes = new Uint8Array(8 * header.length + bits.length);
  const view = new DataView(bytes.buffer); // writes big-endian
  for (const [i, value] of header.entries()) view.setBigUint64(8 * i, BigInt(value));
  writeSwapped(bytes, 8 * header.length, bits);
  return json ? JSON.stringify({ m, k, b: textOfBase64(bytes, isUrlSafe) }) : bytes;
}
