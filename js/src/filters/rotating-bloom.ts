// Rotating Bloom filter: the mirror of cpp/include/tamis/filters/rotating_bloom.hpp.

import { numberAddress, readNumbers } from '../core/border/memory.js';
import { rangeError, show, typeError } from '../core/errors.js';
import { integer } from '../core/options.js';
import { type CapacityOptions, capacityReaders, construct } from '../core/structures/building.js';
import type { Definition } from '../core/structures/definition.js';
import { MutableFilter } from '../core/structures/filter.js';
import {
  figure,
  generationsFigure,
  periodMsFigure,
  rotatingBloomId,
  tell,
} from '../core/structures/structure.js';
import { rotatingBloom } from '../wasm/parts/rotating-bloom.js';

/** Options of `new RotatingBloomFilter`; `fpr`, from 2^-32 on, is that of the whole answer. */
export interface RotatingBloomOptions extends CapacityOptions {
  /** Periods that are remembered, the current one among them, 2 to 64; default 2. */
  readonly generations?: number;
  /** The length of a period in milliseconds, for `advance`. */
  readonly periodMs?: number;
}

/**
 * The keys of the last periods, to drop repeats from a stream without an end. It is a ring of Bloom filters, of
 * which each rotation clears the oldest. A key seen in the current or the last `generations - 1` periods is always
 * found; an older one is forgotten. `capacity`: keys of a period; `count`: the sum over the generations of the keys
 * new to each. The clock is the caller's: `rotate()`, or `advance(nowMs)`.
 *
 * Chang, Feng and Li, INFOCOM 2004 (two generations).
 *
 * @example
 * import { RotatingBloomFilter } from 'tamis';
 * const seen = new RotatingBloomFilter({ capacity: 10_000, periodMs: 60_000 });
 * seen.advance(0); // => 0
 * seen.add('event-1'); // => true
 * seen.add('event-1'); // => false
 * seen.advance(180_000); // => 3
 * seen.has('event-1'); // => false
 */
export class RotatingBloomFilter extends MutableFilter<'rotating-bloom', RotatingBloomOptions> {
  /** @internal */
  static define(): Definition {
    return {
      type: 'rotating-bloom',
      id: rotatingBloomId,
      part: rotatingBloom,
      name: 'RotatingBloomFilter',
      construct,
      shown: ['generations', 'periodMs'],
      readers: { ...capacityReaders(), generations: integer(2, 64), periodMs: integer(1) },
      refusal: 'fpr must be at least 2^-32',
    };
  }

  /** Periods that are remembered. */
  get generations(): number {
    return figure(this, generationsFigure);
  }

  /** The length of a period in milliseconds; undefined: no clock. */
  get periodMs(): number | undefined {
    return figure(this, periodMsFigure) || undefined;
  }

  /** Begins a new period: the oldest generation is forgotten. */
  rotate(): void {
    tell(this, (core, handle) => core.rotatingBloomFilterRotate(handle));
  }

  /**
   * Rotates once for each whole period that has passed, and answers how many have. The first call sets the
   * start; an earlier time than the last changes nothing. A TypeError without `periodMs`.
   */
  advance(nowMs: number): number {
    if (typeof nowMs !== 'number') throw typeError(`advance: expected a time, got ${show(nowMs)}`);
    const now = Math.floor(nowMs);
    if (!Number.isSafeInteger(now)) {
      throw rangeError(`advance: expected milliseconds of at most 53 bits, got ${nowMs}`);
    }
    if (this.periodMs === undefined) {
      throw typeError('advance: the filter was made without the option periodMs');
    }
    tell(this, (core, handle) => core.rotatingBloomFilterAdvance(handle, now, numberAddress));
    return readNumbers(numberAddress, 1)[0] as number;
  }
}
