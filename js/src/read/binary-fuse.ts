// Binary fuse filter, for look-ups.

import type { Definition } from '../core/structures/definition.js';
import {
  arityFigure,
  binaryFuseId,
  figure,
  fingerprintBitsFigure,
} from '../core/structures/structure.js';
import { binaryFuse } from '../wasm/readers/binary-fuse.js';
import { Filter } from './reader.js';

/**
 * A static filter of fingerprints, the fastest. A key outside answers true at a rate of 2^-`fingerprintBits`.
 * Bytes of another type throw WRONG_TYPE.
 *
 * Graf and Lemire, ACM Journal of Experimental Algorithmics 27, 2022.
 *
 * @example
 * import { BinaryFuseFilter as Builder } from 'tamis';
 * import { BinaryFuseFilter } from 'tamis/read';
 * const filter = BinaryFuseFilter.fromBytes(Builder.from(['ant', 'bee'], { fpr: 2 ** -16 }).toBytes());
 * filter.has('ant'); // => true
 * filter.fingerprintBits; // => 16
 */
export class BinaryFuseFilter extends Filter<'binary-fuse'> {
  /** @internal */
  static define(): Definition {
    return {
      type: 'binary-fuse',
      id: binaryFuseId,
      part: binaryFuse,
      name: 'BinaryFuseFilter',
      shown: ['fingerprintBits', 'arity'],
    };
  }

  /** Bits of a fingerprint. */
  get fingerprintBits(): number {
    return figure(this, fingerprintBitsFigure);
  }

  /** Fingerprints that a key reads, 3 or 4. */
  get arity(): number {
    return figure(this, arityFigure);
  }
}
