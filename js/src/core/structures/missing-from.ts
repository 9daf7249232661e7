// Finds the keys that another side lacks, approximately and in one direction.

import { type Key, type Keys, listOf, packedOf } from '../key-types.js';
import { Filter } from './filter.js';
import { mustBeOwn } from './structure.js';

/**
 * Finds the keys that the other side certainly lacks, from a filter of the other side's keys. The result is
 * approximate: the filter answers `true` for a share `filter.estimatedFpr` of the keys that the other side lacks.
 * Packed keys are returned as views of their bytes, and bytes from an iterator as copies. A keyed
 * `InvertibleBloomTable` finds the exact difference in both directions.
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
