// d-left counting filter: the mirror of cpp/include/tamis/filters/d_left_counting.hpp.

import {
  buildFrom,
  type CapacityOptions,
  capacityReaders,
  construct,
  type Definition,
  type FromOptions,
  sizeOf,
} from '../core/building.js';
import { DeletableFilter, keyOperations, knowKey } from '../core/filter.js';
import type { Key, Keys } from '../core/key-types.js';
import { type LoadOptions, load, loadStream, type StreamLoadOptions } from '../core/loading.js';
import type { ByteSource } from '../core/streams.js';
import { adopting, copyOf, emptyCopyOf } from '../core/structure.js';
import { dLeftCounting } from '../wasm/parts/d-left-counting.js';

/** Options of `new DLeftCountingFilter`; fpr from about 2^-25 on. */
export type DLeftCountingOptions = CapacityOptions;

export const dLeftCountingType: Definition<DLeftCountingFilter> = {
  type: 'd-left-counting',
  part: dLeftCounting,
  name: 'DLeftCountingFilter',
  adopt: (handle) => new DLeftCountingFilter(adopting<DLeftCountingOptions>(handle)),
  readers: capacityReaders,
  refusal: 'fpr is below what remainders of 30 bits reach, about 2^-25',
};

/**
 * A table of fingerprints with small counters: what a counting Bloom filter does, in half the bits. Choose it
 * to count few copies of each key; a counter that reached 3 sticks, and its key stays in. Takes `capacity`
 * distinct keys but for one seed in a million; what has no room throws FULL and changes nothing. `count`:
 * copies held.
 *
 * Bonomi, Mitzenmacher, Panigrahy, Singh and Varghese, ESA 2006.
 *
 * @example
 * import { DLeftCountingFilter } from 'tamis';
 * const flows = new DLeftCountingFilter({ capacity: 1000 });
 * flows.add('10.0.0.1'); // => true
 * flows.add('10.0.0.1'); // => false
 * flows.countOf('10.0.0.1'); // => 2
 * flows.delete('10.0.0.1'); // => true
 */
export class DLeftCountingFilter extends DeletableFilter {
  /** Throws RangeError, TypeError, TOO_LARGE (above 2^32 bits), OUT_OF_MEMORY. */
  constructor(options: DLeftCountingOptions) {
    super(construct(dLeftCountingType, options));
  }

  /** Builds a filter and adds the keys; `capacity` defaults to their number where that is known. */
  static from(keys: Keys, options?: FromOptions<DLeftCountingOptions>): DLeftCountingFilter {
    return buildFrom(dLeftCountingType, keys, options);
  }

  /** Bytes in memory of a filter with these options, without building it. */
  static sizeFor(options: DLeftCountingOptions): number {
    return sizeOf(dLeftCountingType, options);
  }

  /** The filter in the bytes of `toBytes`; throws rather than give a wrong one. */
  static fromBytes(bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): DLeftCountingFilter {
    return load([dLeftCountingType], bytes, options);
  }

  /** fromBytes for a download; refuses as soon as the header is wrong. */
  static fromStream(stream: ByteSource, options?: StreamLoadOptions): Promise<DLeftCountingFilter> {
    return loadStream([dLeftCountingType], stream, options);
  }

  get type(): 'd-left-counting' {
    return 'd-left-counting';
  }

  get [Symbol.toStringTag](): string {
    return 'DLeftCountingFilter';
  }

  /** Copies of the key, 0 to 3; 3 means 3 or more. 0: certainly absent. */
  countOf(key: Key): number {
    return knowKey(this, keyOperations.countOf, key);
  }

  clone(): DLeftCountingFilter {
    return dLeftCountingType.adopt(copyOf(this));
  }

  emptyCopy(): DLeftCountingFilter {
    return dLeftCountingType.adopt(emptyCopyOf(this));
  }
}
