// What a structure has that has look-ups only.

import { attachHelper } from '../core/border/memory.js';
import { core } from '../core/border/runtime.js';
import type { Key, Keys } from '../core/keys/key-types.js';
import type { Adopted } from '../core/structures/definition.js';
import { commonFigures, hasHashed, hashOf, hasKey, hasKeys } from '../core/structures/filter.js';
import {
  capacityFigure,
  countFigure,
  estimatedFprFigure,
  type FilterType,
  figure,
  figuresOf,
  fprFigure,
  Loadable,
  shownBy,
} from '../core/structures/structure.js';
import type { Handle } from '../wasm/core.js';

/** Whether strings have their helper. Not a matter of the runtime: what only hashes keys does without it. */
let isHelped = false;

/** A structure that was loaded from bytes; nothing changes it. */
export abstract class Reader<Type extends FilterType = FilterType> extends Loadable<Type> {
  /** For fromBytes and fromStream alone. */
  constructor(loaded: Adopted) {
    if (!isHelped) attachHelper(core());
    isHelped = true;
    super((Class): Handle => loaded.take(Class));
  }
}

/**
 * A set of keys that answers "certainly absent" or "probably present"; it never calls a key absent that
 * is in it.
 */
export abstract class Filter<Type extends FilterType = FilterType> extends Reader<Type> {
  /** `'keyed'` where a secret key is mixed in. */
  get hash(): 'fast' | 'keyed' {
    return hashOf(this);
  }

  /** Keys held; what that means for a type stands at the type in `tamis`. */
  get count(): number {
    return figure(this, countFigure);
  }

  /** Keys that the filter was made for. */
  get capacity(): number {
    return figure(this, capacityFigure);
  }

  /** The designed rate at `capacity`, computed from the geometry: never above the one wanted. */
  get fpr(): number {
    return figure(this, fprFigure);
  }

  /** The rate of the content. */
  get estimatedFpr(): number {
    return figure(this, estimatedFprFigure);
  }

  /** `8 * sizeBytes / count`; NaN where the filter is empty. */
  get bitsPerKey(): number {
    const { count } = this;
    return count === 0 ? Number.NaN : (8 * this.sizeBytes) / count;
  }

  /** `false` means certainly absent; `true` means probably present. */
  has(key: Key): boolean {
    return hasKey(this, key);
  }

  /** 1 (probably present) or 0 (certainly absent) for each key, in order. */
  hasMany(keys: Keys): Uint8Array<ArrayBuffer> {
    return hasKeys(this, keys);
  }

  /** hasMany for keys that hashKeys of `tamis` hashed. */
  hasHashes(hashes: BigUint64Array): Uint8Array<ArrayBuffer> {
    return hasHashed(this, hashes);
  }

  override toJSON(): Record<string, unknown> {
    return figuresOf(this, [...commonFigures, ...shownBy(this)]);
  }
}
