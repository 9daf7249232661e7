// Bit array: the mirror of cpp/include/tamis/filters/bit_array.hpp.

import { bit, bitOperations, bitText } from '../core/bits.js';
import { hashIds } from '../core/hashing.js';
import { type LoadOptions, load, loadStream, type StreamLoadOptions } from '../core/loading.js';
import { integer } from '../core/options.js';
import type { ByteSource } from '../core/streams.js';
import {
  Adopted,
  adopting,
  combine,
  copyOf,
  create,
  figure,
  type Loader,
  Structure,
  sizeFor,
} from '../core/structure.js';
import { bitArray } from '../wasm/parts/bit-array.js';

const checkLength = integer(0);
const unhashed = { hashId: hashIds.none, seed: 0n, key: undefined };

export const bitArrayType: Loader<BitArray> = {
  type: 'bit-array',
  part: bitArray,
  name: 'BitArray',
  adopt: (handle) => new BitArray(adopting<number>(handle)),
};

/**
 * An exact set over a small universe: one bit per possible element, numbered from 0. Choose it when the
 * elements can be numbered and many are present.
 *
 * @example
 * import { BitArray } from 'tamis';
 * const days = new BitArray(7).set(1).set(3);
 * days.has(3); // => true
 * days.toString(); // => '0101000'
 */
export class BitArray extends Structure {
  /** All bits are 0. Throws RangeError, TypeError, TOO_LARGE (above 2^32 bits), OUT_OF_MEMORY. */
  constructor(length: number) {
    super(
      (length as unknown) instanceof Adopted
        ? (length as unknown as Adopted).handle
        : create('bit-array', [checkLength(length, 'BitArray: length')], unhashed),
    );
  }

  /** Bytes in memory of an array of `length` bits, without making it. */
  static sizeFor(length: number): number {
    return sizeFor('bit-array', [checkLength(length, 'BitArray.sizeFor: length')], unhashed);
  }

  /** The array in the bytes of `toBytes`; throws rather than give a wrong one. */
  static fromBytes(bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): BitArray {
    return load([bitArrayType], bytes, options);
  }

  /** fromBytes for a download; refuses as soon as the header is wrong. */
  static fromStream(stream: ByteSource, options?: StreamLoadOptions): Promise<BitArray> {
    return loadStream([bitArrayType], stream, options);
  }

  get type(): 'bit-array' {
    return 'bit-array';
  }

  get [Symbol.toStringTag](): string {
    return 'BitArray';
  }

  /** Bits of the array. */
  get length(): number {
    return figure(this, 'length');
  }

  /** Bits that are set. */
  get count(): number {
    return figure(this, 'count');
  }

  /** Whether the element is in the set, exactly. A RangeError outside 0..length-1, as for all below. */
  has(index: number): boolean {
    return bit(this, bitOperations.test, index, 'has');
  }

  /** Puts the element in. */
  set(index: number): this {
    bit(this, bitOperations.set, index, 'set');
    return this;
  }

  /** Takes the element out. */
  clear(index: number): this {
    bit(this, bitOperations.clear, index, 'clear');
    return this;
  }

  /** Turns the bit over; the bit's new value. */
  toggle(index: number): boolean {
    return !bit(this, bitOperations.toggle, index, 'toggle');
  }

  /** Union in place. Throws INCOMPATIBLE where the lengths differ. */
  merge(other: BitArray): this {
    combine(this, other, ['length'], (core, into, from) => core.merge(into, from));
    return this;
  }

  /** Intersection in place. Throws INCOMPATIBLE where the lengths differ. */
  intersect(other: BitArray): this {
    combine(this, other, ['length'], (core, into, from) => core.intersect(into, from));
    return this;
  }

  clone(): BitArray {
    return bitArrayType.adopt(copyOf(this));
  }

  /** '0' or '1' for each bit, the first bit first. */
  override toString(): string {
    const { length } = this;
    return bitText(this, 0, length, length);
  }

  toJSON(): Record<string, unknown> {
    return {
      type: this.type,
      length: this.length,
      count: this.count,
      sizeBytes: this.sizeBytes,
    };
  }
}
