// The ribbon filter in three views: the band of a build, a look-up, and the keys that go on to a next level.
import type { Choice, Control, FigureType } from '../shared/model';
import { others } from '../shared/names';
import { bandSteps } from './band';
import { addresses, makeRibbon } from './filter';
import { levelsSteps } from './levels';
import { lookUpSteps } from './look-up';

/** The number of addresses that are tried until one is a false positive. One in 256 addresses is. */
const TRIES = 10_000;

const views: readonly Choice[] = [
  { value: 'band', label: 'Build' },
  { value: 'look-up', label: 'Look up' },
  { value: 'levels', label: 'Two levels' },
];

const view: Control = { kind: 'choice', name: 'view', label: 'See', choices: views };

function* makeTries(): Generator<string> {
  for (let i = 1; i <= TRIES; i++) {
    const name = others[i % others.length] as string;
    yield `${name.toLowerCase()}${i}@example.com`;
  }
}

/** An address of each kind to try, by the filter's present answers. */
function findPicks(): readonly Choice[] {
  const filter = makeRibbon();
  const picks = [{ value: addresses[0] as string, label: `${addresses[0]} (in the set)` }];
  let absent: string | undefined;
  for (const address of makeTries()) {
    if (filter.has(address)) {
      picks.push({ value: address, label: `${address} (a false positive)` });
      break;
    }
    absent ??= address;
  }
  filter.dispose();
  if (absent) picks.splice(1, 0, { value: absent, label: `${absent} (not in the set)` });
  return picks;
}

export const figure: FigureType = {
  title: `A ribbon filter of ${addresses.length} keys`,
  initial: { view: 'band', key: addresses[0] as string },
  controls(state) {
    if (state.view !== 'look-up') return [view];
    return [view, { kind: 'text', name: 'key', label: 'Look up', picks: findPicks() }];
  },
  steps({ view, key = '' }) {
    if (view === 'look-up') return lookUpSteps(key);
    if (view === 'levels') return levelsSteps();
    return bandSteps();
  },
};
