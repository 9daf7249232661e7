import * as tamis from 'tamis';
import {
  type BloomScheme,
  ExactFilter,
  type Filter,
  type FilterType,
  type PackedKeys,
  type Progress,
} from 'tamis';
import * as schemes from 'tamis/schemes';
import {
  checkTypeOptions,
  countOption,
  readNumber,
  readOneOf,
  type TypeOption,
  wordOption,
} from '../frame/arguments.js';
import type { Option } from '../frame/command.js';
import { UsageError } from '../frame/errors.js';

/** The options of the command line for the filter; options that are not given are absent. */
export interface FilterOptions {
  /** The capacity; absent for static filters, which count the keys themselves. */
  readonly capacity?: number;
  readonly fpr?: number;
  readonly seed?: bigint;
  readonly hash?: 'keyed';
  readonly key?: Uint8Array;
  /** The options of some types only. */
  readonly [option: string]: unknown;
}

/** The keys in batches, and a callback for progress. */
export interface FilterSource {
  readonly batches: AsyncIterable<PackedKeys>;
  /** The second list, if the type has one. */
  readonly excluded?: AsyncIterable<PackedKeys>;
  readonly onProgress?: (progress: Progress) => void;
}

/** Builds a filter of one type. Throws for an option that the type lacks. */
type BuildFilter = (options: FilterOptions, source: FilterSource) => Promise<Filter>;

export interface FilterKind {
  readonly build: BuildFilter;
  /** True if the filter is built once: no keys can be added, and it needs no capacity. */
  readonly isStatic: boolean;
}

/** A filter to which keys can be added. */
interface GrowingFilter extends Filter {
  addFrom(source: AsyncIterable<PackedKeys>, options: object): Promise<number>;
}

/** The builder of a type with `new`, to which keys are added. */
const addAfterwards = (Type: Buildable): FilterKind => ({
  isStatic: false,
  async build(options, { batches, onProgress }) {
    const filter = new Type(options);
    await filter.addFrom(batches, { onProgress });
    return filter;
  },
});

/** The builder of a type that is built once from a list. */
const buildOnce = (Type: Buildable): FilterKind => ({
  isStatic: true,
  async build(options, { batches, onProgress }) {
    // Invalid options are refused before a long list is read.
    Type.sizeFor({ ...options, capacity: 1 });
    return await Type.fromAsync(batches, { ...options, onProgress });
  },
});

/** The builder of the type that is built once from two lists. */
const exact: FilterKind = {
  isStatic: true,
  async build(options, { batches: include, excluded: exclude, onProgress = () => {} }) {
    if (exclude === undefined) {
      throw new UsageError('build: expected --exclude LIST2, which --type exact needs');
    }
    ExactFilter.sizeFor({ ...options, capacity: 1, excluded: 1 });
    return await ExactFilter.fromAsync({ include, exclude }, { ...options, onProgress });
  },
};

/** The static members that an exported class may have. */
interface Buildable {
  new (options: FilterOptions): GrowingFilter;
  readonly prototype: GrowingFilter;
  fromHashes?: unknown;
  fromAsync(source: AsyncIterable<PackedKeys>, options: object): Promise<Filter>;
  sizeFor(options: { capacity: number }): number;
}

/** The builder for a class of the package; undefined if it is not a class of filters. */
function kindOf(Class: Buildable): FilterKind | undefined {
  if ((Class as unknown) === ExactFilter) return exact;
  if (Class.fromHashes !== undefined) return buildOnce(Class);
  return Class.prototype?.addFrom === undefined ? undefined : addAfterwards(Class);
}

/** The builders by `--type`. */
const filterTypes = new Map<string, FilterKind>();
for (const Class of Object.values(tamis) as unknown as Buildable[]) {
  const kind = kindOf(Class);
  if (kind !== undefined) filterTypes.set(Class.prototype.type, kind);
}

export const DEFAULT_TYPE = 'bloom';

