/** Structures for which tamis/read has a class, in tamis and as tamis/read has them. */
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

/** Two structures of each type: one with the package's own rules, and one with a secret key. */
export const readable = structureCases.filter(
  (one, i) =>
    readers.has(one.type) &&
    one.type !== 'bit-array' &&
    !('schemes' in one.load) &&
    structureCases.findIndex((other) => nameOf(other) === nameOf(one)) === i,
);

/** A structure of `n` keys, its bytes, and the structure that tamis/read makes of them. */
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
