/**
 * Schemes for `BloomFilter`: ways to choose a key's bits, most of them as other libraries do.
 *
 * @packageDocumentation
 */

// Each scheme is a module, so that a bundle contains only the wasm of the schemes it uses.

export type { BloomScheme } from '../core/structures/scheme.js';
export { datasketches } from './datasketches.js';
export { digest } from './digest.js';
export { go } from './go.js';
export { guava32 } from './guava-32.js';
export { guava64 } from './guava64.js';
export { murmur2aFnv1a } from './murmur2a-fnv1a.js';
export { npmBloomFilters } from './npm-bloom-filters.js';
export { npmBloomfilter } from './npm-bloomfilter.js';
export { parquet } from './parquet.js';
export { redisbloom } from './redisbloom.js';
export { seeds } from './seeds.js';
export { sparkV1 } from './spark-v1.js';
export { sparkV2 } from './spark-v2.js';
