// The package's errors. Each has a code, which is the same in C++, here and in docs/guide/errors.md.

import type { Codes } from '../wasm/registry.js';

/** A stable code to branch on; messages may change. */
export type TamisErrorCode = Codes[number];

/** The class of all errors, with two exceptions: a wrong type throws TypeError, an argument out of range RangeError. */
export class TamisError extends Error {
  // `name` is a field, because assigning to it would throw where Error.prototype is frozen.
  override name = 'TamisError';
  readonly code: TamisErrorCode;
  /** The index of the key that failed in a batch, from 0. The keys before it were added. */
  declare readonly index?: number;
  /** For ERR_TAMIS_CONFLICT: the number of keys that the lists disagree about. */
  declare readonly count?: number;
  /** For ERR_TAMIS_REFUSED: the expressions that must not be in the list; empty if the list's size is wrong. */
  declare readonly offenders?: readonly string[];

  constructor(code: TamisErrorCode, message: string = code, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The `content` in the result of toJSON. It tells a reader that the figures beside it are not the whole structure. */
export const notInJson = 'not in JSON: use toBytes()';

type ArgumentCode = 'ERR_TAMIS_INVALID_OPTION' | 'ERR_TAMIS_INVALID_KEY';

export const typeError = (message: string, code: ArgumentCode = 'ERR_TAMIS_INVALID_OPTION') =>
  Object.assign(new TypeError(message), { code });

export const rangeError = (message: string, code: ArgumentCode = 'ERR_TAMIS_INVALID_OPTION') =>
  Object.assign(new RangeError(message), { code });

/** True for an error that tamis threw and that can be extended. Errors of the caller's code are never changed. */
export const isOurs = (error: unknown): error is Error & { index?: number } =>
  String(Object(error).code).startsWith('ERR_TAMIS_') && Object.isExtensible(error);

/** Returns the error of one key with the key's index. An error of the caller's code becomes a TypeError's `cause`. */
export function atIndex(error: unknown, index: number): Error {
  if (isOurs(error)) return Object.assign(error, { index });
  const text = `your code threw: ${Object(error).message ?? error}`;
  const own = typeError(text, 'ERR_TAMIS_INVALID_KEY');
  return Object.assign(own, { cause: error, index });
}

/** Calls `act` with each value, and returns the results. An error gets the index of its value. */
export function mapEach<T, U>(values: Iterable<T>, act: (value: T) => U): U[] {
  return [...values].map((value, i) => {
    try {
      return act(value);
    } catch (error) {
      throw atIndex(error, i);
    }
  });
}

/** Yields the result of `act` for each value. An error gets the index of its value. */
export function* mapLazily<T, U>(values: Iterable<T>, act: (value: T) => U): Generator<U> {
  let index = 0;
  for (const value of values) {
    try {
      yield act(value);
    } catch (error) {
      throw atIndex(error, index);
    }
    index++;
  }
}

/** The error for a value of a wrong type; `what` describes a right one. */
export const mustBe = (what: string, name: string, value: unknown): TypeError =>
  typeError(`${name} must be ${what}, got ${show(value)}`);

/** The name of a value's class, such as 'Promise'. */
export const classNameOf = (value: unknown): string =>
  Object.prototype.toString.call(value).slice(8, -1);

/** A value as an error message shows it: short, and without content that may be a key. */
export function show(value: unknown): string {
  if (typeof value === 'string') return `a string of length ${value.length}`;
  if (typeof value === 'bigint') return `${value}n`;
  // Object(value) is `value` itself only for objects and functions.
  if (typeof value !== 'symbol' && Object(value) !== value) return String(value);
  const name = classNameOf(value);
  return name === 'Promise' ? 'a Promise: await it' : name;
}

/** The advice for a value that is not bytes, after a semicolon; '' if there is none. */
export function cureOfBytes(value: unknown): string {
  // Here, not beside the function: webpack would keep the Map in bundles that do not use it.
  const cures: ReadonlyMap<string, string> = new Map([
    ['Promise', 'pass await response.arrayBuffer()'],
    ['Response', 'pass await response.arrayBuffer(), or use fromStream'],
    ['ReadableStream', 'use fromStream'],
    ['ArrayBuffer', 'this one was transferred'],
    ['Uint8Array', 'this one was transferred'],
    ['String', 'decode base64 to bytes first'],
    ['Array', 'use `from` for keys'],
    ['Set', 'use `from` for keys'],
    ['Object', 'JSON.stringify loses a filter, and changes bytes: store toBytes() as base64'],
  ]);
  const cure = cures.get(classNameOf(value));
  return cure ? `; ${cure}` : '';
}

/** Guesses the content of a file that tamis did not write, such as a server's error page, from its first characters. */
export function guessContent(start: string): string {
  const [first] = start.trim();
  if (first === '<') return 'HTML';
  if (first === '{' || first === '[') return 'JSON';
  if (first === '\x1f') return 'gzip';
  return first ? JSON.stringify(start.slice(0, 8)) : 'no bytes';
}
