// Opens bytes of any type that has look-ups.

import type { Key } from '../core/key-types.js';
import { allClasses } from './all.js';
import type { BitArray } from './bit-array.js';
import type { LoadOptions } from './container.js';
import { open, type ReaderOf } from './open.js';

/** A structure that does not look up keys. */
interface Unasked {
  /** Throws for every key: this structure has no keys. `type` tells it from a filter. */
  has(key: Key): never;
}

/** Any structure of tamis/read; `type` says which. All have `has`; that of a BitArray throws for keys. */
export type AnyReader = Exclude<ReaderOf<typeof allClasses>, BitArray> | (BitArray & Unasked);

/**
 * Opens bytes of any type of this entry. Your bundle then has all classes. Throws the errors of fromBytes, and
 * ERR_TAMIS_WRONG_TYPE for a type without look-ups.
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
