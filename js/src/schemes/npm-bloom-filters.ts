import { BloomScheme } from '../core/structures/scheme.js';
import { npmBloomFilters as part } from '../wasm/parts/npm-bloom-filters.js';

/** The bit positions of the npm package bloom-filters; the option `seed` is its `_seed`. */
export const npmBloomFilters = /* @__PURE__ */ new BloomScheme('npm-bloom-filters', part, []);
