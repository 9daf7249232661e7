// Bit array (FORMAT.md, section 5.17).

import { rangeError } from '../core/errors.js';
import { bitAt, readBits } from './bits.js';
import { type Container, type Kind, type LoadOptions, need } from './container.js';
import { fileOf, type Lookup, liveOf, Reader } from './filter.js';

/**
 * An exact set over a small universe, with one bit per element, numbered from 0. Bytes of another type throw
 * ERR_TAMIS_WRONG_TYPE.
 *
 * @example
 * import { BitArray as Builder } from 'tamis';
 * import { BitArray } from 'tamis/read';
 * const bits = BitArray.fromBytes(new Builder(7).set(1).set(3).toBytes());
 * bits.has(3); // => true
 * bits.length; // => 7
 */
export class BitArray extends Reader<'bit-array'> {
  declare static fromBytes: (bytes: ArrayBuffer | Uint8Array, options?: LoadOptions) => BitArray;

  /** @internal */
  get kind(): Kind<'bit-array'> {
    return ['bit-array', 15];
  }

  /** @internal */
  read(file: Container): Lookup {
    const bytes = readBits(file, file.capacity);
    let count = 0;
    for (const byte of bytes) for (let left = byte; left > 0; left &= left - 1) count++; // clears the lowest 1
    need(count === file.count);
    return {
      test: (i = 0) => bitAt(bytes, i), // `has` always passes i
      rate: () => 0,
      figures: { length: file.capacity },
    };
  }

  /** The number of bits. */
  get length(): number {
    return fileOf(this).capacity;
  }

  /** True if the element is in the set; never wrong. Throws RangeError outside 0..length-1. */
  has(index: number): boolean {
    const { test } = liveOf(this);
    const { length } = this;
    if (typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < length) {
      return test(index);
    }
    // The value may be a key, which no message shows.
    throw rangeError(`index must be a whole number from 0 to ${length - 1}`);
  }
}
