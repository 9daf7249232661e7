// Exact filter of two sets: mirrors cpp/include/tamis/filters/exact.hpp.

import { typeError } from '../core/errors.js';
import type { Keys } from '../core/key-types.js';
import type { HashOptions } from '../core/keys/hashing.js';
import { type AddFromOptions, checkKeySource, sourceReaders } from '../core/keys/read-keys.js';
import { integer, type Reader, rate, readOptions } from '../core/options.js';
import { cancelSource, type KeySource } from '../core/streams.js';
import { sizeOf } from '../core/structures/building.js';
import { type Definition, definitionOf, type Use } from '../core/structures/definition.js';
import { Filter, type FilterClass } from '../core/structures/filter.js';
import { buildOf, buildPlan, hashAll, hashesFrom } from '../core/structures/static-building.js';
import { exactId, excludedFigure, figure, fprFigure } from '../core/structures/structure.js';
import { exact } from '../wasm/parts/exact.js';

/** The two sets of an ExactFilter; no key may be in both. */
export interface ExactLists<List> {
  /** The keys for which `has` returns true. */
  readonly include: List;
  /** The keys for which `has` returns false. */
  readonly exclude: List;
}

/** The options of `ExactFilter.from`. */
export interface ExactOptions extends HashOptions {
  /**
   * The highest share of keys outside both sets for which `has` returns true, at least 2^-33. By default the filter is
   * as small as possible, and `has` is true for up to half of those keys: see `fprOutside`.
   */
  readonly fpr?: number;
}

/** Reads the two lists. They are checked later, when they are hashed. */
function listsOf<List>(lists: ExactLists<List>, what: string): ExactLists<List> {
  const any: Reader<List> = (list) => list as List;
  const { include, exclude } = readOptions(lists, { include: any, exclude: any }, what);
  if (include !== undefined && exclude !== undefined) return { include, exclude };
  throw typeError(`${what}: expected { include, exclude }`);
}

/**
 * A filter that is exact for two fixed lists: `has` is true for every key of `include`, and false for every key of
 * `exclude`.
 *
 * For other keys, `has` is true at the rate `fprOutside`, so pass `fpr` if other keys occur. An included key takes 2
 * bits if equally many keys are excluded, 5.2 bits if 9 times as many are, and 8.6 if 99 times as many are. With `fpr`
 * it takes at least log2(1/fpr) bits. A key in both sets throws ERR_TAMIS_CONFLICT, and the error's `count` is the
 * number of such keys. The filter's `count` is the number of included keys.
 *
 * It has two levels of ribbons, as in Mozilla's Clubcard (Schanck, IEEE Symposium on Security and Privacy 2025).
 *
 * @example
 * import { ExactFilter } from 'tamis';
 * const revoked = ExactFilter.from({ include: ['serial-7'], exclude: ['serial-1', 'serial-2'] });
 * revoked.has('serial-7'); // => true
 * revoked.has('serial-1'); // => false
 * revoked.has('serial-2'); // => false
 */
export class ExactFilter extends (Filter as FilterClass<
  ExactFilter,
  'exact',
  Use<'ExactFilter.from(lists, options)'>
>) {
  /** @internal */
  static define(): Definition {
    return {
      type: 'exact',
      id: exactId,
      part: exact,
      name: 'ExactFilter',
      shown: ['excluded'],
      readers: { capacity: integer(1), excluded: integer(0), fpr: rate },
      needed: ['capacity', 'excluded'],
      refusal: 'fpr must be at least 2^-33',
      conflict: 'a key is in include and in exclude',
    };
  }

  /**
   * Builds the filter of the two sets. Throws TypeError, ERR_TAMIS_CONFLICT, ERR_TAMIS_TOO_LARGE,
   * ERR_TAMIS_OUT_OF_MEMORY and ERR_TAMIS_BUILD_FAILED.
   */
  static from(lists: ExactLists<Keys>, options?: ExactOptions): ExactFilter {
    const { include, exclude } = listsOf(lists, 'ExactFilter.from');
    const plan = buildPlan(definitionOf(this), options, 'from');
    const { what } = plan;
    const included = hashAll(include, plan, `${what}: include`);
    return buildOf<ExactFilter>(this, plan, included, hashAll(exclude, plan, `${what}: exclude`));
  }

  /**
   * Builds the filter from keys that arrive over time; `include` is read first. If `signal` aborts, it rejects with the
   * signal's reason. `onProgress` starts again at 0 for `exclude`.
   */
  static async fromAsync(
    lists: ExactLists<KeySource>,
    options?: ExactOptions & AddFromOptions,
  ): Promise<ExactFilter> {
    const plan = buildPlan(definitionOf(this), options, 'fromAsync', sourceReaders());
    const { what } = plan;
    const { include, exclude } = listsOf(lists, what);
    const [includeName, excludeName] = [`${what}: include`, `${what}: exclude`];
    // A wrong `exclude` is refused before `include` is read.
    try {
      checkKeySource(exclude, excludeName);
    } catch (error) {
      cancelSource(include, error, includeName);
      throw error;
    }
    const included = await hashesFrom(include, plan, includeName).catch((error) => {
      cancelSource(exclude, error, excludeName);
      throw error;
    });
    const excluded = await hashesFrom(exclude, plan, excludeName);
    return buildOf<ExactFilter>(this, plan, included, excluded);
  }

  /** The expected size in memory, in bytes, for these numbers of included and excluded keys. */
  static sizeFor(
    options: ExactOptions & { readonly capacity: number; readonly excluded: number },
  ): number {
    return sizeOf(definitionOf(this), options);
  }

  /** The share of keys outside both sets for which `has` is true; the same number as the filter's `fpr`. */
  get fprOutside(): number {
    return figure(this, fprFigure);
  }

  /** The number of distinct keys of `exclude`. */
  get excluded(): number {
    return figure(this, excludedFigure);
  }
}
