// Bloom filter, to ask.

import { copyOwn } from '../core/options.js';
import type { Definition } from '../core/structures/definition.js';
import type { SchemeRules } from '../core/structures/scheme.js';
import { bitsFigure, bloomId, figure, hashesFigure } from '../core/structures/structure.js';
import { bloom } from '../wasm/readers/bloom.js';
import { Filter } from './reader.js';

/**
 * A Bloom filter of the default scheme. Files of other schemes throw UNSUPPORTED: `BloomFilter` of `tamis` loads
 * them.
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
