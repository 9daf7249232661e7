// The figures of a structure.

import { Filter, type Reader } from './filter.js';

/**
 * The figures of a structure as values of JSON, without its bits. They are those of `toJSON` in `tamis`, except for
 * figures that need every bit. Throws ERR_TAMIS_DISPOSED.
 *
 * @example
 * import { BloomFilter as Builder } from 'tamis';
 * import { BloomFilter, figuresOf } from 'tamis/read';
 * const filter = BloomFilter.fromBytes(Builder.from(['ant', 'bee'], { fpr: 0.01 }).toBytes());
 * figuresOf(filter).hashes; // => 5
 */
export function figuresOf(reader: Reader): Record<string, unknown> {
  const { type, count, sizeBytes, file, live } = reader;
  const common = { type, count, ...live.figures, sizeBytes };
  if (!(reader instanceof Filter)) return common;
  const { hash, capacity, fpr } = reader;
  return { ...common, hash, seed: String(file.view.getBigUint64(16, true)), capacity, fpr };
}
