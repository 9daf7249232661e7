import { BloomScheme } from '../core/structures/scheme.js';
import { digest as part } from '../wasm/parts/digest.js';
import { noSeed } from './rules.js';

/**
 * Divides a SHA-512 by `bits` repeatedly: each remainder is a bit position. `bits ** hashes` must be below 2 ** 512.
 *
 * @example
 * import { BloomFilter } from 'tamis';
 * import { digest } from 'tamis/schemes';
 * const words = new BloomFilter({ bits: 10_000_000, hashes: 22, scheme: digest });
 * words.positions('word').length; // => 22
 */
export const digest = /* @__PURE__ */ new BloomScheme(
  'digest',
  part,
  [noSeed],
  'bits ** hashes must be below 2 ** 512: use a higher fpr, ' + 'fewer hashes, or another scheme',
);
