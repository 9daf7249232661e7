// Bytes of any type.

import { TamisError } from './core/errors.js';
import type { Key, Keys } from './core/key-types.js';
import type { ByteSource } from './core/streams.js';
import { definitionOf } from './core/structures/definition.js';
import {
  type LoadOptions,
  load,
  loadStream,
  type StreamLoadOptions,
  type Target,
  typeNameOf,
} from './core/structures/loading.js';
import { schemeRules } from './core/structures/scheme.js';
import { allClasses } from './filters/all.js';
import type { BitArray } from './filters/bit-array.js';
import type { InvertibleBloomTable } from './filters/iblt.js';

/** An object of any class that this entry loads. */
type AnyInstance = InstanceType<ReturnType<typeof allClasses>[number]>;
type Keyless = BitArray | InvertibleBloomTable;

/** A structure that does not look up keys. */
interface Unasked {
  /** Throws for every key: this structure has no keys to look up. `type` tells it from a filter. */
  has(key: Key): never;
  /** Throws, as `has` does. */
  hasMany(keys: Keys): never;
}

/**
 * Any structure of this release; `type` says which. All have `has`; that of a BitArray and of an
 * InvertibleBloomTable throws.
 */
export type AnyStructure =
  | Exclude<AnyInstance, Keyless>
  | (BitArray & Unasked)
  | (InvertibleBloomTable & Unasked);

/** Loads each type that this entry has a class for. */
const anyClass = (): Target<AnyInstance, []> => ({
  name: 'fromBytes',
  id: 0,
  rules: schemeRules,
  find(id) {
    const Class = allClasses().find((one) => definitionOf(one).id === id);
    if (Class !== undefined) return Class;
    const what = `the bytes hold a ${typeNameOf(id)}, which 'tamis/url' loads`;
    throw new TamisError('ERR_TAMIS_WRONG_TYPE', what);
  },
});

/**
 * Loads a structure of any type from the bytes of `toBytes`. Throws if they are damaged.
 *
 * @example
 * import { BloomFilter, fromBytes } from 'tamis';
 * const bytes = BloomFilter.from(['alice']).toBytes();
 * const loaded = fromBytes(bytes);
 * loaded.has('alice'); // => true
 * loaded.type; // => 'bloom'
 */
export function fromBytes(bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): AnyStructure {
  return load(anyClass(), bytes, options);
}

/**
 * Loads a structure of any type from a download. Rejects as soon as the header is wrong.
 *
 * @example
 * import { BloomFilter, fromStream } from 'tamis';
 * const response = new Response(BloomFilter.from(['alice']).toBytes());
 * const loaded = await fromStream(response.body!);
 * loaded.type; // => 'bloom'
 */
export function fromStream(stream: ByteSource, options?: StreamLoadOptions): Promise<AnyStructure> {
  return loadStream(anyClass(), stream, options);
}
