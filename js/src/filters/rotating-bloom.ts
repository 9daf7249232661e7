// Rotating Bloom filter: mirrors cpp/include/tamis/filters/rotating_bloom.hpp.

import { numberAddress, readNumber } from '../core/border/memory.js';
import { mustBe, rangeError, typeError } from '../core/errors.js';
import { integer } from '../core/options.js';
import { type CapacityOptions, capacityReaders, construct } from '../core/structures/building.js';
import type { Definition } from '../core/structures/definition.js';
import { type MutableClass, MutableFilter } from '../core/structures/growing.js';
import {
  callOrThrow,
  figure,
  generationsFigure,
  periodMsFigure,
  rotatingBloomId,
} from '../core/structures/structure.js';
import { rotatingBloom } from '../wasm/parts/rotating-bloom.js';

/** The options of `new RotatingBloomFilter`; `fpr`, at least 2^-32, holds for all generations together. */
export interface RotatingBloomOptions extends CapacityOptions {
  /** The number of periods that are remembered, the current one included, 2 to 64; default 2. */
  readonly generations?: number;
  /** The length of a period in milliseconds, for `advance`. */
  readonly periodMs?: number;
}

/**
 * The keys of the last periods, to drop repeats from an endless stream. `fpr` defaults to 0.01.
 *
 * It is a ring of Bloom filters; each rotation clears the oldest. A key of the current or of the last `generations - 1`
 * periods is always found, and an older key is forgotten. `capacity`: the keys of a period. `count`: the keys that were
 * new to a generation, summed over all. The caller keeps the clock: `rotate()`, or `advance(nowMs)`.
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
export class RotatingBloomFilter extends (MutableFilter as MutableClass<
  RotatingBloomFilter,
  'rotating-bloom',
  RotatingBloomOptions
>) {
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

  /** The number of periods that are remembered, the current one included. */
  get generations(): number {
    return figure(this, generationsFigure);
  }

  /** The length of a period in milliseconds; undefined if the option was left out. */
  get periodMs(): number | undefined {
    return figure(this, periodMsFigure) || undefined;
  }

  /** Begins a new period, and forgets the oldest generation. */
  rotate(): void {
    callOrThrow(this, (core, handle) => core.rotatingBloomFilterRotate(handle));
  }

  /**
   * Rotates once for each whole period that has passed, and returns their number. The first call sets the start. A time
   * before the last one changes nothing. Throws TypeError without `periodMs`.
   */
  advance(nowMs: number): number {
    if (typeof nowMs !== 'number') throw mustBe('a number', 'advance: nowMs', nowMs);
    const now = Math.floor(nowMs);
    if (!Number.isSafeInteger(now)) {
      throw rangeError(`advance: expected milliseconds of at most 53 bits, got ${nowMs}`);
    }
    if (figure(this, periodMsFigure) === 0) {
      throw typeError('advance: the filter was made without the option periodMs');
    }
    callOrThrow(this, (core, handle) =>
      core.rotatingBloomFilterAdvance(handle, now, numberAddress),
    );
    return readNumber(numberAddress);
  }
}
