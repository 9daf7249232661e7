// Cuckoo filter, for look-ups.

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

/**
 * A table of buckets of fingerprints. `count`: copies held. Bytes of another type throw WRONG_TYPE.
 *
 * Fan, Andersen, Kaminsky and Mitzenmacher, CoNEXT 2014.
 *
 * @example
 * import { CuckooFilter as Builder } from 'tamis';
 * import { CuckooFilter } from 'tamis/read';
 * const filter = CuckooFilter.fromBytes(Builder.from(['ant', 'bee']).toBytes());
 * filter.has('ant'); // => true
 * filter.count; // => 2
 */
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
