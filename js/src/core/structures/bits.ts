// Reads and changes single bits or counters of an array, and prints bits as text.

import { ownedOf } from '../border/lifetime.js';
import { asciiOf, batchBytes, bytesAddress, raw, read } from '../border/memory.js';
import { call } from '../border/runtime.js';
import { rangeError, show, typeError } from '../errors.js';
import { check, errorOf, statusCode } from '../statuses.js';
import type { Loadable, Structure } from './structure.js';

/**
 * Runs an operation on one bit or counter of an array, and returns the value that it had before. If the index is out
 * of range, the error states the valid range, from the length `structure[lengthName]`.
 */
export function actOnPlace<Length extends string>(
  structure: Loadable & Readonly<Record<Length, number>>,
  operation: number,
  index: number,
  what: string,
  lengthName: Length,
): number {
  if (typeof index !== 'number') throw typeError(`${what}: expected an index, got ${show(index)}`);
  const { handle } = ownedOf(structure);
  // wasm would turn any other number into some uint32.
  const isUint32 = Number.isSafeInteger(index) && index >= 0 && index <= 0xffffffff;
  const before = isUint32 ? call(() => raw._tamis_bit(handle, operation, index)) : undefined;
  if (before === undefined || statusCode(before) === 'ERR_TAMIS_INVALID_OPTION') {
    throw rangeError(`${what}: index ${index} is outside 0..${structure[lengthName] - 1}`);
  }
  return check(before);
}

/** Returns the bits of [from, to) as a text with '0' or '1' for each. */
export function readBitText(structure: Structure, length: number, from = 0, to = length): string {
  const areWhole = Number.isSafeInteger(from) && Number.isSafeInteger(to);
  if (!(areWhole && 0 <= from && from <= to && to <= length)) {
    const wanted = `whole numbers 0 <= from <= to <= ${length}`;
    throw rangeError(`toBitString: expected ${wanted}, got ${show(from)} and ${show(to)}`);
  }
  // V8 allows no longer strings.
  if (to - from > 2 ** 29 - 24) throw errorOf('ERR_TAMIS_TOO_LARGE', 'read fewer bits at once');
  const { handle } = ownedOf(structure);
  const parts: string[] = [];
  for (let at = from; at < to; at += batchBytes) {
    const count = Math.min(batchBytes, to - at);
    check(call(() => raw._tamis_print(handle, at, count))); // writes to bytesAddress
    parts.push(asciiOf(read(bytesAddress, count)));
  }
  return parts.join('');
}
