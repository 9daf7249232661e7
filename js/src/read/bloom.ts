// Bloom filter (FORMAT.md, section 5.1).

import { isZero, readBits } from './bits.js';
import { hasEveryBit } from './bloom-bits.js';
import { type Container, keyedHash, need } from './container.js';
import { Filter, type Lookup } from './filter.js';
import { bloomRate } from './rates.js';
import { mixSeed } from './u64.js';

function read(file: Container): Lookup {
  const isDefault = file.hashId <= keyedHash;
  need(isDefault, 'UNSUPPORTED', "another library's scheme; BloomFilter of 'tamis' loads it");
  const at = file.take(16);
  const bits = file.u64(at);
  const hashes = file.u32(at + 8);
  need(bits > 0 && hashes > 0 && hashes <= 64 && file.u32(at + 12) === 0 && file.capacity > 0);
  const array = readBits(file, bits);
  need(file.count > 0 || isZero(array));
  const seed = file.seed();
  return {
    test() {
      mixSeed(seed);
      return hasEveryBit(array, bits, hashes);
    },
    rate: () => bloomRate(bits, hashes, file.capacity),
    figures: { bits, hashes },
  };
}

/**
 * A Bloom filter of the default scheme. Bytes of another scheme throw UNSUPPORTED: `BloomFilter` of `tamis` loads
 * them. `count`: keys certainly new when added.
 *
 * Bloom, CACM 13(7), 1970.
 *
 * @example
 * import { BloomFilter as Builder } from 'tamis';
 * import { BloomFilter } from 'tamis/read';
 * const filter = BloomFilter.fromBytes(Builder.from(['ant', 'bee'], { fpr: 0.01 }).toBytes());
 * filter.has('ant'); // => true
 * filter.count; // => 2
 */
export class BloomFilter extends Filter<'bloom'> {
  /** @internal */
  constructor(file: Container) {
    super(file, read);
  }

  get type(): 'bloom' {
    return 'bloom';
  }

  /** @internal */
  get id(): number {
    return 1;
  }
}
