// Tombstone Bloom filter: mirrors cpp/include/tamis/filters/tombstone_bloom.hpp.

import { integer } from '../core/options.js';
import { type CapacityOptions, capacityReaders, construct } from '../core/structures/building.js';
import type { Definition } from '../core/structures/definition.js';
import { type DeletableClass, DeletableFilter } from '../core/structures/growing.js';
import {
  deletionsFigure,
  falseNegativeRateFigure,
  figure,
  tombstoneBloomId,
} from '../core/structures/structure.js';
import { tombstoneBloom } from '../wasm/parts/tombstone-bloom.js';

/** The options of `new TombstoneBloomFilter`; `fpr` is at least 2^-32. */
export interface TombstoneBloomOptions extends CapacityOptions {
  /** The number of deletes that the filter is made for; default: `capacity`. */
  readonly deletions?: number;
}

/**
 * Two Bloom filters: one of the added keys, and one of the deleted keys, the tombstones. `fpr` defaults to 0.01.
 *
 * It is the only filter here with false negatives, at the rate `falseNegativeRate`. Choose it if few keys are deleted,
 * none of them is added again, and a missed key does no harm. Adding a key that was deleted, or seems deleted, throws
 * ERR_TAMIS_TOMBSTONED. `count` is the number of keys that were certainly new when added, minus the deleted ones.
 *
 * @example
 * import { TombstoneBloomFilter } from 'tamis';
 * const valid = new TombstoneBloomFilter({ capacity: 1000 });
 * valid.add('token-1'); // => true
 * valid.delete('token-1'); // => true
 * valid.has('token-1'); // => false
 */
export class TombstoneBloomFilter extends (DeletableFilter as DeletableClass<
  TombstoneBloomFilter,
  'tombstone-bloom',
  TombstoneBloomOptions
>) {
  /** @internal */
  static define(): Definition {
    return {
      type: 'tombstone-bloom',
      id: tombstoneBloomId,
      part: tombstoneBloom,
      name: 'TombstoneBloomFilter',
      construct,
      shown: ['deletions', 'falseNegativeRate'],
      readers: { ...capacityReaders(), deletions: integer(1) },
      refusal: 'fpr must be at least 2^-32',
      keyMessages: () => ({
        ERR_TAMIS_TOMBSTONED: 'this key was deleted, or looks deleted; nothing was changed',
      }),
    };
  }

  /** The number of deletes that the filter is made for. If there are more, `falseNegativeRate` rises. */
  get deletions(): number {
    return figure(this, deletionsFigure);
  }

  /** The chance that a key in the filter is called absent; 0 before the first delete. */
  get falseNegativeRate(): number {
    return figure(this, falseNegativeRateFigure);
  }
}
