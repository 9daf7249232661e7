// Suggests a class for a task. The sizes come from the classes' own sizeFor.

import { rangeError, TamisError, typeError } from './core/errors.js';
import { flag, integer, need, rate, readOptions } from './core/options.js';
import { definitionOf } from './core/structures/definition.js';
import { BinaryFuseFilter } from './filters/binary-fuse.js';
import { BitArray } from './filters/bit-array.js';
import { BlockedBloomFilter } from './filters/blocked-bloom.js';
import { BloomFilter } from './filters/bloom.js';
import { BloomierMap } from './filters/bloomier.js';
import { CountingBloomFilter } from './filters/counting-bloom.js';
import { CuckooFilter } from './filters/cuckoo.js';
import { ExactFilter } from './filters/exact.js';
import { RibbonFilter } from './filters/ribbon.js';
import { ScalableBloomFilter } from './filters/scalable-bloom.js';

/** The task for which a filter is needed. */
export interface FilterNeeds {
  /** The number of distinct keys, 1 to 2^53 - 1. For a filter that grows, the number that you expect at first. */
  readonly capacity: number;
  /** The highest false-positive rate that is accepted, at least 2^-48 and below 1; default 0.01. */
  readonly fpr?: number;
  /** True if keys are deleted later. */
  readonly deletes?: boolean;
  /** True if the number of keys is not known. */
  readonly grows?: boolean;
  /** True if all keys are known now: the filter is built once, and shipped. */
  readonly static?: boolean;
  /** For a map: the number of bits of each key's value, 1 to 32. */
  readonly values?: number;
  /** The number of possible elements, if they can be numbered or listed. */
  readonly universe?: number;
}

interface Choice<Type extends string, ClassName extends string, Options> {
  /** The filter's type, or `'set'` or `'map'` if JavaScript's own class is enough. */
  readonly type: Type;
  readonly className: ClassName;
  /** The options for `new`, or for `from` as its second argument. */
  readonly options: Options;
  /** The expected size in memory, in bytes. For a Set or a Map, it includes the strings. */
  readonly sizeBytes: number;
  readonly bitsPerKey: number;
  /** The highest false-positive rate; 0 if the class is exact. */
  readonly fpr: number;
  /** The reason, in one or two sentences with figures. */
  readonly why: string;
}

type CapacityAndRate = { readonly capacity: number; readonly fpr: number };

/** A suggestion of suggestFilter. `type` says which class it is. */
export type FilterSuggestion =
  | Choice<'set', 'Set', undefined>
  | Choice<'map', 'Map', undefined>
  | Choice<'bit-array', 'BitArray', number>
  | Choice<'exact', 'ExactFilter', Readonly<Record<string, never>>>
  | Choice<'ribbon', 'RibbonFilter', { readonly fpr: number }>
  | Choice<'bloomier', 'BloomierMap', { readonly valueBits: number; readonly checkBits: number }>
  | Choice<'bloom', 'BloomFilter', CapacityAndRate>
  | Choice<'blocked-bloom', 'BlockedBloomFilter', CapacityAndRate>
  | Choice<'counting-bloom', 'CountingBloomFilter', CapacityAndRate>
  | Choice<'cuckoo', 'CuckooFilter', CapacityAndRate>
  | Choice<'scalable-bloom', 'ScalableBloomFilter', CapacityAndRate>;

const readers = {
  capacity: integer(1),
  fpr: rate,
  deletes: flag,
  grows: flag,
  static: flag,
  values: integer(1, 32),
  universe: integer(1),
};

type Needs = ReturnType<typeof readOptions<typeof readers>> & CapacityAndRate;

/** Up to these numbers of keys, a Set or a Map is good enough: in one process, and as a list that is shipped. */
const fewKeys = { inProcess: 1000, shipped: 100 };

/** Bytes per entry with a string of about 20 letters, measured in V8 with 190,215 host names. */
const entryBytes = { set: 67, map: 78 };

/** Roughly the share of a processor's cache that one program can use, in bytes. */
const cacheBytes = 2 ** 21;

/** Below this rate, a blocked filter needs at least twice the bits of a BloomFilter. */
const leastBlockedRate = 2 ** -12;

/** The maximum number of bits of a fingerprint, and of the check of a BloomierMap. */
const mostBits = 32;

/** The number of 8-byte hashes that fill half of WebAssembly's memory. */
const mostListed = 2 ** 28;

const withCommas = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');
const inBytes = (size: number): string => `${withCommas(size)} bytes`;
const oneIn = (fpr: number): string => `1 in ${withCommas(Math.round(1 / fpr))}`;

/** The fewest bits of a fingerprint that keep the rate, as in sizing::fingerprint_bits of the core. */
function bitsOf(fpr: number): number {
  let bits = 1;
  while (2 ** -bits > fpr) bits++;
  return bits;
}

/** A class that computes its size in bytes from options. */
interface Sized<Options> {
  sizeFor(options: Options): number;
}

