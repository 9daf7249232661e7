/**
 * Schemes of `BloomFilter` for data of other libraries.
 *
 * @packageDocumentation
 */

// A module each, so that a bundle has the wasm of those that it names.

export type { BloomScheme } from '../core/structures/scheme.js';
export { digest } from './digest.js';
export { guava64 } from './guava64.js';
export { murmur2aFnv1a } from './murmur2a-fnv1a.js';
export { seeds } from './seeds.js';
