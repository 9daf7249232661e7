// Rotating Bloom filter, for look-ups.

import type { Definition } from '../core/structures/definition.js';
import {
  figure,
  generationsFigure,
  periodMsFigure,
  rotatingBloomId,
} from '../core/structures/structure.js';
import { rotatingBloom } from '../wasm/readers/rotating-bloom.js';
import { Filter } from './reader.js';

/**
 * Bloom filters of the last periods, as they were when the bytes were made: `has` reads all of them. `capacity`:
 * keys of a period. Bytes of another type throw WRONG_TYPE.
 *
 * Chang, Feng and Li, INFOCOM 2004 (two generations).
 *
 * @example
 * import { RotatingBloomFilter as Builder } from 'tamis';
 * import { RotatingBloomFilter } from 'tamis/read';
 * const bytes = Builder.from(['ant', 'bee'], { capacity: 100, periodMs: 60_000 }).toBytes();
 * const filter = RotatingBloomFilter.fromBytes(bytes);
 * filter.has('ant'); // => true
 * filter.periodMs; // => 60000
 */
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

  /** Generations that `has` reads. */
  get generations(): number {
    return figure(this, generationsFigure);
  }

  /** The length of a period in milliseconds; undefined: no clock. */
  get periodMs(): number | undefined {
    return figure(this, periodMsFigure) || undefined;
  }
}
