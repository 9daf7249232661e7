// Checks of BloomFilter's options that several schemes share. The core has the same rules in a table.

import { rangeError, typeError } from '../core/errors.js';
import type { SchemeCheck } from '../core/structures/scheme.js';

/** Refuses a seed, which most schemes cannot use. */
export const noSeed: SchemeCheck = ({ seed = 0n }, what, name) => {
  if (seed) throw typeError(`${what}: the scheme '${name}' takes no seed`);
};

/** Refuses a number of bits that is not a multiple of 64, for libraries whose arrays consist of 64-bit words. */
export const wholeWords: SchemeCheck = ({ bits = 0 }, what, name) => {
  if (bits % 64 === 0) return;
  throw rangeError(`${what}: the scheme '${name}' takes a multiple of 64 bits, got ${bits}`);
};
