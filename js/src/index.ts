export { type AnyStructure, fromBytes, fromStream } from './any.js';
export type { CapacityOptions, FromOptions } from './core/building.js';
export { TamisError, type TamisErrorCode } from './core/errors.js';
export type { DeletableFilter, Filter, MutableFilter } from './core/filter.js';
export {
  type Funnel,
  type FunnelFilter,
  funnel,
  key,
  type Sink,
  withFunnel,
} from './core/funnel.js';
export { type HashKeyOptions, type HashOptions, hashKey, hashKeys } from './core/hashing.js';
export type { Key, Keys, PackedKeys } from './core/key-types.js';
export { keysFromLines, type LineOptions } from './core/keys.js';
export type { LoadOptions, StreamLoadOptions } from './core/loading.js';
export { missingFrom } from './core/missing-from.js';
export type { Progress } from './core/options.js';
export type { AddFromOptions } from './core/read-keys.js';
export { type InitSource, init } from './core/runtime.js';
export {
  type ByteSource,
  type KeySource,
  linesFrom,
  type StreamLineOptions,
} from './core/streams.js';
export type { FilterType, Structure } from './core/structure.js';
export { version } from './core/version.js';
export { BinaryFuseFilter, type BinaryFuseOptions } from './filters/binary-fuse.js';
export { BitArray } from './filters/bit-array.js';
export { BlockedBloomFilter, type BlockedBloomOptions } from './filters/blocked-bloom.js';
export {
  BloomFilter,
  type BloomFromOptions,
  type BloomOptions,
  type BloomScheme,
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
