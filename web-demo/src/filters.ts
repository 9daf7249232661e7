// The filters that the demo can build. Another type joins by one entry in `demoFilters`.
import { BloomFilter, bloomRate, bloomSizing, type Filter } from 'tamis';
import { bytes, integer } from './format';

export interface Settings {
  readonly capacity: number;
  readonly fpr: number;
}

/** A filter that takes keys past its capacity, so that its rate can be watched as it rises. */
export type GrowingFilter = Filter & { addMany(keys: Iterable<string>): number };

export interface DemoFilter {
  /** The type's name in the package and in links to this page. */
  readonly type: string;
  readonly name: string;
  readonly summary: string;
  create(settings: Settings): GrowingFilter;
  /** Label and value of each figure known before anything is built. */
  figures(settings: Settings): readonly (readonly [label: string, value: string])[];
  /** The rate by the formula, once `count` keys are in. */
  designedRate(settings: Settings, count: number): number;
  /** A program that makes exactly this filter. */
  snippet(settings: Settings): string;
}

const bloom: DemoFilter = {
  type: 'bloom',
  name: 'Bloom filter',
  summary: 'Keys are added, never taken out. Full is not an error: the rate climbs.',
  create: ({ capacity, fpr }) => new BloomFilter({ capacity, fpr }),
  figures({ capacity, fpr }) {
    const { bits, hashes, bitsPerKey } = bloomSizing({ capacity, fpr });
    return [
      ['Bits', integer(bits)],
      ['Bits asked per key', integer(hashes)],
      ['Bits per key', bitsPerKey.toFixed(2)],
      ['Memory', bytes(BloomFilter.sizeFor({ capacity, fpr }))],
    ];
  },
  designedRate({ capacity, fpr }, count) {
    const { bits, hashes } = bloomSizing({ capacity, fpr });
    return bloomRate({ bits, hashes, count });
  },
  snippet: ({ capacity, fpr }) => `import { BloomFilter } from 'tamis';

const filter = new BloomFilter({ capacity: ${capacity}, fpr: ${fpr} });
filter.addMany(['alice', 'bob']);

filter.has('alice'); // true: probably present
filter.has('carol'); // false: certainly absent
const bytes = filter.toBytes(); // to a file, or to a browser
`,
};

export const demoFilters: readonly DemoFilter[] = [bloom];

/** The entry of that type; for a type that this page does not have, the first. */
export function demoFilter(type: string): DemoFilter {
  const found = demoFilters.find((entry) => entry.type === type) ?? demoFilters[0];
  if (!found) throw new Error('the demo has no filters');
  return found;
}
