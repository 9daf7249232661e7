// Cuckoo filter: mirrors cpp/include/tamis/filters/cuckoo.hpp.

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
import { askOrThrow } from '../core/structures/filter.js';
import { type DeletableClass, DeletableFilter, whyFull } from '../core/structures/growing.js';
import {
  addIfAbsentOperation,
  bucketSizeFigure,
  cuckooId,
  figure,
  fingerprintBitsFigure,
  loadFactorFigure,
} from '../core/structures/structure.js';
import { cuckoo } from '../wasm/parts/cuckoo.js';

/** The options of `new CuckooFilter`: a rate of at least about 2^-29, or the width of a fingerprint. */
export interface CuckooOptions extends CapacityOptions {
  /** The number of bits of a fingerprint, 4 to 32, instead of `fpr`. */
  readonly fingerprintBits?: number;
  /** The fingerprints per bucket: 1, 2, 4 or 8; default 4. The filter is a fifth larger with 2, far larger with 1. */
  readonly bucketSize?: number;
}

const bucketSize: Reader<number> = (value, name) => {
  const size = integer(1, 8)(value, name);
  if (![1, 2, 4, 8].includes(size)) throw rangeError(`${name} must be 1, 2, 4 or 8, got ${size}`);
  return size;
};

/**
 * A table of fingerprints. Choose it if keys are deleted. It takes 10.6 bits per key at 1 %, and 12.7 at 0.18 %. `fpr`
 * defaults to 0.01, `bucketSize` to 4.
 *
 * `capacity` distinct keys fit, except with about one seed in a million. A key can be added up to `2 * bucketSize`
 * times, and then needs as many deletes. If there is no room for a key, `add` throws ERR_TAMIS_FULL and changes
 * nothing. `count` is the number of copies in the filter.
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
export class CuckooFilter extends (DeletableFilter as DeletableClass<
  CuckooFilter,
  'cuckoo',
  CuckooOptions
>) {
  /** @internal */
  static define(): Definition {
    return {
      type: 'cuckoo',
      id: cuckooId,
      part: cuckoo,
      name: 'CuckooFilter',
      construct,
      keyMessages: whyFull,
      shown: ['bucketSize', 'fingerprintBits', 'loadFactor'],
      readers: { ...capacityReaders(), fingerprintBits: integer(4, 32), bucketSize },
      complete: refuseBoth,
      refusal: 'fpr must be at least about 2^-29',
    };
  }

  /** The number of fingerprints that a bucket has room for. */
  get bucketSize(): number {
    return figure(this, bucketSizeFigure);
  }

  /** The number of bits of a fingerprint. */
  get fingerprintBits(): number {
    return figure(this, fingerprintBitsFigure);
  }

  /** The share of used places, 0 to 1. */
  get loadFactor(): number {
    return figure(this, loadFactorFigure);
  }

  /** Adds the key unless `has` is true for it. Returns true if it was added. */
  addIfAbsent(key: Key): boolean {
    return askOrThrow(this, addIfAbsentOperation, key) === 1;
  }
}
