// Invertible Bloom lookup table: the mirror of cpp/include/tamis/filters/iblt.hpp.

import {
  hashesAddress,
  read,
  readNumbers,
  readStatus,
  statusAddress,
  withMemory,
} from '../core/border/memory.js';
import { rangeError } from '../core/errors.js';
import type { Key, Keys } from '../core/key-types.js';
import type { HashOptions } from '../core/keys/hashing.js';
import { integer } from '../core/options.js';
import { check, codeOf, errorOf } from '../core/statuses.js';
import { construct, sizeOf } from '../core/structures/building.js';
import { adoptLike, type Definition, definitionOf } from '../core/structures/definition.js';
import { askKey, hashOf, keyOperations } from '../core/structures/filter.js';
import {
  capacityFigure,
  cellsFigure,
  combine,
  emptyLike,
  figure,
  ibltId,
  keyBytesFigure,
  Structure,
  tell,
} from '../core/structures/structure.js';
import { iblt } from '../wasm/parts/iblt.js';

/** Options of `new InvertibleBloomTable`. */
export interface InvertibleBloomTableOptions extends HashOptions {
  /** Keys in which the two sets may differ, 1 to 2^53 - 1. */
  readonly differences: number;
  /** The length of every key in bytes, 4 to 64. */
  readonly keyBytes: number;
}

/** What `decode` gives: keys of one side and of the other. */
export interface SetDifference {
  /** Keys that were added; after a subtraction: only in the first table. */
  readonly added: Uint8Array<ArrayBuffer>[];
  /** Keys that were deleted; after a subtraction: only in the second. */
  readonly removed: Uint8Array<ArrayBuffer>[];
  /** Whether these are all. Else the sets differ in more keys than the table was made for. */
  readonly complete: boolean;
}

/**
 * A table that two sides fill with their keys, exchange and subtract, to list the keys in which they differ. Its
 * size follows from the differences, not from the keys. For sets of keys of one length; a key added twice is not
 * listed. Where there are too many differences, `complete` is false.
 *
 * Only `hash: 'keyed'` promises that no wrong key is listed, and that `complete` is true only of all differences.
 * Make a random key for each exchange when the sets are fixed, and send it along. Without it, whoever chooses keys
 * can choose some that lie: of 17 bytes and more it takes no search.
 *
 * Goodrich and Mitzenmacher, Allerton 2011; Eppstein, Goodrich, Uyeda and Varghese, SIGCOMM 2011.
 *
 * @example
 * import { InvertibleBloomTable } from 'tamis';
 * const key = crypto.getRandomValues(new Uint8Array(16)); // for this exchange, and sent along
 * const options = { differences: 200, keyBytes: 4, hash: 'keyed', key };
 * const mine = new InvertibleBloomTable(options);
 * const theirs = new InvertibleBloomTable(options);
 * for (const key of ['ant.', 'bee.', 'cat.']) mine.add(key);
 * for (const key of ['bee.', 'cat.', 'dog.']) theirs.add(key);
 * const { added, removed, complete } = mine.subtract(theirs).decode();
 * new TextDecoder().decode(added[0]); // => 'ant.'
 * new TextDecoder().decode(removed[0]); // => 'dog.'
 * complete; // => true
 */
export class InvertibleBloomTable extends Structure<'iblt', InvertibleBloomTableOptions> {
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

  /** Bytes in memory of a table with these options, without building it. */
  static sizeFor(options: InvertibleBloomTableOptions): number {
    return sizeOf(definitionOf(this), options);
  }

  /** `'keyed'` where a secret key is mixed in. */
  get hash(): 'fast' | 'keyed' {
    return hashOf(this);
  }

  /** Keys in which the two sets may differ. */
  get differences(): number {
    return figure(this, capacityFigure);
  }

  /** The length of every key in bytes. */
  get keyBytes(): number {
    return figure(this, keyBytesFigure);
  }

  /** Puts a key in. A RangeError for a key of another length. */
  add(key: Key): void {
    this.#take(askKey(this, keyOperations.insert, key));
  }

  /** Takes a key out; one that was never in counts as removed. A RangeError for another length. */
  delete(key: Key): void {
    this.#take(askKey(this, keyOperations.erase, key));
  }

  #take(status: number): void {
    if (codeOf(status) === 'ERR_TAMIS_INVALID_KEY') {
      throw rangeError(`expected a key of ${this.keyBytes} bytes`, 'ERR_TAMIS_INVALID_KEY');
    }
    check(status);
  }

  /** @internal */
  has(_key: Key): never {
    throw errorOf('ERR_TAMIS_UNSUPPORTED');
  }

  /** @internal */
  hasMany(_keys: Keys): never {
    return this.has('');
  }

  /** Returns a new table, this one minus the other: what both hold cancels. Throws INCOMPATIBLE, naming what differs. */
  subtract(other: InvertibleBloomTable): this {
    let made = 0;
    combine(this, other, ['hash', 'seed', 'keyBytes', 'differences'], (core, mine, theirs) => {
      made = core.invertibleBloomTableSubtract(mine, theirs, statusAddress);
      return readStatus();
    });
    return adoptLike(this, made);
  }

  /** Lists the keys that the table holds, or as many as can be listed. What is promised stands at the class. */
  decode(): SetDifference {
    const keyBytes = figure(this, keyBytesFigure);
    const size = figure(this, cellsFigure) * keyBytes;
    return withMemory(size, (address) => {
      const complete = tell(this, (core, handle) =>
        core.invertibleBloomTableDecode(handle, address, size, hashesAddress),
      );
      const [added, removed] = readNumbers(hashesAddress, 2) as unknown as [number, number];
      const keys = read(address, (added + removed) * keyBytes);
      const key = (i: number) => keys.slice(i * keyBytes, (i + 1) * keyBytes);
      return {
        added: Array.from({ length: added }, (_, i) => key(i)),
        removed: Array.from({ length: removed }, (_, i) => key(added + i)),
        complete: complete === 1,
      };
    });
  }

  /** Takes all keys out. */
  clear(): void {
    tell(this, (core, handle) => core.clear(handle));
  }

  /** Same options, seed and key, no content: a partner for subtract. */
  emptyCopy(): this {
    return emptyLike(this);
  }
}
