import { BloomScheme } from '../core/structures/scheme.js';
import { seeds as part } from '../wasm/parts/seeds.js';

/** k hashes by XXH3-64, each with a seed of its own. It goes with the option `seed`. */
export const seeds = /* @__PURE__ */ new BloomScheme('seeds', part, []);
