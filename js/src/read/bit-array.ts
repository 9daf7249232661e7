// Bit array, for look-ups.

import { actOnBit, bitOperations } from '../core/structures/bits.js';
import type { Definition } from '../core/structures/definition.js';
import { bitArrayId, countFigure, figure, lengthFigure } from '../core/structures/structure.js';
import { bitArray } from '../wasm/readers/bit-array.js';
import { Reader } from './reader.js';

/**
 * An exact set over a small universe: one bit for each element, numbered from 0. Bytes of another type throw
 * WRONG_TYPE.
 *
 * @example
 * import { BitArray as Builder } from 'tamis';
 * import { BitArray } from 'tamis/read';
 * const bits = BitArray.fromBytes(new Builder(7).set(1).set(3).toBytes());
 * bits.has(3); // => true
 * bits.length; // => 7
 */
export class BitArray extends Reader<'bit-array'> {
  /** @internal */
  static define(): Definition {
    return {
      type: 'bit-array',
      id: bitArrayId,
      part: bitArray,
      name: 'BitArray',
      shown: ['length', 'count'],
    };
  }

  /** Bits of the array. */
  get length(): number {
    return figure(this, lengthFigure);
  }

  /** Bits that are set. */
  get count(): number {
    return figure(this, countFigure);
  }

  /** Whether the element is in the set, exactly. A RangeError outside 0..length-1. */
  has(index: number): boolean {
    return actOnBit(this, bitOperations.test, index, 'has');
  }
}
