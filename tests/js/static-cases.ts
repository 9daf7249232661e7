/** Adapts the classes that are built once to the contract. */

import type { BloomierMap, ExactFilter, HashOptions, Key, Keys } from 'tamis';

import {
  hashed,
  type ListCase,
  type ListFilter,
  type ListFilterClass,
  members,
  type StaticCase,
  type StaticFilterCase,
  type Variant,
} from './cases.js';
import { given } from './support/sources.js';

export function listCases(
  Class: ListFilterClass,
  variants: readonly Variant<{ readonly fingerprintBits?: number; readonly arity?: number }>[],
): ListCase[] {
  const { type } = Class.prototype;
  return [...hashed, ...variants].map(([name, options]) => ({
    label: `${type}${name}`,
    type,
    Class,
    className: Class.name,
    options,
    load: options.secret === undefined ? {} : { secret: options.secret },
    make: (n) => Class.from(members(n), options),
    from: (keys) => Class.from(keys, options),
    fromAsync: (source, more) => Class.fromAsync(source, { ...options, ...more }),
    sizeFor: (capacity) => Class.sizeFor({ ...options, capacity }),
    secret: options.secret,
    rate: (built) => (built.count === 0 ? 0 : 2 ** -(built as ListFilter).fingerprintBits),
  }));
}

/** The keys that every exact filter here excludes. */
export const others: readonly string[] = Array.from({ length: 1200 }, (_, i) => `other-${i}`);

export function exactCase(
  Class: typeof ExactFilter,
  name: string,
  options: HashOptions,
): StaticFilterCase {
  const from = (include: Iterable<Key>) =>
    Class.from({ include: include as Keys, exclude: others as string[] }, options);
  return {
    label: `exact${name}`,
    type: 'exact',
    Class,
    className: Class.name,
    load: options.secret === undefined ? {} : { secret: options.secret },
    make: (n) => from(members(n)),
    from,
    fromAsync: (include, more) =>
      Class.fromAsync({ include, exclude: given(others) }, { ...options, ...more }),
    sizeFor: (capacity) => Class.sizeFor({ ...options, capacity, excluded: others.length }),
    secret: options.secret,
    rate: (built) => (built.count === 0 ? 0 : (built as ExactFilter).fprOutside),
  };
}

/** The value of a key in a map: of its bytes, so that a string and its bytes have the same. */
export function valueFor(key: Key, valueBits: number): number {
  const bytes = Buffer.from(key as string);
  let sum = 1;
  for (let i = 0; i < bytes.length; i++) sum = Math.imul(sum, 31) + (bytes[i] as number);
  return Math.imul(sum, 0x9e3779b1) >>> (32 - valueBits);
}

export function mapCase(
  Class: typeof BloomierMap,
  name: string,
  options: HashOptions & { readonly valueBits: number; readonly checkBits?: number },
): StaticCase {
  function* entries(keys: Iterable<Key>): Generator<[Key, number]> {
    for (const key of keys) yield [key, valueFor(key, options.valueBits)];
  }
  async function* entriesFrom(keys: AsyncIterable<Key>): AsyncGenerator<[Key, number]> {
    for await (const key of keys) yield [key, valueFor(key, options.valueBits)];
  }
  const from = (keys: Iterable<Key>) => Class.from(entries(keys), options);
  return {
    label: `bloomier${name}`,
    type: 'bloomier',
    Class,
    className: Class.name,
    load: options.secret === undefined ? {} : { secret: options.secret },
    make: (n) => from(members(n)),
    from,
    fromAsync: (keys, more) => Class.fromAsync(entriesFrom(keys), { ...options, ...more }),
    sizeFor: (capacity) => Class.sizeFor({ ...options, capacity }),
    secret: options.secret,
    rate: (built) => (built.count === 0 ? 0 : 2 ** -(built as BloomierMap).checkBits),
  };
}
