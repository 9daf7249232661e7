// Gives the spellings of a text one form, so that they are one key.

import { mustBe } from '../errors.js';
import { flag, readOptions, text as textReader } from '../options.js';

/** How `normalizeKey` changes a text. The default of both is false. */
export interface NormalizeOptions {
  /** Makes all letters lower-case, by the rules of Unicode that need no language. */
  readonly lowerCase?: boolean;
  /** Replaces characters that look alike to readers by one form, NFKC of Unicode: full-width letters, ligatures. */
  readonly nfkc?: boolean;
}

/**
 * Brings a text into one form, as `tamis build` does with `--lower-case` and `--nfkc`. Call it for each key on both
 * sides: where the filter is built, and where it is asked. A second call changes nothing.
 *
 * @example
 * import { normalizeKey } from 'tamis';
 * normalizeKey('Zo\u0065\u0308', { lowerCase: true, nfkc: true }); // => 'zo\u00eb'
 */
export function normalizeKey(text: string, options: NormalizeOptions): string {
  const readers = { lowerCase: flag, nfkc: flag };
  if (options === undefined) {
    throw mustBe('an object { lowerCase, nfkc }', 'normalizeKey: options', options);
  }
  const { lowerCase, nfkc } = readOptions(options, readers, 'normalizeKey');
  const input = textReader(text, 'normalizeKey: text');
  const compose = (one: string) => (nfkc ? one.normalize('NFKC') : one);
  // Lower case can leave letters and marks that NFKC would join, so NFKC comes again.
  return lowerCase ? compose(compose(input).toLowerCase()) : compose(input);
}
