// Keys that are read before their filter exists, since their number is its capacity.

import { type Key, type Keys, keep, listOf } from '../key-types.js';
import { Blocks, joinBlocks } from '../keys/blocks.js';
import { gatherHashes } from '../keys/hashing.js';
import type { CheckedOptions } from './definition.js';
import type { MutableFilter } from './filter.js';

/** Keys of an unknown number: their hashes, 8 bytes each, or the keys if a scheme hashes in its own way. */
export class Collected {
  readonly #hashes = new Blocks(BigUint64Array);
  readonly #keys: Key[] | undefined;
  readonly #secret: Uint8Array | undefined;

  constructor({ scheme, secret }: CheckedOptions) {
    this.#keys = scheme && [];
    this.#secret = secret;
  }

  get length(): number {
    return this.#hashes.length;
  }

  /** Appends keys. Throws for a value that is no key, with its index among these. */
  add(keys: Keys): void {
    const list = this.#keys ? listOf(keys) : keys;
    gatherHashes(this.#hashes, list, this.#secret);
    for (const key of this.#keys ? (list as Key[]) : []) this.#keys?.push(keep(key));
  }

  /** Adds the keys to a filter, and forgets them. */
  addTo(filter: MutableFilter): void {
    if (this.#keys) filter.addMany(this.#keys);
    else filter.addHashes(joinBlocks(this.#hashes));
  }
}
