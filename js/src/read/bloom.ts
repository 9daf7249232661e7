// Bloom filter (FORMAT.md, section 5.1).

import { readBloom, readGeometry } from './bloom-bits.js';
import { type Container, type Kind, type LoadOptions, need } from './container.js';
import { Filter, type Lookup } from './filter.js';

/**
 * A Bloom filter of the default scheme. Bytes of another scheme throw ERR_TAMIS_UNSUPPORTED: `BloomFilter` of `tamis`
 * loads them. `count` is the number of keys that were certainly new when added.
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
  declare static fromBytes: (bytes: ArrayBuffer | Uint8Array, options?: LoadOptions) => BloomFilter;

  /** @internal */
  get kind(): Kind<'bloom'> {
    return ['bloom', 1];
  }

  /** @internal */
  read(file: Container): Lookup {
    const { size: bits, hashes, last: reserved } = readGeometry(file);
    need(reserved === 0);
    const { capacity, count } = file;
    return readBloom(file, bits, hashes, { capacity, count }, file.seed());
  }
}
