// The cuckoo filter in two views: adding until it is full, and the effects of deleting.

import type { Choice, Control, FigureType } from '../shared/model';
import { findPicks, others } from '../shared/names';
import { addSteps } from './add';
import { deleteSteps } from './delete';
import { findExample, held, makeFilter } from './filter';

const views: readonly Choice[] = [
  { value: 'add', label: 'Add until it is full' },
  { value: 'delete', label: 'Look up and delete' },
];

function picksNow() {
  const { seed, trap } = findExample();
  return findPicks(makeFilter(seed, held), held[0] as string, [trap, ...others]);
}

const view: Control = { kind: 'choice', name: 'view', label: 'See', choices: views };

export const figure: FigureType = {
  title: 'A cuckoo filter of six buckets',
  initial: { view: 'add', name: findExample().trap },
  controls(state) {
    if (state.view !== 'delete') return [view];
    return [view, { kind: 'text', name: 'name', label: 'Delete', picks: picksNow() }];
  },
  steps({ view, name = '' }) {
    return view === 'delete' ? deleteSteps(name) : addSteps();
  },
};
