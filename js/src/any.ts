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
import { BinaryFuseFilter } from './filters/binary-fuse.js';
import { BitArray } from './filters/bit-array.js';
import { BlockedBloomFilter } from './filters/blocked-bloom.js';
import { BloomFilter } from './filters/bloom.js';
import { BloomierMap } from './filters/bloomier.js';
import { CountingBloomFilter } from './filters/counting-bloom.js';
import { CuckooFilter } from './filters/cuckoo.js';
import { DLeftCountingFilter } from './filters/d-left-counting.js';
import { DeletableBloomFilter } from './filters/deletable-bloom.js';
import { ExactFilter } from './filters/exact.js';
import { InvertibleBloomTable } from './filters/iblt.js';
import { RibbonFilter } from './filters/ribbon.js';
import { RotatingBloomFilter } from './filters/rotating-bloom.js';
import { ScalableBloomFilter } from './filters/scalable-bloom.js';
import { TombstoneBloomFilter } from './filters/tombstone-bloom.js';

/** Every class; a function, so that a bundle without fromBytes has none that it does not use. */
const allClasses = () =>
  [
    BinaryFuseFilter,
    BitArray,
    BlockedBloomFilter,
    BloomFilter,
    BloomierMap,
    CountingBloomFilter,
    CuckooFilter,
    DeletableBloomFilter,
    DLeftCountingFilter,
    ExactFilter,
    InvertibleBloomTable,
    RibbonFilter,
    RotatingBloomFilter,
    ScalableBloomFilter,
    TombstoneBloomFilter,
  ] as const;

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
