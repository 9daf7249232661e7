// Scalable Bloom filter, for look-ups.

import type { Definition } from '../core/structures/definition.js';
import {
  figure,
  growthFigure,
  layersFigure,
  scalableBloomId,
  tighteningFigure,
} from '../core/structures/structure.js';
import { scalableBloom } from '../wasm/readers/scalable-bloom.js';
import { Filter } from './reader.js';

/**
 * Bloom filters in layers, each larger and stricter than the last. `capacity`: of the first; `fpr`: of all
 * together. Bytes of another type throw WRONG_TYPE.
 *
 * Almeida, Baquero, Preguica and Hutchison, Information Processing Letters 101(6), 2007.
 *
 * @example
 * import { ScalableBloomFilter as Builder } from 'tamis';
 * import { ScalableBloomFilter } from 'tamis/read';
 * const filter = ScalableBloomFilter.fromBytes(Builder.from(['ant', 'bee'], { capacity: 100 }).toBytes());
 * filter.has('ant'); // => true
 * filter.layers; // => 1
 */
export class ScalableBloomFilter extends Filter<'scalable-bloom'> {
  /** @internal */
  static define(): Definition {
    return {
      type: 'scalable-bloom',
      id: scalableBloomId,
      part: scalableBloom,
      name: 'ScalableBloomFilter',
      shown: ['layers', 'growth', 'tightening'],
    };
  }

  /** Layers that there are. */
  get layers(): number {
    return figure(this, layersFigure);
  }

  /** How many times as many keys the next layer takes. */
  get growth(): number {
    return figure(this, growthFigure);
  }

  /** How much stricter each layer is than the last. */
  get tightening(): number {
    return figure(this, tighteningFigure);
  }
}
