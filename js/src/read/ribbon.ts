// Ribbon filter, for look-ups.

import type { Definition } from '../core/structures/definition.js';
import { figure, fingerprintBitsFigure, ribbonId } from '../core/structures/structure.js';
import { ribbon } from '../wasm/readers/ribbon.js';
import { Filter } from './reader.js';

/**
 * A static filter, the smallest. A key outside answers true at a rate of 2^-`fingerprintBits`. Bytes of another
 * type throw WRONG_TYPE.
 *
 * Dillinger, Huebschle-Schneider, Sanders and Walzer, SEA 2022.
 *
 * @example
 * import { RibbonFilter as Builder } from 'tamis';
 * import { RibbonFilter } from 'tamis/read';
 * const filter = RibbonFilter.fromBytes(Builder.from(['ant', 'bee'], { fpr: 2 ** -16 }).toBytes());
 * filter.has('ant'); // => true
 * filter.count; // => 2
 */
export class RibbonFilter extends Filter<'ribbon'> {
  /** @internal */
  static define(): Definition {
    return {
      type: 'ribbon',
      id: ribbonId,
      part: ribbon,
      name: 'RibbonFilter',
      shown: ['fingerprintBits'],
    };
  }

  /** Bits of a fingerprint. */
  get fingerprintBits(): number {
    return figure(this, fingerprintBitsFigure);
  }
}
