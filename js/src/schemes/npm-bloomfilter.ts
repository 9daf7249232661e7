import { BloomScheme } from '../core/structures/scheme.js';
import { npmBloomfilter as part } from '../wasm/parts/npm-bloomfilter.js';
import { noSeed } from './rules.js';

/** The bit positions of the npm package bloomfilter, which hashes the UTF-16 code units of a key. */
export const npmBloomfilter = /* @__PURE__ */ new BloomScheme('npm-bloomfilter', part, [noSeed]);
