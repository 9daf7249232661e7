import { mustBe, TamisError } from './core/errors.js';
import type { ByteSource } from './core/streams.js';
import { type ClassOf, definitionOf, findDefinition } from './core/structures/definition.js';
import {
  type LoadOptions,
  load,
  loadStream,
  type StreamLoadOptions,
  type Target,
  typeNameOf,
} from './core/structures/loading.js';
import { schemeRules } from './core/structures/scheme.js';
import type { Structure } from './core/structures/structure.js';
import { filterClasses } from './filters/all.js';

/** A class of structures that can be written as bytes. */
export type StructureClass = new (options: never) => Structure;

/** A filter of any class of `tamis`; `type` says which. */
export type AnyFilter = InstanceType<ReturnType<typeof filterClasses>[number]>;

/** The types that are no filters, each with the method that loads it. */
const otherLoaders: Readonly<Record<string, string>> = {
  'bit-array': 'BitArray.fromBytes',
  iblt: 'InvertibleBloomTable.fromBytes',
  'url-list': "UrlList.fromBytes of 'tamis/url'",
  'url-delta': "UrlDelta.fromBytes of 'tamis/url'",
};

/** Accepts the types of these classes. `name` is the caller's name, for messages. */
function targetOf<S>(classes: readonly ClassOf<S>[], name: string): Target<S, []> {
  if (!Array.isArray(classes) || !classes.every(findDefinition)) {
    throw mustBe("an array of classes of 'tamis'", `${name}: classes`, classes);
  }
  const find = (id: number): ClassOf<S> => {
    const Class = classes.find((one) => definitionOf(one).id === id);
    if (Class !== undefined) return Class;
    const type = typeNameOf(id);
    const loader = otherLoaders[type];
    const cure = loader ? `load them with ${loader}` : 'no class that you passed loads it';
    throw new TamisError('ERR_TAMIS_WRONG_TYPE', `the bytes have the type ${type}: ${cure}`);
  };
  return { name, id: 0, rules: schemeRules, find };
}

/**
 * Loads a filter of any type from the bytes of `toBytes`. Throws if they are damaged. The bytes of a BitArray or an
 * InvertibleBloomTable throw ERR_TAMIS_WRONG_TYPE. A bundle with this function contains all filters.
 *
 * @example
 * import { BloomFilter, fromBytes } from 'tamis';
 * const bytes = BloomFilter.from(['alice']).toBytes();
 * const loaded = fromBytes(bytes);
 * loaded.has('alice'); // => true
 * loaded.type; // => 'bloom'
 */
export function fromBytes(bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): AnyFilter {
  return load(targetOf<AnyFilter>(filterClasses(), 'fromBytes'), bytes, options);
}

/**
 * Loads a filter of any type from a download, as `fromBytes` does. Rejects as soon as the header is wrong.
 *
 * @example
 * import { BloomFilter, fromStream } from 'tamis';
 * const response = new Response(BloomFilter.from(['alice']).toBytes());
 * (await fromStream(response.body!)).type; // => 'bloom'
 */
export async function fromStream(
  stream: ByteSource,
  options?: StreamLoadOptions,
): Promise<AnyFilter> {
  return loadStream(targetOf<AnyFilter>(filterClasses(), 'fromStream'), stream, options);
}

/**
 * Loads the bytes of `toBytes` with the class of their type, which must be in the list. Your bundle contains only the
 * classes in the list. Throws ERR_TAMIS_WRONG_TYPE if none of them has the type.
 *
 * @example
 * import { BloomFilter, fromBytesOf, RibbonFilter } from 'tamis';
 * const bytes = RibbonFilter.from(['alice', 'bob']).toBytes();
 * const filter = fromBytesOf([BloomFilter, RibbonFilter], bytes);
 * filter.type; // => 'ribbon'
 */
export function fromBytesOf<const Classes extends readonly StructureClass[]>(
  classes: Classes,
  bytes: ArrayBuffer | Uint8Array,
  options?: LoadOptions,
): InstanceType<Classes[number]> {
  return load(targetOf(classes, 'fromBytesOf'), bytes, options) as InstanceType<Classes[number]>;
}

/**
 * Loads a download with the class of its type, as `fromBytesOf` does. Rejects as soon as the header is wrong.
 *
 * @example
 * import { BloomFilter, fromStreamOf, RibbonFilter } from 'tamis';
 * const response = new Response(RibbonFilter.from(['alice']).toBytes());
 * (await fromStreamOf([BloomFilter, RibbonFilter], response.body!)).type; // => 'ribbon'
 */
export async function fromStreamOf<const Classes extends readonly StructureClass[]>(
  classes: Classes,
  stream: ByteSource,
  options?: StreamLoadOptions,
): Promise<InstanceType<Classes[number]>> {
  const loaded = await loadStream(targetOf(classes, 'fromStreamOf'), stream, options);
  return loaded as InstanceType<Classes[number]>;
}
