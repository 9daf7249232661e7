// Words that several figures share.
import { oneIn, percent } from '../../format';
import type { Step } from './model';

/** The items as a list in words: 'a, b and c'. */
export function listOf(items: readonly (string | number)[]): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

/** Splits a text into lines of at most `most` characters. A longer word gets a line of its own. */
export function wrapWords(text: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= most) {
      lines[lines.length - 1] = `${line} ${word}`;
    } else lines.push(word);
  }
  return lines;
}

/** Rates below this are easier to read as "1 in" a number. */
const SMALL = 0.001;

/** A probability: as a percentage, or, below one in a thousand, as "1 in 1,050,000". */
export const chanceOf = (rate: number): string =>
  rate === 0 || rate >= SMALL ? percent(rate) : oneIn(rate);

/** The description of a look-up with the result `found`. `isMember` is the truth, which the filter cannot know. */
export function judgeLookUp(
  key: string,
  found: boolean,
  isMember: boolean,
): NonNullable<Step['answer']> {
  if (!found) return { verdict: 'absent', words: `${key} is not in the set. That is certain.` };
  return isMember
    ? { verdict: 'probable', words: `${key} is probably in the set, and that is right.` }
    : {
        verdict: 'wrong',
        words: `${key} is probably in the set, and that is wrong: a false positive.`,
      };
}
