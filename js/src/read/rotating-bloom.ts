// Rotating Bloom filter, to ask.

import type { Definition } from '../core/structures/definition.js';
import {
  figure,
  generationsFigure,
  periodMsFigure,
  rotatingBloomId,
} from '../core/structures/structure.js';
import { rotatingBloom } from '../wasm/readers/rotating-bloom.js';
import { Filter } from './reader.js';

/** Bloom filters of the last periods. */
export class RotatingBloomFilter extends Filter<'rotating-bloom'> {
  /** @internal */
  static define(): Definition {
    return {
      type: 'rotating-bloom',
      id: rotatingBloomId,
      part: rotatingBloom,
      name: 'RotatingBloomFilter',
      shown: ['generations', 'periodMs'],
    };
  }

  /** Generations that are asked. */
  get generations(): number {
    return figure(this, generationsFigure);
  }

  /** The length of a period in milliseconds; undefined: no clock. */
  get periodMs(): number | undefined {
    return figure(this, periodMsFigure) || undefined;
  }
}
