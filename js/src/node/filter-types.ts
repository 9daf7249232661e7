import { BloomFilter, type Filter, type PackedKeys, type Progress } from 'tamis';

/** What the command line says of the filter to build; options that were not given are absent. */
export interface FilterOptions {
  readonly capacity: number;
  readonly fpr?: number;
  readonly seed?: bigint;
  readonly scheme?: string;
  readonly hash?: 'keyed';
  readonly key?: Uint8Array;
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
const filterTypes: Readonly<Record<string, BuildFilter>> = {
  bloom: growing(BloomFilter),
};

export const DEFAULT_TYPE = 'bloom';

export const typeNames: readonly string[] = Object.keys(filterTypes);

/** The builder of the type `name`, if there is one. */
export function filterType(name: string): BuildFilter | undefined {
  return Object.hasOwn(filterTypes, name) ? filterTypes[name] : undefined;
}
