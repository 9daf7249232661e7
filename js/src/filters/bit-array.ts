// Bit array: the mirror of cpp/include/tamis/filters/bit_array.hpp.

import type { Key, Keys } from '../core/key-types.js';
import { integer } from '../core/options.js';
import { errorOf } from '../core/statuses.js';
import { actOnBit, bitOperations, readBitText } from '../core/structures/bits.js';
import { construct, sizeOf } from '../core/structures/building.js';
import { Adopted, type Definition, definitionOf } from '../core/structures/definition.js';
import {
  bitArrayId,
  combine,
  countFigure,
  figure,
  lengthFigure,
  noneHash,
  Structure,
  tell,
} from '../core/structures/structure.js';
import { bitArray } from '../wasm/parts/bit-array.js';

/**
 * An exact set over a small universe: one bit per possible element, numbered from 0. Choose it when the
 * elements can be numbered and many are present.
 *
 * @example
 * import { BitArray } from 'tamis';
 * const days = new BitArray(7).set(1).set(3);
 * days.has(3); // => true
 * days.toString(); // => '0101000'
 * [...days]; // => [1, 3]
 */
export class BitArray extends Structure<'bit-array', { readonly length: number }> {
  /** All bits are 0. Throws RangeError, TypeError, TOO_LARGE (above 2^32 bits), OUT_OF_MEMORY. */
  constructor(length: number) {
    super((length as unknown) instanceof Adopted ? (length as never) : { length });
  }

  /** @internal */
  static define(): Definition {
    return {
      type: 'bit-array',
      id: bitArrayId,
      part: bitArray,
      name: 'BitArray',
      construct,
      shown: ['length', 'count'],
      readers: { length: integer(0) },
      needed: ['length'],
      complete: () => ({ id: noneHash, part: bitArray }),
    };
  }

  /** Bytes in memory of an array of `length` bits, without making it. */
  static sizeFor(length: number): number {
    return sizeOf(definitionOf(this), { length });
  }

  /** Bits of the array. */
  get length(): number {
    return figure(this, lengthFigure);
  }

  /** Bits that are set. */
  get count(): number {
    return figure(this, countFigure);
  }

  /** Whether the element is in the set, exactly. A RangeError outside 0..length-1, as for all below. */
  has(index: number): boolean;
  /** @internal */
  has(key: Key): never;
  has(index: number | Key): boolean {
    return actOnBit(this, bitOperations.test, index as number, 'has');
  }

  /** @internal */
  hasMany(_keys: Keys): never {
    throw errorOf('ERR_TAMIS_UNSUPPORTED');
  }

  /** Puts the element in. */
  set(index: number): this {
    actOnBit(this, bitOperations.set, index, 'set');
    return this;
  }

  /** Takes the element out. */
  clear(index: number): this {
    actOnBit(this, bitOperations.clear, index, 'clear');
    return this;
  }

  /** Turns the bit over; the bit's new value. */
  toggle(index: number): boolean {
    return !actOnBit(this, bitOperations.toggle, index, 'toggle');
  }

  /** Union in place. Throws INCOMPATIBLE where the lengths differ. */
  merge(other: BitArray): this {
    return combine(this, other, ['length'], (core, into, from) => core.merge(into, from));
  }

  /** Intersection in place. Throws INCOMPATIBLE where the lengths differ. */
  intersect(other: BitArray): this {
    return combine(this, other, ['length'], (core, into, from) => core.intersect(into, from));
  }

  /**
   * The indices of the set bits, from the least on. The array may change meanwhile, as a Set may: each step finds
   * the next bit that is set at that time.
   */
  *[Symbol.iterator](): Generator<number, void, undefined> {
    const next = (from: number) => tell(this, (core, handle) => core.bitArrayNext(handle, from));
    const length = figure(this, lengthFigure);
    for (let at = next(0); at < length; at = next(at + 1)) yield at;
  }

  /** '0' or '1' for each bit of [from, to). */
  toBitString(from = 0, to: number = this.length): string {
    return readBitText(this, from, to, this.length);
  }

  /** '0' or '1' for each bit, the first bit first. */
  override toString(): string {
    return this.toBitString();
  }
}
