// The URL check: a link in disguise, its expressions, and the search in the sorted list.
import type { Choice, FigureType } from '../shared/model';
import { disguiseSteps } from './disguise';
import { makeList } from './list';

const DISGUISED = 'hTTp://bank.example@Wal\tlet-%50AY.Example.:8080/./a/..//%2561pp?x=1#top';

/** Links to try, each with the expected answer of `check`. */
const links: readonly (Choice & { readonly answer: string })[] = [
  { value: DISGUISED, label: 'a link in disguise', answer: 'maybe' },
  { value: 'http://0300.0x0.0x22d/', label: 'an IP address in disguise', answer: 'maybe' },
  { value: 'http://good.example%2F@wallet-pay.example/', label: 'a false host', answer: 'maybe' },
  { value: 'https://good.example/~mallory/x', label: 'a listed folder', answer: 'maybe' },
  { value: 'https://good.example/~ada/', label: 'a good link', answer: 'safe' },
  // Its hash begins with the same 4 bytes as a listed host's. Finding one takes about 100 million tries.
  { value: 'https://bakery-13337626.example/', label: 'a false positive', answer: 'maybe' },
];

/** The links for which the package gives the expected answer. */
function findPicks(): readonly Choice[] {
  const list = makeList();
  const picks = links
    .filter(({ value, answer }) => list.check(value) === answer)
    .map(({ value, label }) => ({ value, label }));
  list.dispose();
  return picks;
}

export const figure: FigureType = {
  title: 'The check of a URL against a list of 4-byte prefixes',
  initial: { url: DISGUISED },
  controls: () => [{ kind: 'text', name: 'url', label: 'Link', longest: 200, picks: findPicks() }],
  steps: ({ url = '' }) => disguiseSteps(url),
};
