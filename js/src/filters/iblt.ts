// Invertible Bloom lookup table: mirrors cpp/include/tamis/filters/iblt.hpp.

import {
  hashesAddress,
  read,
  readNumbers,
  readStatus,
  statusAddress,
  withMemory,
} from '../core/border/memory.js';
import { rangeError } from '../core/errors.js';
import type { Key } from '../core/key-types.js';
import type { HashOptions } from '../core/keys/hashing.js';
import { integer } from '../core/options.js';
import { check, statusCode } from '../core/statuses.js';
import { construct, sizeOf } from '../core/structures/building.js';
import { adoptLike, type Definition, definitionOf } from '../core/structures/definition.js';
import { askKey, hashOf } from '../core/structures/filter.js';
import {
  callOrThrow,
  capacityFigure,
  cellsFigure,
  combine,
  emptyLike,
  eraseOperation,
  figure,
  ibltId,
  insertOperation,
  keyBytesFigure,
  Structure,
  type StructureClass,
} from '../core/structures/structure.js';
import { iblt } from '../wasm/parts/iblt.js';

/** The options of `new InvertibleBloomTable`. */
export interface InvertibleBloomTableOptions extends HashOptions {
  /** The number of keys in which the two sets may differ, 1 to 2^53 - 1. */
  readonly differences: number;
  /** The length of every key in bytes, 4 to 64. */
  readonly keyBytes: number;
}

/** The result of `decode`: the keys of each side. */
export interface SetDifference {
  /** The keys that were added. After `subtract`: the keys that only the first table has. */
  readonly added: Uint8Array<ArrayBuffer>[];
  /** The keys that were deleted. After `subtract`: the keys that only the second table has. */
  readonly removed: Uint8Array<ArrayBuffer>[];
  /** True if the two lists are complete. Otherwise the sets differ in more keys than the table was made for. */
  readonly complete: boolean;
}

/** Runs an operation on a key. Throws RangeError if the key has another length than the table's keys. */
function act(table: InvertibleBloomTable, operation: number, key: Key): void {
  const status = askKey(table, operation, key);
  if (statusCode(status) === 'ERR_TAMIS_INVALID_KEY') {
    throw rangeError(`a key must have ${table.keyBytes} bytes`, 'ERR_TAMIS_INVALID_KEY');
  }
  check(status);
}

/**
 * A table that two sides fill with their keys, exchange and subtract, to list the keys in which they differ.
 *
 * Its size depends on the number of differences, not of keys. All keys have the same length. A key that is added twice
 * is not listed. If there are too many differences, `complete` is false.
 *
 * Only a `secret` guarantees that no wrong key is listed, and that `complete` means that none is missing. Once the
 * sets are fixed, make a random secret for each exchange, and share it only with the other side. Without a secret,
 * someone who chooses keys can forge wrong results; with keys of 17 bytes or more, this needs no search.
 *
 * Goodrich and Mitzenmacher, Allerton 2011; Eppstein, Goodrich, Uyeda and Varghese, SIGCOMM 2011.
 *
 * @example
 * import { InvertibleBloomTable } from 'tamis';
 * const secret = crypto.getRandomValues(new Uint8Array(16)); // for this exchange, and the other side alone
 * const options = { differences: 200, keyBytes: 4, secret };
 * const mine = new InvertibleBloomTable(options);
 * const theirs = new InvertibleBloomTable(options);
 * for (const key of ['ant.', 'bee.', 'cat.']) mine.add(key);
 * for (const key of ['bee.', 'cat.', 'dog.']) theirs.add(key);
 * const { added, removed, complete } = mine.subtract(theirs).decode();
 * new TextDecoder().decode(added[0]); // => 'ant.'
 * new TextDecoder().decode(removed[0]); // => 'dog.'
 * complete; // => true
 */
export class InvertibleBloomTable extends (Structure as StructureClass<
  InvertibleBloomTable,
  'iblt',
  InvertibleBloomTableOptions
>) {
  /** @internal */
  static define(): Definition {
    return {
      type: 'iblt',
      id: ibltId,
      part: iblt,
      name: 'InvertibleBloomTable',
      construct,
      shown: ['hash', 'seed', 'differences', 'keyBytes'],
      readers: { differences: integer(1), keyBytes: integer(4, 64) },
      needed: ['differences', 'keyBytes'],
    };
  }

  /** Returns the size in bytes that a table with these options has in memory. It builds no table. */
  static sizeFor(options: InvertibleBloomTableOptions): number {
    return sizeOf(definitionOf(this), options);
  }

  /** `'keyed'` if a secret is mixed in, else `'fast'`. */
  get hash(): 'fast' | 'keyed' {
    return hashOf(this);
  }

  /** The number of keys in which the two sets may differ. */
  get differences(): number {
    return figure(this, capacityFigure);
  }

  /** The length of every key in bytes. */
  get keyBytes(): number {
    return figure(this, keyBytesFigure);
  }

  /** Adds a key. Throws RangeError unless its length is `keyBytes`. */
  add(key: Key): void {
    act(this, insertOperation, key);
  }

  /** Deletes a key. If it was never added, `decode` lists it in `removed`. Throws RangeError as `add` does. */
  delete(key: Key): void {
    act(this, eraseOperation, key);
  }

  /** Returns this table minus the other; common keys cancel. Throws ERR_TAMIS_INCOMPATIBLE if an option differs. */
  subtract(other: InvertibleBloomTable): this {
    // The function that combine() calls must return a status, so it stores the new handle in a variable.
    let difference = 0;
    combine(this, other, ['hash', 'seed', 'keyBytes', 'differences'], (core, mine, theirs) => {
      difference = core.invertibleBloomTableSubtract(mine, theirs, statusAddress);
      return readStatus();
    });
    return adoptLike(this, difference);
  }

  /** Lists the keys of the table, or as many as can be listed. The comment of the class says what is guaranteed. */
  decode(): SetDifference {
    const keyBytes = figure(this, keyBytesFigure);
    const size = figure(this, cellsFigure) * keyBytes;
    return withMemory(size, (address) => {
      const answer = callOrThrow(this, (core, handle) =>
        core.invertibleBloomTableDecode(handle, address, size, hashesAddress),
      );
      const [addedCount = 0, removedCount = 0] = readNumbers(hashesAddress, 2);
      const keys = read(address, (addedCount + removedCount) * keyBytes);
      const keyAt = (i: number) => keys.slice(i * keyBytes, (i + 1) * keyBytes);
      return {
        added: Array.from({ length: addedCount }, (_, i) => keyAt(i)),
        removed: Array.from({ length: removedCount }, (_, i) => keyAt(addedCount + i)),
        complete: answer === 1,
      };
    });
  }

  /** Deletes all keys. */
  clear(): void {
    callOrThrow(this, (core, handle) => core.clear(handle));
  }

  /** Makes an empty table with the same options, seed and secret, for subtract. */
  emptyCopy(): this {
    return emptyLike(this);
  }
}
