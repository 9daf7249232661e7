// Bloom filter: mirrors cpp/include/tamis/filters/bloom.hpp.

import { ownedOf } from '../core/border/lifetime.js';
import { hashesAddress, numberAddress, readNumber, readNumbers } from '../core/border/memory.js';
import { call } from '../core/border/runtime.js';
import { typeError } from '../core/errors.js';
import type { Key, Keys } from '../core/key-types.js';
import type { HashOptions } from '../core/keys/hashing.js';
import { withKey } from '../core/keys/keys.js';
import type { AddFromOptions } from '../core/keys/read-keys.js';
import { integer, need, rate, readOptions } from '../core/options.js';
import type { KeySource } from '../core/streams.js';
import { actOnPlace, readBitText } from '../core/structures/bits.js';
import { capacityReaders, construct, type FromOptions } from '../core/structures/building.js';
import type { CheckedOptions, Definition } from '../core/structures/definition.js';
import { type MutableClass, MutableFilter } from '../core/structures/growing.js';
import {
  type BloomScheme,
  type BloomSchemeName,
  bloomScheme,
  schemeNameOf,
  schemeRules,
} from '../core/structures/scheme.js';
import {
  bitsFigure,
  bloomId,
  callOrThrow,
  combine,
  estimateCountFigure,
  figure,
  fillRatioFigure,
  hashesFigure,
  hashIdOf,
  testBit,
} from '../core/structures/structure.js';
import { bloom } from '../wasm/parts/bloom.js';
import { bloomFormulas } from '../wasm/parts/bloom-formulas.js';

interface BloomCommonOptions extends HashOptions {
  /** A value of `tamis/schemes`, for filters that other software makes or reads. */
  readonly scheme?: BloomScheme;
}

/** The options of a filter that is made for a number of keys. */
export interface BloomRateOptions extends BloomCommonOptions {
  /** The number of keys that the filter is made for, 1 to 2^53 - 1. */
  readonly capacity: number;
  /** The false-positive rate at `capacity`, from 2^-48 to below 1; default 0.01. */
  readonly fpr?: number;
  readonly bits?: never;
  readonly hashes?: never;
}

/** The options of a filter with a fixed number of bits and hashes. */
export interface BloomGeometryOptions extends BloomCommonOptions {
  /** The number of bits of the array. */
  readonly bits: number;
  /** The number of bits that a key sets, 1 to 64. */
  readonly hashes: number;
  readonly capacity?: never;
  readonly fpr?: never;
}

/** The options of a new filter: the number of keys and the rate, or the geometry. */
export type BloomOptions = BloomRateOptions | BloomGeometryOptions;

/** The options of `BloomFilter.from`: `capacity` defaults to the number of the keys. */
export type BloomFromOptions = FromOptions<BloomRateOptions> | BloomGeometryOptions;

/** This type exists only so that editors show the options by the name of their type. */
interface BloomClass extends MutableClass<BloomFilter, 'bloom', BloomOptions> {
  from(keys: Keys, options?: BloomFromOptions): BloomFilter;
  fromAsync(source: KeySource, options?: BloomFromOptions & AddFromOptions): Promise<BloomFilter>;
}

/** Checks that the options can be combined, and returns the scheme. */
function complete(options: CheckedOptions, what: string): BloomScheme | undefined {
  const { capacity, fpr, bits, hashes, scheme } = options;
  const hasGeometry = bits !== undefined || hashes !== undefined;
  if (hasGeometry && (capacity !== undefined || fpr !== undefined)) {
    throw typeError(`${what}: bits and hashes do not go with capacity or fpr`);
  }
  const required = hasGeometry ? [bits, hashes] : [capacity];
  if (required.includes(undefined)) {
    throw typeError(`${what}: expected { capacity, fpr? } or { bits, hashes }`);
  }
  if (scheme === undefined) return undefined;
  if (options.secret) throw typeError(`${what}: secret and scheme do not go together`);
  scheme.check(options, what);
  return scheme;
}

/**
 * A set of keys in about ten bits per key: 9.6 at 1 %, and 4.8 more for a tenth of the rate. `fpr` defaults to 0.01.
 *
 * Choose it if keys are added one by one and never deleted, or if filters are merged. Keys can be added beyond
 * `capacity`; then only `estimatedFpr` rises. `count` is the number of keys that were certainly new when added; after
 * `merge` or `intersect` it is an estimate.
 *
 * Bloom, CACM 13(7), 1970.
 *
 * @example
 * import { BloomFilter } from 'tamis';
 * const seen = new BloomFilter({ capacity: 1_000_000, fpr: 0.01 });
 * seen.add('alice'); // => true
 * seen.has('alice'); // => true
 * seen.has('bob'); // => false
 */
export class BloomFilter extends (MutableFilter as BloomClass) {
  /** @internal */
  static define(): Definition {
    return {
      type: 'bloom',
      id: bloomId,
      part: bloom,
      name: 'BloomFilter',
      construct,
      shown: ['scheme', 'bits', 'hashes'],
      readers: { ...capacityReaders(), bits: integer(1), hashes: integer(1, 64) },
      otherReaders: { scheme: bloomScheme },
      rules: schemeRules,
      needed: [],
      complete,
    };
  }

  /** `'mcg'`, which is the default, or the name of a value of `tamis/schemes`. */
  get scheme(): BloomSchemeName {
    return schemeNameOf(hashIdOf(this));
  }

  /** The number of bits of the array. */
  get bits(): number {
    return figure(this, bitsFigure);
  }

