// Bloom filter with tombstones, to ask.

import type { Definition } from '../core/structures/definition.js';
import {
  deletionsFigure,
  falseNegativeRateFigure,
  figure,
  tombstoneBloomId,
} from '../core/structures/structure.js';
import { tombstoneBloom } from '../wasm/readers/tombstone-bloom.js';
import { Filter } from './reader.js';

/** Two Bloom filters, of keys that came and of keys that went. */
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
