// Every error of the package: one code each, the same in C++, here and in docs/guide/errors.md.

import type { Codes } from '../wasm/registry.js';

/** A stable code to branch on; messages may change. */
export type TamisErrorCode = Codes[number];

/** Whatever is neither a wrong type nor an argument out of range. */
export class TamisError extends Error {
  readonly code: TamisErrorCode;
  /** In a batch: which key failed, from 0. The keys before it are in. */
  declare readonly index?: number;
  /** Of a CONFLICT: how many keys the lists disagree about. */
  declare readonly count?: number;
  /** Of REFUSED: the expressions that must not be in the list; empty where its size is wrong. */
  declare readonly offenders?: readonly string[];

  constructor(code: TamisErrorCode, message: string = code, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TamisError';
    this.code = code;
  }
}

type ArgumentCode = 'ERR_TAMIS_INVALID_OPTION' | 'ERR_TAMIS_INVALID_KEY';

export const typeError = (message: string, code: ArgumentCode = 'ERR_TAMIS_INVALID_OPTION') =>
  Object.assign(new TypeError(message), { code });

export const rangeError = (message: string, code: ArgumentCode = 'ERR_TAMIS_INVALID_OPTION') =>
  Object.assign(new RangeError(message), { code });

/** Names the key of a batch that failed. */
export function atIndex<E extends object>(error: E, index: number): E {
  return Object.isExtensible(error) ? Object.assign(error, { index }) : error;
}

/** The error for a value of a wrong type, where `what` is one of a right type. */
export function mustBe(what: string, name: string, value: unknown, code?: ArgumentCode) {
  return typeError(`${name} must be ${what}, got ${show(value)}`, code);
}

/** A value as an error message shows it: short, and never its content where that may be a key. */
export function show(value: unknown): string {
  if (typeof value === 'string') return `a string of length ${value.length}`;
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'symbol' || Object(value) === value
    ? `a value of type ${typeof value}`
    : String(value);
}
