// Binary fuse filter: the mirror of cpp/include/tamis/filters/binary_fuse.hpp.

import { type Definition, refuseBoth } from '../core/building.js';
import { Filter } from '../core/filter.js';
import type { HashOptions } from '../core/hashing.js';
import type { Keys } from '../core/key-types.js';
import { type LoadOptions, load, loadStream, type StreamLoadOptions } from '../core/loading.js';
import { integer, rate } from '../core/options.js';
import {
  type AsyncOptions,
  buildFromHashes,
  buildFromKeys,
  buildFromSource,
  expectedSize,
} from '../core/static-building.js';
import type { ByteSource, KeySource } from '../core/streams.js';
import { Adopted, copyOf, figure, handleOf } from '../core/structure.js';
import { binaryFuse } from '../wasm/parts/binary-fuse.js';

/** Options of `BinaryFuseFilter.from`: a rate, 2^-32 or more, or the width of a fingerprint. */
export interface BinaryFuseOptions extends HashOptions {
  /** The rate, below 1; default 0.01. Rounded down to a power of a half: 0.01 gives 1 in 128. */
  readonly fpr?: number;
  /** Bits of a fingerprint, 1 to 32, in the place of `fpr`. */
  readonly fingerprintBits?: number;
  /** Places that a key looks at: 3 or 4; default 4 from 100,000 keys on, which is smaller, else 3. */
  readonly arity?: 3 | 4;
}

export const binaryFuseType: Definition<BinaryFuseFilter> = {
  type: 'binary-fuse',
  part: binaryFuse,
  name: 'BinaryFuseFilter',
  adopt: (handle) => new BinaryFuseFilter(new Adopted(handle)),
  readers: {
    capacity: integer(1),
    fpr: rate,
    fingerprintBits: integer(1, 32),
    arity: integer(3, 4),
  },
  complete: refuseBoth,
  refusal: 'fpr is below 2^-32, what fingerprints of 32 bits reach',
};

/**
 * The fastest filter for a list that is built once and shipped: a look-up is three or four places. At a rate of
 * 2^-r a key takes r bits, and 8 % on top in a list of a million, 12 % of 100,000, a fifth and more of 10,000
 * and fewer; RibbonFilter takes 1 %. Keys are never added: a changed list is built anew. A key may come twice,
 * and keys in any order. `seed` is the one that the build settled on, not always the one given.
 *
 * Graf and Lemire, ACM Journal of Experimental Algorithmics 27, 2022.
 *
 * @example
 * import { BinaryFuseFilter } from 'tamis';
 * const blocked = BinaryFuseFilter.from(['phishing.example', 'malware.example'], { fpr: 2 ** -16 });
 * blocked.has('malware.example'); // => true
 * blocked.has('example.org'); // => false
 * blocked.count; // => 2
 */
export class BinaryFuseFilter extends Filter {
  /** Filters are made by `from`, `fromAsync`, `fromHashes`, `fromBytes` and `fromStream`. */
  constructor(made: Adopted) {
    super(handleOf(made, 'BinaryFuseFilter'));
  }

  /** Builds the filter of the keys. Throws RangeError, TypeError, TOO_LARGE, OUT_OF_MEMORY, BUILD_FAILED. */
  static from(keys: Keys, options?: BinaryFuseOptions): BinaryFuseFilter {
    return buildFromKeys(binaryFuseType, keys, options);
  }

  /** The same for keys that come in time. When `signal` aborts it rejects with the signal's reason. */
  static fromAsync(
    source: KeySource,
    options?: AsyncOptions<BinaryFuseOptions>,
  ): Promise<BinaryFuseFilter> {
    return buildFromSource(binaryFuseType, source, options);
  }

  /** The same for keys that hashKeys hashed, with the same `key` where there is one. */
  static fromHashes(hashes: BigUint64Array, options?: BinaryFuseOptions): BinaryFuseFilter {
    return buildFromHashes(binaryFuseType, hashes, options);
  }

  /** Bytes in memory that a filter of `capacity` distinct keys is expected to take. */
  static sizeFor(options: BinaryFuseOptions & { readonly capacity: number }): number {
    return expectedSize(binaryFuseType, options);
  }

  /** The filter in the bytes of `toBytes`; throws rather than give a wrong one. */
  static fromBytes(bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): BinaryFuseFilter {
    return load([binaryFuseType], bytes, options);
  }

  /** fromBytes for a download; refuses as soon as the header is wrong. */
  static fromStream(stream: ByteSource, options?: StreamLoadOptions): Promise<BinaryFuseFilter> {
    return loadStream([binaryFuseType], stream, options);
  }

  get type(): 'binary-fuse' {
    return 'binary-fuse';
  }

  get [Symbol.toStringTag](): string {
    return 'BinaryFuseFilter';
  }

  /** Bits of a fingerprint; the rate is a half to their power. */
  get fingerprintBits(): number {
    return figure(this, 'fingerprintBits');
  }

  /** Places that a key looks at, 3 or 4. */
  get arity(): number {
    return figure(this, 'arity');
  }

  clone(): BinaryFuseFilter {
    return binaryFuseType.adopt(copyOf(this));
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), fingerprintBits: this.fingerprintBits, arity: this.arity };
  }
}
