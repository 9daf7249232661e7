// Deletable Bloom filter, for look-ups.

import type { Key } from '../core/keys/key-types.js';
import type { Definition } from '../core/structures/definition.js';
import { keyOperations, knowKey } from '../core/structures/filter.js';
import {
  bitsFigure,
  deletableBloomId,
  deletableRatioFigure,
  figure,
  hashesFigure,
  regionsFigure,
} from '../core/structures/structure.js';
import { deletableBloom } from '../wasm/readers/deletable-bloom.js';
import { Filter } from './reader.js';

/**
 * A Bloom filter in regions, which knows the keys that could be deleted. Bytes of another type throw WRONG_TYPE.
 *
 * Rothenberg, Macapuna, Verdi and Magalhaes, IEEE Communications Letters 14(6), 2010.
 *
 * @example
 * import { DeletableBloomFilter as Builder } from 'tamis';
 * import { DeletableBloomFilter } from 'tamis/read';
 * const filter = DeletableBloomFilter.fromBytes(Builder.from(['ant', 'bee'], { capacity: 100 }).toBytes());
 * filter.isDeletable('ant'); // => true
 * filter.isDeletable('cat'); // => false
 */
export class DeletableBloomFilter extends Filter<'deletable-bloom'> {
  /** @internal */
  static define(): Definition {
    return {
      type: 'deletable-bloom',
      id: deletableBloomId,
      part: deletableBloom,
      name: 'DeletableBloomFilter',
      shown: ['bits', 'hashes', 'regions', 'deletableRatio'],
    };
  }

  /** Bits of the array. */
  get bits(): number {
    return figure(this, bitsFigure);
  }

  /** Bits that a key sets. */
  get hashes(): number {
    return figure(this, hashesFigure);
  }

  /** Regions of the array. */
  get regions(): number {
    return figure(this, regionsFigure);
  }

  /** The share of the keys held that could be deleted, estimated. */
  get deletableRatio(): number {
    return figure(this, deletableRatioFigure);
  }

  /** Whether the key is in, and could be deleted. */
  isDeletable(key: Key): boolean {
    return knowKey(this, keyOperations.isDeletable, key) === 1;
  }
}
