// Bytes of any type that has look-ups.

import { TamisError } from '../core/errors.js';
import type { LoadOptions } from '../core/structures/loading.js';
import { inspect, nameOf } from '../core/structures/loading.js';
import type { FilterType } from '../core/structures/structure.js';

/** Where each class lies. A bundler makes a file of each, which comes when bytes of its type do. */
const classes = {
  bloom: async () => (await import('./bloom.js')).BloomFilter,
  'blocked-bloom': async () => (await import('./blocked-bloom.js')).BlockedBloomFilter,
  'counting-bloom': async () => (await import('./counting-bloom.js')).CountingBloomFilter,
  'tombstone-bloom': async () => (await import('./tombstone-bloom.js')).TombstoneBloomFilter,
  'deletable-bloom': async () => (await import('./deletable-bloom.js')).DeletableBloomFilter,
  'scalable-bloom': async () => (await import('./scalable-bloom.js')).ScalableBloomFilter,
  'rotating-bloom': async () => (await import('./rotating-bloom.js')).RotatingBloomFilter,
  'd-left-counting': async () => (await import('./d-left-counting.js')).DLeftCountingFilter,
  cuckoo: async () => (await import('./cuckoo.js')).CuckooFilter,
  'binary-fuse': async () => (await import('./binary-fuse.js')).BinaryFuseFilter,
  ribbon: async () => (await import('./ribbon.js')).RibbonFilter,
  exact: async () => (await import('./exact.js')).ExactFilter,
  bloomier: async () => (await import('./bloomier.js')).BloomierMap,
  'bit-array': async () => (await import('./bit-array.js')).BitArray,
} satisfies { [Type in FilterType]?: () => Promise<unknown> };

/** Any structure of tamis/read, told apart by `type`. */
export type AnyReader = InstanceType<Awaited<ReturnType<(typeof classes)[keyof typeof classes]>>>;

/** How the class of a type is imported. */
function importOf(type: keyof typeof classes): string {
  const name = type.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
  const kind = { 'bit-array': '', bloomier: 'Map' }[type as string] ?? 'Filter';
  return `\`import { ${name}${kind} } from 'tamis/read'\``;
}

/**
 * The structure in the bytes of `toBytes`, of whatever type; its class comes by `import()`. Throws rather than give
 * a wrong one. It throws what fromBytes throws, and UNSUPPORTED where `import()` is refused, as in service workers,
 * and for a type that has no look-ups.
 *
 * @example
 * import { RibbonFilter } from 'tamis';
 * import { open } from 'tamis/read';
 * const bytes = RibbonFilter.from(['alice', 'bob']).toBytes();
 * const filter = await open(bytes);
 * filter.type; // => 'ribbon'
 * filter.has('alice'); // => true
 */
export async function open(
  bytes: ArrayBuffer | Uint8Array,
  options?: LoadOptions,
): Promise<AnyReader> {
  const type = nameOf(inspect(bytes, options, 'open'));
  if (!Object.hasOwn(classes, type)) {
    const where = type.startsWith('url-') ? 'tamis/url' : 'tamis';
    throw new TamisError(
      'ERR_TAMIS_UNSUPPORTED',
      `the bytes hold a structure of type ${type}, which answers no questions; '${where}' loads it`,
    );
  }
  const known = type as keyof typeof classes;
  let Class: Awaited<ReturnType<(typeof classes)[typeof known]>>;
  try {
    Class = await classes[known]();
  } catch (cause) {
    throw new TamisError(
      'ERR_TAMIS_UNSUPPORTED',
      `the class could not be loaded by import(), which service workers refuse; use ${importOf(known)} and its fromBytes`,
      { cause },
    );
  }
  return (Class as typeof import('./bloom.js').BloomFilter).fromBytes(bytes, options) as AnyReader;
}
