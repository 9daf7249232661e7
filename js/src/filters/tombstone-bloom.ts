// Tombstone Bloom filter: the mirror of cpp/include/tamis/filters/tombstone_bloom.hpp.

import {
  buildFrom,
  type CapacityOptions,
  capacityReaders,
  construct,
  type Definition,
  type FromOptions,
  sizeOf,
} from '../core/building.js';
import { DeletableFilter } from '../core/filter.js';
import type { Keys } from '../core/key-types.js';
import { type LoadOptions, load, loadStream, type StreamLoadOptions } from '../core/loading.js';
import { integer } from '../core/options.js';
import type { ByteSource } from '../core/streams.js';
import { adopting, copyOf, emptyCopyOf, figure } from '../core/structure.js';
import { tombstoneBloom } from '../wasm/parts/tombstone-bloom.js';

/** Options of `new TombstoneBloomFilter`; fpr from 2^-32 on. */
export interface TombstoneBloomOptions extends CapacityOptions {
  /** Deletes that the tombstones are made for; default: as many as `capacity`. */
  readonly deletions?: number;
}

export const tombstoneBloomType: Definition<TombstoneBloomFilter> = {
  type: 'tombstone-bloom',
  part: tombstoneBloom,
  name: 'TombstoneBloomFilter',
  adopt: (handle) => new TombstoneBloomFilter(adopting<TombstoneBloomOptions>(handle)),
  readers: { ...capacityReaders, deletions: integer(1) },
  refusal: 'fpr must be at least 2^-32',
};

/**
 * The one filter here with false negatives, `falseNegativeRate` of them: a Bloom filter of the keys added and
 * one of the keys deleted. Choose it when few keys are deleted, none comes back, and a missed key now and
 * then does no harm. Adding a deleted key, or one that looks deleted, throws TOMBSTONED. `count`: keys
 * certainly new when added, less those deleted.
 *
 * @example
 * import { TombstoneBloomFilter } from 'tamis';
 * const valid = new TombstoneBloomFilter({ capacity: 1000 });
 * valid.add('token-1'); // => true
 * valid.delete('token-1'); // => true
 * valid.has('token-1'); // => false
 */
export class TombstoneBloomFilter extends DeletableFilter {
  /** Throws RangeError, TypeError, TOO_LARGE (above 2^32 bits), OUT_OF_MEMORY. */
  constructor(options: TombstoneBloomOptions) {
    super(construct(tombstoneBloomType, options));
  }

  /** Builds a filter and adds the keys; `capacity` defaults to their number where that is known. */
  static from(keys: Keys, options?: FromOptions<TombstoneBloomOptions>): TombstoneBloomFilter {
    return buildFrom(tombstoneBloomType, keys, options);
  }

  /** Bytes in memory of a filter with these options, without building it. */
  static sizeFor(options: TombstoneBloomOptions): number {
    return sizeOf(tombstoneBloomType, options);
  }

  /** The filter in the bytes of `toBytes`; throws rather than give a wrong one. */
  static fromBytes(bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): TombstoneBloomFilter {
    return load([tombstoneBloomType], bytes, options);
  }

  /** fromBytes for a download; refuses as soon as the header is wrong. */
  static fromStream(
    stream: ByteSource,
    options?: StreamLoadOptions,
  ): Promise<TombstoneBloomFilter> {
    return loadStream([tombstoneBloomType], stream, options);
  }

  get type(): 'tombstone-bloom' {
    return 'tombstone-bloom';
  }

  get [Symbol.toStringTag](): string {
    return 'TombstoneBloomFilter';
  }

  /** Deletes that the tombstones are made for; beyond, `falseNegativeRate` rises. */
  get deletions(): number {
    return figure(this, 'deletions');
  }

  /** The chance that a key which was added and not deleted is called absent: 0 before the first delete. */
  get falseNegativeRate(): number {
    return figure(this, 'falseNegativeRate');
  }

  clone(): TombstoneBloomFilter {
    return tombstoneBloomType.adopt(copyOf(this));
  }

  emptyCopy(): TombstoneBloomFilter {
    return tombstoneBloomType.adopt(emptyCopyOf(this));
  }

  override toJSON(): Record<string, unknown> {
    return {
      ...super.toJSON(),
      deletions: this.deletions,
      falseNegativeRate: this.falseNegativeRate,
    };
  }
}
