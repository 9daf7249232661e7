// Checks of BloomFilter's options by scheme. The core has the same rules as rows of a table.

import { rangeError, typeError } from '../core/errors.js';
import type { SchemeCheck } from '../core/structures/scheme.js';

/** For most schemes, which have no place for a seed. */
export const noSeed: SchemeCheck = ({ seed = 0n }, what, name) => {
  if (seed) throw typeError(`${what}: the scheme '${name}' takes no seed`);
};

/** For schemes of libraries whose arrays are words of 64 bits. */
export const wholeWords: SchemeCheck = ({ bits = 0 }, what, name) => {
  if (bits % 64 === 0) return;
  throw rangeError(`${what}: the scheme '${name}' takes a multiple of 64 bits, got ${bits}`);
};
