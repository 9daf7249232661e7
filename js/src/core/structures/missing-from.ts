// Approximate reconciliation: the half that a filter can do.

import { checkIterable, type Key, type Keys, keep, packedOf } from '../key-types.js';
import { Filter } from './filter.js';
import { mustBeOwn } from './structure.js';

/**
 * Which of my keys the other side lacks for certain: the other sends a filter of its keys, and gets these back.
 * Approximate: of the keys that it lacks, a share of `filter.estimatedFpr` is taken for present and left out.
 * Keys that are packed come back as views of their bytes, bytes that an iterator gave as copies. A keyed
 * `InvertibleBloomTable` finds both halves, exactly.
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
  const packed = packedOf(keys);
  if (packed !== undefined) {
    const { bytes, starts, ends } = packed;
    const lacking: Key[] = [];
    filter.hasMany(packed).forEach((isThere, i) => {
      if (isThere === 0) lacking.push(bytes.subarray(starts[i], ends[i]));
    });
    return lacking;
  }
  checkIterable(keys);
  const list = Array.isArray(keys) ? [...keys] : Array.from(keys, keep);
  const answers = filter.hasMany(list);
  return list.filter((_, i) => answers[i] === 0);
}
