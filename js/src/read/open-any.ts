// Bytes of any type that has look-ups.

import type { Key } from '../core/key-types.js';
import { allClasses } from './all.js';
import type { BitArray } from './bit-array.js';
import type { LoadOptions } from './container.js';
import { open, type ReaderOf } from './open.js';

/** Of a structure that answers for no keys. */
interface Unasked {
  /** A key throws: what this holds are no keys. `type` tells it from a filter. */
  has(key: Key): never;
}

/** Any structure of tamis/read, told apart by `type`. `has` can be asked at once: a BitArray throws for keys. */
export type AnyReader = Exclude<ReaderOf<typeof allClasses>, BitArray> | (BitArray & Unasked);

/**
 * `open` with every class of this entry, all of which are in your bundle then. Throws what fromBytes throws, and
 * WRONG_TYPE for a type that has no look-ups.
 *
 * @example
 * import { CuckooFilter } from 'tamis';
 * import { openAny } from 'tamis/read';
 * const opened = openAny(CuckooFilter.from(['alice']).toBytes());
 * opened.has('alice'); // => true
 * opened.type; // => 'cuckoo'
 */
export const openAny = (bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): AnyReader =>
  open(bytes, allClasses, options);
