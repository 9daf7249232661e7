import type { Step } from './model';

/** 'a, b and c'. */
export function listOf(items: readonly (string | number)[]): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

/** What a figure says of a look-up that gave `found`; `isMember` is what the filter cannot know. */
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
