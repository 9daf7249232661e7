// Checks options before they cross into wasm, where NaN means "default" and 2^32 + 5 would become 5.

import { classNameOf, mustBe, rangeError, show, typeError } from './errors.js';
import { isBytes, pin } from './key-types.js';

/** Checks one value and returns it; `name` is for the message. */
export type Reader<T> = (value: unknown, name: string) => T;

/** The values that the readers return; absent options are missing. */
export type Values<Readers> = {
  -readonly [Name in keyof Readers]?: Readers[Name] extends Reader<infer T> ? T : never;
};

/**
 * Reads each own property of the options once, and checks it with its reader. Unknown and inherited names throw
 * TypeError. `undefined` counts as absent.
 */
export function readOptions<Readers extends Record<string, Reader<unknown>>>(
  options: unknown,
  readers: Readers,
  what: string,
): Values<Readers> {
  const values = copyOwn<Record<string, unknown>>({});
  const known = () => Object.keys(readers).join(', ') || 'none';
  if (options === undefined) return values as Values<Readers>;
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw mustBe(`an object { ${known()} }`, `${what}: options`, options);
  }
  // for...in also visits inherited names. They throw, because a caller who put options on a prototype meant them. Names
  // on Object.prototype are skipped, because nobody meant those as options.
  for (const name in options) {
    if (!Object.hasOwn(options, name)) {
      if (name in Object.prototype) continue;
      throw typeError(`${what}: the option "${name}" must not be inherited`);
    }
    const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (reader === undefined) {
      throw typeError(`${what}: unknown option "${name}"; expected ${known()}`);
    }
    const value: unknown = Object(options)[name];
    if (value !== undefined) values[name] = reader(value, `${what}: ${name}`);
  }
  return values as Values<Readers>;
}

/** Throws if a required option is missing. */
export function need<Options extends object, Name extends keyof Options & string>(
  options: Options,
  what: string,
  ...names: Name[]
): asserts options is Options & { [Needed in Name]-?: NonNullable<Options[Needed]> } {
  for (const name of names) {
    if (options[name] === undefined) throw typeError(`${what}: expected the option ${name}`);
  }
}

/** A copy with the own properties only, and no prototype: names on Object.prototype are not options. */
export function copyOwn<T extends object>(value: T): T {
  return { __proto__: null, ...value };
}

/** Returns the value if `isRight`, and throws otherwise. `what` describes a right value. */
export function expectThat<T>(isRight: boolean, what: string, value: unknown, name: string): T {
  if (isRight) return value as T;
  throw mustBe(what, name, value);
}

/** Returns the value if its `typeof` is `type`, and throws otherwise. */
const expectType = <T>(value: unknown, name: string, type: string): T =>
  expectThat(typeof value === type, `a ${type}`, value, name);

export const flag: Reader<boolean> = (value, name) => expectType(value, name, 'boolean');
export const text: Reader<string> = (value, name) => expectType(value, name, 'string');
/** A function; its signature cannot be checked. */
export const callable =
  <F>(): Reader<F> =>
  (value, name) =>
    expectType(value, name, 'function');

export function integer(least: number, most = 2 ** 53 - 1): Reader<number> {
  return (value, name) => {
    const checked = expectType<number>(value, name, 'number');
    if (Number.isSafeInteger(checked) && checked >= least && checked <= most) return checked;
    throw rangeError(`${name} must be a whole number from ${least} to ${most}, got ${value}`);
  };
}

export function between(least: number, most: number): Reader<number> {
  return (value, name) => {
    const checked = expectType<number>(value, name, 'number');
    if (checked >= least && checked <= most) return checked;
    throw rangeError(`${name} must be from ${least} to ${most}, got ${value}`);
  };
}

/** A false-positive rate, which is at least 2^-48 and below 1. */
export const rate: Reader<number> = (value, name) => {
  const checked = expectType<number>(value, name, 'number');
  if (checked >= 2 ** -48 && checked < 1) return checked;
  throw rangeError(`${name} must be at least 2^-48 and below 1, got ${value}`);
};

export function oneOf<T extends string>(words: readonly T[]): Reader<T> {
  return (value, name) => {
    const word = words.find((one) => one === value);
    if (word !== undefined) return word;
    const expected = words.map((one) => `'${one}'`).join(', ');
    if (typeof value !== 'string') throw mustBe(`one of ${expected}`, name, value);
    throw rangeError(`${name} must be one of ${expected}, got '${value.slice(0, 40)}'`);
  };
}

/** Returns the names in a table, in its order. */
export const namesOf = <Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] =>
  Object.keys(table) as Name[];

/** Reads a seed as a bigint. Numbers from 2^53 on are refused, because they may have been rounded. */
export const seedReader: Reader<bigint> = (value, name) => {
  if (typeof value !== 'bigint') return BigInt(integer(0)(value, name));
  if (BigInt.asUintN(64, value) === value) return value;
  throw rangeError(`${name} must be from 0n to 2n ** 64n - 1n, got ${value}n`);
};

/** Reads a secret of 16 bytes, and returns a copy. */
export const sixteenBytes: Reader<Uint8Array> = (value, name) => {
  if (!isBytes(value)) throw mustBe('a Uint8Array of 16 bytes', name, value);
  const bytes = pin(value, name);
  if (bytes.length !== 16) throw rangeError(`${name} must have 16 bytes, got ${bytes.length}`);
  return new Uint8Array(bytes);
};

export const abortSignal: Reader<AbortSignal> = (value, name) => {
  const { aborted, throwIfAborted } = Object(value);
  const isSignal = typeof aborted === 'boolean' && typeof throwIfAborted === 'function';
  return expectThat(isSignal, 'an AbortSignal', value, name);
};

/** The progress of a long operation: in keys if keys are added, in bytes if bytes are loaded. */
export interface Progress {
  readonly done: number;
  /** The total, which is known once the header of the bytes was read; absent for keys. */
  readonly total?: number;
}

export const stringOrUrl: Reader<string | URL> = (value, name) =>
  expectThat(
    typeof value === 'string' || classNameOf(value) === 'URL',
    'a string or a URL',
    value,
    name,
  );

/** Reads an absolute URL as text. In a web page, it accepts a relative URL too. */
export const urlReader: Reader<string> = (value, name) => {
  const url = String(stringOrUrl(value, name));
  try {
    return new URL(url, globalThis.location?.href).href;
  } catch {
    throw rangeError(`${name} must be an absolute URL, got ${show(url)}`);
  }
};

/** Reads the first argument of the function `what`, the URL of a manifest, as `urlReader` does. */
export function readManifestUrl(value: unknown, what: string): string {
  if (typeof value === 'string' || classNameOf(value) === 'URL') {
    return urlReader(value, `${what}: manifestUrl`);
  }
  throw mustBe(`called as ${what}(manifestUrl, { name, publicKeys, ... })`, what, value);
}
