/**
 * Filters that you build, change, look up in, save and load.
 *
 * @packageDocumentation
 */

export {
  type AnyFilter,
  fromBytes,
  fromBytesOf,
  fromStream,
  fromStreamOf,
  type StructureClass,
} from './any.js';
export { type InitSource, init } from './core/border/runtime.js';
export { TamisError, type TamisErrorCode } from './core/errors.js';
export type { Key, KeySet, Keys, PackedKeys } from './core/key-types.js';
export { type HashKeyOptions, type HashOptions, hashKey, hashKeys } from './core/keys/hashing.js';
export {
  keyBatchesFrom,
  keysFromLines,
  type LineOptions,
  linesFrom,
  type StreamLineOptions,
} from './core/keys/lines.js';
export type { AddFromOptions } from './core/keys/read-keys.js';
export { type NormalizeOptions, normalizeKey } from './core/normalize.js';
export type { Progress } from './core/options.js';
export type { ByteSource, KeySource } from './core/streams.js';
export type { CapacityOptions, FromOptions } from './core/structures/building.js';
export type { Filter } from './core/structures/filter.js';
export {
  type Funnel,
  type FunnelFilter,
  funnel,
  key,
  type Sink,
  withFunnel,
} from './core/structures/funnel.js';
export type { DeletableFilter, MutableFilter } from './core/structures/growing.js';
export type { LoadOptions, StreamLoadOptions } from './core/structures/loading.js';
export { missingFrom } from './core/structures/missing-from.js';
export type { BloomScheme, BloomSchemeName } from './core/structures/scheme.js';
export type { FilterType, Structure } from './core/structures/structure.js';
export { version } from './core/version.js';
export { BinaryFuseFilter, type BinaryFuseOptions } from './filters/binary-fuse.js';
export { BitArray } from './filters/bit-array.js';
export { BlockedBloomFilter, type BlockedBloomOptions } from './filters/blocked-bloom.js';
export {
  BloomFilter,
  type BloomFromOptions,
  type BloomGeometryOptions,
  type BloomOptions,
  type BloomRateOptions,
  type BloomSizing,
  bloomRate,
  bloomSizing,
} from './filters/bloom.js';
export { type BloomierEntry, BloomierMap, type BloomierOptions } from './filters/bloomier.js';
export { CountingBloomFilter, type CountingBloomOptions } from './filters/counting-bloom.js';
export { CuckooFilter, type CuckooOptions } from './filters/cuckoo.js';
export { DLeftCountingFilter, type DLeftCountingOptions } from './filters/d-left-counting.js';
export { DeletableBloomFilter, type DeletableBloomOptions } from './filters/deletable-bloom.js';
export { ExactFilter, type ExactLists, type ExactOptions } from './filters/exact.js';
export {
  InvertibleBloomTable,
  type InvertibleBloomTableOptions,
  type SetDifference,
} from './filters/iblt.js';
export { RibbonFilter, type RibbonOptions } from './filters/ribbon.js';
export { RotatingBloomFilter, type RotatingBloomOptions } from './filters/rotating-bloom.js';
export { ScalableBloomFilter, type ScalableBloomOptions } from './filters/scalable-bloom.js';
export { TombstoneBloomFilter, type TombstoneBloomOptions } from './filters/tombstone-bloom.js';
export { type FilterNeeds, type FilterSuggestion, suggestFilter } from './suggest.js';
