// Cuckoo filter: the mirror of cpp/include/tamis/filters/cuckoo.hpp.

import { rangeError } from '../core/errors.js';
import type { Key } from '../core/key-types.js';
import { integer, type Reader } from '../core/options.js';
import {
  type CapacityOptions,
  capacityReaders,
  construct,
  refuseBoth,
} from '../core/structures/building.js';
import type { Definition } from '../core/structures/definition.js';
import { DeletableFilter, keyOperations, knowKey } from '../core/structures/filter.js';
import {
  bucketSizeFigure,
  cuckooId,
  figure,
  fingerprintBitsFigure,
  loadFactorFigure,
} from '../core/structures/structure.js';
import { cuckoo } from '../wasm/parts/cuckoo.js';

/** Options of `new CuckooFilter`: a rate, from about 2^-29 on, or the width of a fingerprint. */
export interface CuckooOptions extends CapacityOptions {
  /** Bits of a fingerprint, 4 to 32, in the place of `fpr`. */
  readonly fingerprintBits?: number;
  /** Fingerprints of a bucket: 1, 2, 4 or 8; default 4. 2 takes a fifth more, 1 many times
   * as much. */
  readonly bucketSize?: number;
}

const bucketSize: Reader<number> = (value, name) => {
  const size = integer(1, 8)(value, name);
  if (![1, 2, 4, 8].includes(size)) throw rangeError(`${name} must be 1, 2, 4 or 8, got ${size}`);
  return size;
};

/**
 * A table of fingerprints: the filter to choose when keys are deleted, at 10.6 bits a key for 1 % and 12.7 for
 * 0.18 %. It takes `capacity` distinct keys, but for one seed in a million. You may add a key several times, up
 * to `2 * bucketSize`, and it then needs as many deletes. A key without room throws FULL and changes nothing.
 * `count`: copies held.
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
export class CuckooFilter extends DeletableFilter<'cuckoo', CuckooOptions> {
  /** @internal */
  static define(): Definition {
    return {
      type: 'cuckoo',
      id: cuckooId,
      part: cuckoo,
      name: 'CuckooFilter',
      construct,
      shown: ['bucketSize', 'fingerprintBits', 'loadFactor'],
      readers: { ...capacityReaders(), fingerprintBits: integer(4, 32), bucketSize },
      complete: refuseBoth,
      refusal: 'fpr is below what fingerprints of 32 bits reach, about 2^-29',
    };
  }

  /** Fingerprints of a bucket. */
  get bucketSize(): number {
    return figure(this, bucketSizeFigure);
  }

  /** Bits of a fingerprint. */
  get fingerprintBits(): number {
    return figure(this, fingerprintBitsFigure);
  }

  /** The share of places that are taken, 0 to 1. */
  get loadFactor(): number {
    return figure(this, loadFactorFigure);
  }

  /** Adds the key unless it is there, or seems to be; whether it was added. */
  addIfAbsent(key: Key): boolean {
    return knowKey(this, keyOperations.addIfAbsent, key) === 1;
  }
}
