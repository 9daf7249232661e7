import { BloomScheme } from '../core/structures/scheme.js';
import { sparkV1 as part } from '../wasm/parts/spark-v1.js';
import { noSeed, wholeWords } from './rules.js';

/**
 * The bit positions of Apache Spark's `BloomFilterImpl`, its default before Spark 4.1. The number of bits is a multiple
 * of 64. Positions stay below 2^31.
 */
export const sparkV1 = /* @__PURE__ */ new BloomScheme('spark-v1', part, [noSeed, wholeWords]);
