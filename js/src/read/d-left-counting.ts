// D-left counting filter, for look-ups.

import type { Key } from '../core/keys/key-types.js';
import type { Definition } from '../core/structures/definition.js';
import { keyOperations, knowKey } from '../core/structures/filter.js';
import { dLeftCountingId } from '../core/structures/structure.js';
import { dLeftCounting } from '../wasm/readers/d-left-counting.js';
import { Filter } from './reader.js';

/**
 * A table of remainders with counters, which stick at 3. `count`: copies held. Bytes of another type throw
 * WRONG_TYPE.
 *
 * Bonomi, Mitzenmacher, Panigrahy, Singh and Varghese, ESA 2006.
 *
 * @example
 * import { DLeftCountingFilter as Builder } from 'tamis';
 * import { DLeftCountingFilter } from 'tamis/read';
 * const filter = DLeftCountingFilter.fromBytes(Builder.from(['ant', 'ant', 'bee'], { capacity: 100 }).toBytes());
 * filter.countOf('ant'); // => 2
 * filter.countOf('cat'); // => 0
 */
export class DLeftCountingFilter extends Filter<'d-left-counting'> {
  /** @internal */
  static define(): Definition {
    return {
      type: 'd-left-counting',
      id: dLeftCountingId,
      part: dLeftCounting,
      name: 'DLeftCountingFilter',
    };
  }

  /** Copies of the key. 0: certainly absent. */
  countOf(key: Key): number {
    return knowKey(this, keyOperations.countOf, key);
  }
}
