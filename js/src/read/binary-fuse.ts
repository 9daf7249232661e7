// Binary fuse filter (FORMAT.md, section 5.11).

import { countUsed, readFields } from './bits.js';
import { type Container, type Kind, type LoadOptions, need } from './container.js';
import { Filter, type Lookup } from './filter.js';
import { highOfProduct, mixHash, multiply, u } from './u64.js';

/**
 * The fastest static filter, a table of fingerprints. For absent keys `has` is true at the rate `fpr`. Bytes of another
 * type throw ERR_TAMIS_WRONG_TYPE.
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
  declare static fromBytes: (
    bytes: ArrayBuffer | Uint8Array,
    options?: LoadOptions,
  ) => BinaryFuseFilter;

  /** @internal */
  get kind(): Kind<'binary-fuse'> {
    return ['binary-fuse', 10];
  }

  /** @internal */
  read(file: Container): Lookup {
    const { count, capacity } = file;
    const segments = file.u32();
    const at = file.take(4);
    const [logSlots = 0, arity = 0, fingerprintBits = 0, zero = 0] = file.bytes.subarray(at);
    need((arity === 3 || arity === 4) && zero === 0);
    need(fingerprintBits > 0 && fingerprintBits <= 32 && capacity === count);
    need(count > 0 ? segments > 0 && logSlots <= 18 : segments === 0 && logSlots === 0);
    const segmentSlots = 2 ** logSlots;
    const slots = segments > 0 ? (segments + arity - 1) * segmentSlots : 0;
    need(count <= slots && slots < 2 ** 32);
    const slotAt = readFields(file, slots, fingerprintBits);
    need(countUsed(slotAt, slots) <= count); // each key fills at most one slot
    const starts = segments * segmentSlots; // the number of slots at which a key can begin; 0 in an empty filter
    const seed = file.seed();
    return {
      test() {
        if (starts === 0) return false;
        mixHash(seed); // sets u to the key's hash
        const first = highOfProduct(u[1], starts);
        // This becomes the XOR of the key's fingerprint and its slots, which is 0 if the key is in the filter.
        let sum = u[0] ^ u[1] ^ slotAt(first);
        multiply(u[1], u[0], 0x9e3779b9, 0x7f4a7c15);
        let low = u[0];
        let high = u[1];
        for (let i = 1; i < arity; i++) {
          // Slot i is i segments after the first slot, moved within its segment by the highest bits of (high, low).
          const move = (high >>> 14) & (segmentSlots - 1);
          sum ^= slotAt(((first + i * segmentSlots) ^ move) >>> 0);
          high = (high << 18) | (low >>> 14); // (high, low) <<= 18
          low <<= 18;
        }
        return sum << (32 - fingerprintBits) === 0; // only the low fingerprintBits count
      },
      rate: () => 2 ** -fingerprintBits,
      figures: { fingerprintBits, arity },
    };
  }
}
