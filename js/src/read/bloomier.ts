// Map from keys to numbers, for look-ups.

import type { Key, Keys } from '../core/keys/key-types.js';
import type { Definition } from '../core/structures/definition.js';
import { getKey, getKeys, hashOf, hasKey, hasKeys } from '../core/structures/filter.js';
import {
  bloomierId,
  checkBitsFigure,
  countFigure,
  figure,
  valueBitsFigure,
} from '../core/structures/structure.js';
import { bloomier } from '../wasm/readers/bloomier.js';
import { Reader } from './reader.js';

/**
 * A number of `valueBits` bits for each key, without the keys. A key that is not in the map gives a number with a
 * chance of one in 2^`checkBits`, and else `undefined`. Bytes of another type throw WRONG_TYPE.
 *
 * Chazelle, Kilian, Rubinfeld and Tal, SODA 2004, by ribbon retrieval.
 *
 * @example
 * import { BloomierMap as Builder } from 'tamis';
 * import { BloomierMap } from 'tamis/read';
 * const bytes = Builder.from([['ant', 1], ['bee', 2]], { valueBits: 8, checkBits: 24 }).toBytes();
 * const ranks = BloomierMap.fromBytes(bytes);
 * ranks.get('bee'); // => 2
 * ranks.get('cat'); // => undefined
 */
export class BloomierMap extends Reader<'bloomier'> {
  /** @internal */
  static define(): Definition {
    return {
      type: 'bloomier',
      id: bloomierId,
      part: bloomier,
      name: 'BloomierMap',
      shown: ['hash', 'seed', 'count', 'valueBits', 'checkBits'],
    };
  }

  /** `'keyed'` where a secret key is mixed in. */
  get hash(): 'fast' | 'keyed' {
    return hashOf(this);
  }

  /** Distinct keys. */
  get count(): number {
    return figure(this, countFigure);
  }

  /** Bits of a value. */
  get valueBits(): number {
    return figure(this, valueBitsFigure);
  }

  /** Bits that tell whether a key is there. */
  get checkBits(): number {
    return figure(this, checkBitsFigure);
  }

  /** The key's value; `undefined` where the key is certainly not in the map. */
  get(key: Key): number | undefined {
    return getKey(this, key);
  }

  /** 1 in `found`, and the value, for each key that is probably there; else 0 in both. */
  getMany(keys: Keys): { values: Uint32Array<ArrayBuffer>; found: Uint8Array<ArrayBuffer> } {
    return getKeys(this, keys);
  }

  /** `false` means certainly not in the map. */
  has(key: Key): boolean {
    return hasKey(this, key);
  }

  /** 1 (probably in the map) or 0 (certainly not) for each key, in order. */
  hasMany(keys: Keys): Uint8Array<ArrayBuffer> {
    return hasKeys(this, keys);
  }
}
