// d-left counting filter: the mirror of cpp/include/tamis/filters/d_left_counting.hpp.

import type { Key } from '../core/key-types.js';
import { type CapacityOptions, capacityReaders, construct } from '../core/structures/building.js';
import type { Definition } from '../core/structures/definition.js';
import { DeletableFilter, keyOperations, knowKey } from '../core/structures/filter.js';
import { dLeftCountingId } from '../core/structures/structure.js';
import { dLeftCounting } from '../wasm/parts/d-left-counting.js';

/** Options of `new DLeftCountingFilter`; fpr from about 2^-25 on. */
export type DLeftCountingOptions = CapacityOptions;

/**
 * A table of fingerprints with small counters: what a counting Bloom filter does, in half the bits. Choose it
 * to count few copies of each key; a counter that reached 3 sticks, and its key stays in. Takes `capacity`
 * distinct keys but for one seed in a million; what has no room throws FULL and changes nothing. `count`:
 * copies held.
 *
 * Bonomi, Mitzenmacher, Panigrahy, Singh and Varghese, ESA 2006.
 *
 * @example
 * import { DLeftCountingFilter } from 'tamis';
 * const flows = new DLeftCountingFilter({ capacity: 1000 });
 * flows.add('10.0.0.1'); // => true
 * flows.add('10.0.0.1'); // => false
 * flows.countOf('10.0.0.1'); // => 2
 * flows.delete('10.0.0.1'); // => true
 */
export class DLeftCountingFilter extends DeletableFilter<'d-left-counting', DLeftCountingOptions> {
  /** @internal */
  static define(): Definition {
    return {
      type: 'd-left-counting',
      id: dLeftCountingId,
      part: dLeftCounting,
      name: 'DLeftCountingFilter',
      construct,
      readers: capacityReaders(),
      refusal: 'fpr is below what remainders of 30 bits reach, about 2^-25',
    };
  }

  /** Copies of the key, 0 to 3; 3 means 3 or more. 0: certainly absent. */
  countOf(key: Key): number {
    return knowKey(this, keyOperations.countOf, key);
  }
}
