/**
 * Every class under the contract, with each way to make one that takes another path: those of rows.ts, and classes
 * that need more than a row.
 */

import type { BloomScheme, Filter, HashOptions, Key, KeySource, Keys } from 'tamis';
import * as tamis from 'tamis';
import { BitArray, BloomFilter, BloomierMap, ExactFilter, InvertibleBloomTable } from 'tamis';
import { digest, guava64, murmur2aFnv1a, seeds, sparkV2 } from 'tamis/schemes';

import {
  type FilterCase,
  hashed,
  KEY,
  type ListCase,
  type MutableFilter,
  members,
  type StaticCase,
  type StaticFilterCase,
  type StructureCase,
  type StructureClass,
  type Traits,
} from './cases.js';
import { type Changing, rowOf, rows } from './rows.js';
import { exactCase, listCases, mapCase } from './static-cases.js';
import { isLong } from './support/budget.js';
import { bloomRate } from './support/payload.js';

export * from './cases.js';
export { others, valueFor } from './static-cases.js';

const plain: Traits = {
  hashes: true,
  spreads: true,
  fixedSize: false,
  deletes: false,
  merges: false,
  copies: false,
  locks: false,
  tombstones: false,
  forgets: false,
  bounded: false,
  grows: false,
  estimates: false,
};

/** The static side of a class of filters. */
interface FilterClass extends StructureClass {
  new (options: object): MutableFilter;
  from(keys: Keys, options?: object): MutableFilter;
  fromAsync(source: KeySource, options?: object): Promise<MutableFilter>;
  readonly name: string;
  readonly prototype: MutableFilter;
}

function casesOf(Class: FilterClass, { traits, rate, variants = [] }: Changing): FilterCase[] {
  const { type } = Class.prototype;
  const all: readonly (readonly [string, HashOptions])[] = [...hashed, ...variants];
  return all.map(([name, variant]) => {
    const create = (capacity: number, fpr?: number): MutableFilter =>
      new Class({ ...variant, capacity, ...(fpr === undefined ? {} : { fpr }) });
    return {
      label: `${type}${name}`,
      type,
      Class,
      className: Class.name,
      load: variant.secret === undefined ? {} : { secret: variant.secret },
      create,
      from: (keys) => Class.from(keys, variant),
      fromAsync: (source, options) => Class.fromAsync(source, { ...variant, ...options }),
      make: filled(create),
      secret: variant.secret,
      traits: { ...plain, ...traits },
      rate: (filter) => rate(filter.toBytes()),
    };
  });
}

/** Returns the `make` of a case for its way to create a filter. */
function filled(create: FilterCase['create']): FilterCase['make'] {
  return (n) => {
    const filter = create(Math.max(1, n));
    filter.addMany(members(n));
    return filter;
  };
}

const bloomClass = { type: 'bloom', Class: BloomFilter, className: 'BloomFilter' } as const;
const bloomFigures = {
  rate: (filter: Filter) => bloomRate(filter.toBytes()),
};

function bloom(
  label: string,
  variant: HashOptions & { readonly scheme?: BloomScheme },
): FilterCase {
  const { secret, scheme } = variant;
  const create = (capacity: number, fpr?: number): BloomFilter =>
    new BloomFilter({ ...variant, capacity, ...(fpr === undefined ? {} : { fpr }) });
  return {
    ...bloomClass,
    ...bloomFigures,
    label,
    load: { ...(secret && { secret }), ...(scheme && { schemes: [scheme] }) },
    create,
    from: (keys) => BloomFilter.from(keys, variant),
    fromAsync: (source, options) => BloomFilter.fromAsync(source, { ...variant, ...options }),
    make: filled(create),
    secret,
    traits: {
      ...plain,
      merges: true,
      hashes: scheme === undefined,
      spreads: scheme !== murmur2aFnv1a,
    },
  };
}

/** Twelve bits for each key of the capacity. */
const sized = (capacity: number): BloomFilter =>
  new BloomFilter({ bits: 12 * capacity + 5, hashes: 5 });

