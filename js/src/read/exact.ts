// Exact filter of two sets (FORMAT.md, section 5.14).

import { type Container, type Kind, type LoadOptions, need } from './container.js';
import { Filter, type Lookup } from './filter.js';
import { readRetrieval } from './retrieval.js';
import { mixHash, u } from './u64.js';

/**
 * A filter that is exact for two sets: `has` is true for the included keys, and false for the excluded ones.
 *
 * For other keys `has` is true at the rate `fpr`. `count` is the number of included keys. Bytes of another type throw
 * ERR_TAMIS_WRONG_TYPE.
 *
 * It has two levels of ribbons, as in Mozilla's Clubcard (Schanck, IEEE Symposium on Security and Privacy 2025).
 *
 * @example
 * import { ExactFilter as Builder } from 'tamis';
 * import { ExactFilter } from 'tamis/read';
 * const filter = ExactFilter.fromBytes(Builder.from({ include: ['ant'], exclude: ['bee', 'cat'] }).toBytes());
 * filter.hasMany(['ant', 'bee', 'cat']); // => Uint8Array.of(1, 0, 0)
 * filter.count; // => 1
 */
export class ExactFilter extends Filter<'exact'> {
  declare static fromBytes: (bytes: ArrayBuffer | Uint8Array, options?: LoadOptions) => ExactFilter;

  /** @internal */
  get kind(): Kind<'exact'> {
    return ['exact', 12];
  }

  /** @internal */
  read(file: Container): Lookup {
    const { capacity, count } = file;
    const excluded = file.u64();
    const passing = file.u64(); // the excluded keys that pass the first level
    const checkBits = file.u32();
    need(passing <= excluded && excluded < 2 ** 53 && checkBits <= 32 && file.u32() === 0);
    need(capacity === count);
    // Without check bits there is no first level, so that every key passes.
    need(count === 0 ? checkBits + passing === 0 : checkBits > 0 || passing === excluded);
    // Returns 0 for a key that passes, else undefined.
    const check = checkBits > 0 ? readRetrieval(file, count, 0, checkBits) : () => 0;
    const bitOf = readRetrieval(file, count + passing, 1, 0, 16); // 16 makes its hashes differ from the first level's
    const seed = file.seed();
    return {
      test() {
        if (check() === undefined) return false;
        const bit = bitOf();
        mixHash(seed); // sets u to the key's hash
        // The second level stores the lowest bit of u for an excluded key, and the opposite bit for an included one.
        return bit === 1 - (u[0] & 1);
      },
      rate: () => (count === 0 ? 0 : 2 ** -(checkBits + 1)), // the check bits, and the bit of the second level
      figures: { excluded },
    };
  }
}
