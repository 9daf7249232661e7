// Binary fuse filter (FORMAT.md, section 5.11).

import { countUsed, readFields } from './bits.js';
import { type Container, type Kind, need } from './container.js';
import { Filter, type Lookup } from './filter.js';
import { highOfProduct, mixSeed, multiply, u } from './u64.js';

/**
 * A static filter of fingerprints, the fastest. For absent keys `has` is true at the rate `fpr`.
 * Bytes of another type throw ERR_TAMIS_WRONG_TYPE.
 *
 * Graf and Lemire, ACM Journal of Experimental Algorithmics 27, 2022.
 *
 * @example
 * import { BinaryFuseFilter as Builder } from 'tamis';
 * import { BinaryFuseFilter } from 'tamis/read';
 * const filter = BinaryFuseFilter.fromBytes(Builder.from(['ant', 'bee'], { fpr: 2 ** -16 }).toBytes());
 * filter.has('ant'); // => true
 * filter.fpr; // => 2 ** -16
 */
export class BinaryFuseFilter extends Filter<'binary-fuse'> {
  /** @internal */
  get kind(): Kind<'binary-fuse'> {
    return ['binary-fuse', 10];
  }

  /** @internal */
  read(file: Container): Lookup {
    const { count, capacity } = file;
    const segments = file.u32();
    const at = file.take(4);
    const [logLength = 0, arity = 0, fingerprintBits = 0, zero = 0] = file.bytes.subarray(at);
    need(
      (arity === 3 || arity === 4) && fingerprintBits > 0 && fingerprintBits <= 32 && zero === 0,
    );
    need(capacity === count && segments > 0 === count > 0 && logLength <= (count > 0 ? 18 : 0));
    const length = 2 ** logLength;
    const slots = segments > 0 ? (segments + arity - 1) * length : 0;
    need(count <= slots && slots < 2 ** 32);
    const slot = readFields(file, slots, fingerprintBits);
    need(countUsed(slot, slots) <= count);
    const starts = segments * length;
    const seed = file.seed();
    return {
      test() {
        if (starts === 0) return false;
        mixSeed(seed);
        const first = highOfProduct(u[1], starts);
        let sum = u[0] ^ u[1] ^ slot(first);
        multiply(u[1], u[0], 0x9e3779b9, 0x7f4a7c15);
        const low = u[0];
        const high = u[1];
        // The lowest 18 bits of y >> (64 - 18 i).
        for (let i = 1; i < arity; i++) {
          const shifted =
            i === 1
              ? high >>> 14
              : i === 2
                ? (high << 4) | (low >>> 28)
                : (high << 22) | (low >>> 10);
          sum ^= slot(((first + i * length) ^ (shifted & (length - 1))) >>> 0);
        }
        return sum << (32 - fingerprintBits) === 0;
      },
      rate: () => 2 ** -fingerprintBits,
      figures: { fingerprintBits, arity },
    };
  }
}
