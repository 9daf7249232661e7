// Ribbon filter (FORMAT.md, section 5.13).

import { type Container, headerBytes, type Kind, type LoadOptions, need } from './container.js';
import { Filter, type Lookup } from './filter.js';
import { readRetrieval } from './retrieval.js';

/**
 * The smallest static filter. For absent keys `has` is true at the rate `fpr`. Bytes of another type throw
 * ERR_TAMIS_WRONG_TYPE.
 *
 * Dillinger, Huebschle-Schneider, Sanders and Walzer, SEA 2022.
 *
 * @example
 * import { RibbonFilter as Builder } from 'tamis';
 * import { RibbonFilter } from 'tamis/read';
 * const filter = RibbonFilter.fromBytes(Builder.from(['ant', 'bee'], { fpr: 2 ** -16 }).toBytes());
 * filter.has('ant'); // => true
 * filter.count; // => 2
 */
export class RibbonFilter extends Filter<'ribbon'> {
  declare static fromBytes: (
    bytes: ArrayBuffer | Uint8Array,
    options?: LoadOptions,
  ) => RibbonFilter;

  /** @internal */
  get kind(): Kind<'ribbon'> {
    return ['ribbon', 11];
  }

  /** @internal */
  read(file: Container): Lookup {
    const { bytes, view, capacity, count } = file;
    need(capacity === count && bytes.length >= headerBytes + 8);
    // This is the width in the record of the first level. readRetrieval reads it next, and checks it in all records.
    const fingerprintBits = view.getUint8(headerBytes + 6);
    need(fingerprintBits <= 32);
    const get = readRetrieval(file, count, 0, fingerprintBits);
    return {
      test: () => get() !== undefined,
      rate: () => 2 ** -fingerprintBits,
      figures: { fingerprintBits },
    };
  }
}
