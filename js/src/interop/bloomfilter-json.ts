// npm bloomfilter 1.x: { version: 1, m, k, buckets: [u32...] }. Bit p is in buckets[p >> 5], at 1 << (p & 31).

import type { BloomFilter } from '../filters/bloom.js';
import { npmBloomfilter } from '../schemes/npm-bloomfilter.js';
import { adoptBits } from './adopt.js';
import { type Codec, maxBytesOf } from './codec.js';
import { ForeignJson, type Json } from './json.js';

const format = 'bloomfilter';

/** The buckets as bytes; undefined if one is not a number of 32 bits, signed or unsigned. */
function bytesOf(buckets: readonly unknown[]): Uint8Array | undefined {
  const bytes = new Uint8Array(4 * buckets.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < buckets.length; i++) {
    const bucket = buckets[i] as number;
    if ((bucket | 0) !== bucket && bucket >>> 0 !== bucket) return undefined;
    view.setUint32(4 * i, bucket, true);
  }
  return bytes;
}

/**
 * Reads a filter of the npm package bloomfilter 1.x from its JSON: the text, the text's bytes, or the object.
 *
 * Keys are strings, unchanged; the package hashes their UTF-16 code units. Versions before 1.0 used another hash and
 * wrote no `version`.
 *
 * @example
 * import { bloomfilterJson } from 'tamis/interop';
 * bloomfilterJson.decode('{"version":1,"m":32,"k":3,"buckets":[0]}').has('alice'); // => false
 */
export const bloomfilterJson: Codec<Json, BloomFilter> = /* @__PURE__ */ Object.freeze({
  name: format,

  decode(data: Json, options?: object): BloomFilter {
    const json = new ForeignJson(format, data, maxBytesOf(options, format));
    const version = json.get('version');
    if (version !== 1) {
      const actual = typeof version === 'number' ? `the version ${version}` : 'no version';
      throw json.unsupported(
        `it has ${actual}; expected 1, since bloomfilter before 1.0 used another hash`,
      );
    }
    const bits = json.whole('m');
    const hashes = json.hashes('k');
    json.checkLimit(bits / 8);
    const buckets = json.get('buckets');
    if (!Array.isArray(buckets)) throw json.corrupt('expected an array in buckets');
    const detail = `${bits} bits in ${buckets.length} buckets`;
    if (32 * buckets.length < bits) throw json.truncated(detail);
    if (32 * buckets.length > bits) throw json.corrupt(detail);
    const array = bytesOf(buckets);
    if (array === undefined) throw json.corrupt('a bucket is not a number of 32 bits');
    return adoptBits({ scheme: npmBloomfilter, bits, hashes, order: 'lsb' }, array);
  },
});
