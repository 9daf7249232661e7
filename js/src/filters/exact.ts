// Exact filter of two sets: the mirror of cpp/include/tamis/filters/exact.hpp.

import type { Definition } from '../core/building.js';
import { typeError } from '../core/errors.js';
import { Filter } from '../core/filter.js';
import type { HashOptions } from '../core/hashing.js';
import type { Keys } from '../core/key-types.js';
import { type LoadOptions, load, loadStream, type StreamLoadOptions } from '../core/loading.js';
import { integer, type Reader, rate, readOptions } from '../core/options.js';
import { checkKeySource, sourceReaders } from '../core/read-keys.js';
import {
  type AsyncOptions,
  buildOf,
  buildPlan,
  expectedSize,
  hashesFrom,
  hashesOf,
} from '../core/static-building.js';
import { type ByteSource, type KeySource, letGo } from '../core/streams.js';
import { Adopted, copyOf, figure, handleOf } from '../core/structure.js';
import { exact } from '../wasm/parts/exact.js';

/** The two sets of an ExactFilter; no key may be in both. */
export interface ExactLists<List> {
  /** Keys that `has` answers true for. */
  readonly include: List;
  /** Keys that `has` answers false for. */
  readonly exclude: List;
}

/** Options of `ExactFilter.from`. */
export interface ExactOptions extends HashOptions {
  /**
   * The most of the keys outside of both sets that may be taken for included, 2^-33 or more. By default
   * the filter is as small as it can be, and up to every second such key passes: see `fprOutside`.
   */
  readonly fpr?: number;
}

export const exactType: Definition<ExactFilter> = {
  type: 'exact',
  part: exact,
  name: 'ExactFilter',
  adopt: (handle) => new ExactFilter(new Adopted(handle)),
  readers: { capacity: integer(1), excluded: integer(0), fpr: rate },
  complete: () => undefined,
  refusal: 'fpr is below 2^-33, what 32 bits of a first level reach',
};

function listsOf<List>(lists: ExactLists<List>, what: string): ExactLists<List> {
  const any: Reader<List> = (list) => list as List;
  const { include, exclude } = readOptions(lists, { include: any, exclude: any }, what);
  if (include === undefined || exclude === undefined) {
    throw typeError(`${what}: expected { include, exclude }`);
  }
  return { include, exclude };
}

/**
 * Exact on two sets that are known when it is built: `has` is true for every key of `include` and false
 * for every key of `exclude`. Of other keys a share, `fprOutside`, is taken for included: give `fpr` where
 * such keys come. Each included key takes 2 bits where as many are excluded as included, 5.2 where 9 times as
 * many are, and 8.6 at 99 times; with `fpr` at least log2(1/fpr). A key in both sets is a CONFLICT, and
 * `count` of the error says how many there are. `count` of the filter: the included keys.
 *
 * Two levels, as Mozilla's Clubcard (Schanck, IEEE Symposium on Security and Privacy 2025), by ribbons.
 *
 * @example
 * import { ExactFilter } from 'tamis';
 * const revoked = ExactFilter.from({ include: ['serial-7'], exclude: ['serial-1', 'serial-2'] });
 * revoked.has('serial-7'); // => true
 * revoked.has('serial-1'); // => false
 * revoked.has('serial-2'); // => false
 */
export class ExactFilter extends Filter {
  /** Filters are made by `from`, `fromAsync`, `fromBytes` and `fromStream`. */
  constructor(made: Adopted) {
    super(handleOf(made, 'ExactFilter'));
  }

  /** Builds the filter of the two sets. Throws CONFLICT, TypeError, TOO_LARGE, OUT_OF_MEMORY, BUILD_FAILED. */
  static from(lists: ExactLists<Keys>, options?: ExactOptions): ExactFilter {
    const what = 'ExactFilter.from';
    const plan = buildPlan(exactType, options, 'from');
    const { include, exclude } = listsOf(lists, what);
    const included = hashesOf(include, plan, `${what}: include`);
    return buildOf(exactType, plan, included, hashesOf(exclude, plan, `${what}: exclude`));
  }

  /**
   * The same for keys that come in time, first those of `include`. When `signal` aborts it rejects with the
   * signal's reason. `onProgress` counts anew for `exclude`.
   */
  static async fromAsync(
    lists: ExactLists<KeySource>,
    options?: AsyncOptions<ExactOptions>,
  ): Promise<ExactFilter> {
    const what = 'ExactFilter.fromAsync';
    const plan = buildPlan(exactType, options, 'fromAsync', sourceReaders);
    const { include, exclude } = listsOf(lists, what);
    const [first, second] = [`${what}: include`, `${what}: exclude`];
    try {
      checkKeySource(exclude, second);
    } catch (error) {
      letGo(include, error, first);
      throw error;
    }
    const included = await hashesFrom(include, plan, first).catch((error) => {
      letGo(exclude, error, second);
      throw error;
    });
    return buildOf(exactType, plan, included, await hashesFrom(exclude, plan, second));
  }

  /** Bytes in memory that a filter of so many included and excluded keys is expected to take. */
  static sizeFor(
    options: ExactOptions & { readonly capacity: number; readonly excluded: number },
  ): number {
    return expectedSize(exactType, options);
  }

  /** The filter in the bytes of `toBytes`; throws rather than give a wrong one. */
  static fromBytes(bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): ExactFilter {
    return load([exactType], bytes, options);
  }

  /** fromBytes for a download; refuses as soon as the header is wrong. */
  static fromStream(stream: ByteSource, options?: StreamLoadOptions): Promise<ExactFilter> {
    return loadStream([exactType], stream, options);
  }

  get type(): 'exact' {
    return 'exact';
  }

  get [Symbol.toStringTag](): string {
    return 'ExactFilter';
  }

  /** The share of keys outside of both sets that are taken for included; the same as `fpr`. */
  get fprOutside(): number {
    return this.fpr;
  }

  /** Distinct keys of `exclude`. */
  get excluded(): number {
    return figure(this, 'excluded');
  }

  clone(): ExactFilter {
    return exactType.adopt(copyOf(this));
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), excluded: this.excluded };
  }
}
