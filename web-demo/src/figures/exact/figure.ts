// The exact filter in two views: both lists, and one name.

import type { Choice, Control, FigureType } from '../shared/model';
import { excluded, findSeed, included, levelsOf, makeFilter, outside, wayOf } from './filter';
import { listsSteps } from './lists';
import { lookUpSteps } from './look-up';

const views: readonly Choice[] = [
  { value: 'lists', label: 'Both lists' },
  { value: 'look-up', label: 'Look up' },
];

/** A name of each kind to try, by the filter's present answers. */
function findPicks(): readonly Choice[] {
  const seed = findSeed();
  const filter = makeFilter(seed);
  const levels = levelsOf(filter, seed);
  const caught = excluded.find((name) => wayOf(filter, levels, name, seed).passesFirst);
  const stopped = excluded.find((name) => !wayOf(filter, levels, name, seed).passesFirst);
  const wrong = outside.find((name) => filter.has(name));
  filter.dispose();
  const pick = (value = '', kind: string): Choice => ({ value, label: `${value} (${kind})` });
  return [
    pick(included[0], 'included'),
    pick(stopped, 'excluded'),
    pick(caught, 'excluded, needs both'),
    pick(wrong, 'in neither list'),
  ];
}

const view: Control = { kind: 'choice', name: 'view', label: 'See', choices: views };

export const figure: FigureType = {
  title: 'An exact filter of two lists',
  initial: { view: 'lists', name: included[0] as string },
  controls(state) {
    if (state.view !== 'look-up') return [view];
    return [view, { kind: 'text', name: 'name', label: 'Look up', picks: findPicks() }];
  },
  steps({ view, name = '' }) {
    return view === 'look-up' ? lookUpSteps(name) : listsSteps();
  },
};
