// Bit array: mirrors cpp/include/tamis/filters/bit_array.hpp.

import { typeError } from '../core/errors.js';
import { integer } from '../core/options.js';
import { actOnPlace, readBitText } from '../core/structures/bits.js';
import { construct, sizeOf } from '../core/structures/building.js';
import { Adopted, type Definition, definitionOf } from '../core/structures/definition.js';
import {
  bitArrayId,
  callOrThrow,
  combine,
  countFigure,
  figure,
  lengthFigure,
  noneHash,
  Structure,
  type StructureClass,
  setBit,
  testBit,
  toggleBit,
  unsetBit,
} from '../core/structures/structure.js';
import { bitArray } from '../wasm/parts/bit-array.js';

/** Runs an operation on one bit, and returns the value that the bit had before. */
const actOnBit = (array: BitArray, operation: number, index: number, what: string): boolean =>
  actOnPlace(array, operation, index, what, 'length') === 1;

/**
 * An exact set over a small universe, with one bit per possible element, numbered from 0.
 *
 * Choose it if the elements can be numbered, and many are present.
 *
 * @example
 * import { BitArray } from 'tamis';
 * const days = new BitArray(7).set(1).set(3);
 * days.has(3); // => true
 * days.toString(); // => '0101000'
 * [...days]; // => [1, 3]
 */
export class BitArray extends (Structure as StructureClass<
  BitArray,
  'bit-array',
  { readonly length: number }
>) {
  /**
   * Makes an empty set of at most 2^32 bits. Throws RangeError, TypeError, ERR_TAMIS_TOO_LARGE and
   * ERR_TAMIS_OUT_OF_MEMORY.
   */
  constructor(length: number) {
    // fromBytes and clone pass an existing structure.
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
      // The elements are numbers, which are not hashed.
      complete: () => ({ id: noneHash, part: bitArray }),
    };
  }

  /** Returns the size in bytes that an array of `length` bits has in memory. It makes no array. */
  static sizeFor(length: number): number {
    return sizeOf(definitionOf(this), { length });
  }

  /** The number of bits. */
  get length(): number {
    return figure(this, lengthFigure);
  }

  /** The number of set bits. */
  get count(): number {
    return figure(this, countFigure);
  }

  /** True if the element is in the set; never wrong. Any method with an index throws RangeError outside 0..length-1. */
  has(index: number): boolean {
    return actOnBit(this, testBit, index, 'has');
  }

  /** Adds the element. */
  set(index: number): this {
    actOnBit(this, setBit, index, 'set');
    return this;
  }

  /** Deletes the element. */
  unset(index: number): this {
    actOnBit(this, unsetBit, index, 'unset');
    return this;
  }

  /** Deletes all elements. */
  clear(): void;
  clear(...indices: unknown[]): void {
    if (indices.length > 0) throw typeError('clear() deletes all; use unset(index) for one bit');
    callOrThrow(this, (core, handle) => core.clear(handle));
  }

  /** Flips the bit, and returns its new value. */
  toggle(index: number): boolean {
    return !actOnBit(this, toggleBit, index, 'toggle');
  }

  /** Adds the elements of the other set. Throws ERR_TAMIS_INCOMPATIBLE if the lengths differ. */
  merge(other: BitArray): this {
    return combine(this, other, ['length'], (core, into, from) => core.merge(into, from));
  }

  /** Keeps only the elements that are in both sets. Throws ERR_TAMIS_INCOMPATIBLE if the lengths differ. */
  intersect(other: BitArray): this {
    return combine(this, other, ['length'], (core, into, from) => core.intersect(into, from));
  }

  /**
   * Yields the indices of the set bits, in ascending order. The array may change meanwhile, as a Set may: each step
   * finds the next bit that is set at that time.
   */
  *[Symbol.iterator](): Generator<number, void, undefined> {
    const next = (from: number) =>
      callOrThrow(this, (core, handle) => core.bitArrayNext(handle, from));
    const length = figure(this, lengthFigure);
    for (let at = next(0); at < length; at = next(at + 1)) yield at;
  }

  /** Returns the bits of [from, to) as a text with '0' or '1' for each. */
  toBitString(from?: number, to?: number): string {
    return readBitText(this, figure(this, lengthFigure), from, to);
  }

  /** Returns all bits as a text with '0' or '1' for each, beginning with bit 0. */
  override toString(): string {
    return readBitText(this, figure(this, lengthFigure));
  }
}
