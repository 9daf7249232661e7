// Split-block Bloom filter, to ask.

import type { Definition } from '../core/structures/definition.js';
import { blockedBloomId } from '../core/structures/structure.js';
import { blockedBloom } from '../wasm/readers/blocked-bloom.js';
import { Filter } from './reader.js';

/** A Bloom filter of blocks of 32 bytes. */
export class BlockedBloomFilter extends Filter<'blocked-bloom'> {
  /** @internal */
  static define(): Definition {
    return {
      type: 'blocked-bloom',
      id: blockedBloomId,
      part: blockedBloom,
      name: 'BlockedBloomFilter',
    };
  }
}
