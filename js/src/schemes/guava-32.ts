import { BloomScheme } from '../core/structures/scheme.js';
import { guava32 as part } from '../wasm/parts/guava-32.js';
import { noSeed, wholeWords } from './rules.js';

/** The bit positions of Google Guava's `MURMUR128_MITZ_32`. The number of bits is a multiple of 64. */
export const guava32 = /* @__PURE__ */ new BloomScheme('guava-32', part, [noSeed, wholeWords]);
