// Deletable Bloom filter: mirrors cpp/include/tamis/filters/deletable_bloom.hpp.

import type { Key } from '../core/key-types.js';
import { integer } from '../core/options.js';
import { actOnPlace } from '../core/structures/bits.js';
import { type CapacityOptions, capacityReaders, construct } from '../core/structures/building.js';
import type { Definition } from '../core/structures/definition.js';
import { askOrThrow } from '../core/structures/filter.js';
import { type DeletableClass, DeletableFilter } from '../core/structures/growing.js';
import {
  bitsFigure,
  deletableBloomId,
  deletableRatioFigure,
  figure,
  hashesFigure,
  isDeletableOperation,
  isLockedBit,
  regionsFigure,
} from '../core/structures/structure.js';
import { deletableBloom } from '../wasm/parts/deletable-bloom.js';

/** The options of `new DeletableBloomFilter`. */
export interface DeletableBloomOptions extends CapacityOptions {
  /** The number of regions, 1 to the number of bits; default: one per 8 bits. With fewer, collisions lock more keys. */
  readonly regions?: number;
}

/**
 * A Bloom filter with its bits in regions. Bits in a region without a collision can be cleared, so most keys can be
 * deleted. `fpr` defaults to 0.01.
 *
 * It takes a few bits more than a plain filter. Choose it if not every key must be deletable. From 10 bits per key on,
 * `CuckooFilter` is better in every way. A collision locks a region; adding a key twice locks all its regions. `count` is
 * the number of keys that were certainly new when added, minus the deleted ones.
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
export class DeletableBloomFilter extends (DeletableFilter as DeletableClass<
  DeletableBloomFilter,
  'deletable-bloom',
  DeletableBloomOptions
>) {
  /** @internal */
  static define(): Definition {
    return {
      type: 'deletable-bloom',
      id: deletableBloomId,
      part: deletableBloom,
      name: 'DeletableBloomFilter',
      construct,
      shown: ['bits', 'hashes', 'regions', 'deletableRatio'],
      readers: { ...capacityReaders(), regions: integer(1) },
      refusal: 'regions must be at most the number of bits',
      keyMessages: () => ({
        ERR_TAMIS_NOT_DELETABLE: 'other keys may share all bits of this key; nothing was changed',
      }),
    };
  }

  /** The number of bits. */
  get bits(): number {
    return figure(this, bitsFigure);
  }

  /** The number of bits that a key sets. */
  get hashes(): number {
    return figure(this, hashesFigure);
  }

  /** The number of regions. Bit i is in region floor(i * regions / bits). */
  get regions(): number {
    return figure(this, regionsFigure);
  }

  /** The estimated share of the keys that can be deleted now; 1 for an empty filter. */
  get deletableRatio(): number {
    return figure(this, deletableRatioFigure);
  }

  /**
   * True if `delete` would delete the key: `has` is true, and one of the key's bits is in a region without a collision.
   * If `has` is true and there is no such bit, `delete` throws ERR_TAMIS_NOT_DELETABLE.
   */
  isDeletable(key: Key): boolean {
    return askOrThrow(this, isDeletableOperation, key) === 1;
  }

  /** True if a collision locked the region. Throws RangeError outside 0..regions-1. */
  isLocked(region: number): boolean {
    return actOnPlace(this, isLockedBit, region, 'isLocked', 'regions') === 1;
  }
}
