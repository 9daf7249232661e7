// The Bloom filter in four views: a look-up, filling, the number of hashes, and a real list.

import type { Choice, Control, FigureType } from '../shared/model';
import { findPicks, members, others } from '../shared/names';
import { fillSteps } from './fill';
import { makeFilter } from './filter';
import { hashesSteps } from './hashes';
import { listSteps } from './list';
import { lookUpSteps } from './look-up';

const views: readonly Choice[] = [
  { value: 'look-up', label: 'Look up' },
  { value: 'fill', label: 'Fill it' },
  { value: 'hashes', label: 'How many bits a key' },
  { value: 'list', label: 'A real list' },
];

/** A name in the set, one that is not, and one that is wrongly found. */
export const picksNow = () => findPicks(makeFilter(), members[0] as string, others);

const view: Control = { kind: 'choice', name: 'view', label: 'See', choices: views };

export const figure: FigureType = {
  title: 'A Bloom filter of 128 bits',
  initial: { view: 'look-up', name: 'Zoe' },
  controls(state) {
    if (state.view === 'hashes' || state.view === 'list') return [view];
    const picks = state.view === 'look-up' ? picksNow() : [];
    return [view, { kind: 'text', name: 'name', label: 'Look up', picks }];
  },
  steps({ view, name = '' }, data) {
    if (view === 'fill') return fillSteps(name);
    if (view === 'hashes') return hashesSteps();
    if (view === 'list') return listSteps(data);
    return lookUpSteps(name);
  },
};
