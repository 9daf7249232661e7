// Bloom filter, for look-ups.

import { copyOwn } from '../core/options.js';
import type { Definition } from '../core/structures/definition.js';
import type { SchemeRules } from '../core/structures/scheme.js';
import { bitsFigure, bloomId, figure, hashesFigure } from '../core/structures/structure.js';
import { bloom } from '../wasm/readers/bloom.js';
import { Filter } from './reader.js';

/**
 * A Bloom filter of the default scheme. Bytes of another scheme throw UNSUPPORTED: `BloomFilter` of `tamis` loads
 * them. `count`: keys certainly new when added. Bytes of another type throw WRONG_TYPE.
 *
 * Bloom, CACM 13(7), 1970.
 *
 * @example
 * import { BloomFilter as Builder } from 'tamis';
 * import { BloomFilter } from 'tamis/read';
 * const filter = BloomFilter.fromBytes(Builder.from(['ant', 'bee'], { fpr: 0.01 }).toBytes());
 * filter.has('ant'); // => true
 * filter.count; // => 2
 */
export class BloomFilter extends Filter<'bloom'> {
  /** @internal */
  static define(): Definition {
    return {
      type: 'bloom',
      id: bloomId,
      part: bloom,
      name: 'BloomFilter',
      shown: ['scheme', 'bits', 'hashes'],
      schemes: copyOwn<SchemeRules>({
        explain: () =>
          "tamis/read does not know the scheme of the bytes; load them by BloomFilter of 'tamis'",
      }),
    };
  }

  /** How a key's positions are made. */
  get scheme(): 'mcg' {
    return 'mcg';
  }

  /** Bits of the array. */
  get bits(): number {
    return figure(this, bitsFigure);
  }

  /** Bits that a key sets. */
  get hashes(): number {
    return figure(this, hashesFigure);
  }
}
