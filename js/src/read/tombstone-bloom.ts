// Bloom filter with tombstones, for look-ups.

import type { Definition } from '../core/structures/definition.js';
import {
  deletionsFigure,
  falseNegativeRateFigure,
  figure,
  tombstoneBloomId,
} from '../core/structures/structure.js';
import { tombstoneBloom } from '../wasm/readers/tombstone-bloom.js';
import { Filter } from './reader.js';

/**
 * Two Bloom filters, of the keys that came and of those that went. The one filter here with false negatives:
 * `falseNegativeRate` of the keys. Bytes of another type throw WRONG_TYPE.
 *
 * @example
 * import { TombstoneBloomFilter as Builder } from 'tamis';
 * import { TombstoneBloomFilter } from 'tamis/read';
 * const filter = TombstoneBloomFilter.fromBytes(Builder.from(['ant', 'bee'], { capacity: 100 }).toBytes());
 * filter.has('ant'); // => true
 * filter.deletions; // => 100
 */
export class TombstoneBloomFilter extends Filter<'tombstone-bloom'> {
  /** @internal */
  static define(): Definition {
    return {
      type: 'tombstone-bloom',
      id: tombstoneBloomId,
      part: tombstoneBloom,
      name: 'TombstoneBloomFilter',
      shown: ['deletions', 'falseNegativeRate'],
    };
  }

  /** Deletes that the filter was made for. */
  get deletions(): number {
    return figure(this, deletionsFigure);
  }

  /** The chance that a key which was added and not deleted is called absent. */
  get falseNegativeRate(): number {
    return figure(this, falseNegativeRateFigure);
  }
}
