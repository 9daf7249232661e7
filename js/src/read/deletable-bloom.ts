// Deletable Bloom filter (FORMAT.md, section 5.6).

import { bitAt, readBits } from './bits.js';
import { hasEveryBit } from './bloom-bits.js';
import { type Container, need } from './container.js';
import { Filter, type Lookup } from './filter.js';
import { bloomRate } from './rates.js';
import { mixSeed } from './u64.js';

/** Throws CORRUPT unless each locked region has a bit that is set. Region j begins at bit ceil(j bits / regions). */
function checkLocks(array: Uint8Array, bits: number, locks: Uint8Array, regions: number): void {
  // j bits may be over 2^53: the quotient and the rest are carried along.
  let quotient = 0;
  let rest = 0;
  const start = (): number => quotient + (rest > 0 ? 1 : 0);
  for (let j = 0; j < regions; j++) {
    let bit = start();
    quotient += Math.floor(bits / regions);
    rest += bits % regions;
    if (rest >= regions) {
      rest -= regions;
      quotient++;
    }
    const end = start();
    if (!bitAt(locks, j)) continue;
    while (bit < end && !bitAt(array, bit)) bit++;
    need(bit < end);
  }
}

function read(file: Container): Lookup {
  const at = file.take(24);
  const bits = file.u64(at);
  const hashes = file.u32(at + 8);
  const regions = file.u64(at + 16);
  need(bits > 0 && bits <= 2 ** 32 && hashes > 0 && hashes <= 64 && file.u32(at + 12) === 0);
  need(regions > 0 && regions <= bits && file.capacity > 0);
  const array = readBits(file, bits);
  checkLocks(array, bits, readBits(file, regions), regions);
  const seed = file.seed();
  return {
    test() {
      mixSeed(seed);
      return hasEveryBit(array, bits, hashes);
    },
    rate: () => bloomRate(bits, hashes, file.capacity),
    figures: { bits, hashes, regions },
  };
}

/**
 * A Bloom filter in regions, which knows the keys that could be deleted. Bytes of another type throw WRONG_TYPE.
 *
 * Rothenberg, Macapuna, Verdi and Magalhaes, IEEE Communications Letters 14(6), 2010.
 *
 * @example
 * import { DeletableBloomFilter as Builder } from 'tamis';
 * import { DeletableBloomFilter } from 'tamis/read';
 * const filter = DeletableBloomFilter.fromBytes(Builder.from(['ant', 'bee'], { capacity: 100 }).toBytes());
 * filter.isDeletable('ant'); // => true
 * filter.isDeletable('cat'); // => false
 */
export class DeletableBloomFilter extends Filter<'deletable-bloom'> {
  /** @internal */
  constructor(file: Container) {
    super(file, read);
  }

  get type(): 'deletable-bloom' {
    return 'deletable-bloom';
  }

  /** @internal */
  get id(): number {
    return 5;
  }
}
