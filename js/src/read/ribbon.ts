// Ribbon filter, to ask.

import type { Definition } from '../core/structures/definition.js';
import { figure, fingerprintBitsFigure, ribbonId } from '../core/structures/structure.js';
import { ribbon } from '../wasm/readers/ribbon.js';
import { Filter } from './reader.js';

/** A static filter, the smallest. */
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
