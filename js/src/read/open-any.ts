// Bytes of any type that has look-ups.

import { BinaryFuseFilter } from './binary-fuse.js';
import { BitArray } from './bit-array.js';
import { BlockedBloomFilter } from './blocked-bloom.js';
import { BloomFilter } from './bloom.js';
import { BloomierMap } from './bloomier.js';
import type { LoadOptions } from './container.js';
import { CountingBloomFilter } from './counting-bloom.js';
import { CuckooFilter } from './cuckoo.js';
import { DLeftCountingFilter } from './d-left-counting.js';
import { DeletableBloomFilter } from './deletable-bloom.js';
import { ExactFilter } from './exact.js';
import { open, type ReaderOf } from './open.js';
import { RibbonFilter } from './ribbon.js';
import { RotatingBloomFilter } from './rotating-bloom.js';
import { ScalableBloomFilter } from './scalable-bloom.js';
import { TombstoneBloomFilter } from './tombstone-bloom.js';

const classes = [
  BloomFilter,
  BlockedBloomFilter,
  CountingBloomFilter,
  TombstoneBloomFilter,
  DeletableBloomFilter,
  ScalableBloomFilter,
  RotatingBloomFilter,
  DLeftCountingFilter,
  CuckooFilter,
  BinaryFuseFilter,
  RibbonFilter,
  ExactFilter,
  BloomierMap,
  BitArray,
] as const;

/** Any structure of tamis/read, told apart by `type`. */
export type AnyReader = ReaderOf<typeof classes>;

/**
 * `open` with every class of this entry, all of which are in your bundle then. Throws what fromBytes throws, and
 * WRONG_TYPE for a type that has no look-ups.
 *
 * @example
 * import { CuckooFilter } from 'tamis';
 * import { openAny } from 'tamis/read';
 * openAny(CuckooFilter.from(['alice']).toBytes()).type; // => 'cuckoo'
 */
export const openAny = (bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): AnyReader =>
  open(bytes, classes, options);
