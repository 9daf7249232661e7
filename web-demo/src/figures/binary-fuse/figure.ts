// The binary fuse filter in two views: a build, and a look-up.

import type { Choice, Control, FigureType } from '../shared/model';
import { findPicks, members, others } from '../shared/names';
import { buildSteps } from './build';
import { makeFuse, names } from './filter';
import { lookUpSteps } from './look-up';

const views: readonly Choice[] = [
  { value: 'build', label: 'Build' },
  { value: 'look-up', label: 'Look up' },
];

const view: Control = { kind: 'choice', name: 'view', label: 'See', choices: views };

const picksNow = () =>
  findPicks(makeFuse(), names[0] as string, [...others, ...members.slice(names.length)]);

export const figure: FigureType = {
  title: `A binary fuse filter of ${names.length} keys`,
  initial: { view: 'build', name: names[0] as string },
  controls(state) {
    if (state.view !== 'look-up') return [view];
    return [view, { kind: 'text', name: 'name', label: 'Look up', picks: picksNow() }];
  },
  steps({ view, name = '' }) {
    return view === 'look-up' ? lookUpSteps(name) : buildSteps();
  },
};
