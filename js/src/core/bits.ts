// Single bits and bits as text, for the types that have an array of them.

import { check, codeOf, rangeError, show, typeError } from './errors.js';
import { batchBytes, raw, readText } from './memory.js';
import { call, core } from './runtime.js';
import { ownedOf, type Structure } from './structure.js';

/** The operations of bindings/any_filter.hpp. */
export const bitOperations = { test: 0, set: 1, clear: 2, toggle: 3 };

/**
 * What a bit was before the operation. The core tells an index that is outside; its length is asked,
 * by a slow call, for the message alone.
 */
export function bit(
  structure: Structure & ({ readonly length: number } | { readonly bits: number }),
  operation: number,
  index: number,
  what: string,
): boolean {
  if (typeof index !== 'number') throw typeError(`${what}: expected an index, got ${show(index)}`);
  const { handle } = ownedOf(structure);
  const canCross = Number.isSafeInteger(index) && index >= 0 && index <= 0xffffffff;
  const before = canCross ? call(() => raw._tamis_bit(handle, operation, index)) : undefined;
  if (before === undefined || codeOf(before) === 'ERR_TAMIS_INVALID_OPTION') {
    const length = 'bits' in structure ? structure.bits : structure.length;
    throw rangeError(`${what}: index ${index} is outside 0..${length - 1}`);
  }
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
