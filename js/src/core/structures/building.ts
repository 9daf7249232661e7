// Makes structures from a caller's options. The constructor, `from` and `sizeFor` of every class use it.

import type { Core, Handle } from '../../wasm/core.js';
import { fastHash, keyedHash } from '../../wasm/figures.js';
import {
  handleOrThrow,
  hashesAddress,
  readStatus,
  statusAddress,
  writeNumbers,
} from '../border/memory.js';
import { call, coreWith } from '../border/runtime.js';
import { rangeError, typeError } from '../errors.js';
import { type HashOptions, hashReaders, withSecret } from '../keys/hashing.js';
import { copyOwn, integer, need, type Reader, rate, readOptions } from '../options.js';
import { check, errorOf } from '../statuses.js';
import type { CheckedOptions, Definition } from './definition.js';

/** The options of every filter that is made for a number of keys. */
export interface CapacityOptions extends HashOptions {
  /** The number of keys that the filter is made for, 1 to 2^53 - 1. */
  readonly capacity: number;
  /** The false-positive rate at `capacity`, below 1; default 0.01. The least is 2^-48, or higher for some classes. */
  readonly fpr?: number;
}

/** The options of `from` and `fromAsync`: `capacity` defaults to the number of the keys. */
export type FromOptions<Options> = Options extends { readonly capacity: number }
  ? Omit<Options, 'capacity'> & { readonly capacity?: number }
  : Options;

/** The readers of CapacityOptions, which are the first two fields of nearly every C++ Config. */
export const capacityReaders = () => ({ capacity: integer(1), fpr: rate });

/** Throws if the options have both a rate and a width. For a Definition's `complete`: returns no scheme. */
export function refuseBoth({ fpr, fingerprintBits }: CheckedOptions, what: string): undefined {
  if (fpr !== undefined && fingerprintBits !== undefined) {
    throw typeError(`${what}: fpr and fingerprintBits do not go together`);
  }
}

/** A function of the core that takes a type's id, and the addresses of a Config's fields and of the secret. */
type Factory<T> = (core: Core, typeId: number, fields: number, secret: number) => T;

/** Checked options, and a function that passes them to the core. */
export interface Plan {
  readonly options: CheckedOptions;
  /** The name of the caller, for messages. */
  readonly what: string;
  /** Runs a factory of the core. For an argument out of range, it throws a RangeError if the class has a `refusal`. */
  run<T>(factory: Factory<T>): T;
}

type Readers = Readonly<Record<string, Reader<unknown>>>;

/** Checks each option by itself. `readers` default to all readers of the definition. */
export function readBuildOptions(
  definition: Definition,
  options: unknown,
  what: string,
  readers: Readers = definition.readers ?? {},
): CheckedOptions {
  return readOptions(options, { ...readers, ...definition.otherReaders, ...hashReaders() }, what);
}

/** True if the options determine the size of the structure. */
export const haveSize = ({ capacity, bits, hashes }: CheckedOptions): boolean =>
  (capacity ?? bits ?? hashes) !== undefined;

/** Checks each option as readBuildOptions does, then that none is missing, and that they can be combined. */
export function planOf(
  definition: Definition,
  options: unknown,
  what: string,
  readers: Readers = definition.readers ?? {},
): Plan {
  const { needed = ['capacity'] } = definition;
  const read = readBuildOptions(definition, options, what, readers);
  // A static build counts its keys, so it has no readers for the numbers of keys.
  need(read, what, ...(needed.filter((name) => Object.hasOwn(readers, name)) as never[]));
  return planFor(definition, read, what);
}

/** Makes a plan from options that are each checked already. Throws if they cannot be combined. */
function planFor(definition: Definition, checked: CheckedOptions, what: string): Plan {
  const { id, part, complete } = definition;
  const values = checked as Readonly<Record<string, unknown>>;
  const scheme = complete?.(checked, what);
  const { seed = 0n, secret } = checked;
  const hashId = secret === undefined ? fastHash : keyedHash;
  const seedHalves = [Number(seed & 0xffffffffn), Number(seed >> 32n)];
  // The fields of the C++ Config, in its order. NaN keeps a field's default.
  const fields = Object.keys(definition.readers ?? {}).map((name) => values[name] ?? Number.NaN);
  const numbers = [scheme?.id ?? hashId, ...seedHalves, ...(fields as number[])];
  // The text of the RangeError if the core refuses an argument.
  const refusal = definition.refusal ?? scheme?.refusal;
  return {
    options: checked,
    what,
    run(factory) {
      coreWith(part);
      if (scheme !== undefined) coreWith(scheme.part);
      const act = <U>(make: Factory<U>) =>
        withSecret(secret, (secretAddress) => {
          writeNumbers(hashesAddress, numbers);
          return call((core) => make(core, id, hashesAddress, secretAddress));
        });
      try {
        return act(factory);
      } catch (error) {
        const { code, message } = Object(error);
        if (refusal && code === 'ERR_TAMIS_INVALID_OPTION') throw rangeError(`${what}: ${refusal}`);
        if (code !== 'ERR_TAMIS_TOO_LARGE') throw error;
        // The first field is the number of keys, to which the size is proportional. NaN means that there is no size.
        const times = (numbers[3] as number) / 2 ** 20;
        numbers[3] = 2 ** 20;
        const size = times * act((core, ...inputs) => core.sizeFor(...inputs, statusAddress));
        throw errorOf(
          code,
          `${what}: ${size > 0 ? `needs about ${size.toFixed()} bytes; ` : ''}${message}`,
        );
      }
    },
  };
}

/** Makes a structure from a constructor's options. */
export function construct(
  definition: Definition,
  options: unknown,
  what: string = definition.name,
): Handle {
  return create(planOf(definition, options, what));
}

/** Makes the structure that `from` fills. If the options have no size, it follows from `count`, the number of keys. */
export function constructFor(
  definition: Definition,
  options: CheckedOptions,
  what: string,
  count: number,
): Handle {
  const sized = haveSize(options) ? options : copyOwn({ capacity: Math.max(1, count), ...options });
  return create(planFor(definition, sized, what));
}

const create = ({ run }: Plan): Handle =>
  run((core, ...inputs) => handleOrThrow(core.create(...inputs, statusAddress)));

/** Returns the size in memory, in bytes, of a structure with these options; for a static one, the expected size. */
export function sizeOf(definition: Definition, options: unknown): number {
  return planOf(definition, options, `${definition.name}.sizeFor`).run((core, ...inputs) => {
    const size = core.sizeFor(...inputs, statusAddress);
    check(readStatus());
    return size;
  });
}
