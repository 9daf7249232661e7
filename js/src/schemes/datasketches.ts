import { BloomScheme } from '../core/structures/scheme.js';
import { datasketches as part } from '../wasm/parts/datasketches.js';
import { wholeWords } from './rules.js';

/**
 * The positions of Apache DataSketches. It wants a multiple of 64 bits. The empty key is never in: `add('')` throws
 * INVALID_KEY.
 */
export const datasketches = /* @__PURE__ */ new BloomScheme('datasketches', part, [wholeWords]);
