// The filters that the demo can build. A new type needs one entry in `demoFilters`.
import {
  BlockedBloomFilter,
  BloomFilter,
  bloomRate,
  bloomSizing,
  CountingBloomFilter,
  CuckooFilter,
  DeletableBloomFilter,
  DLeftCountingFilter,
  type MutableFilter,
  RotatingBloomFilter,
  ScalableBloomFilter,
  TombstoneBloomFilter,
} from 'tamis';
import { bytes, integer, percent } from './format';

export interface Settings {
  readonly capacity: number;
  readonly fpr: number;
  /** The value of the type's option, if the type has one. */
  readonly option?: number | undefined;
}

/** A filter, with the methods that only some classes have. */
export type DemoInstance = MutableFilter & {
  delete?(key: string): boolean;
  countOf?(key: string): number;
  readonly falseNegativeRate?: number;
  rotate?(): void;
};

/** A number of the type's own, which the visitor may choose. */
export interface DemoOption {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly number[];
  readonly initial: number;
}

export type Figure = readonly [label: string, value: string];

export interface DemoFilter {
  /** The type's name in the package, and in links to this page. */
  readonly type: string;
  /** The short name for a button. */
  readonly name: string;
  /** The class's name. A minifier would change the name of the class itself, so it is given here. */
  readonly className: string;
  readonly summary: string;
  readonly option?: DemoOption | undefined;
  /** The possible changes to its keys, in a few words. */
  readonly can: string;
  create(settings: Settings): DemoInstance;
  /** Its bytes, before anything is built. */
  size(settings: Settings): number;
  /** The figures that are known before anything is built. */
  figures(settings: Settings): readonly Figure[];
  /** The figures that are particular to the type, for a filter in its current state. */
  present(filter: DemoInstance): readonly Figure[];
  /** The rate by the formula after `count` keys. Without a formula, the filter reports its rate while it fills. */
  designedRate?(settings: Settings, count: number): number;
  /** A program that makes exactly this filter. */
  snippet(settings: Settings): string;
}

type Said = 'name' | 'className' | 'summary' | 'option' | 'designedRate';

interface Words<F> extends Pick<DemoFilter, Said> {
  figures?(settings: Settings): readonly Figure[];
  present?(filter: F): readonly Figure[];
  readonly can?: string;
  /** The line that the program shows next to `has`. */
  readonly line?: string;
}

interface FilterClass<F> {
  new (options: Settings): F;
  sizeFor(options: Settings): number;
  readonly prototype: F;
}

const deleteLine = "filter.delete('bob'); // true: it was there";

function entry<F extends DemoInstance>(Type: FilterClass<F>, words: Words<F>): DemoFilter {
  const deletes = 'delete' in Type.prototype;
  const { option, className, line = deletes ? deleteLine : undefined } = words;
  const optionsOf = ({ capacity, fpr, option: chosen }: Settings): Settings => ({
    capacity,
    fpr,
    ...(option && { [option.name]: chosen ?? option.initial }),
  });
  const size = (settings: Settings): number => Type.sizeFor(optionsOf(settings));
  return {
    type: Type.prototype.type,
    can: deletes ? 'keys come and go' : 'keys are added',
    ...words,
    create: (settings) => new Type(optionsOf(settings)),
    size,
    present: (filter) => words.present?.(filter as F) ?? [],
    figures(settings) {
      const own = size(settings);
      const plain = BloomFilter.sizeFor({ capacity: settings.capacity, fpr: settings.fpr });
      return [
        ...(words.figures?.(settings) ?? [['As a Bloom filter', bytes(plain)]]),
        ['Memory', bytes(own)],
        ['Bits per key', ((8 * own) / settings.capacity).toFixed(2)],
      ];
    },
    snippet(settings) {
      const options = Object.entries(optionsOf(settings)).map(
        ([name, value]) => `${name}: ${value}`,
      );
      return `import { ${className} } from 'tamis';

const filter = new ${className}({ ${options.join(', ')} });
filter.addMany(['alice', 'bob']);

filter.has('alice'); // true: probably present
filter.has('carol'); // false: certainly absent
${line ? `${line}\n` : ''}const bytes = filter.toBytes(); // to a file, or to a browser
`;
    },
  };
}

