// Rotating Bloom filter (FORMAT.md, section 5.8).

import { readUnion } from './bloom-bits.js';
import { type Container, type Kind, type LoadOptions, need } from './container.js';
import { Filter, type Lookup } from './filter.js';

/**
 * A set of the keys of the last periods, at the time of `toBytes`. `has` reads the Bloom filters of all periods.
 * `capacity` is the number of keys in a period. Bytes of another type throw ERR_TAMIS_WRONG_TYPE.
 *
 * Chang, Feng and Li, INFOCOM 2004 (two generations).
 *
 * @example
 * import { RotatingBloomFilter as Builder } from 'tamis';
 * import { RotatingBloomFilter } from 'tamis/read';
 * const bytes = Builder.from(['ant', 'bee'], { capacity: 100, periodMs: 60_000 }).toBytes();
 * const filter = RotatingBloomFilter.fromBytes(bytes);
 * filter.has('ant'); // => true
 * filter.capacity; // => 100
 */
export class RotatingBloomFilter extends Filter<'rotating-bloom'> {
  declare static fromBytes: (
    bytes: ArrayBuffer | Uint8Array,
    options?: LoadOptions,
  ) => RotatingBloomFilter;

  /** @internal */
  get kind(): Kind<'rotating-bloom'> {
    return ['rotating-bloom', 7];
  }

  /** @internal */
  read(file: Container): Lookup {
    const generations = file.u32();
    const current = file.u32();
    const periodMs = file.u64();
    const started = file.u64();
    // The number is signed. From 2^53 on it is rounded, but still above the limit.
    const startMs = file.u32() + (file.u32() | 0) * 2 ** 32;
    need(generations >= 2 && generations <= 64 && current < generations);
    need(periodMs < 2 ** 53 && Math.abs(startMs) < 2 ** 53);
    need(started === 1 ? periodMs > 0 : started === 0 && startMs === 0);
    const { parts, test } = readUnion(file, generations);
    for (const { bits, hashes, capacity } of parts) {
      need(bits === parts[0]?.bits && hashes === parts[0].hashes && capacity === file.capacity);
    }
    return {
      test,
      // The chance that any part answers true: 1 - the product of all (1 - rate). A sum keeps the digits of low rates.
      rate: () => parts.reduce((sum, { rate }) => sum + (1 - sum) * rate(), 0),
      figures: { generations, periodMs: periodMs || undefined }, // 0 means no period
    };
  }
}
