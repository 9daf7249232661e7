// Counting Bloom filter: mirrors cpp/include/tamis/filters/counting_bloom.hpp.

import { statusAddress } from '../core/border/memory.js';
import type { Key } from '../core/key-types.js';
import { integer } from '../core/options.js';
import { actOnPlace } from '../core/structures/bits.js';
import { type CapacityOptions, capacityReaders, construct } from '../core/structures/building.js';
import { adopt, type Definition } from '../core/structures/definition.js';
import { askOrThrow } from '../core/structures/filter.js';
import { type DeletableClass, DeletableFilter } from '../core/structures/growing.js';
import {
  combine,
  counterBit,
  counterBitsFigure,
  countersFigure,
  countingBloomId,
  countOfOperation,
  derive,
  figure,
  hashesFigure,
} from '../core/structures/structure.js';
import { countingBloom } from '../wasm/parts/counting-bloom.js';
import { BloomFilter } from './bloom.js';

/** The options of `new CountingBloomFilter`. */
export interface CountingBloomOptions extends CapacityOptions {
  /** The number of bits of a counter, 2 to 16; default 4. With 4 bits, one counter in 6 * 10^14 is full at capacity. */
  readonly counterBits?: number;
}

/**
 * A Bloom filter with counters instead of bits, so that keys can be deleted. `fpr` defaults to 0.01, `counterBits` to
 * 4.
 *
 * A key takes 38 bits at 1 % with 4-bit counters. Choose it to merge such filters, or to ship them as plain Bloom
 * filters. A `CuckooFilter` deletes too, in a third of the memory. A counter that reaches its largest value sticks
 * there, so a deleted key may remain. `count` counts each copy of a key.
 *
 * Fan, Cao, Almeida and Broder, IEEE/ACM ToN 8(3), 2000.
 *
 * @example
 * import { CountingBloomFilter } from 'tamis';
 * const cart = new CountingBloomFilter({ capacity: 1000 });
 * cart.add('tea'); // => true
 * cart.add('tea'); // => false
 * cart.countOf('tea'); // => 2
 * cart.delete('tea'); // => true
 * cart.has('tea'); // => true
 */
export class CountingBloomFilter extends (DeletableFilter as DeletableClass<
  CountingBloomFilter,
  'counting-bloom',
  CountingBloomOptions
>) {
  /** @internal */
  static define(): Definition {
    return {
      type: 'counting-bloom',
      id: countingBloomId,
      part: countingBloom,
      name: 'CountingBloomFilter',
      construct,
      shown: ['counterBits', 'counters', 'hashes'],
      readers: { ...capacityReaders(), counterBits: integer(2, 16) },
    };
  }

  /** The number of counters. */
  get counters(): number {
    return figure(this, countersFigure);
  }

  /** The number of bits of a counter. */
  get counterBits(): number {
    return figure(this, counterBitsFigure);
  }

  /** The number of counters that a key raises. */
  get hashes(): number {
    return figure(this, hashesFigure);
  }

  /** Returns the number of copies of the key, which is its lowest counter. 0 means certainly absent. */
  countOf(key: Key): number {
    return askOrThrow(this, countOfOperation, key);
  }

  /** Returns the value of one counter. Throws RangeError outside 0..counters-1. */
  counterAt(index: number): number {
    return actOnPlace(this, counterBit, index, 'counterAt', 'counters');
  }

  /**
   * Makes a Bloom filter of the same keys, with one bit for each counter, for clients that only look up. Its `count` is
   * that of this filter.
   */
  toBloom(): BloomFilter {
    const bloom = derive(this, (core, handle) =>
      core.countingBloomFilterToBloom(handle, statusAddress),
    );
    return adopt(BloomFilter, bloom);
  }

  /** Adds the counters of the other filter. Throws ERR_TAMIS_INCOMPATIBLE if seed, secret or geometry differ. */
  merge(other: CountingBloomFilter): this {
    const fields = ['hash', 'seed', 'counters', 'hashes', 'counterBits'] as const;
    return combine(this, other, fields, (core, into, from) => core.merge(into, from));
  }
}
