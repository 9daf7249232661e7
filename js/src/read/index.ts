/**
 * Classes that load and look up what `tamis` built, and nothing else, in about half the bytes.
 *
 * @packageDocumentation
 */

export { TamisError, type TamisErrorCode } from '../core/errors.js';
export type { Key, Keys, PackedKeys } from '../core/keys/key-types.js';
export type { Progress } from '../core/options.js';
export type { ByteSource } from '../core/streams.js';
export type { LoadOptions, StreamLoadOptions } from '../core/structures/loading.js';
export type { FilterType } from '../core/structures/structure.js';
export { BinaryFuseFilter } from './binary-fuse.js';
export { BitArray } from './bit-array.js';
export { BlockedBloomFilter } from './blocked-bloom.js';
export { BloomFilter } from './bloom.js';
export { BloomierMap } from './bloomier.js';
export { CountingBloomFilter } from './counting-bloom.js';
export { CuckooFilter } from './cuckoo.js';
export { DLeftCountingFilter } from './d-left-counting.js';
export { DeletableBloomFilter } from './deletable-bloom.js';
export { ExactFilter } from './exact.js';
export { type AnyReader, open } from './open.js';
export type { Filter, Reader } from './reader.js';
export { RibbonFilter } from './ribbon.js';
export { RotatingBloomFilter } from './rotating-bloom.js';
export { ScalableBloomFilter } from './scalable-bloom.js';
export { TombstoneBloomFilter } from './tombstone-bloom.js';
