// Counting Bloom filter (FORMAT.md, section 5.3).

import { readFields } from './bits.js';
import { readGeometry } from './bloom-bits.js';
import { type Container, type Kind, type LoadOptions, need } from './container.js';
import { Filter, type Lookup } from './filter.js';
import { bloomRate } from './rates.js';
import { highOfProduct, mixHash, multiply, u } from './u64.js';

/**
 * A Bloom filter with counters instead of bits. `count` is the number of copies in the filter. Bytes of another type
 * throw ERR_TAMIS_WRONG_TYPE.
 *
 * Fan, Cao, Almeida and Broder, IEEE/ACM ToN 8(3), 2000.
 *
 * @example
 * import { CountingBloomFilter as Builder } from 'tamis';
 * import { CountingBloomFilter } from 'tamis/read';
 * const filter = CountingBloomFilter.fromBytes(Builder.from(['ant', 'ant', 'bee'], { capacity: 100 }).toBytes());
 * filter.has('ant'); // => true
 * filter.count; // => 3
 */
export class CountingBloomFilter extends Filter<'counting-bloom'> {
  declare static fromBytes: (
    bytes: ArrayBuffer | Uint8Array,
    options?: LoadOptions,
  ) => CountingBloomFilter;

  /** @internal */
  get kind(): Kind<'counting-bloom'> {
    return ['counting-bloom', 3];
  }

  /** @internal */
  read(file: Container): Lookup {
    const { size: counters, hashes, last: counterBits } = readGeometry(file);
    need(counterBits >= 2 && counterBits <= 16);
    const counter = readFields(file, counters, counterBits);
    const seed = file.seed();
    return {
      test() {
        mixHash(seed); // sets u to the key's hash
        for (let i = 0; i < hashes; i++) {
          if (counter(highOfProduct(u[1], counters)) === 0) return false;
          multiply(u[1], u[0], 0xf1357aea, 0x2e62a9c5); // changes u, for the next position
        }
        return true;
      },
      rate: () => bloomRate(counters, hashes, file.capacity),
      figures: { counterBits, counters, hashes },
    };
  }
}