export const typeNames: readonly string[] = [...filterTypes.keys()];

/** The builder of a type. */
export function findKind(name: string): FilterKind {
  return filterTypes.get(readOneOf(typeNames)(name, '--type')) as FilterKind;
}

/** The schemes of bloom. Parquet's scheme is only for blocked-bloom filters of files. */
const bloomSchemes = Object.values(schemes).filter((scheme) => scheme !== schemes.parquet);

/** The name of the default scheme, which has no value. */
const schemeNames = ['mcg', ...bloomSchemes.map(({ name }) => name)];

/** Reads a scheme; null if the default is named. */
export const schemeOption = (help: string) =>
  ({
    ...wordOption('SCHEME', schemeNames, help, ' (default mcg)'),
    read(text: string, option: string): BloomScheme | null {
      const name = readOneOf(schemeNames)(text, option);
      return bloomSchemes.find((scheme) => scheme.name === name) ?? null;
    },
  }) as const satisfies Option;

interface FilterOption extends TypeOption {
  readonly types: readonly FilterType[];
  /** True if the option's limit depends on the capacity, so that it can be checked only once that is known. */
  readonly needsCapacity?: true;
}

/** An integer option of some types. */
const countOf = (types: readonly FilterType[], help: string): FilterOption => ({
  types,
  ...countOption(help),
});

/** The options of some types only, by their names on the command line. */
export const typeOptions: Readonly<Record<string, FilterOption>> = {
  scheme: {
    heading: 'Options of some types:',
    types: ['bloom'],
    ...schemeOption('the scheme that chooses bits'),
  },
  'counter-bits': countOf(['counting-bloom'], 'bits of a counter, 2 to 16 (default 4)'),
  deletions: countOf(
    ['tombstone-bloom'],
    'number of deletes to make room for (default: the capacity)',
  ),
  regions: {
    ...countOf(['deletable-bloom'], 'number of regions (default: one for each 8 bits)'),
    needsCapacity: true,
  },
  growth: countOf(
    ['scalable-bloom'],
    'each layer holds N times the keys of the one before, 1 to 16 (default 2)',
  ),
  tightening: {
    types: ['scalable-bloom'],
    value: 'X',
    help: 'each layer has X times the rate of the one before, 0.5 to 0.99 (default 0.85)',
    read: readNumber,
  },
  generations: countOf(
    ['rotating-bloom'],
    'number of periods that it remembers, 2 to 64 (default 2)',
  ),
  'period-ms': countOf(['rotating-bloom'], 'milliseconds of a period, for advance() in a program'),
  'fingerprint-bits': countOf(
    ['cuckoo', 'ribbon', 'binary-fuse'],
    'bits of a fingerprint, instead of --fpr',
  ),
  'bucket-size': countOf(['cuckoo'], 'fingerprints of a bucket, 1, 2, 4 or 8 (default 4)'),
  arity: countOf(['binary-fuse'], 'places of a key, 3 or 4 (default: 4 from 100,000 keys on)'),
  exclude: {
    types: ['exact'],
    value: 'LIST2',
    help: 'a list of keys that are certainly absent; needed',
  },
};

/** The package's name of an option: `counter-bits` -> `counterBits`. */
const memberName = (option: string): string =>
  option.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** The given options of `typeOptions`, by the package's names. Throws if the type lacks one. */
export function typeOptionsOf(
  type: string,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  checkTypeOptions(typeOptions, type, values);
  // null is the default.
  const names = Object.keys(typeOptions).filter((name) => (values[name] ?? null) !== null);
  return Object.fromEntries(names.map((name) => [memberName(name), values[name]]));
}

/** The options that can be checked without the capacity. */
export function dropLateOptions<O extends object>(options: O): O {
  const late = Object.keys(typeOptions).filter((name) => typeOptions[name]?.needsCapacity);
  const names = new Set(late.map(memberName));
  return Object.fromEntries(Object.entries(options).filter(([name]) => !names.has(name))) as O;
}
