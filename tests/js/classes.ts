/**
 * Every class under the contract, and each way to make one that takes another road. A new filter
 * joins every contract test by one entry here.
 */

import type { BloomScheme, Filter, HashOptions, Key, Keys, Structure } from 'tamis';
import {
  BitArray,
  BlockedBloomFilter,
  BloomFilter,
  CountingBloomFilter,
  CuckooFilter,
  DeletableBloomFilter,
  DLeftCountingFilter,
  InvertibleBloomTable,
  RotatingBloomFilter,
  ScalableBloomFilter,
  TombstoneBloomFilter,
} from 'tamis';

import {
  bloomRate,
  countersRate,
  cuckooRate,
  dLeftRate,
  partsRate,
  splitBlockRate,
} from './support/payload.js';

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
export interface DeletableFilter extends MutableFilter {
  delete(key: Key): boolean;
}
export interface MergeableFilter extends MutableFilter {
  merge(other: MutableFilter): this;
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
  /** Bytes of the payload beside the data that sizeBytes counts. */
  readonly recordBytes: (made: Structure) => number;
}

/** What sets a type apart; as in cpp/include/tamis/filters.def where it stands there. */
export interface Traits {
  /** hasHashes and addHashes work. */
  readonly hashes: boolean;
  /** Its hash spreads keys of every shape (else: random ones only). */
  readonly spreads: boolean;
  /** The geometry was given, not a rate. */
  readonly fixedSize: boolean;
  readonly deletes: boolean;
  readonly merges: boolean;
  /** A key added twice is held twice. */
  readonly copies: boolean;
  /** A repeated add locks regions. */
  readonly locks: boolean;
  /** Deleted keys may hide others. */
  readonly tombstones: boolean;
  /** Old keys go by themselves, and `fpr` is that of several generations. */
  readonly forgets: boolean;
  /** An add over capacity may throw FULL. */
  readonly bounded: boolean;
  /** It grows, so that its rate stays below `fpr` for ever. */
  readonly grows: boolean;
  /** Its `estimatedFpr` is the mean of such sets of keys, not counted from this one. */
  readonly estimates: boolean;
}

export interface FilterCase extends StructureCase {
  readonly create: (capacity: number, fpr?: number) => MutableFilter;
  readonly from: (keys: Keys) => MutableFilter;
  readonly make: (n: number) => MutableFilter;
  /** The key that hashes its keys; undefined: unkeyed. */
  readonly key: Uint8Array | undefined;
  readonly traits: Traits;
  /** The exact probability that a stranger is answered with true, from the present content. */
  readonly rate: (filter: Filter) => number;
}

export const KEY = Uint8Array.from({ length: 16 }, (_, i) => 3 * i + 1);
export const OTHER_KEY = Uint8Array.from({ length: 16 }, (_, i) => 255 - i);

/** The i-th key that `make` adds: distinct, and every seventh beyond ASCII. */
export const member = (i: number): string => (i % 7 === 3 ? `m\u00e9mber-${i}` : `member-${i}`);
export const members = (n: number): string[] => Array.from({ length: n }, (_, i) => member(i));

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

interface CommonOptions extends HashOptions {
  readonly capacity: number;
  readonly fpr?: number;
}
/** The static side of a class of filters. */
interface FilterClass<Options> extends StructureClass {
  new (options: Options): MutableFilter;
  from(keys: Keys, options?: object): MutableFilter;
  readonly name: string;
}

/** A variant of a class: its options beside capacity and rate. */
type Variant<Options> = readonly [name: string, options: Omit<Options, 'capacity'> & HashOptions];

/** The variants that every class that hashes has. */
const hashed: readonly Variant<HashOptions>[] = [
  ['', {}],
  [', seeded', { seed: 0xfedc_ba98_7654_3210n }],
  [', keyed', { hash: 'keyed', key: KEY }],
];

function casesOf<Options extends CommonOptions>(
  type: string,
  Class: FilterClass<Options>,
  traits: Partial<Traits>,
  recordBytes: StructureCase['recordBytes'],
  rate: FilterCase['rate'],
  variants: readonly Variant<Options>[],
): FilterCase[] {
  return [...(hashed as readonly Variant<Options>[]), ...variants].map(([name, variant]) => {
    const create = (capacity: number, fpr?: number): MutableFilter => {
      const options = { ...variant, capacity, ...(fpr === undefined ? {} : { fpr }) };
      return new Class(options as unknown as Options);
    };
    return {
      label: `${type}${name}`,
      type,
      Class,
      className: Class.name,
      load: variant.key === undefined ? {} : { key: variant.key },
      create,
      from: (keys) => Class.from(keys, variant),
      make: filled(create),
      recordBytes,
      key: variant.key,
      traits: { ...plain, ...traits },
      rate,
    };
  });
}

