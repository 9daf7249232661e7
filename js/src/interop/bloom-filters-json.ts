// npm bloom-filters 2, 3: { type: 'BloomFilter', _size: m, _nbHashes: k, _filter: { size, content: base64 }, _seed }.

import type { BloomFilter } from '../filters/bloom.js';
import { npmBloomFilters } from '../schemes/npm-bloom-filters.js';
import { adoptBits } from './adopt.js';
import { type Codec, maxBytesOf } from './codec.js';
import { base64In, ForeignJson, type Json } from './json.js';

const format = 'bloom-filters';

/**
 * Reads what `saveAsJSON` of a `BloomFilter` returns in the npm package bloom-filters 2 and 3: the object, its JSON
 * text, or the bytes of the text.
 *
 * Keys are strings, unchanged. The package's other filters throw ERR_TAMIS_UNSUPPORTED. So does data of version 1.x,
 * which used another hash.
 *
 * @example
 * import { bloomFiltersJson } from 'tamis/interop';
 * const saved = {
 *   type: 'BloomFilter', _size: 16, _nbHashes: 2, _filter: { size: 16, content: 'AAA=' }, _seed: 78187493520,
 * };
 * bloomFiltersJson.decode(saved).has('alice'); // => false
 */
export const bloomFiltersJson: Codec<Json, BloomFilter> = /* @__PURE__ */ Object.freeze({
  name: format,

  decode(data: Json, options?: object): BloomFilter {
    const maxBytes = maxBytesOf(options, format);
    const json = new ForeignJson(format, data, maxBytes);
    const type = json.get('type');
    if (typeof type !== 'string')
      throw json.corrupt('expected the type of the filter in the member type');
    if (type !== 'BloomFilter') {
      throw json.unsupported(`this is a ${type.slice(0, 40)}; tamis reads only BloomFilter`);
    }
    const filter = json.get('_filter');
    if (Array.isArray(filter)) {
      throw json.unsupported(
        'bloom-filters 1.x used another hash; rebuild the filter from its keys',
      );
    }
    const bits = json.whole('_size');
    const hashes = json.hashes('_nbHashes');
    const size = Math.ceil(bits / 8);
    json.checkLimit(size);
    const seed = json.get('_seed');
    if (typeof seed !== 'number') throw json.corrupt('expected a number in _seed');
    // The package computes seed + 1 and seed + 2 as doubles, which are exact up to 2^53.
    if (!Number.isSafeInteger(seed) || seed < 0 || seed > 2 ** 53 - 2) {
      throw json.unsupported(`the seed ${seed} is not a whole number from 0 to 2^53 - 2`);
    }
    if (typeof filter !== 'object' || filter === null) {
      throw json.corrupt('expected an object in _filter');
    }
    const bitset = new ForeignJson(format, filter, maxBytes);
    const bytes = base64In(bitset, 'content');
    if (bytes.length < size)
      throw json.truncated(`${bits} bits need ${size} bytes, got ${bytes.length}`);
    if (bytes.length > size || bitset.whole('size') !== 8 * size) {
      throw json.corrupt(`${bits} bits in an array of ${bytes.length} bytes`);
    }
    const scheme = npmBloomFilters;
    return adoptBits({ scheme, bits, hashes, seed: BigInt(seed), order: 'lsb' }, bytes);
  },
});
