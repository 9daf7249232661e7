// d-left counting filter: mirrors cpp/include/tamis/filters/d_left_counting.hpp.

import type { Key } from '../core/key-types.js';
import { type CapacityOptions, capacityReaders, construct } from '../core/structures/building.js';
import type { Definition } from '../core/structures/definition.js';
import { askOrThrow } from '../core/structures/filter.js';
import { type DeletableClass, DeletableFilter, whyFull } from '../core/structures/growing.js';
import { countOfOperation, dLeftCountingId } from '../core/structures/structure.js';
import { dLeftCounting } from '../wasm/parts/d-left-counting.js';

/** The options of `new DLeftCountingFilter`. `fpr` is at least about 2^-25. */
export type DLeftCountingOptions = CapacityOptions;

/**
 * A table of fingerprints with small counters. It counts as a counting Bloom filter does, in half the bits. `fpr`
 * defaults to 0.01.
 *
 * Choose it to count few copies of each key. A counter that reaches 3 stays there, and its key stays in the filter.
 * `capacity` distinct keys fit, except with about one seed in a million. If there is no room for a key, `add` throws
 * ERR_TAMIS_FULL and changes nothing. `count` is the number of copies in the filter.
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
export class DLeftCountingFilter extends (DeletableFilter as DeletableClass<
  DLeftCountingFilter,
  'd-left-counting',
  DLeftCountingOptions
>) {
  /** @internal */
  static define(): Definition {
    return {
      type: 'd-left-counting',
      id: dLeftCountingId,
      part: dLeftCounting,
      name: 'DLeftCountingFilter',
      construct,
      keyMessages: whyFull,
      readers: capacityReaders(),
      refusal: 'fpr must be at least about 2^-25',
    };
  }

  /** Returns the number of copies of the key: 0 means certainly absent, and 3 means three or more. */
  countOf(key: Key): number {
    return askOrThrow(this, countOfOperation, key);
  }
}
