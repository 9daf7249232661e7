/** Facts of the contract tests about any class; classes.ts has the classes. */

import type { BloomScheme, Filter, HashOptions, Key, KeySource, Keys, Structure } from 'tamis';

/** The static side of a class, as the contract needs it. */
export interface StructureClass {
  fromBytes(bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): Structure;
  fromStream(
    stream: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
    options?: StreamOptions,
  ): Promise<Structure>;
}
export interface LoadOptions {
  readonly secret?: Uint8Array;
  readonly maxBytes?: number;
  readonly schemes?: readonly BloomScheme[];
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
  emptyCopy(): this;
  clear(): void;
}
export interface DeletableFilter extends MutableFilter {
  delete(key: Key): boolean;
  deleteMany(keys: Keys): number;
}
export interface MergeableFilter extends MutableFilter {
  merge(other: MutableFilter): this;
}

export interface StructureCase {
  readonly label: string;
  readonly type: string;
  readonly Class: StructureClass;
  readonly className: string;
  /** The options to load, beside the bytes. */
  readonly load: LoadOptions;
  /** One that holds `n` things (keys, or bits set). */
  readonly make: (n: number) => Structure;
}

/** The traits of a type. Those that tests/cpp/contract/traits.hpp has too are the same there. */
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
  /** The filter forgets old keys, and `fpr` holds for several generations together. */
  readonly forgets: boolean;
  /** An add over capacity may throw ERR_TAMIS_FULL. */
  readonly bounded: boolean;
  /** It grows, so that its rate stays below `fpr` for ever. */
  readonly grows: boolean;
  /** Its `estimatedFpr` is the mean over such sets of keys, and is not counted from this set. */
  readonly estimates: boolean;
}

export interface FilterCase extends StructureCase {
  readonly create: (capacity: number, fpr?: number) => MutableFilter;
  readonly from: (keys: Keys) => MutableFilter;
  readonly fromAsync: (source: KeySource, options?: object) => Promise<MutableFilter>;
  readonly make: (n: number) => MutableFilter;
  /** The secret that hashes its keys; undefined: unkeyed. */
  readonly secret: Uint8Array | undefined;
  readonly traits: Traits;
  /** The exact probability that `has` returns true for an absent key, from the present content. */
  readonly rate: (filter: Filter) => number;
}

export const KEY = Uint8Array.from({ length: 16 }, (_, i) => 3 * i + 1);
export const OTHER_KEY = Uint8Array.from({ length: 16 }, (_, i) => 255 - i);

/** The i-th key that `make` adds: distinct, and every seventh beyond ASCII. */
export const member = (i: number): string => (i % 7 === 3 ? `m\u00e9mber-${i}` : `member-${i}`);
export const members = (n: number): string[] => Array.from({ length: n }, (_, i) => member(i));

/** Keys of every awkward shape. */
export const awkward: readonly Key[] = [
  '',
  '\0',
  'a\0b',
  '\u007f\u0080\u07ff\u0800\uffff',
  '\u{10000}\u{10ffff}',
  Uint8Array.from({ length: 256 }, (_, i) => 255 - i),
  new Uint8Array(64).fill(0xff),
  new Uint8Array(1 << 20).fill(0x80),
  'x'.repeat(1 << 20),
];

/** A variant of a class: its options beside capacity and rate. */
export type Variant<Options> = readonly [
  name: string,
  options: Omit<Options, 'capacity'> & HashOptions,
];

/** The variants that every class that hashes has. */
export const hashed: readonly Variant<HashOptions>[] = [
  ['', {}],
  [', keyed and seeded', { secret: KEY, seed: 0xfedc_ba98_7654_3210n }],
];

/** A class that is built once: a filter, or a map that answers for its keys like one. */
export interface Built extends Structure {
  readonly hash: 'fast' | 'keyed';
  readonly seed: bigint;
  readonly count: number;
  has(key: Key): boolean;
  hasMany(keys: Keys): Uint8Array;
}

export interface StaticCase extends StructureCase {
  readonly make: (n: number) => Built;
  readonly from: (keys: Iterable<Key>) => Built;
  readonly fromAsync: (source: AsyncIterable<Key>, options?: SourceOptions) => Promise<Built>;
  readonly sizeFor: (capacity: number) => number;
  /** The key that hashes its keys; undefined: unkeyed. */
  readonly secret: Uint8Array | undefined;
  /** The probability that `has` returns true for an absent key. */
  readonly rate: (built: Built) => number;
}
export interface StaticFilterCase extends StaticCase {
  readonly make: (n: number) => Filter;
}
export interface SourceOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly done: number }) => void;
  readonly batch?: number;
}

/** A filter of one list that is built once. */
export interface ListFilter extends Filter {
  readonly fingerprintBits: number;
}
export interface ListFilterClass extends StructureClass {
  from(keys: Keys, options?: object): ListFilter;
  fromAsync(source: KeySource, options?: object): Promise<ListFilter>;
  fromHashes(hashes: BigUint64Array, options?: object): ListFilter;
  sizeFor(options: object): number;
  readonly name: string;
  readonly prototype: ListFilter;
}
export interface ListCase extends StaticFilterCase {
  readonly Class: ListFilterClass;
  readonly options: HashOptions;
  readonly make: (n: number) => ListFilter;
  readonly from: (keys: Keys) => ListFilter;
}