/** What `make` is, for a way to create. */
function filled(create: FilterCase['create']): FilterCase['make'] {
  return (n) => {
    const filter = create(Math.max(1, n));
    filter.addMany(members(n));
    return filter;
  };
}

const bloomClass = { type: 'bloom', Class: BloomFilter, className: 'BloomFilter' } as const;
const bloomFigures = {
  recordBytes: () => 16,
  rate: (filter: Filter) => bloomRate(filter.toBytes()),
};

function bloom(
  label: string,
  variant: HashOptions & { readonly scheme?: BloomScheme },
): FilterCase {
  const { key, scheme = 'double' } = variant;
  const create = (capacity: number, fpr?: number): BloomFilter =>
    new BloomFilter({ ...variant, capacity, ...(fpr === undefined ? {} : { fpr }) });
  return {
    ...bloomClass,
    ...bloomFigures,
    label,
    load: key === undefined ? {} : { key },
    create,
    from: (keys) => BloomFilter.from(keys, variant),
    make: filled(create),
    key,
    traits: {
      ...plain,
      merges: true,
      hashes: scheme === 'double',
      spreads: scheme !== 'murmur2a-fnv1a',
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
  make: filled(sized),
  key: undefined,
  traits: { ...plain, merges: true, fixedSize: true },
};

const partRecord = 32;

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
  sizedBloom,
  ...casesOf(
    'blocked-bloom',
    BlockedBloomFilter,
    { merges: true },
    () => 8,
    (filter) => splitBlockRate(filter.toBytes()),
    [[', keyed and seeded', { hash: 'keyed', key: KEY, seed: 5n }]],
  ),
  ...casesOf(
    'counting-bloom',
    CountingBloomFilter,
    { deletes: true, merges: true, copies: true },
    () => 16,
    (filter) => countersRate(filter.toBytes()),
    [
      [', 2 bits', { counterBits: 2 }],
      [', 7 bits', { counterBits: 7 }],
      [', 16 bits', { counterBits: 16 }],
    ],
  ),
  ...casesOf(
    'tombstone-bloom',
    TombstoneBloomFilter,
    { deletes: true, tombstones: true },
    () => 2 * partRecord,
    (filter) => partsRate(filter.toBytes()),
    [
      [', one deletion', { deletions: 1 }],
      [', classic', { fpr: 2 ** -14 }],
    ],
  ),
  ...casesOf(
    'deletable-bloom',
    DeletableBloomFilter,
    { deletes: true, locks: true },
    () => 24,
    (filter) => bloomRate(filter.toBytes()),
    [[', one region', { regions: 1 }]],
  ),
  ...casesOf(
    'scalable-bloom',
    ScalableBloomFilter,
    { grows: true },
    (made) => 24 + partRecord * (made as ScalableBloomFilter).layers,
    (filter) => partsRate(filter.toBytes()),
    [
      [', growth 16', { growth: 16, tightening: 0.5 }],
      [', classic', { fpr: 2 ** -12, tightening: 0.99 }],
    ],
  ),
  ...casesOf(
    'rotating-bloom',
    RotatingBloomFilter,
    { forgets: true },
    (made) => 32 + partRecord * (made as RotatingBloomFilter).generations,
    (filter) => partsRate(filter.toBytes()),
    [
      [', 5 generations', { generations: 5, periodMs: 1000 }],
      [', classic', { fpr: 2 ** -14, generations: 3 }],
    ],
  ),
  ...casesOf(
    'd-left-counting',
    DLeftCountingFilter,
    { deletes: true, copies: true, bounded: true },
    () => 16,
    (filter) => dLeftRate(filter.toBytes()),
    [[', 2^-20', { fpr: 2 ** -20 }]],
  ),
  ...casesOf(
    'cuckoo',
    CuckooFilter,
    { deletes: true, copies: true, bounded: true, estimates: true },
    () => 16,
    (filter) => cuckooRate(filter.toBytes()),
    [
      [', buckets of 8', { bucketSize: 8 }],
      [', 32 bits', { fingerprintBits: 32 }],
    ],
  ),
];

const bitArray: StructureCase = {
  label: 'bit array',
  type: 'bit-array',
  Class: BitArray,
  className: 'BitArray',
  load: {},
  recordBytes: () => 0,
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
    load: hashing.key === undefined ? {} : { key: hashing.key },
    recordBytes: () => 8,
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

export const structureCases: readonly StructureCase[] = [
  ...filterCases,
  bitArray,
  table('iblt', 4, {}),
  table('iblt, seeded', 5, { seed: 9n }),
  table('iblt, keyed', 16, { hash: 'keyed', key: KEY }),
];
