// Split-block Bloom filter: the mirror of cpp/include/tamis/filters/blocked_bloom.hpp.

import {
  buildFrom,
  type CapacityOptions,
  capacityReaders,
  construct,
  type Definition,
  type FromOptions,
  sizeOf,
} from '../core/building.js';
import { MutableFilter } from '../core/filter.js';
import type { Keys } from '../core/key-types.js';
import { type LoadOptions, load, loadStream, type StreamLoadOptions } from '../core/loading.js';
import type { ByteSource } from '../core/streams.js';
import { adopting, combine, copyOf, emptyCopyOf } from '../core/structure.js';
import { blockedBloom } from '../wasm/parts/blocked-bloom.js';

/** Options of `new BlockedBloomFilter`; fpr from 2^-24 on. */
export type BlockedBloomOptions = CapacityOptions;

export const blockedBloomType: Definition<BlockedBloomFilter> = {
  type: 'blocked-bloom',
  part: blockedBloom,
  name: 'BlockedBloomFilter',
  adopt: (handle) => new BlockedBloomFilter(adopting<BlockedBloomOptions>(handle)),
  readers: capacityReaders,
  refusal: 'fpr must be at least 2^-24; BloomFilter reaches lower rates',
};

/**
 * A Bloom filter that puts all bits of a key into one block of 32 bytes: the fastest filter that takes keys
 * one by one, at 10.5 bits a key for 1 % and 22 for 2^-12. Choose `BloomFilter` where size counts. Beyond
 * `capacity` it takes further keys, and only `estimatedFpr` rises. `count`: keys certainly new when added.
 *
 * Putze, Sanders and Singler, JEA 14, 2009; the split blocks of Apache Parquet.
 *
 * @example
 * import { BlockedBloomFilter } from 'tamis';
 * const seen = new BlockedBloomFilter({ capacity: 1_000_000 });
 * seen.add('alice'); // => true
 * seen.has('alice'); // => true
 * seen.has('bob'); // => false
 */
export class BlockedBloomFilter extends MutableFilter {
  /** Throws RangeError, TypeError, TOO_LARGE (above 2^32 bits), OUT_OF_MEMORY. */
  constructor(options: BlockedBloomOptions) {
    super(construct(blockedBloomType, options));
  }

  /** Builds a filter and adds the keys; `capacity` defaults to their number where that is known. */
  static from(keys: Keys, options?: FromOptions<BlockedBloomOptions>): BlockedBloomFilter {
    return buildFrom(blockedBloomType, keys, options);
  }

  /** Bytes in memory of a filter with these options, without building it. */
  static sizeFor(options: BlockedBloomOptions): number {
    return sizeOf(blockedBloomType, options);
  }

  /** The filter in the bytes of `toBytes`; throws rather than give a wrong one. */
  static fromBytes(bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): BlockedBloomFilter {
    return load([blockedBloomType], bytes, options);
  }

  /** fromBytes for a download; refuses as soon as the header is wrong. */
  static fromStream(stream: ByteSource, options?: StreamLoadOptions): Promise<BlockedBloomFilter> {
    return loadStream([blockedBloomType], stream, options);
  }

  get type(): 'blocked-bloom' {
    return 'blocked-bloom';
  }

  get [Symbol.toStringTag](): string {
    return 'BlockedBloomFilter';
  }

  /** Union in place. Throws INCOMPATIBLE, naming what differs; capacities may. */
  merge(other: BlockedBloomFilter): this {
    combine(this, other, ['hash', 'seed', 'sizeBytes'], (core, into, from) =>
      core.merge(into, from),
    );
    return this;
  }

  clone(): BlockedBloomFilter {
    return blockedBloomType.adopt(copyOf(this));
  }

  emptyCopy(): BlockedBloomFilter {
    return blockedBloomType.adopt(emptyCopyOf(this));
  }
}
