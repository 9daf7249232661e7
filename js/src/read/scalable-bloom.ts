// Scalable Bloom filter (FORMAT.md, section 5.7).

import { readUnion } from './bloom-bits.js';
import { type Container, type Kind, type LoadOptions, need } from './container.js';
import { Filter, type Lookup } from './filter.js';

/** Reads a 64-bit fraction of 1. It must be exact as a double, so all set bits must be within 53 bits. */
function readFraction(file: Container): number {
  const low = file.u32();
  const high = file.u32();
  const unusedBits = Math.max(0, 11 - Math.clz32(high)); // the lowest bits, for which a double has no room
  need(high > 0 && (low & ((1 << unusedBits) - 1)) === 0);
  return high * 2 ** -32 + low * 2 ** -64;
}

/**
 * Bloom filters in layers, each larger and with a lower rate than the one before. `capacity` is that of the first, and
 * `fpr` bounds the rate of all layers together. Bytes of another type throw ERR_TAMIS_WRONG_TYPE.
 *
 * Almeida, Baquero, Preguica and Hutchison, Information Processing Letters 101(6), 2007.
 *
 * @example
 * import { ScalableBloomFilter as Builder } from 'tamis';
 * import { ScalableBloomFilter } from 'tamis/read';
 * const filter = ScalableBloomFilter.fromBytes(Builder.from(['ant', 'bee'], { capacity: 100 }).toBytes());
 * filter.has('ant'); // => true
 * filter.capacity; // => 100
 */
export class ScalableBloomFilter extends Filter<'scalable-bloom'> {
  declare static fromBytes: (
    bytes: ArrayBuffer | Uint8Array,
    options?: LoadOptions,
  ) => ScalableBloomFilter;

  /** @internal */
  get kind(): Kind<'scalable-bloom'> {
    return ['scalable-bloom', 6];
  }

  /** @internal */
  read(file: Container): Lookup {
    const growth = file.u32();
    const layers = file.u32();
    need(growth > 0 && growth <= 16 && layers > 0 && layers <= 64);
    const fpr = readFraction(file);
    const tightening = readFraction(file);
    need(tightening >= 0.5 && tightening <= 0.99);
    const { parts, test } = readUnion(file, layers);
    let expected = file.capacity;
    parts.forEach(({ capacity, count, rate }, i) => {
      const isLast = i === layers - 1;
      need(capacity === expected && (isLast ? count <= capacity : count === capacity));
      need(rate() <= fpr * (1 - tightening) * tightening ** i * (1 + 1e-9)); // for rounding errors
      need(i === 0 || count > 0); // every layer after the first was added for a key
      expected = Math.min(expected * growth, 2 ** 53 - 1);
    });
    return { test, rate: () => fpr, figures: { layers, growth, tightening } };
  }
}
