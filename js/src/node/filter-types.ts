import {
  BlockedBloomFilter,
  BloomFilter,
  CountingBloomFilter,
  CuckooFilter,
  DeletableBloomFilter,
  DLeftCountingFilter,
  type Filter,
  type PackedKeys,
  type Progress,
  RotatingBloomFilter,
  ScalableBloomFilter,
  TombstoneBloomFilter,
} from 'tamis';
import { parseCount, parseNumber } from './arguments.js';
import { UsageError } from './errors.js';

/** What the command line says of the filter to build; options that were not given are absent. */
export interface FilterOptions {
  readonly capacity: number;
  readonly fpr?: number;
  readonly seed?: bigint;
  readonly hash?: 'keyed';
  readonly key?: Uint8Array;
  /** The options that not every type has. */
  readonly [option: string]: unknown;
}

/** The keys, in batches, and where to tell how many of them are in. */
export interface FilterSource {
  readonly batches: AsyncIterable<PackedKeys>;
  readonly onProgress: (progress: Progress) => void;
}

/** Builds a filter of one type. An option that the type does not have throws. */
type BuildFilter = (options: FilterOptions, source: FilterSource) => Promise<Filter>;

/** A filter that keys are added to. */
interface GrowingFilter extends Filter {
  addFrom(
    source: AsyncIterable<PackedKeys>,
    options: { onProgress: (progress: Progress) => void },
  ): Promise<number>;
}

/** The road of a type whose `new` takes the options, and that then takes keys. */
const growing =
  <O>(Type: new (options: O) => GrowingFilter): BuildFilter =>
  async (options, { batches, onProgress }) => {
    const filter = new Type(options as O);
    await filter.addFrom(batches, { onProgress });
    return filter;
  };

/** `--type`, and how such a filter is built: a new filter is one line. */
const filterTypes = {
  bloom: growing(BloomFilter),
  'blocked-bloom': growing(BlockedBloomFilter),
  'counting-bloom': growing(CountingBloomFilter),
  'tombstone-bloom': growing(TombstoneBloomFilter),
  'deletable-bloom': growing(DeletableBloomFilter),
  'scalable-bloom': growing(ScalableBloomFilter),
  'rotating-bloom': growing(RotatingBloomFilter),
  'd-left-counting': growing(DLeftCountingFilter),
  cuckoo: growing(CuckooFilter),
} as const satisfies Readonly<Record<string, BuildFilter>>;

type TypeName = keyof typeof filterTypes;

export const DEFAULT_TYPE: TypeName = 'bloom';

export const typeNames: readonly string[] = Object.keys(filterTypes);

const isTypeName = (name: string): name is TypeName => Object.hasOwn(filterTypes, name);

/** The builder of a type. */
export function filterType(name: string): BuildFilter {
  if (isTypeName(name)) return filterTypes[name];
  throw new UsageError(`--type ${name}: expected one of ${typeNames.join(', ')}`);
}

const text = (_option: string, given: string): string => given;

interface TypeOption {
  readonly type: TypeName;
  /** What the help calls its value, and says of it. */
  readonly value: string;
  readonly help: string;
  readonly read: (option: string, given: string) => unknown;
  /** Its limit follows from the capacity, so it can be checked only when that is known. */
  readonly needsCapacity?: true;
}

/** The options that only one type has, by their names on the command line: a new one is one line. */
export const typeOptions: Readonly<Record<string, TypeOption>> = {
  scheme: {
    type: 'bloom',
    value: 'SCHEME',
    help: 'how bits are chosen: double, seeds, digest, murmur2a-fnv1a, guava',
    read: text,
  },
  'counter-bits': {
    type: 'counting-bloom',
    value: 'N',
    help: 'bits of a counter, 2 to 16 (default 4)',
    read: parseCount,
  },
  deletions: {
    type: 'tombstone-bloom',
    value: 'N',
    help: 'deletes to make room for (default: the capacity)',
    read: parseCount,
  },
  regions: {
    type: 'deletable-bloom',
    value: 'N',
    help: 'regions that lock on their own (default: one per 8 bits)',
    read: parseCount,
    needsCapacity: true,
  },
  growth: {
    type: 'scalable-bloom',
    value: 'N',
    help: 'times the keys a layer, 1 to 16 (default 2)',
    read: parseCount,
  },
  tightening: {
    type: 'scalable-bloom',
    value: 'X',
    help: 'times the rate a layer, 0.5 to 0.99 (default 0.85)',
    read: parseNumber,
  },
  generations: {
    type: 'rotating-bloom',
    value: 'N',
    help: 'periods remembered, 2 to 64 (default 2)',
    read: parseCount,
  },
  'period-ms': {
    type: 'rotating-bloom',
    value: 'N',
    help: 'length of a period, for advance() in a program',
    read: parseCount,
  },
  'fingerprint-bits': {
    type: 'cuckoo',
    value: 'N',
    help: 'bits of a fingerprint, 4 to 32, in the place of --fpr',
    read: parseCount,
  },
  'bucket-size': {
    type: 'cuckoo',
    value: 'N',
    help: 'fingerprints of a bucket: 1, 2, 4 or 8 (default 4)',
    read: parseCount,
  },
};

/** `counter-bits` -> `counterBits`, as the package calls it. */
const memberName = (option: string): string =>
  option.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** Reads those of `typeOptions` that were given. Throws where the type does not have one of them. */
export function readTypeOptions(
  type: string,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(typeOptions)) {
    const given = values[name];
    if (typeof given !== 'string') continue;
    if (option.type !== type) {
      throw new UsageError(`--${name}: an option of --type ${option.type}, not of ${type}`);
    }
    read[memberName(name)] = option.read(`--${name}`, given);
  }
  return read;
}

/** The options that can be checked before the capacity is known. */
export function withoutLateOptions<O extends object>(options: O): O {
  const late = Object.keys(typeOptions).filter((name) => typeOptions[name]?.needsCapacity);
  const names = new Set(late.map(memberName));
  return Object.fromEntries(Object.entries(options).filter(([name]) => !names.has(name))) as O;
}
