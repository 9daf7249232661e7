// Ribbon filter: mirrors cpp/include/tamis/filters/ribbon.hpp.

import type { HashOptions } from '../core/keys/hashing.js';
import { integer, rate } from '../core/options.js';
import { refuseBoth } from '../core/structures/building.js';
import type { Definition } from '../core/structures/definition.js';
import { type StaticClass, StaticFilter } from '../core/structures/static-building.js';
import { figure, fingerprintBitsFigure, ribbonId } from '../core/structures/structure.js';
import { ribbon } from '../wasm/parts/ribbon.js';

/** The options of `RibbonFilter.from`: a rate of at least 2^-32, or the width of a fingerprint. */
export interface RibbonOptions extends HashOptions {
  /** The false-positive rate, below 1; default 0.01. It is rounded down to a power of 1/2: 0.01 becomes 1 in 128. */
  readonly fpr?: number;
  /** The number of bits of a fingerprint, 1 to 32, instead of `fpr`. */
  readonly fingerprintBits?: number;
}

/**
 * The smallest filter for a list that is built once and shipped.
 *
 * At a rate of 2^-r a key takes r bits, the least possible, and about 1 % more. BinaryFuseFilter is larger and faster.
 * Keys cannot be added: build a changed list again. Keys may repeat, in any order.
 *
 * Dillinger, Huebschle-Schneider, Sanders and Walzer, SEA 2022.
 *
 * @example
 * import { RibbonFilter } from 'tamis';
 * const blocked = RibbonFilter.from(['phishing.example', 'malware.example'], { fpr: 2 ** -16 });
 * blocked.has('malware.example'); // => true
 * blocked.has('example.org'); // => false
 * blocked.count; // => 2
 */
export class RibbonFilter extends (StaticFilter as StaticClass<
  RibbonFilter,
  'ribbon',
  RibbonOptions,
  'RibbonFilter.from(keys, options)'
>) {
  /** @internal */
  static define(): Definition {
    return {
      type: 'ribbon',
      id: ribbonId,
      part: ribbon,
      name: 'RibbonFilter',
      shown: ['fingerprintBits'],
      readers: { capacity: integer(1), fpr: rate, fingerprintBits: integer(1, 32) },
      complete: refuseBoth,
      refusal: 'fpr must be at least 2^-32',
    };
  }

  /** The number of bits of a fingerprint. With r bits, the rate is 2^-r. */
  get fingerprintBits(): number {
    return figure(this, fingerprintBitsFigure);
  }
}
