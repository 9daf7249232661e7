// Deletable Bloom filter (FORMAT.md, section 5.6).

import { bitAt, readBits } from './bits.js';
import { bitsTest, readGeometry } from './bloom-bits.js';
import { type Container, type Kind, type LoadOptions, need } from './container.js';
import { Filter, type Lookup } from './filter.js';
import { bloomRate } from './rates.js';

/** Throws ERR_TAMIS_CORRUPT unless each locked region has a set bit. Bit i is in region floor(i * regions / bits). */
function checkLocks(array: Uint8Array, bits: number, locks: Uint8Array, regions: number): void {
  let region = 0;
  let rest = 0; // (i + 1) * regions, minus `bits` for each region that has ended
  let isUsed = false;
  for (let i = 0; i < bits; i++) {
    isUsed ||= bitAt(array, i);
    rest += regions;
    if (rest < bits) continue; // the next bit is in the same region
    need(isUsed || !bitAt(locks, region));
    rest -= bits;
    region++;
    isUsed = false;
  }
}

/**
 * A Bloom filter with regions, so that most keys can be deleted. Bytes of another type throw ERR_TAMIS_WRONG_TYPE.
 *
 * Rothenberg, Macapuna, Verdi and Magalhaes, IEEE Communications Letters 14(6), 2010.
 *
 * @example
 * import { DeletableBloomFilter as Builder } from 'tamis';
 * import { DeletableBloomFilter } from 'tamis/read';
 * const filter = DeletableBloomFilter.fromBytes(Builder.from(['ant', 'bee'], { capacity: 100 }).toBytes());
 * filter.has('ant'); // => true
 * filter.count; // => 2
 */
export class DeletableBloomFilter extends Filter<'deletable-bloom'> {
  declare static fromBytes: (
    bytes: ArrayBuffer | Uint8Array,
    options?: LoadOptions,
  ) => DeletableBloomFilter;

  /** @internal */
  get kind(): Kind<'deletable-bloom'> {
    return ['deletable-bloom', 5];
  }

  /** @internal */
  read(file: Container): Lookup {
    const { size: bits, hashes, last } = readGeometry(file);
    const regions = file.u64();
    need(bits <= 2 ** 32 && last === 0 && regions > 0 && regions <= bits);
    const array = readBits(file, bits);
    checkLocks(array, bits, readBits(file, regions), regions);
    return {
      test: bitsTest(array, bits, hashes, file.seed()),
      rate: () => bloomRate(bits, hashes, file.capacity),
      figures: { bits, hashes, regions },
    };
  }
}
