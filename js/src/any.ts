// Bytes of any type.

import { TamisError } from './core/errors.js';
import type { Key, Keys } from './core/key-types.js';
import type { ByteSource } from './core/streams.js';
import { definitionOf } from './core/structures/definition.js';
import {
  type LoadOptions,
  load,
  loadStream,
  nameOf,
  type StreamLoadOptions,
  type Target,
} from './core/structures/loading.js';
import { schemeRules } from './core/structures/scheme.js';
import { allClasses } from './filters/all.js';
import type { BitArray } from './filters/bit-array.js';
import type { InvertibleBloomTable } from './filters/iblt.js';

/** Any class's own type. */
type Own = InstanceType<ReturnType<typeof allClasses>[number]>;
type Keyless = BitArray | InvertibleBloomTable;

/** Of a structure that answers for no keys. */
interface Unasked {
  /** A key throws: what this holds are no keys to look up. `type` tells it from a filter. */
  has(key: Key): never;
  /** Throws, as `has` does. */
  hasMany(keys: Keys): never;
}

/**
 * Any structure of this release, told apart by `type`. It can be asked at once: a BitArray and an
 * InvertibleBloomTable throw for keys.
 */
export type AnyStructure =
  | Exclude<Own, Keyless>
  | (BitArray & Unasked)
  | (InvertibleBloomTable & Unasked);

/** What loads whatever this entry has a class for. */
const anyClass = (): Target<Own, []> => ({
  name: 'fromBytes',
  id: 0,
  schemes: schemeRules,
  find(id) {
    const Class = allClasses().find((one) => definitionOf(one).id === id);
    if (Class !== undefined) return Class;
    const what = `the bytes hold a ${nameOf(id)}, which 'tamis/url' loads`;
    throw new TamisError('ERR_TAMIS_WRONG_TYPE', what);
  },
});

/**
 * The structure in the bytes of `toBytes`, of whatever type; throws rather than give a wrong one.
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
 * fromBytes for a download; refuses as soon as the header is wrong.
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
