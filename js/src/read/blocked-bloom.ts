// Split-block Bloom filter (FORMAT.md, section 5.2).

import { readBlocks } from './bloom-bits.js';
import { type Container, type Kind, type LoadOptions, need } from './container.js';
import { Filter, type Lookup } from './filter.js';

/**
 * A Bloom filter of blocks of 32 bytes; a look-up reads one block.
 *
 * Bytes with Parquet's hash throw ERR_TAMIS_UNSUPPORTED: `BlockedBloomFilter` of `tamis` loads them. Bytes of another
 * type throw ERR_TAMIS_WRONG_TYPE.
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
  declare static fromBytes: (
    bytes: ArrayBuffer | Uint8Array,
    options?: LoadOptions,
  ) => BlockedBloomFilter;

  /** @internal */
  get kind(): Kind<'blocked-bloom'> {
    return ['blocked-bloom', 2];
  }

  /** @internal */
  read(file: Container): Lookup {
    const blocks = file.u64();
    need(blocks > 0 && file.capacity > 0);
    return readBlocks(file, blocks, file, file.seed());
  }
}
