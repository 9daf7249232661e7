// Every error of the package: one code each, the same in C++, here and in docs/guide/errors.md.

import type { Codes } from '../wasm/registry.js';

/** A stable code to branch on; messages may change. */
export type TamisErrorCode = Codes[number];

/** Every error but a wrong type (TypeError) and an argument out of range (RangeError). */
export class TamisError extends Error {
  // A field, because an assignment throws where Error.prototype is frozen.
  override name = 'TamisError';
  readonly code: TamisErrorCode;
  /** The index of the key of a batch that failed, from 0. The keys before it were added. */
  declare readonly index?: number;
  /** For ERR_TAMIS_CONFLICT: the number of keys that the lists disagree about. */
  declare readonly count?: number;
  /** For ERR_TAMIS_REFUSED: the expressions that must not be in the list; empty if its size is wrong. */
  declare readonly offenders?: readonly string[];

  constructor(code: TamisErrorCode, message: string = code, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The member `content` of toJSON, so that nobody takes the figures for the structure. */
export const notInJson = 'not in JSON: use toBytes()';

type ArgumentCode = 'ERR_TAMIS_INVALID_OPTION' | 'ERR_TAMIS_INVALID_KEY';

export const typeError = (message: string, code: ArgumentCode = 'ERR_TAMIS_INVALID_OPTION') =>
  Object.assign(new TypeError(message), { code });

export const rangeError = (message: string, code: ArgumentCode = 'ERR_TAMIS_INVALID_OPTION') =>
  Object.assign(new RangeError(message), { code });

/** True for an error that tamis threw, which may be changed. One of the caller's code stays as it is. */
export const isOurs = (error: unknown): error is Error & { index?: number } =>
  String(Object(error).code).startsWith('ERR_TAMIS_') && Object.isExtensible(error);

/** The error of a batch for that of one of its keys: it has the key's index. */
export function atIndex(error: unknown, index: number): Error {
  if (isOurs(error)) return Object.assign(error, { index });
  const text = `your code threw: ${Object(error).message ?? error}`;
  const own = typeError(text, 'ERR_TAMIS_INVALID_KEY');
  return Object.assign(own, { cause: error, index });
}

/** Calls `act` with each value. An error gets the index of its value. */
export function mapEach<T, U>(values: Iterable<T>, act: (value: T) => U): U[] {
  return [...values].map((value, i) => {
    try {
      return act(value);
    } catch (error) {
      throw atIndex(error, i);
    }
  });
}

/** Yields `act` of each value. An error gets the index of its value. */
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

/** What to do with a value in the place of bytes. JSON made some of them of a filter or of its bytes. */
export const cureOfBytes =
  'pass await response.arrayBuffer(), decoded base64 or Uint8Array.from(json.data), ' +
  'or use fromStream or `from`; JSON has no content: store toBytes()';

/** Guesses what a file that is not ours is, such as a server's error page, from its first characters. */
export function guessContent(start: string): string {
  const [first] = start.trim();
  if (first === '<') return 'HTML';
  if (first === '{' || first === '[') return 'JSON';
  if (first === '\x1f') return 'gzip';
  return first ? JSON.stringify(start.slice(0, 8)) : 'no bytes';
}
