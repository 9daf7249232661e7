// Bytes of any type.

import { type LoadOptions, load, loadStream, type StreamLoadOptions } from './core/loading.js';
import type { ByteSource } from './core/streams.js';
import type { Loader } from './core/structure.js';
import { type BinaryFuseFilter, binaryFuseType } from './filters/binary-fuse.js';
import { type BitArray, bitArrayType } from './filters/bit-array.js';
import { type BlockedBloomFilter, blockedBloomType } from './filters/blocked-bloom.js';
import { type BloomFilter, bloomType } from './filters/bloom.js';
import { type BloomierMap, bloomierType } from './filters/bloomier.js';
import { type CountingBloomFilter, countingBloomType } from './filters/counting-bloom.js';
import { type CuckooFilter, cuckooType } from './filters/cuckoo.js';
import { type DLeftCountingFilter, dLeftCountingType } from './filters/d-left-counting.js';
import { type DeletableBloomFilter, deletableBloomType } from './filters/deletable-bloom.js';
import { type ExactFilter, exactType } from './filters/exact.js';
import { type InvertibleBloomTable, ibltType } from './filters/iblt.js';
import { type RibbonFilter, ribbonType } from './filters/ribbon.js';
import { type RotatingBloomFilter, rotatingBloomType } from './filters/rotating-bloom.js';
import { type ScalableBloomFilter, scalableBloomType } from './filters/scalable-bloom.js';
import { type TombstoneBloomFilter, tombstoneBloomType } from './filters/tombstone-bloom.js';

/** Any structure of this release, told apart by `type`. */
export type AnyStructure =
  | BinaryFuseFilter
  | BitArray
  | BlockedBloomFilter
  | BloomFilter
  | BloomierMap
  | CountingBloomFilter
  | CuckooFilter
  | DeletableBloomFilter
  | DLeftCountingFilter
  | ExactFilter
  | InvertibleBloomTable
  | RibbonFilter
  | RotatingBloomFilter
  | ScalableBloomFilter
  | TombstoneBloomFilter;

// A function, so that a bundle without fromBytes has no class that it does not use.
const loaders = (): readonly Loader<AnyStructure>[] => [
  binaryFuseType,
  bitArrayType,
  blockedBloomType,
  bloomType,
  bloomierType,
  countingBloomType,
  cuckooType,
  deletableBloomType,
  dLeftCountingType,
  exactType,
  ibltType,
  ribbonType,
  rotatingBloomType,
  scalableBloomType,
  tombstoneBloomType,
];

/**
 * The structure in the bytes of `toBytes`, of whatever type; throws rather than give a wrong one.
 *
 * @example
 * import { BloomFilter, fromBytes } from 'tamis';
 * const bytes = BloomFilter.from(['alice']).toBytes();
 * const loaded = fromBytes(bytes);
 * loaded.type; // => 'bloom'
 */
export function fromBytes(bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): AnyStructure {
  return load(loaders(), bytes, options);
}

/**
 * fromBytes for a download; refuses as soon as the header is wrong.
 *
 * @example
 * import { BloomFilter, fromStream } from 'tamis';
 * const response = new Response(BloomFilter.from(['alice']).toBytes());
 * const loaded = await fromStream(response.body!);
 * loaded.type; // => 'bloom'
 */
export function fromStream(stream: ByteSource, options?: StreamLoadOptions): Promise<AnyStructure> {
  return loadStream(loaders(), stream, options);
}
