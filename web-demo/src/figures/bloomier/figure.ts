// The Bloomier map in two views: a look-up, and a build.

import type { Choice, Control, FigureType } from '../shared/model';
import { members, others } from '../shared/names';
import { buildSteps } from './build';
import { lookUpSteps } from './look-up';
import { makeMap, rooms } from './map';

const views: readonly Choice[] = [
  { value: 'look-up', label: 'Look up' },
  { value: 'build', label: 'Build' },
];

const view: Control = { kind: 'choice', name: 'view', label: 'See', choices: views };

/** A name of each kind to try, by the map's present answers. */
function findPicks(): readonly Choice[] {
  const map = makeMap();
  const tries = [...others, ...members.filter((name) => !rooms.has(name))];
  const absent = tries.find((name) => !map.has(name));
  const wrong = tries.find((name) => map.has(name));
  map.dispose();
  const picks = [{ value: members[0] as string, label: `${members[0]} (in the map)` }];
  if (absent) picks.push({ value: absent, label: `${absent} (not in the map)` });
  if (wrong) picks.push({ value: wrong, label: `${wrong} (a wrong value)` });
  return picks;
}

export const figure: FigureType = {
  title: `A Bloomier map of ${rooms.size} names`,
  initial: { view: 'look-up', name: members[0] as string },
  controls(state) {
    if (state.view !== 'look-up') return [view];
    return [view, { kind: 'text', name: 'name', label: 'Look up', picks: findPicks() }];
  },
  steps({ view, name = '' }) {
    return view === 'build' ? buildSteps() : lookUpSteps(name);
  },
};
