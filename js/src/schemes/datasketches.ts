import { BloomScheme } from '../core/structures/scheme.js';
import { datasketches as part } from '../wasm/parts/datasketches.js';
import { wholeWords } from './rules.js';

/**
 * The bit positions of Apache DataSketches. The number of bits is a multiple of 64. The empty key cannot be added:
 * `add('')` throws ERR_TAMIS_INVALID_KEY.
 */
export const datasketches = /* @__PURE__ */ new BloomScheme('datasketches', part, [wholeWords]);
