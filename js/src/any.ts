// Bytes of any type.

import type { ByteSource } from './core/streams.js';
import {
  type Loader,
  type LoadOptions,
  load,
  loadStream,
  type StreamLoadOptions,
} from './core/structure.js';
import { type BitArray, bitArrayLoader } from './filters/bit-array.js';
import { type BloomFilter, bloomLoader } from './filters/bloom.js';

/** Any structure of this release, told apart by `type`. */
export type AnyStructure = BloomFilter | BitArray;

// A function, so that a bundle without fromBytes has no class that it does not use.
const loaders = (): readonly Loader<AnyStructure>[] => [bloomLoader, bitArrayLoader];

/**
 * The structure in the bytes of `toBytes`, of whatever type; throws rather than give a wrong one.
 *
 * @example
 * import { BloomFilter, fromBytes } from 'tamis';
 * const bytes = BloomFilter.from(['alice']).toBytes();
 * const loaded = fromBytes(bytes);
 * loaded.type; // => 'bloom'
 */
export function fromBytes(bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): AnyStructure {
  return load(loaders(), bytes, options);
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
  return loadStream(loaders(), stream, options);
}
