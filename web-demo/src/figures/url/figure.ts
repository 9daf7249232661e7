// The URL check in four views: a link in disguise, the question to the confirm server, an update, and a wrong bit.
import type { Choice, Control, FigureType } from '../shared/model';
import { disguiseSteps } from './disguise';
import { flipSteps } from './flip';
import { makeBuilder } from './list';
import { updateSteps } from './update';
import { wireSteps } from './wire';

const views: readonly Choice[] = [
  { value: 'disguise', label: 'A link in disguise' },
  { value: 'wire', label: 'What crosses the wire' },
  { value: 'update', label: 'An update' },
  { value: 'flip', label: 'A flipped bit is refused' },
];

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
  const list = makeBuilder().build();
  const picks = links
    .filter(({ value, answer }) => list.check(value) === answer)
    .map(({ value, label }) => ({ value, label }));
  list.dispose();
  return picks;
}

const view: Control = { kind: 'choice', name: 'view', label: 'See', choices: views };

export const figure: FigureType = {
  title: 'The check of a URL against a list of 4-byte prefixes',
  initial: { view: 'disguise', url: DISGUISED },
  controls(state) {
    if (state.view === 'update' || state.view === 'flip') return [view];
    const url = { kind: 'text', name: 'url', label: 'Link', longest: 200 } as const;
    return [view, { ...url, picks: findPicks() }];
  },
  steps({ view, url = '' }) {
    if (view === 'wire') return wireSteps(url);
    if (view === 'update') return updateSteps();
    if (view === 'flip') return flipSteps();
    return disguiseSteps(url);
  },
};
