/**
 * Codecs for the filters of other libraries: they read and write the files of those libraries.
 *
 * @packageDocumentation
 */

// Each codec is a module of its own, so that a bundle contains only the codecs it uses and the wasm of their schemes.

export type { BloomScheme } from '../core/structures/scheme.js';
export { type BinaryFuseOptions, binaryFuse } from './binary-fuse.js';
export { bloomFiltersJson } from './bloom-filters-json.js';
export { bloomfilterJson } from './bloomfilter-json.js';
export type { Binary, Codec, CreateOptions, Creator, DecodeOptions, Encoder } from './codec.js';
export { type DataSketchesOptions, dataSketches } from './data-sketches.js';
export { type Encodings, encodings } from './encodings.js';
export { ForeignFilter } from './foreign-filter.js';
export { type GoEncoder, goBloom } from './go-bloom.js';
export { type GoCuckooOptions, goCuckoo } from './go-cuckoo.js';
export { type GuavaOptions, guava } from './guava.js';
export type { Json } from './json.js';
export { parquet } from './parquet.js';
export { type RedisBitmapCodec, type RedisBitmapOptions, redisBitmap } from './redis-bitmap.js';
export { type RedisBloomOptions, redisBloom } from './redis-bloom.js';
export { redisCuckoo } from './redis-cuckoo.js';
export type { LoadChunk, RedisChunk, RedisDump } from './redis-dump.js';
export { type SparkOptions, spark } from './spark.js';
