// Suggestions for mistyped names.

import { closestMatch } from 'leven';

/** The letters of a name per letter that may be wrong. */
const LETTERS_PER_MISTAKE = 3;

const sortLetters = (name: string): string => [...name].sort().join('');

/** The name that was probably meant: it begins so, has the letters in another order, or is similar; or undefined. */
export function guessName(word: string, names: readonly string[]): string | undefined {
  if (word.length < 2) return undefined;
  const maxDistance = Math.floor(word.length / LETTERS_PER_MISTAKE);
  return (
    names.find((name) => name.startsWith(word)) ??
    names.find((name) => sortLetters(name) === sortLetters(word)) ??
    closestMatch(word, names, { maxDistance })
  );
}

/** `expected one of a, b`, or the names that begin so, if there are any. */
export function expectedOneOf(word: string, names: readonly string[]): string {
  const name = guessName(word, names);
  if (name === undefined) return `expected one of ${names.join(', ')}`;
  const longer = names.filter((one) => one.startsWith(word));
  return `did you mean ${longer.length > 1 ? longer.join(' or ') : name}?`;
}
