import { BloomScheme } from '../core/structures/scheme.js';
import { seeds as part } from '../wasm/parts/seeds.js';

/** Computes k hashes with XXH3-64, each with its own seed. It accepts the option `seed`. */
export const seeds = /* @__PURE__ */ new BloomScheme('seeds', part, []);
