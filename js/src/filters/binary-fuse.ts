// Binary fuse filter: mirrors cpp/include/tamis/filters/binary_fuse.hpp.

import type { HashOptions } from '../core/keys/hashing.js';
import { integer, rate } from '../core/options.js';
import { refuseBoth } from '../core/structures/building.js';
import type { Definition } from '../core/structures/definition.js';
import { type StaticClass, StaticFilter } from '../core/structures/static-building.js';
import {
  arityFigure,
  binaryFuseId,
  figure,
  fingerprintBitsFigure,
} from '../core/structures/structure.js';
import { binaryFuse } from '../wasm/parts/binary-fuse.js';

/** The options of `BinaryFuseFilter.from`: a rate of at least 2^-32, or the width of a fingerprint. */
export interface BinaryFuseOptions extends HashOptions {
  /** The false-positive rate, below 1; default 0.01. It is rounded down to a power of 1/2: 0.01 becomes 1 in 128. */
  readonly fpr?: number;
  /** The number of bits of a fingerprint, 1 to 32, instead of `fpr`. */
  readonly fingerprintBits?: number;
  /** The number of places that a look-up reads, 3 or 4. Default: 4 from 100,000 keys on, which is smaller, else 3. */
  readonly arity?: 3 | 4;
}

/**
 * The fastest filter for a list that is built once and shipped: a look-up reads three or four places.
 *
 * At a rate of 2^-r a key takes r bits and an overhead. The overhead is 8 % for a million keys, 12 % for 100,000, and
 * 20 % or more up to 10,000; a RibbonFilter's is 1 %. Keys cannot be added: build a changed list again. Keys may
 * repeat, in any order. `seed` is the seed that the build found, which may differ from the option.
 *
 * Graf and Lemire, ACM Journal of Experimental Algorithmics 27, 2022.
 *
 * @example
 * import { BinaryFuseFilter } from 'tamis';
 * const blocked = BinaryFuseFilter.from(['phishing.example', 'malware.example'], { fpr: 2 ** -16 });
 * blocked.has('malware.example'); // => true
 * blocked.has('example.org'); // => false
 * blocked.count; // => 2
 */
export class BinaryFuseFilter extends (StaticFilter as StaticClass<
  BinaryFuseFilter,
  'binary-fuse',
  BinaryFuseOptions,
  'BinaryFuseFilter.from(keys, options)'
>) {
  /** @internal */
  static define(): Definition {
    return {
      type: 'binary-fuse',
      id: binaryFuseId,
      part: binaryFuse,
      name: 'BinaryFuseFilter',
      shown: ['fingerprintBits', 'arity'],
      readers: {
        capacity: integer(1),
        fpr: rate,
        fingerprintBits: integer(1, 32),
        arity: integer(3, 4),
      },
      complete: refuseBoth,
      refusal: 'fpr must be at least 2^-32',
    };
  }

  /** The number of bits of a fingerprint. With r bits, the rate is 2^-r. */
  get fingerprintBits(): number {
    return figure(this, fingerprintBitsFigure);
  }

  /** The number of places that a look-up reads, 3 or 4. */
  get arity(): number {
    return figure(this, arityFigure);
  }
}
