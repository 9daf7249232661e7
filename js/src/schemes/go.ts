import { BloomScheme } from '../core/structures/scheme.js';
import { go as part } from '../wasm/parts/go.js';
import { noSeed } from './rules.js';

/** The bit positions of bits-and-blooms/bloom, a Bloom filter for Go. */
export const go = /* @__PURE__ */ new BloomScheme('go', part, [noSeed]);
