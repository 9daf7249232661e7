import { BloomScheme } from '../core/structures/scheme.js';
import { npmBloomFilters as part } from '../wasm/parts/npm-bloom-filters.js';

/** The positions of the npm package bloom-filters; the seed is its `_seed`. */
export const npmBloomFilters = /* @__PURE__ */ new BloomScheme('npm-bloom-filters', part, []);
