// Gives different spellings of a text the same form, so that they become one key.

import { typeError } from './errors.js';

/** How `normalizeKey` changes a text. Both options are false by default. */
export interface NormalizeOptions {
  /** Makes all letters lower-case, by the Unicode rules that are the same for every language. */
  readonly lowerCase?: boolean;
  /** Replaces variants of a character, such as full-width letters and ligatures, by one form: Unicode's NFKC. */
  readonly nfkc?: boolean;
}

const refuse = (detail: string) => typeError(`normalizeKey: ${detail}`);

/**
 * Brings a text into one form, as `tamis build` does with `--lower-case` and `--nfkc`. Call it for each key on both
 * sides: where the filter is built, and where keys are looked up. A second call changes nothing.
 *
 * @example
 * import { normalizeKey } from 'tamis';
 * normalizeKey('Zo\u0065\u0308', { lowerCase: true, nfkc: true }); // => 'zo\u00eb'
 */
export function normalizeKey(text: string, options: NormalizeOptions): string {
  if (typeof text !== 'string') throw refuse(`text must be a string, got ${typeof text}`);
  if (Object(options) !== options) {
    const got = options === null ? 'null' : typeof options;
    throw refuse(`options must be an object { lowerCase, nfkc }, got ${got}`);
  }
  // readOptions is not used, since it is larger than this file, which web pages load with `tamis/read`.
  const plain: NormalizeOptions = { __proto__: null, ...options } as object;
  for (const [name, value] of Object.entries(plain)) {
    if (name !== 'lowerCase' && name !== 'nfkc') {
      throw refuse(`unknown option "${name}"; expected lowerCase, nfkc`);
    }
    if (value !== undefined && typeof value !== 'boolean') {
      throw refuse(`${name} must be a boolean, got ${typeof value}`);
    }
  }
  const { lowerCase, nfkc } = plain;
  const compose = (one: string) => (nfkc ? one.normalize('NFKC') : one);
  // Lower-casing can leave letters and marks that NFKC would join, so NFKC is applied again.
  return lowerCase ? compose(compose(text).toLowerCase()) : compose(text);
}