/** Returns the size in bytes, or Infinity if the class cannot be that large. */
function sizeOrInfinity<Options>(Class: Sized<Options>, options: Options): number {
  try {
    return Class.sizeFor(options);
  } catch (error) {
    if (error instanceof TamisError && error.code === 'ERR_TAMIS_TOO_LARGE') return Infinity;
    throw error;
  }
}

function checkNeeds(needs: FilterNeeds): Needs {
  const what = 'suggestFilter';
  const read = readOptions(needs, readers, what);
  need(read, what, 'capacity');
  const { capacity, fpr = 0.01, universe = Infinity } = read;
  if (capacity > universe) {
    throw rangeError(`${what}: capacity must be at most universe, ${universe}, got ${capacity}`);
  }
  if (read.static && (read.deletes || read.grows)) {
    const change = read.deletes ? 'deletes' : 'grows';
    throw typeError(`${what}: static and ${change} do not go together: static means built once`);
  }
  return Object.assign(read, { capacity, fpr });
}

type Chosen = Pick<FilterSuggestion, 'options' | 'sizeBytes' | 'fpr' | 'why'>;

function suggestion(
  { capacity }: Needs,
  { type, name: className }: { readonly type: string; readonly name: string },
  { options, sizeBytes, fpr, why }: Chosen,
): FilterSuggestion {
  const bitsPerKey = (8 * sizeBytes) / capacity;
  return { type, className, options, sizeBytes, bitsPerKey, fpr, why } as FilterSuggestion;
}

function suggestJavaScript(needs: Needs, why: string): FilterSuggestion {
  const [type, name] =
    needs.values === undefined ? (['set', 'Set'] as const) : (['map', 'Map'] as const);
  const sizeBytes = entryBytes[type] * needs.capacity;
  return suggestion(needs, { type, name }, { options: undefined, sizeBytes, fpr: 0, why });
}

/** Suggests a class whose options are a capacity and a rate. */
function suggestSized(needs: Needs, Class: Sized<CapacityAndRate>, why: string): FilterSuggestion {
  const { capacity, fpr } = needs;
  const options = { capacity, fpr };
  const chosen = { options, sizeBytes: Class.sizeFor(options), fpr, why };
  return suggestion(needs, definitionOf(Class), chosen);
}

function suggestMap(needs: Needs, valueBits: number): FilterSuggestion {
  const { capacity } = needs;
  const checkBits = bitsOf(needs.fpr);
  if (!needs.static || checkBits > mostBits) {
    const why = needs.static
      ? `BloomierMap has no rate below 2^-${mostBits}; a Map is exact.`
      : 'No filter can change values. BloomierMap is smaller, but is built once.';
    return suggestJavaScript(needs, why);
  }
  const options = { valueBits, checkBits };
  const fpr = 2 ** -checkBits;
  return suggestion(needs, definitionOf(BloomierMap), {
    options,
    sizeBytes: BloomierMap.sizeFor({ capacity, ...options }),
    fpr,
    why:
      `It keeps no keys, only ${valueBits} bits of value and ${checkBits} to check each; a Map takes ` +
      `${inBytes(entryBytes.map * capacity)}. Of absent keys, ${oneIn(fpr)} gets a wrong value.`,
  });
}

function suggestStatic(needs: Needs): FilterSuggestion {
  const { capacity, fpr: wantedRate } = needs;
  const bits = bitsOf(wantedRate);
  if (bits > mostBits) {
    const why = `RibbonFilter and BinaryFuseFilter have no rate below 2^-${mostBits}.`;
    return suggestSized(needs, BloomFilter, why);
  }
  const options = { fpr: wantedRate };
  const fpr = 2 ** -bits; // the wanted rate, rounded down to a power of 1/2
  const fuseBytes = sizeOrInfinity(BinaryFuseFilter, { capacity, ...options });
  const faster =
    fuseBytes < Infinity ? ` BinaryFuseFilter answers faster, in ${inBytes(fuseBytes)}.` : '';
  return suggestion(needs, definitionOf(RibbonFilter), {
    options,
    sizeBytes: RibbonFilter.sizeFor({ capacity, ...options }),
    fpr,
    why: `The smallest filter that is built once, with a false-positive rate of ${oneIn(fpr)}.${faster}`,
  });
}

