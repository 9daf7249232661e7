// Exact filter of two sets, for look-ups.

import type { Definition } from '../core/structures/definition.js';
import { exactId, excludedFigure, figure } from '../core/structures/structure.js';
import { exact } from '../wasm/readers/exact.js';
import { Filter } from './reader.js';

/**
 * Exact on the two sets that it was built of: true for the included keys, false for the excluded ones. `count`:
 * the included keys. Of all other keys the share `fprOutside` answers true. Bytes of another type throw
 * WRONG_TYPE.
 *
 * Two levels, as Mozilla's Clubcard (Schanck, IEEE Symposium on Security and Privacy 2025), by ribbons.
 *
 * @example
 * import { ExactFilter as Builder } from 'tamis';
 * import { ExactFilter } from 'tamis/read';
 * const filter = ExactFilter.fromBytes(Builder.from({ include: ['ant'], exclude: ['bee', 'cat'] }).toBytes());
 * filter.hasMany(['ant', 'bee', 'cat']); // => Uint8Array.of(1, 0, 0)
 * filter.excluded; // => 2
 */
export class ExactFilter extends Filter<'exact'> {
  /** @internal */
  static define(): Definition {
    return {
      type: 'exact',
      id: exactId,
      part: exact,
      name: 'ExactFilter',
      shown: ['excluded'],
    };
  }

  /** Distinct keys of the set for which `has` is false. */
  get excluded(): number {
    return figure(this, excludedFigure);
  }

  /** The share of keys outside both sets that are taken for included; equal to `fpr`. */
  get fprOutside(): number {
    return this.fpr;
  }
}
