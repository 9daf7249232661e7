// The Bloom filter's look-up alone. It opens with a name that nobody added, and the names that set its bits.
import type { FigureType } from '../shared/model';
import { picksNow } from './figure';
import { lookUpSteps } from './look-up';

export const figure: FigureType = {
  title: 'A false positive in a Bloom filter of 128 bits',
  initial: { name: 'Ruth' },
  opensAtEnd: true,
  controls: () => [{ kind: 'text', name: 'name', label: 'Look up', picks: picksNow() }],
  steps: ({ name = '' }) => lookUpSteps(name),
};