function suggestDeletable(needs: Needs): FilterSuggestion {
  const { capacity, fpr, grows } = needs;
  const advice = grows
    ? ' No filter that deletes can grow: set `capacity` to the most keys at one time.'
    : '';
  const countingBytes = sizeOrInfinity(CountingBloomFilter, { capacity, fpr });
  const other =
    countingBytes < Infinity ? `; CountingBloomFilter takes ${inBytes(countingBytes)}` : '';
  try {
    return suggestSized(needs, CuckooFilter, `The smallest filter that deletes${other}.${advice}`);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  const why = `It deletes, also at rates that CuckooFilter cannot reach, below about 2^-29.${advice}`;
  return suggestSized(needs, CountingBloomFilter, why);
}

function suggestDynamic(needs: Needs): FilterSuggestion {
  const { capacity, fpr } = needs;
  const bloomWhy =
    'For keys that are added one by one and stay. It can be merged, and accepts more keys than `capacity`.';
  const bloom = suggestSized(needs, BloomFilter, bloomWhy);
  if (bloom.sizeBytes <= cacheBytes || fpr < leastBlockedRate) return bloom;
  if (sizeOrInfinity(BlockedBloomFilter, { capacity, fpr }) === Infinity) return bloom;
  const why =
    `BloomFilter takes ${inBytes(bloom.sizeBytes)}, more than a cache of 2 MiB, and reads several ` +
    'places for a look-up; this one reads one cache line.';
  return suggestSized(needs, BlockedBloomFilter, why);
}

function suggestByRate(needs: Needs): FilterSuggestion {
  if (needs.static) return suggestStatic(needs);
  if (needs.deletes) return suggestDeletable(needs);
  if (!needs.grows) return suggestDynamic(needs);
  const why =
    'It adds layers as keys are added, and keeps its rate. The size is that of the first layer.';
  return suggestSized(needs, ScalableBloomFilter, why);
}

/**
 * Suggests a BitArray if no other class is smaller. Else suggests an ExactFilter if it is smaller than the BitArray,
 * because it is exact, even if the class of suggestByRate is smaller. Else suggests the class of suggestByRate.
 */
function suggestForUniverse(needs: Needs, universe: number): FilterSuggestion {
  const { capacity } = needs;
  let byRate: FilterSuggestion | undefined;
  let refusal: unknown; // the error of suggestByRate, if it threw
  try {
    byRate = suggestByRate(needs);
  } catch (error) {
    // A bit array over the universe may still fit.
    refusal = error;
  }
  const byRateName = byRate?.className;
  const byRateBytes = byRate?.sizeBytes ?? Infinity;
  const arrayBytes = sizeOrInfinity(BitArray, universe);
  const canList = needs.static && universe <= mostListed;
  const excluded = universe - capacity;
  const exactBytes = canList ? sizeOrInfinity(ExactFilter, { capacity, excluded }) : Infinity;
  const otherBytes = Math.min(exactBytes, byRateBytes);
  if (arrayBytes < Infinity && arrayBytes <= otherBytes) {
    const otherName = exactBytes < byRateBytes ? 'ExactFilter' : byRateName;
    const contrast = otherBytes < Infinity ? `; ${otherName} takes ${inBytes(otherBytes)}` : '';
    const why = `Exact, with one bit for each possible element, numbered from 0${contrast}.`;
    const chosen = { options: universe, sizeBytes: arrayBytes, fpr: 0, why };
    return suggestion(needs, definitionOf(BitArray), chosen);
  }
  if (exactBytes < arrayBytes) {
    const contrast =
      byRateBytes < exactBytes ? ` ${byRateName}, at its rate, takes ${inBytes(byRateBytes)}.` : '';
    const why =
      `Exact for all ${withCommas(universe)} elements, which you list for the build; one bit for ` +
      `each takes ${inBytes(arrayBytes)}.${contrast}`;
    const chosen = { options: {}, sizeBytes: exactBytes, fpr: 0, why };
    return suggestion(needs, definitionOf(ExactFilter), chosen);
  }
  if (byRate === undefined) throw refusal;
  return byRate;
}

/**
 * Suggests a class for a task, with its size and the reason. It compares sizes, and measures nothing on your
 * machine. Throws TypeError, RangeError, and ERR_TAMIS_TOO_LARGE if no class is large enough.
 *
 * @example
 * import { RibbonFilter, suggestFilter } from 'tamis';
 * const hosts = Array.from({ length: 10_000 }, (_, i) => `host-${i}.example`);
 * const choice = suggestFilter({ capacity: hosts.length, static: true, fpr: 2 ** -8 });
 * choice.type; // => 'ribbon'
 * choice.className; // => 'RibbonFilter'
 * Math.round(choice.bitsPerKey); // => 8
 * if (choice.type === 'ribbon') RibbonFilter.from(hosts, choice.options);
 */
export function suggestFilter(needs: FilterNeeds): FilterSuggestion {
  const read = checkNeeds(needs);
  const few = read.static ? fewKeys.shipped : fewKeys.inProcess;
  if (read.capacity <= few && !read.grows) {
    const kind = read.values === undefined ? 'Set' : 'Map';
    const why = read.static
      ? `Up to ${few} keys a list is as good to ship as any filter, and a ${kind} of it is exact.`
      : `Up to ${withCommas(few)} keys a ${kind} is small enough in one process, and it is exact.`;
    return suggestJavaScript(read, why);
  }
  if (read.values !== undefined) return suggestMap(read, read.values);
  return read.universe === undefined
    ? suggestByRate(read)
    : suggestForUniverse(read, read.universe);
}