  /** The number of bits that a key sets. */
  get hashes(): number {
    return figure(this, hashesFigure);
  }

  /** The share of set bits, 0 to 1. */
  get fillRatio(): number {
    return figure(this, fillRatioFigure);
  }

  /** Estimates the number of distinct keys: -m/k ln(1 - X/m) if k hashes have set X of m bits; Infinity if X is m. */
  estimateCount(): number {
    return figure(this, estimateCountFigure);
  }

  /**
   * Adds the other filter's keys. `count` is then estimated from the bits: at least the larger count, at most the sum.
   * Throws ERR_TAMIS_INCOMPATIBLE if scheme, seed, secret, bits or hashes differ.
   */
  merge(other: BloomFilter): this {
    return combine(this, other, compared, (core, into, from) => core.merge(into, from));
  }

  /**
   * Keeps only the bits that are set in both filters. Every common key stays. The rate may be higher than that of a
   * filter made from the common keys. `count` is estimated from the bits.
   */
  intersect(other: BloomFilter): this {
    return combine(this, other, compared, (core, into, from) => core.intersect(into, from));
  }

  /** Estimates the number of keys in both filters: |A| + |B| - |A or B|, at least 0; NaN if a filter is full. */
  estimateIntersection(other: BloomFilter): number {
    const union = estimateUnion(this, other);
    return Math.max(0, this.estimateCount() + other.estimateCount() - union);
  }

  /**
   * Estimates the Jaccard similarity |A and B| / |A or B|, 0 to 1. It is 1 for two empty filters, and NaN if a filter
   * is full.
   */
  jaccard(other: BloomFilter): number {
    const union = estimateUnion(this, other);
    return union === 0 ? 1 : Math.min(1, this.estimateIntersection(other) / union);
  }

  /** Returns the positions of the bits that a key sets, in the scheme's order. They may repeat. */
  positions(key: Key): number[] {
    const { live } = ownedOf(this);
    const count = withKey(key, (address, size, core) =>
      core.bloomFilterPositions(live, address, size, hashesAddress),
    );
    return Array.from(readNumbers(hashesAddress, count));
  }

  /** True if a bit is set. */
  bitAt(index: number): boolean {
    return actOnPlace(this, testBit, index, 'bitAt', 'bits') === 1;
  }

  /** Returns the bits of [from, to) as a text with '0' or '1' for each. */
  toBitString(from?: number, to?: number): string {
    return readBitText(this, figure(this, bitsFigure), from, to);
  }

  /** Sets every bit, so that the filter contains every key. `count` becomes `capacity`. */
  fill(): this {
    callOrThrow(this, (core, handle) => core.bloomFilterFill(handle));
    return this;
  }
}

/** The members that must be equal in two filters to combine them. */
const compared = ['scheme', 'hash', 'seed', 'bits', 'hashes'] as const;

/** A function, not a private method, so that `combine` throws its own error for a value that is not a filter. */
function estimateUnion(filter: BloomFilter, other: BloomFilter): number {
  combine(filter, other, compared, (core, into, from) =>
    core.bloomFilterEstimateUnion(into, from, numberAddress),
  );
  return readNumber(numberAddress);
}

/** The result of `bloomSizing`. */
export interface BloomSizing {
  readonly bits: number;
  readonly hashes: number;
  readonly bitsPerKey: number;
  readonly fpr: number;
}

/**
 * Computes the size of a Bloom filter: the fewest bits for keys and a rate, or the best number of hashes for keys and
 * bits. The rate in the result is the expected rate, and is right for small filters too.
 *
 * @example
 * import { bloomSizing } from 'tamis';
 * bloomSizing({ capacity: 100_000_000, fpr: 0.01 }).hashes; // => 7
 */
export function bloomSizing(
  needs:
    | { readonly capacity: number; readonly fpr?: number }
    | { readonly bits: number; readonly capacity: number },
): BloomSizing {
  const what = 'bloomSizing';
  const options = readOptions(needs, { capacity: integer(1), fpr: rate, bits: integer(1) }, what);
  const { capacity, fpr = 0.01 } = options;
  if (capacity === undefined || (options.bits !== undefined && options.fpr !== undefined)) {
    throw typeError(`${what}: expected { capacity, fpr? } or { bits, capacity }`);
  }
  return call((core) => {
    const bits = options.bits ?? core.bloomBits(capacity, fpr);
    const hashes =
      options.bits === undefined
        ? core.bloomSizeHashes(capacity, fpr)
        : core.bloomHashes(bits, capacity);
    const expected = core.bloomFpr(bits, hashes, capacity);
    return { bits, hashes, bitsPerKey: bits / capacity, fpr: expected };
  }, bloomFormulas);
}

/**
 * Computes the false-positive rate of a Bloom filter with `count` keys: the expected share of absent keys whose
 * `hashes` bits are all set. For many bits m, it is (1 - e^(-k n / m))^k with k hashes and n keys.
 *
 * @example
 * import { bloomRate } from 'tamis';
 * bloomRate({ bits: 1000, hashes: 7, count: 0 }); // => 0
 */
export function bloomRate(filter: {
  readonly bits: number;
  readonly hashes: number;
  readonly count: number;
}): number {
  const what = 'bloomRate';
  const readers = { bits: integer(1), hashes: integer(1, 64), count: integer(0) };
  const options = readOptions(filter, readers, what);
  need(options, what, 'bits', 'hashes', 'count');
  const { bits, hashes, count } = options;
  return call((core) => core.bloomFpr(bits, hashes, count), bloomFormulas);
}
