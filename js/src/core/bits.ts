// Single bits and bits as text, for the types that have an array of them.

import { check, rangeError, show } from './errors.js';
import { batchBytes, raw, readText } from './memory.js';
import { call, core } from './runtime.js';
import { ownedOf, type Structure } from './structure.js';

/** The operations of bindings/any_filter.hpp. */
export const bitOperations = { test: 0, set: 1, clear: 2, toggle: 3 };

/** What a bit was before the operation; the index has been checked. */
export function bit(structure: Structure, operation: number, index: number): boolean {
  const { handle } = ownedOf(structure);
  const before = call(() => raw._tamis_bit(handle, operation, index));
  check(before);
  return before === 1;
}

/** '0' or '1' for each bit of [from, to). */
export function bitText(structure: Structure, from: number, to: number, length: number): string {
  core();
  if (!(Number.isSafeInteger(from) && Number.isSafeInteger(to) && 0 <= from && from <= to)) {
    const got = `${show(from)} and ${show(to)}`;
    throw rangeError(`toBitString: expected whole numbers 0 <= from <= to, got ${got}`);
  }
  if (to > length) throw rangeError(`toBitString: to is ${to}, but there are ${length} bits`);
  const { handle } = ownedOf(structure);
  const parts: string[] = [];
  for (let at = from; at < to; at += batchBytes) {
    const count = Math.min(batchBytes, to - at);
    check(call(() => raw._tamis_print(handle, at, count)));
    parts.push(readText(count));
  }
  return parts.join('');
}
