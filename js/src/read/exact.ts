// Exact filter of two sets, to ask.

import type { Definition } from '../core/structures/definition.js';
import { exactId, excludedFigure, figure } from '../core/structures/structure.js';
import { exact } from '../wasm/readers/exact.js';
import { Filter } from './reader.js';

/** Exact on two sets that were known when it was built. */
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

  /** The share of keys outside of both sets that are taken for included; the same as `fpr`. */
  get fprOutside(): number {
    return this.fpr;
  }
}
