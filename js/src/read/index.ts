/**
 * Look-ups in bytes of `tamis`, in a few kilobytes of plain JavaScript. They work if WebAssembly is off, too.
 *
 * @packageDocumentation
 */

export { TamisError, type TamisErrorCode } from '../core/errors.js';
export type { Key } from '../core/key-types.js';
export { BinaryFuseFilter } from './binary-fuse.js';
export { BitArray } from './bit-array.js';
export { BlockedBloomFilter } from './blocked-bloom.js';
export { BloomFilter } from './bloom.js';
export { BloomierMap } from './bloomier.js';
export type { LoadOptions } from './container.js';
export { CountingBloomFilter } from './counting-bloom.js';
export { CuckooFilter } from './cuckoo.js';
export { DLeftCountingFilter } from './d-left-counting.js';
export { DeletableBloomFilter } from './deletable-bloom.js';
export { ExactFilter } from './exact.js';
export { type Filter, figuresOf, hashKey, type Reader, type ReaderClass } from './filter.js';
export {
  type AnyReader,
  type ByteSource,
  fromStream,
  open,
  openAny,
  type ReaderOf,
} from './open.js';
export { RibbonFilter } from './ribbon.js';
export { RotatingBloomFilter } from './rotating-bloom.js';
export { ScalableBloomFilter } from './scalable-bloom.js';
export { TombstoneBloomFilter } from './tombstone-bloom.js';
