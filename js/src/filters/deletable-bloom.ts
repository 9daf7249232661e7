// Deletable Bloom filter: the mirror of cpp/include/tamis/filters/deletable_bloom.hpp.

import { bitOperations, place } from '../core/bits.js';
import {
  buildFrom,
  type CapacityOptions,
  capacityReaders,
  construct,
  type Definition,
  type FromOptions,
  sizeOf,
} from '../core/building.js';
import { DeletableFilter, keyOperations, knowKey } from '../core/filter.js';
import type { Key, Keys } from '../core/key-types.js';
import { type LoadOptions, load, loadStream, type StreamLoadOptions } from '../core/loading.js';
import { integer } from '../core/options.js';
import type { ByteSource } from '../core/streams.js';
import { adopting, copyOf, emptyCopyOf, figure } from '../core/structure.js';
import { deletableBloom } from '../wasm/parts/deletable-bloom.js';

/** Options of `new DeletableBloomFilter`. */
export interface DeletableBloomOptions extends CapacityOptions {
  /** Regions, 1 to the number of bits; default: one for each 8 bits. Larger regions lock far sooner. */
  readonly regions?: number;
}

export const deletableBloomType: Definition<DeletableBloomFilter> = {
  type: 'deletable-bloom',
  part: deletableBloom,
  name: 'DeletableBloomFilter',
  adopt: (handle) => new DeletableBloomFilter(adopting<DeletableBloomOptions>(handle)),
  readers: { ...capacityReaders, regions: integer(1) },
  refusal: 'regions must be at most the number of bits',
};

/**
 * A Bloom filter in regions, of which those without a collision can be cleared again: most keys can be deleted,
 * at little more than the bits of a plain filter. Choose it where not every key must be deletable; from 10 bits a
 * key on `CuckooFilter` is better in every way. Adding a key twice locks its regions. `count`: keys certainly new
 * when added, less those deleted. Like `BloomFilter`, a very small one with a very low rate has more than it was
 * designed for (README, "What is guaranteed").
 *
 * Rothenberg, Macapuna, Verdi and Magalhaes, IEEE Communications Letters 14(6), 2010.
 *
 * @example
 * import { DeletableBloomFilter } from 'tamis';
 * const filter = new DeletableBloomFilter({ capacity: 1000 });
 * filter.add('alice'); // => true
 * filter.isDeletable('alice'); // => true
 * filter.delete('alice'); // => true
 * filter.has('alice'); // => false
 */
export class DeletableBloomFilter extends DeletableFilter {
  /** Throws RangeError, TypeError, TOO_LARGE (above 2^32 bits), OUT_OF_MEMORY. */
  constructor(options: DeletableBloomOptions) {
    super(construct(deletableBloomType, options));
  }

  /** Builds a filter and adds the keys; `capacity` defaults to their number where that is known. */
  static from(keys: Keys, options?: FromOptions<DeletableBloomOptions>): DeletableBloomFilter {
    return buildFrom(deletableBloomType, keys, options);
  }

  /** Bytes in memory of a filter with these options, without building it. */
  static sizeFor(options: DeletableBloomOptions): number {
    return sizeOf(deletableBloomType, options);
  }

  /** The filter in the bytes of `toBytes`; throws rather than give a wrong one. */
  static fromBytes(bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): DeletableBloomFilter {
    return load([deletableBloomType], bytes, options);
  }

  /** fromBytes for a download; refuses as soon as the header is wrong. */
  static fromStream(
    stream: ByteSource,
    options?: StreamLoadOptions,
  ): Promise<DeletableBloomFilter> {
    return loadStream([deletableBloomType], stream, options);
  }

  get type(): 'deletable-bloom' {
    return 'deletable-bloom';
  }

  get [Symbol.toStringTag](): string {
    return 'DeletableBloomFilter';
  }

  /** Bits of the array. */
  get bits(): number {
    return figure(this, 'bits');
  }

  /** Bits that a key sets. */
  get hashes(): number {
    return figure(this, 'hashes');
  }

  /** Regions of the array; bit i lies in region floor(i * regions / bits). */
  get regions(): number {
    return figure(this, 'regions');
  }

  /** The share of the keys held that could be deleted now, estimated; 1 for an empty filter. */
  get deletableRatio(): number {
    return figure(this, 'deletableRatio');
  }

  /**
   * Whether `delete` would take the key out: it is positive, and one of its bits stands in a region without a
   * collision. Where none does, `delete` throws NOT_DELETABLE.
   */
  isDeletable(key: Key): boolean {
    return knowKey(this, keyOperations.isDeletable, key) === 1;
  }

  /** Whether a collision locked the region. A RangeError outside 0..regions-1. */
  isLocked(region: number): boolean {
    return place(this, bitOperations.isLocked, region, 'isLocked', () => this.regions) === 1;
  }

  clone(): DeletableBloomFilter {
    return deletableBloomType.adopt(copyOf(this));
  }

  emptyCopy(): DeletableBloomFilter {
    return deletableBloomType.adopt(emptyCopyOf(this));
  }

  override toJSON(): Record<string, unknown> {
    return {
      ...super.toJSON(),
      bits: this.bits,
      hashes: this.hashes,
      regions: this.regions,
      deletableRatio: this.deletableRatio,
    };
  }
}
