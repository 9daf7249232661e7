// Bloom filter, to ask.

import type { Definition } from '../core/structures/definition.js';
import { makeRules } from '../core/structures/scheme.js';
import { bitsFigure, figure, hashesFigure } from '../core/structures/structure.js';
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
      part: bloom,
      name: 'BloomFilter',
      shown: ['scheme', 'bits', 'hashes'],
      schemes: makeRules(
        () => [],
        "tamis/read has the default alone; load them by 'tamis', with the option schemes",
      ),
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
