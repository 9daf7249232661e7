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

/** The options of `new RotatingBloomFilter`. `fpr` is the rate of all generations together, at least 2^-32. */
export interface RotatingBloomOptions extends CapacityOptions {
  /** The number of periods that are kept, with the current one, 2 to 64; default 2. */
  readonly generations?: number;
  /** The length of a period in milliseconds, for `advance`. */
  readonly periodMs?: number;
}

/**
 * A set of the keys of the last periods, to drop repeats from an endless stream. `fpr` defaults to 0.01.
 *
 * It is a ring of Bloom filters; each rotation clears the oldest. A key of the current period or of the last
 * `generations - 1` periods is always found, and an older key is forgotten. `rotate()` or `advance(nowMs)` begins a
 * period. `capacity` is the number of keys in a period. `count` is the sum, over the kept periods, of the keys that
 * were new in each.
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

  /** The number of periods that are kept, with the current one. */
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
   * Rotates once for each whole period that has passed, and returns the number of these periods. The first call starts
   * the first period. A time before that of the last call changes nothing. Throws TypeError without `periodMs`.
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
