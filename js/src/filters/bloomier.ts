// Map from keys to numbers: mirrors cpp/include/tamis/filters/bloomier.hpp.

import { readValue } from '../core/border/memory.js';
import { mapLazily, mustBe, rangeError, show, typeError } from '../core/errors.js';
import type { Key, Keys } from '../core/key-types.js';
import { Blocks } from '../core/keys/blocks.js';
import { gatherHashes, type HashOptions } from '../core/keys/hashing.js';
import { type AddFromOptions, readKeys, sourceReaders } from '../core/keys/read-keys.js';
import { integer } from '../core/options.js';
import { type Plan, sizeOf } from '../core/structures/building.js';
import { type Definition, definitionOf, type Use } from '../core/structures/definition.js';
import { askOrThrow, getKeys, hashOf, hasKey, hasKeys } from '../core/structures/filter.js';
import { buildOf, buildPlan } from '../core/structures/static-building.js';
import {
  bloomierId,
  checkBitsFigure,
  countFigure,
  figure,
  getOperation,
  Structure,
  type StructureClass,
  valueBitsFigure,
} from '../core/structures/structure.js';
import { bloomier } from '../wasm/parts/bloomier.js';

/** A key and its value, an unsigned number of `valueBits` bits. */
export type BloomierEntry = readonly [key: Key, value: number];

/** The options of `BloomierMap.from`. */
export interface BloomierOptions extends HashOptions {
  /** The number of bits of a value, 1 to 32. With 3 bits, values are 0 to 7. */
  readonly valueBits: number;
  /** The number of bits that detect an absent key, 0 to 32; default 8: 1 absent key in 256 gets a wrong value. */
  readonly checkBits?: number;
}

/** Splits entries into the hashes of their keys, and their values. */
export class Entries {
  readonly hashes = new Blocks(BigUint64Array);
  readonly values = new Blocks(Uint32Array);
  readonly #most: number;
  readonly #secret: Uint8Array | undefined;

  constructor(valueBits: number, secret: Uint8Array | undefined) {
    this.#most = 2 ** valueBits - 1;
    this.#secret = secret;
  }

  add(entries: Iterable<BloomierEntry>): void {
    if (typeof entries === 'string' || !(Symbol.iterator in Object(entries))) {
      throw typeError(`expected [key, value] pairs, as from Object.entries, got ${show(entries)}`);
    }
    const keys = mapLazily(entries, (entry) => this.#split(entry));
    gatherHashes(this.hashes, keys, this.#secret);
  }

  /** Keeps the value of an entry, and returns its key. */
  #split(entry: BloomierEntry): Key {
    if (!Array.isArray(entry) || entry.length !== 2) {
      throw typeError(`expected an entry [key, value], got ${show(entry)}`);
    }
    const [key, value]: readonly [Key, unknown] = entry;
    if (typeof value !== 'number') throw mustBe('a number', 'a value', value);
    if (!Number.isInteger(value) || value < 0 || value > this.#most) {
      throw rangeError(`a value must be a whole number from 0 to ${this.#most}, got ${value}`);
    }
    this.values.add(1, (block, at) => {
      block[at] = value;
    });
    return key;
  }
}

/** Makes an empty list of entries for a build. The definition requires the option valueBits. */
const emptyEntries = ({ options }: Plan): Entries =>
  new Entries(options.valueBits as number, options.secret);

/**
 * A map from keys to numbers of `valueBits` bits. It does not store the keys.
 *
 * It takes `valueBits + checkBits` bits per key, and about 1 % more. A key of the map always returns its number. An
 * absent key returns `undefined`, except for one in 2^checkBits, which returns a wrong number. The map is built once,
 * from entries in any order, which may repeat. A key with two values throws ERR_TAMIS_CONFLICT, and the error's `count`
 * is the number of such keys.
 *
 * Chazelle, Kilian, Rubinfeld and Tal, SODA 2004; built with ribbon retrieval.
 *
 * @example
 * import { BloomierMap } from 'tamis';
 * const ranks = BloomierMap.from([['ant', 1], ['bee', 2]], { valueBits: 8, checkBits: 24 });
 * ranks.get('bee'); // => 2
 * ranks.get('cat'); // => undefined
 */
export class BloomierMap extends (Structure as StructureClass<
  BloomierMap,
  'bloomier',
  Use<'BloomierMap.from(entries, options)'>
>) {
  /** @internal */
  static define(): Definition {
    return {
      type: 'bloomier',
      id: bloomierId,
      part: bloomier,
      name: 'BloomierMap',
      shown: ['hash', 'seed', 'count', 'valueBits', 'checkBits'],
      readers: { capacity: integer(1), valueBits: integer(1, 32), checkBits: integer(0, 32) },
      needed: ['valueBits', 'capacity'],
      conflict: 'a key has two values',
    };
  }

  /**
   * Builds the map. Throws RangeError, TypeError, ERR_TAMIS_CONFLICT, ERR_TAMIS_TOO_LARGE, ERR_TAMIS_OUT_OF_MEMORY and
   * ERR_TAMIS_BUILD_FAILED.
   */
  static from(entries: Iterable<BloomierEntry>, options: BloomierOptions): BloomierMap {
    const plan = buildPlan(definitionOf(this), options, 'from');
    const lists = emptyEntries(plan);
    lists.add(entries);
    return buildOf<BloomierMap>(this, plan, lists.hashes, lists.values);
  }

  /** Builds the map from entries that arrive over time. If `signal` aborts, it rejects with the signal's reason. */
  static async fromAsync(
    source: ReadableStream<BloomierEntry> | AsyncIterable<BloomierEntry>,
    options: BloomierOptions & AddFromOptions,
  ): Promise<BloomierMap> {
    const plan = buildPlan(definitionOf(this), options, 'fromAsync', sourceReaders());
    const lists = emptyEntries(plan);
    await readKeys<BloomierEntry>(source, plan.options, plan.what, (entries) =>
      lists.add(entries as BloomierEntry[]),
    );
    return buildOf<BloomierMap>(this, plan, lists.hashes, lists.values);
  }

  /** The expected size in memory, in bytes, of a map of `capacity` distinct keys. */
  static sizeFor(options: BloomierOptions & { readonly capacity: number }): number {
    return sizeOf(definitionOf(this), options);
  }

  /** `'keyed'` if a secret is mixed in, else `'fast'`. */
  get hash(): 'fast' | 'keyed' {
    return hashOf(this);
  }

  /** The number of distinct keys. */
  get count(): number {
    return figure(this, countFigure);
  }

  /** The number of bits of a value. */
  get valueBits(): number {
    return figure(this, valueBitsFigure);
  }

  /** The number of bits that detect an absent key. */
  get checkBits(): number {
    return figure(this, checkBitsFigure);
  }

  /** Returns the key's value, or `undefined` if the key is certainly not in the map. */
  get(key: Key): number | undefined {
    return askOrThrow(this, getOperation, key) === 1 ? readValue() : undefined;
  }

  /** Returns, for each key, its value and 1 in `found`, or 0 in both if the key is certainly not in the map. */
  getMany(keys: Keys): { values: Uint32Array<ArrayBuffer>; found: Uint8Array<ArrayBuffer> } {
    return getKeys(this, keys);
  }

  /** `false` means certainly not in the map; `true` means probably in it. */
  has(key: Key): boolean {
    return hasKey(this, key);
  }

  /** Returns 1 (probably in the map) or 0 (certainly not) for each key, in order. */
  hasMany(keys: Keys): Uint8Array<ArrayBuffer> {
    return hasKeys(this, keys);
  }
}
