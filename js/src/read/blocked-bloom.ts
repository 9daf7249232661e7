// Split-block Bloom filter, for look-ups.

import { copyOwn } from '../core/options.js';
import type { Definition } from '../core/structures/definition.js';
import type { SchemeRules } from '../core/structures/scheme.js';
import { blockedBloomId } from '../core/structures/structure.js';
import { blockedBloom } from '../wasm/readers/blocked-bloom.js';
import { Filter } from './reader.js';

/**
 * A Bloom filter of blocks of 32 bytes; a look-up reads one. Bytes with Parquet's hash throw UNSUPPORTED:
 * `BlockedBloomFilter` of `tamis` loads them. Bytes of another type throw WRONG_TYPE.
 *
 * Putze, Sanders and Singler, JEA 14, 2009; the split blocks of Apache Parquet.
 *
 * @example
 * import { BlockedBloomFilter as Builder } from 'tamis';
 * import { BlockedBloomFilter } from 'tamis/read';
 * const filter = BlockedBloomFilter.fromBytes(Builder.from(['ant', 'bee']).toBytes());
 * filter.has('ant'); // => true
 * filter.sizeBytes % 32; // => 0
 */
export class BlockedBloomFilter extends Filter<'blocked-bloom'> {
  /** @internal */
  static define(): Definition {
    return {
      type: 'blocked-bloom',
      id: blockedBloomId,
      part: blockedBloom,
      name: 'BlockedBloomFilter',
      shown: ['scheme'],
      schemes: copyOwn<SchemeRules>({
        explain: () =>
          "tamis/read does not know Parquet's hash; load the bytes by BlockedBloomFilter of 'tamis'",
      }),
    };
  }

  /** What chooses the block of a key and its bits. */
  get scheme(): 'default' {
    return 'default';
  }
}
