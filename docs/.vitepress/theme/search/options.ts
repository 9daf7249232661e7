// The ranking of the search's results.
import type { DefaultTheme } from 'vitepress';
import { withBase } from 'vitepress';
import synonyms from './synonyms.json';

const more = new Map<string, readonly string[]>(Object.entries(synonyms));

/** A word of the query in lower case, with the words that the pages have for it. */
function withSynonyms(word: string): string[] {
  const term = word.toLowerCase();
  return [term, ...(more.get(term) ?? [])];
}

/** Weights of the parts of the site: whoever searches wants to do something first, and then to look it up. */
const weights: readonly (readonly [start: string, weight: number])[] = [
  ['/guide/', 1.5],
  ['/recipes/', 1.5],
  ['/api/', 0.25],
  ['/benchmarks', 0.4],
  ['/format', 0.4],
];

/** The head of the page of a class, function or type of the API, whose name is also the end of its anchor. */
const headOfApi = /\/api\/.*\/(\w+)\.html#(?:[\w-]+-)?\1$/i;

/** The weight of a part of a page for a word that was found there. */
function weigh(part: string, word: string): number {
  // Whoever types the whole name of a class may want its page.
  if (headOfApi.exec(part)?.[1]?.toLowerCase() === word) return 0.6;
  const [, weight] = weights.find(([start]) => part.startsWith(withBase(start))) ?? [];
  return weight ?? 1;
}

export const options: DefaultTheme.LocalSearchOptions = {
  miniSearch: { searchOptions: { boostDocument: weigh, processTerm: withSynonyms } },
};
