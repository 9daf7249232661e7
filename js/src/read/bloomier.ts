// Map from keys to numbers (FORMAT.md, section 5.15).

import type { Key } from '../core/key-types.js';
import { type Container, type Kind, type LoadOptions, need } from './container.js';
import { Filter, type Lookup, liveOf, mapKeys } from './filter.js';
import { hash } from './hash.js';
import { type Get, readRetrieval } from './retrieval.js';

export interface MapLookup extends Lookup {
  readonly get: Get;
}

/**
 * A map from keys to numbers of a few bits, which does not store the keys. An absent key returns `undefined`, or a
 * wrong number at the rate `fpr`. Bytes of another type throw ERR_TAMIS_WRONG_TYPE.
 *
 * Chazelle, Kilian, Rubinfeld and Tal, SODA 2004; built by ribbon retrieval.
 *
 * @example
 * import { BloomierMap as Builder } from 'tamis';
 * import { BloomierMap } from 'tamis/read';
 * const bytes = Builder.from([['ant', 1], ['bee', 2]], { valueBits: 8, checkBits: 24 }).toBytes();
 * const ranks = BloomierMap.fromBytes(bytes);
 * ranks.get('bee'); // => 2
 * ranks.get('cat'); // => undefined
 */
export class BloomierMap extends Filter<'bloomier'> {
  declare static fromBytes: (bytes: ArrayBuffer | Uint8Array, options?: LoadOptions) => BloomierMap;

  /** @internal */
  get kind(): Kind<'bloomier'> {
    return ['bloomier', 13];
  }

  /** @internal */
  read(file: Container): MapLookup {
    const { capacity, count } = file;
    const valueBits = file.u32();
    const checkBits = file.u32();
    need(valueBits > 0 && valueBits <= 32 && checkBits <= 32 && capacity === count);
    const get = readRetrieval(file, count, valueBits, checkBits);
    return {
      get,
      test: () => get() !== undefined,
      rate: () => 2 ** -checkBits,
      figures: { valueBits, checkBits },
    };
  }

  /** Returns the key's value, or `undefined` if the key is certainly not in the map. Throws as `has` does. */
  get(key: Key): number | undefined {
    const { get } = liveOf(this) as MapLookup;
    hash(key, this.file.secret); // writes the hash to h, where `get` reads it
    return get();
  }

  /** Returns each key's value, and 1 in `found`; or 0 in both, for certainly absent keys. Throws as `hasMany`. */
  getMany(keys: Iterable<Key>): {
    values: Uint32Array<ArrayBuffer>;
    found: Uint8Array<ArrayBuffer>;
  } {
    liveOf(this); // throws if disposed
    const values = mapKeys(keys, (key) => this.get(key));
    return {
      values: Uint32Array.from(values, (value) => value ?? 0),
      found: Uint8Array.from(values, (value) => Number(value !== undefined)),
    };
  }
}
