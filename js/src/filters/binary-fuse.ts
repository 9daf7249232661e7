// Binary fuse filter: the mirror of cpp/include/tamis/filters/binary_fuse.hpp.

import type { HashOptions } from '../core/keys/hashing.js';
import { integer, rate } from '../core/options.js';
import { refuseBoth } from '../core/structures/building.js';
import type { Definition } from '../core/structures/definition.js';
import { StaticFilter } from '../core/structures/static-building.js';
import {
  arityFigure,
  binaryFuseId,
  figure,
  fingerprintBitsFigure,
} from '../core/structures/structure.js';
import { binaryFuse } from '../wasm/parts/binary-fuse.js';

/** Options of `BinaryFuseFilter.from`: a rate, 2^-32 or more, or the width of a fingerprint. */
export interface BinaryFuseOptions extends HashOptions {
  /** The rate, below 1; default 0.01. Rounded down to a power of a half: 0.01 gives 1 in 128. */
  readonly fpr?: number;
  /** Bits of a fingerprint, 1 to 32, in the place of `fpr`. */
  readonly fingerprintBits?: number;
  /** Places that a key looks at: 3 or 4; default 4 from 100,000 keys on, which is smaller, else 3. */
  readonly arity?: 3 | 4;
}

/**
 * The fastest filter for a list that is built once and shipped: a look-up reads three or four places. At a rate of
 * 2^-r a key takes r bits and more: 8 % in a list of a million, 12 % of 100,000. In lists of 10,000 and fewer it is
 * 20 % or more, with RibbonFilter 1 %. Keys are never added: build a changed list anew. Keys may come twice, and in any
 * order. `seed` is the one that the build settled on, not always the one given.
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
export class BinaryFuseFilter extends StaticFilter<'binary-fuse', BinaryFuseOptions> {
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
      needed: [],
      complete: refuseBoth,
      refusal: 'fpr is below 2^-32, what fingerprints of 32 bits reach',
    };
  }

  /** Bits of a fingerprint; the rate is a half to their power. */
  get fingerprintBits(): number {
    return figure(this, fingerprintBitsFigure);
  }

  /** Places that a key looks at, 3 or 4. */
  get arity(): number {
    return figure(this, arityFigure);
  }
}
