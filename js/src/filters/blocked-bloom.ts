// Split-block Bloom filter: mirrors cpp/include/tamis/filters/blocked_bloom.hpp.

import { type CapacityOptions, capacityReaders, construct } from '../core/structures/building.js';
import type { Definition } from '../core/structures/definition.js';
import { type MutableClass, MutableFilter } from '../core/structures/growing.js';
import { schemeRules } from '../core/structures/scheme.js';
import { blockedBloomId, combine, hashIdOf, parquetHash } from '../core/structures/structure.js';
import { blockedBloom } from '../wasm/parts/blocked-bloom.js';

/** The options of `new BlockedBloomFilter`. `fpr` is at least 2^-24. */
export type BlockedBloomOptions = CapacityOptions;

/**
 * A Bloom filter that sets all bits of a key in one block of 32 bytes. `fpr` defaults to 0.01.
 *
 * It is the fastest filter to which keys can be added, with 10.5 bits per key at 1 % and 22 at 2^-12. Choose
 * `BloomFilter` if size matters more. Keys can be added beyond `capacity`; then only `estimatedFpr` rises. `count` is
 * the number of keys that were certainly new when added; after `merge` it is an estimate.
 *
 * Putze, Sanders and Singler, JEA 14, 2009; the split blocks of Apache Parquet.
 *
 * @example
 * import { BlockedBloomFilter } from 'tamis';
 * const seen = new BlockedBloomFilter({ capacity: 1_000_000 });
 * seen.add('alice'); // => true
 * seen.has('alice'); // => true
 * seen.has('bob'); // => false
 */
export class BlockedBloomFilter extends (MutableFilter as MutableClass<
  BlockedBloomFilter,
  'blocked-bloom',
  BlockedBloomOptions
>) {
  /** @internal */
  static define(): Definition {
    return {
      type: 'blocked-bloom',
      id: blockedBloomId,
      part: blockedBloom,
      name: 'BlockedBloomFilter',
      construct,
      readers: capacityReaders(),
      shown: ['scheme'],
      rules: schemeRules,
      refusal: 'fpr must be at least 2^-24; BloomFilter reaches lower rates',
    };
  }

  /** `'parquet'` if Parquet's hash chooses the block and its bits, else `'default'`. */
  get scheme(): 'default' | 'parquet' {
    return hashIdOf(this) === parquetHash ? 'parquet' : 'default';
  }

  /**
   * Adds the other filter's keys. `count` is then estimated from the bits: at least the larger count, at most the sum.
   * Throws ERR_TAMIS_INCOMPATIBLE if scheme, seed, secret or size differ.
   */
  merge(other: BlockedBloomFilter): this {
    return combine(this, other, ['scheme', 'hash', 'seed', 'sizeBytes'], (core, into, from) =>
      core.merge(into, from),
    );
  }
}
