import { BloomScheme } from '../core/structures/scheme.js';
import { guava64 as part } from '../wasm/parts/guava64.js';
import { noSeed, wholeWords } from './rules.js';

/**
 * The bit positions of Google Guava's `MURMUR128_MITZ_64`, from MurmurHash3 x64 128; the file format is not Guava's.
 * The number of bits is a multiple of 64.
 *
 * @example
 * import { BloomFilter } from 'tamis';
 * import { guava64 } from 'tamis/schemes';
 * const bytes = BloomFilter.from(['alice'], { scheme: guava64 }).toBytes();
 * const loaded = BloomFilter.fromBytes(bytes, { schemes: [guava64] });
 * loaded.scheme; // => 'guava64'
 */
export const guava64 = /* @__PURE__ */ new BloomScheme('guava64', part, [noSeed, wholeWords]);
