// Counting Bloom filter, for look-ups.

import type { Key } from '../core/keys/key-types.js';
import type { Definition } from '../core/structures/definition.js';
import { keyOperations, knowKey } from '../core/structures/filter.js';
import {
  counterBitsFigure,
  countersFigure,
  countingBloomId,
  figure,
  hashesFigure,
} from '../core/structures/structure.js';
import { countingBloom } from '../wasm/readers/counting-bloom.js';
import { Filter } from './reader.js';

/**
 * A Bloom filter of counters, of `counterBits` bits each. `count`: copies held. Bytes of another type throw
 * WRONG_TYPE.
 *
 * Fan, Cao, Almeida and Broder, IEEE/ACM ToN 8(3), 2000.
 *
 * @example
 * import { CountingBloomFilter as Builder } from 'tamis';
 * import { CountingBloomFilter } from 'tamis/read';
 * const filter = CountingBloomFilter.fromBytes(Builder.from(['ant', 'ant', 'bee'], { capacity: 100 }).toBytes());
 * filter.countOf('ant'); // => 2
 * filter.count; // => 3
 */
export class CountingBloomFilter extends Filter<'counting-bloom'> {
  /** @internal */
  static define(): Definition {
    return {
      type: 'counting-bloom',
      id: countingBloomId,
      part: countingBloom,
      name: 'CountingBloomFilter',
      shown: ['counterBits', 'counters', 'hashes'],
    };
  }

  /** Counters of the array. */
  get counters(): number {
    return figure(this, countersFigure);
  }

  /** Bits of each. */
  get counterBits(): number {
    return figure(this, counterBitsFigure);
  }

  /** Counters that a key raises. */
  get hashes(): number {
    return figure(this, hashesFigure);
  }

  /** Copies of the key. 0: certainly absent. */
  countOf(key: Key): number {
    return knowKey(this, keyOperations.countOf, key);
  }
}