const sizedBloom: FilterCase = {
  ...bloomClass,
  ...bloomFigures,
  label: 'bloom, bits and hashes',
  load: {},
  create: sized,
  from: (keys) => {
    const list = [...(keys as Iterable<Key>)];
    const filter = sized(Math.max(1, list.length));
    filter.addMany(list);
    return filter;
  },
  fromAsync: (source) => BloomFilter.fromAsync(source, { bits: 12 * 200 + 5, hashes: 5 }),
  make: filled(sized),
  secret: undefined,
  traits: { ...plain, merges: true, fixedSize: true },
};

export const filterCases: readonly FilterCase[] = [
  bloom('bloom, double', {}),
  bloom('bloom, double, seeded', { seed: 0xfedc_ba98_7654_3210n }),
  bloom('bloom, double, keyed', { secret: KEY }),
  bloom('bloom, double, keyed and seeded', { secret: KEY, seed: 5n }),
  bloom('bloom, seeds', { scheme: seeds }),
  bloom('bloom, seeds, seeded', { scheme: seeds, seed: (1n << 64n) - 2n }),
  bloom('bloom, digest', { scheme: digest }),
  bloom('bloom, murmur2a-fnv1a', { scheme: murmur2aFnv1a }),
  bloom('bloom, guava64', { scheme: guava64 }),
  bloom('bloom, spark-v2', { scheme: sparkV2, seed: 0xffff_fff9n }),
  sizedBloom,
  ...Object.keys(rows).flatMap((name) => {
    const { changing } = rowOf(name);
    return changing ? casesOf(Reflect.get(tamis, name), changing) : [];
  }),
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

/** The i-th key of a table: distinct, `size` bytes long. */
export function tableKey(i: number, size: number): Uint8Array<ArrayBuffer> {
  const key = new Uint8Array(size);
  new DataView(key.buffer).setUint32(0, i, true);
  return key.fill(i & 255, 4);
}

function table(label: string, keyBytes: number, hashing: HashOptions): StructureCase {
  return {
    label,
    type: 'iblt',
    Class: InvertibleBloomTable,
    className: 'InvertibleBloomTable',
    load: hashing.secret === undefined ? {} : { secret: hashing.secret },
    make: (n) => {
      const differences = Math.max(1, Math.ceil(n / 2));
      const made = new InvertibleBloomTable({ ...hashing, differences, keyBytes });
      for (let i = 0; i < n; i++) {
        if (i % 3 === 0) made.delete(tableKey(i, keyBytes));
        else made.add(tableKey(i, keyBytes));
      }
      return made;
    },
  };
}

/** The filters of one list that are built once. */
export const listFilters: readonly ListCase[] = Object.keys(rows).flatMap((name) => {
  const { listed } = rowOf(name);
  return listed ? listCases(Reflect.get(tamis, name), listed) : [];
});

/** One of each type: the first of its cases. */
const firstOfTypes = <T extends { readonly type: string }>(cases: readonly T[]): readonly T[] =>
  cases.filter((one, i) => cases.findIndex(({ type }) => type === one.type) === i);

/** The cases of tests in which little depends on more than the type: npm run test:long has all. */
export const ofEachType = <T extends { readonly type: string }>(
  cases: readonly T[],
): readonly T[] => (isLong ? cases : firstOfTypes(cases));

export const firstListFilters = firstOfTypes(listFilters);

/** The filters that are built once. */
export const staticFilters: readonly StaticFilterCase[] = [
  ...listFilters,
  ...hashed.map(([name, options]) => exactCase(ExactFilter, name, options)),
];

/** Everything that is built once: those, and the maps. */
export const staticCases: readonly StaticCase[] = [
  ...staticFilters,
  ...hashed.map(([name, options]) => mapCase(BloomierMap, name, { ...options, valueBits: 8 })),
  mapCase(BloomierMap, ', 3 bits unchecked', { valueBits: 3, checkBits: 0 }),
  mapCase(BloomierMap, ', 32 bits checked by 32', { valueBits: 32, checkBits: 32 }),
];

export const structureCases: readonly StructureCase[] = [
  ...filterCases,
  ...staticCases,
  bitArray,
  table('iblt', 4, {}),
  table('iblt, seeded', 5, { seed: 9n }),
  table('iblt, keyed', 16, { secret: KEY }),
];
