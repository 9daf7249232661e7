// Readers for the fields of signed JSON: each has its type and its range.

import { mustBe, rangeError, show } from '../errors.js';
import type { Reader } from '../options.js';

/** A reader for every field of T. */
export type Readers<T> = { readonly [Name in keyof T]-?: Reader<T[Name]> };

/** Reads a string that matches; `expected` says which do. */
export function matchText(pattern: RegExp, expected: string): Reader<string> {
  return (value, name) => {
    if (typeof value !== 'string') throw mustBe(expected, name, value);
    if (!pattern.test(value)) throw rangeError(`${name} must be ${expected}`);
    return value;
  };
}

/** Reads the fields of an object, of which some may lack; others in it mean nothing. */
export function readRecord<T>(readers: Readers<T>): Reader<T> {
  return (value, name) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw mustBe('an object', name, value);
    }
    const fields: Partial<T> = {};
    for (const field of Object.keys(readers) as (keyof T & string)[]) {
      // Own ones alone: what somebody put on Object.prototype nobody signed.
      const found = Object.hasOwn(value, field) ? (value as T)[field] : undefined;
      const read = readers[field](found, `${name}.${field}`);
      if (read !== undefined) fields[field] = read;
    }
    return fields as T;
  };
}

/** Reads so many digits of lower-case hexadecimal. */
export function hexadecimal(digits: number): Reader<string> {
  const expected = `${digits} digits of lower-case hexadecimal`;
  return matchText(new RegExp(`^[0-9a-f]{${digits}}$`), expected);
}

export const instant: Reader<string> = (value, name) => {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  // Only one spelling, so that nobody has to guess at a time zone.
  if (Number.isNaN(time) || new Date(time).toISOString() !== value) {
    throw rangeError(`${name} must be a time as Date.toISOString() writes it, got ${show(value)}`);
  }
  return value;
};
