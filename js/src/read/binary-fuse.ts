// Binary fuse filter, to ask.

import type { Definition } from '../core/structures/definition.js';
import {
  arityFigure,
  binaryFuseId,
  figure,
  fingerprintBitsFigure,
} from '../core/structures/structure.js';
import { binaryFuse } from '../wasm/readers/binary-fuse.js';
import { Filter } from './reader.js';

/** A static filter of fingerprints. */
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
