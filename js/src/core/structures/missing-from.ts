// Approximate reconciliation by a filter, in one direction.

import { type Key, type Keys, listOf, packedOf } from '../key-types.js';
import { Filter } from './filter.js';
import { mustBeOwn } from './structure.js';

/**
 * Finds the keys that the other side certainly lacks, by a filter of the other side's keys. The result is
 * approximate: a share `filter.estimatedFpr` of the lacking keys is taken for present, and left out. Packed keys are
 * returned as views of their bytes, and bytes of an iterator as copies. A keyed `InvertibleBloomTable` finds the
 * difference in both directions, exactly.
 *
 * @example
 * import { BloomFilter, missingFrom } from 'tamis';
 * const theirs = BloomFilter.from(['ant', 'bee']);
 * missingFrom(theirs, ['ant', 'bee', 'cat']); // => ['cat']
 */
export function missingFrom(filter: Filter, keys: Keys): Key[] {
  if (!(filter instanceof Filter)) {
    throw mustBeOwn('a filter of tamis', 'missingFrom: filter', filter);
  }
  const list = listOf(keys);
  const answers = filter.hasMany(packedOf(keys) ?? list);
  return list.filter((_, i) => answers[i] === 0);
}
