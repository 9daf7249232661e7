// What a structure says of itself.

import { Filter, type Reader } from './filter.js';

/**
 * The figures, never the bits, as JSON has them: what `toJSON` gives in `tamis`, but for those that take a look at
 * every bit. Throws DISPOSED.
 *
 * @example
 * import { BloomFilter as Builder } from 'tamis';
 * import { BloomFilter, figuresOf } from 'tamis/read';
 * const filter = BloomFilter.fromBytes(Builder.from(['ant', 'bee'], { fpr: 0.01 }).toBytes());
 * figuresOf(filter).hashes; // => 6
 */
export function figuresOf(reader: Reader): Record<string, unknown> {
  const { type, count, sizeBytes, file } = reader;
  if (!(reader instanceof Filter)) return { type, length: file.capacity, count, sizeBytes };
  const { hash, capacity, fpr, live } = reader;
  return {
    type,
    hash,
    seed: String(file.view.getBigUint64(16, true)),
    count,
    capacity,
    fpr,
    bitsPerKey: count === 0 ? null : (8 * sizeBytes) / count,
    ...live.figures,
    sizeBytes,
  };
}
