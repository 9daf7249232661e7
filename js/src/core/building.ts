// From a caller's options to a structure: the one road of every class's constructor, `from` and `sizeFor`.

import type { Handle } from '../wasm/core.js';
import { rangeError, TamisError, typeError } from './errors.js';
import { lengthOf, type MutableFilter } from './filter.js';
import { type HashOptions, hashingOf, hashReaders } from './hashing.js';
import type { Keys } from './key-types.js';
import { checkIterable } from './keys.js';
import { integer, own, type Reader, rate, readOptions } from './options.js';
import { Adopted, create, type Fields, type Hashing, type Loader, sizeFor } from './structure.js';

/** Options of every filter that is made for a number of keys. */
export interface CapacityOptions extends HashOptions {
  /** Keys that the filter is made for, 1 to 2^53 - 1. */
  readonly capacity: number;
  /** The rate at `capacity`, below 1; default 0.01. The least is 2^-48, or what the class says. */
  readonly fpr?: number;
}

/** Options of `from`: arrays and packed keys know their number. */
export type FromOptions<Options extends CapacityOptions> = Omit<Options, 'capacity'> & {
  readonly capacity?: number;
};

/** The readers of CapacityOptions: the first two fields of nearly every Config. */
export const capacityReaders = { capacity: integer(1), fpr: rate };

/** Options that were checked one by one; each class knows its own. */
// biome-ignore lint/suspicious/noExplicitAny: the readers give the types, and differ for each class
export type Given = any;

/** What a class says of itself: how its options are read, and how a handle becomes one. */
export interface Definition<S> extends Loader<S> {
  /** The options beside those of hashing, in the order of the C++ Config's fields(). */
  readonly readers: Readonly<Record<string, Reader<number>>>;
  /** Options that are no field of the Config. */
  readonly otherReaders?: Readonly<Record<string, Reader<unknown>>>;
  /**
   * Looks whether the options go together and are enough, and fills in what is known; gives a hash id
   * where a scheme has its own. Default: capacity is needed.
   */
  readonly complete?: (given: Given, what: string, knownCapacity?: number) => number | undefined;
  /** What the core may still refuse, for a RangeError. */
  readonly refusal?: string;
}

/** Names an option that must be there. */
export function need(given: Given, name: string, what: string): void {
  if (given[name] === undefined) throw typeError(`${what}: expected the option ${name}`);
}

/** A filter has a rate or a width, not both. */
export function refuseBoth(given: Given, what: string): undefined {
  if (given.fpr !== undefined && given.fingerprintBits !== undefined) {
    throw typeError(`${what}: fpr and fingerprintBits do not go together`);
  }
}

function needCapacity(given: Given, what: string, knownCapacity?: number): undefined {
  given.capacity ??= knownCapacity;
  need(given, 'capacity', what);
}

/** Options that were checked, as the core takes them. */
export interface Plan {
  readonly given: Given;
  readonly fields: Fields;
  readonly hashing: Hashing;
  /** Runs a factory of the core, and says what the core may refuse. */
  run<T>(act: () => T): T;
}

/** Checks options; `readers` are those that may be given, all of the definition's unless named. */
export function planOf<S>(
  definition: Definition<S>,
  options: unknown,
  what: string,
  knownCapacity?: number,
  readers: Readonly<Record<string, Reader<unknown>>> = definition.readers,
): Plan {
  const { otherReaders, complete = needCapacity, refusal } = own(definition);
  const given: Given = readOptions(options, { ...hashReaders, ...readers, ...otherReaders }, what);
  const hashId = complete(given, what, knownCapacity);
  const hashing = hashingOf(given, what);
  return {
    given,
    fields: Object.keys(definition.readers).map((name) => given[name]),
    hashing: hashId === undefined ? hashing : { ...hashing, hashId },
    run(act) {
      try {
        return act();
      } catch (error) {
        const isRefused = error instanceof TamisError && error.code === 'ERR_TAMIS_INVALID_OPTION';
        throw isRefused && refusal !== undefined ? rangeError(`${what}: ${refusal}`) : error;
      }
    },
  };
}

/** The structure of a constructor's argument: options, or one that is there already. */
export function construct<S>(definition: Definition<S>, options: unknown): Handle {
  if (options instanceof Adopted) return options.handle;
  const { type, name } = definition;
  const { fields, hashing, run } = planOf(definition, options, name);
  return run(() => create(type, fields, hashing));
}

/** A filter with the keys in it; `capacity` defaults to their number where that is known. */
export function buildFrom<S extends MutableFilter>(
  definition: Definition<S>,
  keys: Keys,
  options: unknown = {},
): S {
  const { type, name } = definition;
  const known = lengthOf(keys);
  if (known === undefined) checkIterable(keys);
  const what =
    known === undefined ? `${name}.from, without a known number of keys` : `${name}.from`;
  const capacity = known === undefined ? undefined : Math.max(1, known);
  const { fields, hashing, run } = planOf(definition, options, what, capacity);
  const filter = definition.adopt(run(() => create(type, fields, hashing)));
  try {
    filter.addMany(keys);
  } catch (error) {
    filter.dispose();
    throw error;
  }
  return filter;
}

/** Bytes in memory of a structure with these options. */
export function sizeOf<S>(definition: Definition<S>, options: unknown): number {
  const { type, name } = definition;
  const { fields, hashing, run } = planOf(definition, options, `${name}.sizeFor`);
  return run(() => sizeFor(type, fields, hashing));
}
