import * as tamis from 'tamis';
import {
  type AddFromOptions,
  type BloomScheme,
  ExactFilter,
  type Filter,
  type FilterType,
  type PackedKeys,
} from 'tamis';
import * as schemes from 'tamis/schemes';
import {
  checkTypeOptions,
  countOption,
  readDecimal,
  type TypeOption,
  wordOption,
} from '../frame/arguments.js';
import { type Option, readOneOf } from '../frame/command.js';

/** A filter's options from the command line, without those that were not passed. */
export interface FilterOptions {
  /** The capacity; absent for static filters, which count the keys themselves. */
  readonly capacity?: number;
  readonly fpr?: number;
  readonly seed?: bigint;
  readonly secret?: Uint8Array;
  /** Options that only some types have. */
  readonly [option: string]: unknown;
}

interface GrowingFilter extends Filter {
  addFrom(source: AsyncIterable<PackedKeys>, options?: AddFromOptions): Promise<number>;
}

/** A class of filters: keys are added to a new filter, or `fromAsync` builds the filter at once. */
export interface FilterClass {
  new (options: FilterOptions): GrowingFilter;
  readonly prototype: GrowingFilter;
  readonly fromHashes?: unknown;
  fromAsync(source: object, options: FilterOptions): Promise<Filter>;
  sizeFor(options: FilterOptions): number;
}

/** True if a filter of the class is built once: no keys can be added later, and it needs no capacity. */
export const isStatic = ({ prototype }: FilterClass): boolean => !('addFrom' in prototype);

/** The classes by `--type`: classes of fixed lists have `fromHashes`, growing ones `addFrom`, and exact neither. */
const filterClasses = new Map(
  (Object.values(tamis) as unknown as FilterClass[])
    .filter(
      (Class) => Class.fromHashes || Class.prototype?.addFrom || Object.is(Class, ExactFilter),
    )
    .map((Class) => [Class.prototype.type as string, Class]),
);

export const DEFAULT_TYPE = 'bloom';

export const typeNames: readonly string[] = [...filterClasses.keys()];

export const findClass = (name: string): FilterClass => filterClasses.get(name) as FilterClass;

/** The schemes for bloom. Parquet's scheme is only for blocked-bloom filters. */
const bloomSchemes = Object.values(schemes).filter((scheme) => scheme !== schemes.parquet);

/** The names of the schemes. The first is the default, which has no value in `bloomSchemes`. */
const schemeNames = ['mcg', ...bloomSchemes.map(({ name }) => name)];

/** An option for a scheme. Its value is null for the default scheme. */
export const schemeOption = (help: string) =>
  ({
    ...wordOption('SCHEME', schemeNames, help, ' (default mcg)'),
    read(text: string, option: string): BloomScheme | null {
      const name = readOneOf(schemeNames)(text, option);
      return bloomSchemes.find((scheme) => scheme.name === name) ?? null;
    },
  }) as const satisfies Option;

const countOf = (types: readonly FilterType[], help: string): TypeOption => ({
  types,
  ...countOption(help),
});

/** The options that only some types have, by their names on the command line. */
export const typeOptions: Readonly<Record<string, TypeOption>> = {
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
  regions: countOf(['deletable-bloom'], 'number of regions (default: one for each 8 bits)'),
  growth: countOf(
    ['scalable-bloom'],
    'each layer holds N times the keys of the one before, 1 to 16 (default 2)',
  ),
  tightening: {
    types: ['scalable-bloom'],
    value: 'X',
    help: 'each layer has X times the rate of the one before, 0.5 to 0.99 (default 0.85)',
    read: readDecimal,
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
  'bucket-size': countOf(['cuckoo'], 'fingerprints per bucket, 1, 2, 4 or 8 (default 4)'),
  arity: countOf(['binary-fuse'], 'slots per key, 3 or 4 (default: 4 from 100,000 keys on)'),
  exclude: {
    types: ['exact'],
    value: 'LIST2',
    help: 'a list of keys that are certainly absent; needed',
  },
};

/** The passed options of `typeOptions`, by the package's names. Throws if the type does not have one of them. */
export function typeOptionsOf(
  type: string,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  checkTypeOptions(typeOptions, type, values);
  // null is the default scheme, for which the package wants no option.
  const names = Object.keys(typeOptions).filter((name) => (values[name] ?? null) !== null);
  // For example, the package calls `counter-bits` `counterBits`.
  const memberOf = (name: string) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  return Object.fromEntries(names.map((name) => [memberOf(name), values[name]]));
}
