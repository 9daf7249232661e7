// Bloom filter with tombstones (FORMAT.md, section 5.5).

import { readSubfilters, type Subfilter } from './bloom-bits.js';
import { type Container, type Kind, type LoadOptions, need } from './container.js';
import { Filter, type Lookup } from './filter.js';

/**
 * Two Bloom filters: one of the added keys, and one of the deleted keys. It is the only filter here with false
 * negatives: `has` is false for a few of its keys. Bytes of another type throw ERR_TAMIS_WRONG_TYPE.
 *
 * @example
 * import { TombstoneBloomFilter as Builder } from 'tamis';
 * import { TombstoneBloomFilter } from 'tamis/read';
 * const filter = TombstoneBloomFilter.fromBytes(Builder.from(['ant', 'bee'], { capacity: 100 }).toBytes());
 * filter.has('ant'); // => true
 * filter.count; // => 2
 */
export class TombstoneBloomFilter extends Filter<'tombstone-bloom'> {
  declare static fromBytes: (
    bytes: ArrayBuffer | Uint8Array,
    options?: LoadOptions,
  ) => TombstoneBloomFilter;

  /** @internal */
  get kind(): Kind<'tombstone-bloom'> {
    return ['tombstone-bloom', 4];
  }

  /** @internal */
  read(file: Container): Lookup {
    const [added, deleted] = readSubfilters(file, 2) as [Subfilter, Subfilter];
    need(added.capacity === file.capacity);
    need(file.count === Math.max(0, added.count - deleted.count));
    return {
      test: () => added.test() && !deleted.test(),
      // This is the rate for keys that were never deleted.
      rate: added.rate,
      // This is the number of deletes that the filter is made for, not the number that happened.
      figures: { deletions: deleted.capacity },
    };
  }
}
