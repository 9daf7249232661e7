// D-left counting filter (FORMAT.md, section 5.9).

import { type Fields, readFields } from './bits.js';
import { type Container, type Kind, type LoadOptions, need } from './container.js';
import { Filter, type Lookup } from './filter.js';
import { collisionRate } from './rates.js';
import { highOfProduct, mixHash, splitMix, u } from './u64.js';

/** Throws ERR_TAMIS_CORRUPT unless free cells are 0, a bucket's remainders differ, and the counters fit `count`. */
function checkCells(cell: Fields, cells: number, remainderBits: number, count: number): void {
  let copies = 0;
  let isStuck = false;
  for (let i = 0; i < cells; i++) {
    const value = cell(i);
    const counter = value >>> remainderBits;
    copies += counter;
    if (counter === 3) isStuck = true; // 3 means 3 copies or more, so `copies` may be too low
    need(counter > 0 || value === 0);
    // The remainders in a bucket of 8 cells must differ. The shift drops the counters, so only remainders are compared.
    for (let j = i - (i % 8); counter > 0 && j < i; j++) {
      const other = cell(j);
      need(other === 0 || (other ^ value) << (32 - remainderBits) !== 0);
    }
  }
  need(isStuck || copies === count);
}

/**
 * A table of remainders with counters, which stay at 3 once they reach it. `count` is the number of copies in the
 * filter. Bytes of another type throw ERR_TAMIS_WRONG_TYPE.
 *
 * Bonomi, Mitzenmacher, Panigrahy, Singh and Varghese, ESA 2006.
 *
 * @example
 * import { DLeftCountingFilter as Builder } from 'tamis';
 * import { DLeftCountingFilter } from 'tamis/read';
 * const filter = DLeftCountingFilter.fromBytes(Builder.from(['ant', 'ant', 'bee'], { capacity: 100 }).toBytes());
 * filter.has('ant'); // => true
 * filter.count; // => 3
 */
export class DLeftCountingFilter extends Filter<'d-left-counting'> {
  declare static fromBytes: (
    bytes: ArrayBuffer | Uint8Array,
    options?: LoadOptions,
  ) => DLeftCountingFilter;

  /** @internal */
  get kind(): Kind<'d-left-counting'> {
    return ['d-left-counting', 8];
  }

  /** @internal */
  read(file: Container): Lookup {
    const buckets = file.u64();
    const remainderBits = file.u32();
    need(buckets > 0 && buckets < 2 ** 27 && remainderBits >= 5 && remainderBits <= 30);
    // Each of four sub-tables has `buckets` buckets of eight cells. A cell is a 2-bit counter above a remainder.
    const cells = 4 * buckets * 8;
    need(file.u32() === 0 && file.capacity > 0 && file.capacity <= cells);
    const cell = readFields(file, cells, remainderBits + 2);
    checkCells(cell, cells, remainderBits, file.count);
    const seed = file.seed();
    return {
      test() {
        mixHash(seed); // sets u to the key's hash
        const first = highOfProduct(u[1], buckets);
        const remainder = (u[0] >>> 0) % 2 ** remainderBits;
        u[0] = remainder;
        u[1] = 0;
        splitMix();
        const [low, high] = [u[0], u[1]];
        // The key's bucket in a sub-table is `first` plus a distance, which depends on the remainder. The distances
        // follow from the upper words of 0, M, M << 21 and M << 42, where M = (high, low) = splitmix64(remainder).
        const shifted = [0, high, (high << 21) | (low >>> 11), low << 10];
        for (let table = 0; table < 4; table++) {
          const bucket = (first + highOfProduct(shifted[table] as number, buckets)) % buckets;
          const start = 8 * (table * buckets + bucket);
          for (let i = start; i < start + 8; i++) {
            const value = cell(i);
            // A free cell is 0. The shift drops the counter.
            if (value > 0 && (value ^ remainder) << (32 - remainderBits) === 0) return true;
          }
        }
        return false;
      },
      rate: () => collisionRate(buckets * 2 ** remainderBits, file.capacity),
    };
  }
}