export const demoFilters: readonly DemoFilter[] = [
  entry(BloomFilter, {
    name: 'Bloom',
    className: 'BloomFilter',
    summary:
      'Keys are added, and never deleted. Past its capacity it takes more keys, and its rate climbs.',
    figures({ capacity, fpr }) {
      const { bits, hashes } = bloomSizing({ capacity, fpr });
      return [
        ['Bits', integer(bits)],
        ['Bits per look-up', integer(hashes)],
      ];
    },
    designedRate({ capacity, fpr }, count) {
      const { bits, hashes } = bloomSizing({ capacity, fpr });
      return bloomRate({ bits, hashes, count });
    },
    present: (filter) => [['Bits set', percent(filter.fillRatio)]],
  }),
  entry(BlockedBloomFilter, {
    name: 'Blocked',
    className: 'BlockedBloomFilter',
    can: 'keys are added, fast look-ups',
    summary:
      'All bits of a key lie in one block of 32 bytes. A look-up reads one place in memory, which makes ' +
      'it the fastest. It takes a few more bits.',
  }),
  entry(CountingBloomFilter, {
    name: 'Counting',
    className: 'CountingBloomFilter',
    can: 'keys come and go, and filters merge',
    summary:
      'It has counters in the place of bits. Keys can be deleted and counted, in several times the memory. ' +
      'A counter that reaches its largest value stays there.',
    option: { name: 'counterBits', label: 'Bits of a counter', choices: [2, 4, 8], initial: 4 },
  }),
  entry(TombstoneBloomFilter, {
    name: 'Tombstone',
    className: 'TombstoneBloomFilter',
    can: 'keys go for good',
    summary:
      'It has a filter of the added keys and one of the deleted keys. Only this type may deny a key that is ' +
      'in it. A deleted key cannot come back.',
    present: (filter) => [['False negatives', percent(filter.falseNegativeRate)]],
  }),
  entry(DeletableBloomFilter, {
    name: 'Deletable',
    className: 'DeletableBloomFilter',
    can: 'most keys can go',
    summary:
      'It is a Bloom filter divided into regions. If no two keys met in a region, its bits can be cleared. ' +
      'Most keys can be deleted, but not all.',
    present: (filter) => [['Deletable now', percent(filter.deletableRatio)]],
    line: "filter.isDeletable('bob'); // true: delete would take it out",
  }),
  entry(ScalableBloomFilter, {
    name: 'Scalable',
    className: 'ScalableBloomFilter',
    can: 'grows: the first layer',
    summary:
      'It adds a larger and stricter layer when the newest is full. The rate stays below its bound, ' +
      'for any number of keys. The capacity is that of the first layer.',
    option: { name: 'growth', label: 'Growth of a layer', choices: [2, 4, 8], initial: 2 },
    present: (filter) => [['Layers', integer(filter.layers)]],
    line: 'filter.layers; // 1, and more as keys come',
  }),
  entry(RotatingBloomFilter, {
    name: 'Rotating',
    className: 'RotatingBloomFilter',
    can: 'a stream: keys of one period',
    summary:
      'It remembers the last periods, to drop repeats from an endless stream. Each new period ' +
      'forgets the oldest. The capacity is that of one period.',
    option: { name: 'generations', label: 'Periods remembered', choices: [2, 3, 4], initial: 2 },
    present: (filter) => [['Periods remembered', integer(filter.generations)]],
    line: 'filter.rotate(); // a new period: the oldest is forgotten',
  }),
  entry(DLeftCountingFilter, {
    name: 'd-left',
    className: 'DLeftCountingFilter',
    can: 'keys come and go, and are counted',
    summary:
      'It keeps fingerprints with small counters. It does what a counting Bloom filter does, in half ' +
      'the memory. When it is full, it refuses keys.',
  }),
  entry(CuckooFilter, {
    name: 'Cuckoo',
    className: 'CuckooFilter',
    summary:
      'It is a table of fingerprints. Keys can be deleted, in a third of the memory of counters. ' +
      'When it is full, it refuses keys and does not err more often.',
    option: { name: 'bucketSize', label: 'Keys of a bucket', choices: [2, 4, 8], initial: 4 },
    present: (filter) => [['Places taken', percent(filter.loadFactor)]],
  }),
];

/** The entry of that type. A type that this page does not have gets the first entry. */
export function demoFilter(type: string): DemoFilter {
  const found = demoFilters.find((entry) => entry.type === type) ?? demoFilters[0];
  if (!found) throw new Error('the demo has no filters');
  return found;
}
