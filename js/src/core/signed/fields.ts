// Readers for the fields of signed JSON. Each checks the type and the range.

import { mustBe, rangeError, show } from '../errors.js';
import type { Reader } from '../options.js';

export type Readers<T> = { readonly [Name in keyof T]-?: Reader<T[Name]> };

/** Reads a string that matches a pattern; `expected` describes the pattern for messages. */
export function matchText(pattern: RegExp, expected: string): Reader<string> {
  return (value, name) => {
    if (typeof value !== 'string') throw mustBe(expected, name, value);
    if (!pattern.test(value)) throw rangeError(`${name} must be ${expected}`);
    return value;
  };
}

/** Reads the fields of an object. Some may be absent, and unknown fields are ignored. */
export function readRecord<T>(readers: Readers<T>): Reader<T> {
  return (value, name) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw mustBe('an object', name, value);
    }
    const fields: Partial<T> = {};
    for (const field of Object.keys(readers) as (keyof T & string)[]) {
      // Only own fields count: those on Object.prototype are not signed.
      const input = Object.hasOwn(value, field) ? (value as T)[field] : undefined;
      const read = readers[field](input, `${name}.${field}`);
      if (read !== undefined) fields[field] = read;
    }
    return fields as T;
  };
}

/** Reads a string of exactly `digits` lower-case hexadecimal digits. */
export function hexadecimal(digits: number): Reader<string> {
  const expected = `${digits} digits of lower-case hexadecimal`;
  return matchText(new RegExp(`^[0-9a-f]{${digits}}$`), expected);
}

export const instant: Reader<string> = (value, name) => {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  // Only one spelling is accepted, so that the time zone is certain.
  if (Number.isNaN(time) || new Date(time).toISOString() !== value) {
    throw rangeError(`${name} must be a time as Date.toISOString() writes it, got ${show(value)}`);
  }
  return value;
};
