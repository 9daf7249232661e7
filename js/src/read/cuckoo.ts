// Cuckoo filter (FORMAT.md, section 5.10).

import { countUsed, readFields } from './bits.js';
import { type Container, type Kind, type LoadOptions, need } from './container.js';
import { Filter, type Lookup } from './filter.js';
import { collisionRate } from './rates.js';
import { highOfProduct, mixHash, multiply, u } from './u64.js';

/**
 * Buckets of fingerprints. `count` is the number of copies. Bytes of another type throw ERR_TAMIS_WRONG_TYPE.
 *
 * Fan, Andersen, Kaminsky and Mitzenmacher, CoNEXT 2014.
 *
 * @example
 * import { CuckooFilter as Builder } from 'tamis';
 * import { CuckooFilter } from 'tamis/read';
 * const filter = CuckooFilter.fromBytes(Builder.from(['ant', 'bee']).toBytes());
 * filter.has('ant'); // => true
 * filter.count; // => 2
 */
export class CuckooFilter extends Filter<'cuckoo'> {
  declare static fromBytes: (
    bytes: ArrayBuffer | Uint8Array,
    options?: LoadOptions,
  ) => CuckooFilter;

  /** @internal */
  get kind(): Kind<'cuckoo'> {
    return ['cuckoo', 9];
  }

  /** @internal */
  read(file: Container): Lookup {
    const buckets = file.u32();
    const bucketSize = file.u32();
    const fingerprintBits = file.u32();
    need(buckets > 0 && buckets % 2 === 0 && [1, 2, 4, 8].includes(bucketSize));
    need(fingerprintBits >= 4 && fingerprintBits <= 32 && file.u32() === 0);
    const slots = buckets * bucketSize;
    const slotAt = readFields(file, slots, fingerprintBits);
    need(file.capacity > 0 && file.capacity <= slots && file.count === countUsed(slotAt, slots));
    const seed = file.seed();
    const fingerprints = 2 ** fingerprintBits - 1; // the number of possible fingerprints, since 0 is an empty slot
    const holds = (bucket: number, fingerprint: number): boolean => {
      const start = bucket * bucketSize;
      for (let i = start; i < start + bucketSize; i++) if (slotAt(i) === fingerprint) return true;
      return false;
    };
    return {
      test() {
        mixHash(seed); // sets u to the key's hash
        const fingerprint = 1 + highOfProduct(u[0], fingerprints);
        const first = highOfProduct(u[1], buckets);
        if (holds(first, fingerprint)) return true;
        multiply(0, fingerprint, 0x94d049bb, 0x133111eb); // these two lines set u to a hash of the fingerprint
        multiply(u[1], u[0] ^ u[1], 0xc4ceb9fe, 0x1a85ec53);
        // The 64-bit (fingerprint, u[1]) >> fingerprintBits. It fits in a word, since fingerprint < 2^fingerprintBits.
        const shifted =
          fingerprintBits < 32
            ? (fingerprint << (32 - fingerprintBits)) | (u[1] >>> fingerprintBits)
            : fingerprint;
        // Modulo `buckets`, the key's two buckets add up to an odd number, which depends only on the fingerprint.
        const other = 2 * highOfProduct(shifted, buckets / 2) + 1 - first;
        return holds(other < 0 ? other + buckets : other, fingerprint);
      },
      rate: () => collisionRate(fingerprints, (2 * file.capacity) / buckets),
      figures: { bucketSize, fingerprintBits },
    };
  }
}
