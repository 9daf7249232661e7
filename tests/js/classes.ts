/**
 * Every class under the contract, and each way to make one that takes another road. A new filter
 * joins every contract test by one entry here.
 */

import type { BloomScheme, Filter, HashOptions, Key, Keys, Structure } from 'tamis';
import { BitArray, BloomFilter } from 'tamis';

/** What the contract needs of a class: the static side. */
export interface StructureClass {
  fromBytes(bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): Structure;
  fromStream(
    stream: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
    options?: StreamOptions,
  ): Promise<Structure>;
}
export interface LoadOptions {
  readonly key?: Uint8Array;
  readonly maxBytes?: number;
}
export interface StreamOptions extends LoadOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly done: number; readonly total?: number }) => void;
}

/** A filter that keys can be added to. */
export interface MutableFilter extends Filter {
  add(key: Key): boolean;
  addMany(keys: Keys): number;
  addFrom(source: AsyncIterable<Key>, options?: { readonly signal?: AbortSignal }): Promise<number>;
  addHashes(hashes: BigUint64Array): number;
  emptyCopy(): MutableFilter;
  clone(): MutableFilter;
  clear(): void;
}

export interface StructureCase {
  readonly label: string;
  readonly type: string;
  readonly Class: StructureClass;
  readonly className: string;
  /** What loading needs beside the bytes. */
  readonly load: LoadOptions;
  /** One that holds `n` things (keys, or bits set). */
  readonly make: (n: number) => Structure;
}

export interface FilterCase extends StructureCase {
  readonly create: (capacity: number, fpr?: number) => MutableFilter;
  readonly from: (keys: Keys) => MutableFilter;
  readonly make: (n: number) => MutableFilter;
  /** The key that hashes its keys; undefined: unkeyed. */
  readonly key: Uint8Array | undefined;
  readonly traits: {
    /** hasHashes and addHashes work. */
    readonly hashes: boolean;
    /** Its hash spreads keys of every shape (else: random ones only). */
    readonly spreads: boolean;
    /** The geometry was given, not a rate. */
    readonly fixedSize: boolean;
  };
  /** The exact probability that a stranger is answered with true, from the present content. */
  readonly rate: (filter: Filter) => number;
}

export const KEY = Uint8Array.from({ length: 16 }, (_, i) => 3 * i + 1);
export const OTHER_KEY = Uint8Array.from({ length: 16 }, (_, i) => 255 - i);

/** The i-th key that `make` adds: distinct, and every seventh beyond ASCII. */
export const member = (i: number): string => (i % 7 === 3 ? `m\u00e9mber-${i}` : `member-${i}`);
export const members = (n: number): string[] => Array.from({ length: n }, (_, i) => member(i));

type Variant = HashOptions & { readonly scheme?: BloomScheme };

function bloom(label: string, variant: Variant): FilterCase {
  const create = (capacity: number, fpr?: number): BloomFilter =>
    new BloomFilter({ ...variant, capacity, ...(fpr === undefined ? {} : { fpr }) });
  return bloomCase(label, create, (keys) => BloomFilter.from(keys, variant), variant, false);
}

function bloomCase(
  label: string,
  create: FilterCase['create'],
  from: FilterCase['from'],
  variant: Variant,
  fixedSize: boolean,
): FilterCase {
  const key = variant.key;
  return {
    label,
    type: 'bloom',
    Class: BloomFilter,
    className: 'BloomFilter',
    load: key === undefined ? {} : { key },
    create,
    from,
    make: (n) => {
      const filter = create(Math.max(1, n));
      filter.addMany(members(n));
      return filter;
    },
    key,
    traits: {
      hashes: (variant.scheme ?? 'double') === 'double',
      spreads: variant.scheme !== 'murmur2a-fnv1a',
      fixedSize,
    },
    rate: (filter) => (filter as BloomFilter).fillRatio ** (filter as BloomFilter).hashes,
  };
}

/** Twelve bits for each key of the capacity. */
const sized = (capacity: number): BloomFilter =>
  new BloomFilter({ bits: 12 * capacity + 5, hashes: 5 });

export const filterCases: readonly FilterCase[] = [
  bloom('bloom, double', {}),
  bloom('bloom, double, seeded', { seed: 0xfedc_ba98_7654_3210n }),
  bloom('bloom, double, keyed', { hash: 'keyed', key: KEY }),
  bloom('bloom, double, keyed and seeded', { hash: 'keyed', key: KEY, seed: 5n }),
  bloom('bloom, seeds', { scheme: 'seeds' }),
  bloom('bloom, seeds, seeded', { scheme: 'seeds', seed: (1n << 64n) - 2n }),
  bloom('bloom, digest', { scheme: 'digest' }),
  bloom('bloom, murmur2a-fnv1a', { scheme: 'murmur2a-fnv1a' }),
  bloom('bloom, guava', { scheme: 'guava' }),
  bloomCase(
    'bloom, bits and hashes',
    sized,
    (keys) => {
      const list = [...(keys as Iterable<Key>)];
      const filter = sized(Math.max(1, list.length));
      filter.addMany(list);
      return filter;
    },
    {},
    true,
  ),
];

const bitArray: StructureCase = {
  label: 'bit array',
  type: 'bit-array',
  Class: BitArray,
  className: 'BitArray',
  load: {},
  make: (n) => {
    const bits = new BitArray(3 * n + 1);
    for (let i = 0; i < n; i++) bits.set(3 * i + 1);
    return bits;
  },
};

export const structureCases: readonly StructureCase[] = [...filterCases, bitArray];
