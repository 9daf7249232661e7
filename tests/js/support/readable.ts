/** Structures of all types that tamis/read supports, made with tamis and opened with tamis/read. */
import type * as tamis from 'tamis';
import * as read from 'tamis/read';

import { structureCases } from '../classes.js';

/** The classes of tamis/read, by their types. */
export const readers = new Map<string, typeof read.BloomFilter>(
  (Object.values(read) as unknown as (typeof read.BloomFilter)[])
    .filter((value) => typeof value === 'function' && 'fromBytes' in value)
    .map((Class) => [Class.prototype.type, Class]),
);

const nameOf = ({ type, load }: (typeof structureCases)[number]) =>
  `${type} ${load.secret !== undefined} ${'schemes' in load}`;

/** Two structures of each type: one with the default hash, and one with a secret key. */
export const readable = structureCases.filter(
  (one, i) =>
    readers.has(one.type) &&
    one.type !== 'bit-array' &&
    !('schemes' in one.load) &&
    structureCases.findIndex((other) => nameOf(other) === nameOf(one)) === i,
);

/** A structure with `n` keys, its bytes, and what tamis/read makes from them. */
export function pairOf({ type, make, load }: (typeof readable)[number], n: number) {
  const whole = make(n) as tamis.BloomFilter;
  const Class = readers.get(type) as typeof read.BloomFilter;
  const bytes = whole.toBytes();
  return { whole, bytes, Class, load, reader: Class.fromBytes(bytes, load) };
}

/** Detaches a buffer from its owner. */
export function transfer(buffer: ArrayBuffer): void {
  structuredClone(buffer, { transfer: [buffer] });
}
