import { rangeError } from '../core/errors.js';
import { BloomScheme, type SchemeCheck } from '../core/structures/scheme.js';
import { sparkV2 as part } from '../wasm/parts/spark-v2.js';
import { wholeWords } from './rules.js';

const narrowSeed: SchemeCheck = ({ seed = 0n }, what, name) => {
  if (seed >> 32n === 0n) return;
  throw rangeError(`${what}: the scheme '${name}' takes a seed below 2^32, got ${seed}`);
};

/**
 * The bit positions of Apache Spark's `BloomFilterImplV2`, its default from Spark 4.1. The number of bits is a multiple
 * of 64, and the seed has 32 bits.
 */
export const sparkV2 = /* @__PURE__ */ new BloomScheme('spark-v2', part, [wholeWords, narrowSeed]);
