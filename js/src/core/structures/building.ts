// Makes structures from a caller's options, for the constructor, `from` and `sizeFor` of every class.

import type { Handle } from '../../wasm/core.js';
import { coreWith } from '../border/runtime.js';
import { typeError } from '../errors.js';
import { checkIterable, type Keys, lengthOf } from '../key-types.js';
import { type HashOptions, hashingOf, hashReaders } from '../keys/hashing.js';
import { type Given, integer, need, type Reader, rate, readOptions } from '../options.js';
import { type Messages, orRefuse } from '../statuses.js';
import type { Definition } from './definition.js';
import { create, type Fields, type Hashing, sizeFor } from './factories.js';

/** The options of every filter that is made for a number of keys. */
export interface CapacityOptions extends HashOptions {
  /** The number of keys that the filter is made for, 1 to 2^53 - 1. */
  readonly capacity: number;
  /** The false-positive rate at `capacity`, below 1; default 0.01. The least is 2^-48, or higher for some classes. */
  readonly fpr?: number;
}

/** The options of `from`. Arrays and packed keys know their number, so `capacity` is optional. */
export type FromOptions<Options> = Options extends { readonly capacity: number }
  ? Omit<Options, 'capacity'> & { readonly capacity?: number }
  : Options;

/** The messages of classes in which a key may find no room. */
export const fullMessages: Messages = {
  ERR_TAMIS_FULL:
    'there is no room for this key: the filter is full, or holds too many copies of it ' +
    '(`addIfAbsent`); nothing was changed',
};

/** The readers of CapacityOptions, which are the first two fields of nearly every Config. */
export const capacityReaders = () => ({ capacity: integer(1), fpr: rate });

/** Throws if both a rate and a width are given. */
export function refuseBoth(given: Given, what: string): undefined {
  if (given.fpr !== undefined && given.fingerprintBits !== undefined) {
    throw typeError(`${what}: fpr and fingerprintBits do not go together`);
  }
}

/** Checked options, in the form that the core takes. */
export interface Plan {
  readonly given: Given;
  readonly hashing: Hashing;
  /** The name of the caller, for messages. */
  readonly what: string;
  /** Runs a factory of the core, and turns its refusal of an argument into a RangeError. */
  run<T>(make: (typeId: number, fields: Fields, hashing: Hashing) => T): T;
}

/** Checks options by `readers`, which default to all of the definition's. */
export function planOf(
  definition: Definition,
  options: unknown,
  what: string,
  knownCapacity?: number,
  readers: Readonly<Record<string, Reader<unknown>>> = definition.readers ?? {},
): Plan {
  const { id, part, otherReaders, needed, complete } = definition;
  const given: Given = readOptions(
    options,
    { ...hashReaders(), ...readers, ...otherReaders },
    what,
  );
  if (needed === undefined) given.capacity ??= knownCapacity;
  need(given, what, ...(needed ?? ['capacity']));
  const scheme = complete?.(given, what, knownCapacity);
  const fields = Object.keys(definition.readers ?? {}).map((name) => given[name]);
  const hashing = hashingOf(given, what);
  if (scheme !== undefined) hashing.hashId = scheme.id;
  const refusal = definition.refusal ?? scheme?.refusal;
  return {
    given,
    hashing,
    what,
    run(make) {
      coreWith(part);
      if (scheme !== undefined) coreWith(scheme.part);
      const act = () => make(id, fields, hashing);
      return refusal === undefined ? act() : orRefuse(`${what}: ${refusal}`, act);
    },
  };
}

/** Makes a structure from a constructor's options. */
export function construct(
  definition: Definition,
  options: unknown,
  what: string = definition.name,
  knownCapacity?: number,
): Handle {
  return planOf(definition, options, what, knownCapacity).run(create);
}

/** Makes the structure that `from` fills; `capacity` defaults to the number of keys, if that is known. */
export function constructFor(keys: Keys, definition: Definition, options: unknown = {}): Handle {
  const what = `${definition.name}.from`;
  const known = lengthOf(keys);
  if (known !== undefined) return construct(definition, options, what, Math.max(1, known));
  checkIterable(keys);
  return construct(definition, options, `${what}, without a known number of keys`);
}

/** The bytes in memory of a structure with these options. */
export function sizeOf(definition: Definition, options: unknown): number {
  return planOf(definition, options, `${definition.name}.sizeFor`).run(sizeFor);
}
