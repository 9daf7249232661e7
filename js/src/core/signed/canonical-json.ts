// One byte form of a JSON value: RFC 8785, in cpp/FORMAT.md section 7.3.

import { rangeError, show, typeError } from '../errors.js';
import { isWellFormed } from '../key-types.js';

/** Deeper than any manifest, and far from the end of the stack. */
const maxDepth = 32;

/** The text. Throws TypeError for what no JSON has, RangeError for more than 32 levels. */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > maxDepth) throw rangeError(`JSON deeper than ${maxDepth} levels`);
  if (Array.isArray(value)) {
    return `[${Array.from(value, (item) => canonicalJson(item, depth + 1)).join()}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const object = value as Record<string, unknown>;
    const members = Object.keys(object)
      // By UTF-16 code units, as the RFC has it.
      .sort()
      .map((name) => `${canonicalJson(name)}:${canonicalJson(object[name], depth + 1)}`);
    return `{${members.join()}}`;
  }
  // A lone surrogate has no UTF-8, so no bytes to sign.
  const isValue =
    value === null ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value)) ||
    (typeof value === 'string' && isWellFormed(value));
  if (!isValue) throw typeError(`expected a JSON value, got ${show(value)}`);
  return JSON.stringify(value);
}
