// The cuckoo filter in two views: adding until it is full, and the effects of deleting.

import type { Choice, Control, FigureType } from '../shared/model';
import { others } from '../shared/names';
import { addSteps } from './add';
import { deleteSteps } from './delete';
import { falsePositives, findExample, held, makeFilter } from './filter';

const views: readonly Choice[] = [
  { value: 'add', label: 'Add until it is full' },
  { value: 'delete', label: 'Look up and delete' },
];

/** A name of each kind to delete, by the filter's present answers. */
function findPicks(): readonly Choice[] {
  const { seed, trap } = findExample();
  const filter = makeFilter(seed, held);
  const wrong = falsePositives(filter);
  const absent = others.find((name) => !wrong.includes(name)) as string;
  filter.dispose();
  return [
    { value: trap, label: `${trap} (a false positive)` },
    { value: held[0] as string, label: `${held[0]} (in the set)` },
    { value: absent, label: `${absent} (not in the set)` },
  ];
}

const view: Control = { kind: 'choice', name: 'view', label: 'See', choices: views };

export const figure: FigureType = {
  title: 'A cuckoo filter of six buckets',
  initial: { view: 'add', name: findExample().trap },
  controls(state) {
    if (state.view !== 'delete') return [view];
    return [view, { kind: 'text', name: 'name', label: 'Delete', picks: findPicks() }];
  },
  steps({ view, name = '' }) {
    return view === 'delete' ? deleteSteps(name) : addSteps();
  },
};
