// Cuckoo filter, to ask.

import type { Definition } from '../core/structures/definition.js';
import {
  bucketSizeFigure,
  cuckooId,
  figure,
  fingerprintBitsFigure,
  loadFactorFigure,
} from '../core/structures/structure.js';
import { cuckoo } from '../wasm/readers/cuckoo.js';
import { Filter } from './reader.js';

/** A table of fingerprints. */
export class CuckooFilter extends Filter<'cuckoo'> {
  /** @internal */
  static define(): Definition {
    return {
      type: 'cuckoo',
      id: cuckooId,
      part: cuckoo,
      name: 'CuckooFilter',
      shown: ['bucketSize', 'fingerprintBits', 'loadFactor'],
    };
  }

  /** Fingerprints of a bucket. */
  get bucketSize(): number {
    return figure(this, bucketSizeFigure);
  }

  /** Bits of a fingerprint. */
  get fingerprintBits(): number {
    return figure(this, fingerprintBitsFigure);
  }

  /** The share of places that are taken, 0 to 1. */
  get loadFactor(): number {
    return figure(this, loadFactorFigure);
  }
}
