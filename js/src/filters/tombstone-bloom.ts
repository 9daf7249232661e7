// Tombstone Bloom filter: the mirror of cpp/include/tamis/filters/tombstone_bloom.hpp.

import { integer } from '../core/options.js';
import { addMessages } from '../core/statuses.js';
import { type CapacityOptions, capacityReaders, construct } from '../core/structures/building.js';
import type { Definition } from '../core/structures/definition.js';
import { DeletableFilter } from '../core/structures/filter.js';
import {
  deletionsFigure,
  falseNegativeRateFigure,
  figure,
  tombstoneBloomId,
} from '../core/structures/structure.js';
import { tombstoneBloom } from '../wasm/parts/tombstone-bloom.js';

addMessages({
  ERR_TAMIS_TOMBSTONED:
    'the key was deleted, or looks as if it were, and cannot come back; nothing was changed',
});

/** Options of `new TombstoneBloomFilter`; fpr from 2^-32 on. */
export interface TombstoneBloomOptions extends CapacityOptions {
  /** Deletes that the tombstones are made for; default: as many as `capacity`. */
  readonly deletions?: number;
}

/**
 * The one filter here with false negatives, `falseNegativeRate` of them: a Bloom filter of the keys added and
 * one of the keys deleted. Choose it when few keys are deleted, none comes back, and a missed key now and
 * then does no harm. Adding a deleted key, or one that looks deleted, throws TOMBSTONED. `count`: keys
 * certainly new when added, less those deleted.
 *
 * @example
 * import { TombstoneBloomFilter } from 'tamis';
 * const valid = new TombstoneBloomFilter({ capacity: 1000 });
 * valid.add('token-1'); // => true
 * valid.delete('token-1'); // => true
 * valid.has('token-1'); // => false
 */
export class TombstoneBloomFilter extends DeletableFilter<
  'tombstone-bloom',
  TombstoneBloomOptions
> {
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
    };
  }

  /** Deletes that the tombstones are made for; beyond, `falseNegativeRate` rises. */
  get deletions(): number {
    return figure(this, deletionsFigure);
  }

  /** The chance that a key which was added and not deleted is called absent: 0 before the first delete. */
  get falseNegativeRate(): number {
    return figure(this, falseNegativeRateFigure);
  }
}
