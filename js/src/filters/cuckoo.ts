// Cuckoo filter: the mirror of cpp/include/tamis/filters/cuckoo.hpp.

import {
  buildFrom,
  type CapacityOptions,
  capacityReaders,
  construct,
  type Definition,
  type FromOptions,
  type Given,
  need,
  refuseBoth,
  sizeOf,
} from '../core/building.js';
import { rangeError } from '../core/errors.js';
import { DeletableFilter, keyOperations, knowKey } from '../core/filter.js';
import type { Key, Keys } from '../core/key-types.js';
import { type LoadOptions, load, loadStream, type StreamLoadOptions } from '../core/loading.js';
import { integer, type Reader } from '../core/options.js';
import type { ByteSource } from '../core/streams.js';
import { adopting, copyOf, emptyCopyOf, figure } from '../core/structure.js';
import { cuckoo } from '../wasm/parts/cuckoo.js';

/** Options of `new CuckooFilter`: a rate, from about 2^-29 on, or the width of a fingerprint. */
export interface CuckooOptions extends CapacityOptions {
  /** Bits of a fingerprint, 4 to 32, in the place of `fpr`. */
  readonly fingerprintBits?: number;
  /** Fingerprints of a bucket: 1, 2, 4 or 8; default 4. 2 takes a fifth more, 1 many times
   * as much. */
  readonly bucketSize?: number;
}

const sizes = [1, 2, 4, 8];
const bucketSize: Reader<number> = (value, name) => {
  const size = integer(1, 8)(value, name);
  if (!sizes.includes(size)) throw rangeError(`${name} must be 1, 2, 4 or 8, got ${size}`);
  return size;
};

function complete(given: Given, what: string, knownCapacity?: number): undefined {
  given.capacity ??= knownCapacity;
  need(given, 'capacity', what);
  refuseBoth(given, what);
}

export const cuckooType: Definition<CuckooFilter> = {
  type: 'cuckoo',
  part: cuckoo,
  name: 'CuckooFilter',
  adopt: (handle) => new CuckooFilter(adopting<CuckooOptions>(handle)),
  readers: { ...capacityReaders, fingerprintBits: integer(4, 32), bucketSize },
  complete,
  refusal: 'fpr is below what fingerprints of 32 bits reach, about 2^-29',
};

/**
 * A table of fingerprints: the filter to choose when keys are deleted, at 10.6 bits a key for 1 % and 12.7 for
 * 0.18 %. Takes
 * `capacity` distinct keys but for one seed in a million. A key may be added several times, up to
 * `2 * bucketSize`, and then wants as many deletes; what has no room throws FULL and changes nothing. `count`:
 * copies held.
 *
 * Fan, Andersen, Kaminsky and Mitzenmacher, CoNEXT 2014.
 *
 * @example
 * import { CuckooFilter } from 'tamis';
 * const online = new CuckooFilter({ capacity: 1000 });
 * online.add('alice'); // => true
 * online.addIfAbsent('alice'); // => false
 * online.delete('alice'); // => true
 * online.has('alice'); // => false
 */
export class CuckooFilter extends DeletableFilter {
  /** Throws RangeError, TypeError, TOO_LARGE (above 2^32 bits), OUT_OF_MEMORY. */
  constructor(options: CuckooOptions) {
    super(construct(cuckooType, options));
  }

  /** Builds a filter and adds the keys; `capacity` defaults to their number where that is known. */
  static from(keys: Keys, options?: FromOptions<CuckooOptions>): CuckooFilter {
    return buildFrom(cuckooType, keys, options);
  }

  /** Bytes in memory of a filter with these options, without building it. */
  static sizeFor(options: CuckooOptions): number {
    return sizeOf(cuckooType, options);
  }

  /** The filter in the bytes of `toBytes`; throws rather than give a wrong one. */
  static fromBytes(bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): CuckooFilter {
    return load([cuckooType], bytes, options);
  }

  /** fromBytes for a download; refuses as soon as the header is wrong. */
  static fromStream(stream: ByteSource, options?: StreamLoadOptions): Promise<CuckooFilter> {
    return loadStream([cuckooType], stream, options);
  }

  get type(): 'cuckoo' {
    return 'cuckoo';
  }

  get [Symbol.toStringTag](): string {
    return 'CuckooFilter';
  }

  /** Fingerprints of a bucket. */
  get bucketSize(): number {
    return figure(this, 'bucketSize');
  }

  /** Bits of a fingerprint. */
  get fingerprintBits(): number {
    return figure(this, 'fingerprintBits');
  }

  /** The share of places that are taken, 0 to 1. */
  get loadFactor(): number {
    return figure(this, 'loadFactor');
  }

  /** Adds the key unless it is there, or seems to be; whether it was added. */
  addIfAbsent(key: Key): boolean {
    return knowKey(this, keyOperations.addIfAbsent, key) === 1;
  }

  clone(): CuckooFilter {
    return cuckooType.adopt(copyOf(this));
  }

  emptyCopy(): CuckooFilter {
    return cuckooType.adopt(emptyCopyOf(this));
  }

  override toJSON(): Record<string, unknown> {
    return {
      ...super.toJSON(),
      bucketSize: this.bucketSize,
      fingerprintBits: this.fingerprintBits,
      loadFactor: this.loadFactor,
    };
  }
}
