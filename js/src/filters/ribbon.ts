// Ribbon filter: the mirror of cpp/include/tamis/filters/ribbon.hpp.

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
import { ribbon } from '../wasm/parts/ribbon.js';

/** Options of `RibbonFilter.from`: a rate, 2^-32 or more, or the width of a fingerprint. */
export interface RibbonOptions extends HashOptions {
  /** The rate, below 1; default 0.01. Rounded down to a power of a half: 0.01 gives 1 in 128. */
  readonly fpr?: number;
  /** Bits of a fingerprint, 1 to 32, in the place of `fpr`. */
  readonly fingerprintBits?: number;
}

export const ribbonType: Definition<RibbonFilter> = {
  type: 'ribbon',
  part: ribbon,
  name: 'RibbonFilter',
  adopt: (handle) => new RibbonFilter(new Adopted(handle)),
  readers: { capacity: integer(1), fpr: rate, fingerprintBits: integer(1, 32) },
  complete: refuseBoth,
  refusal: 'fpr is below 2^-32, what fingerprints of 32 bits reach',
};

/**
 * The smallest filter for a list that is built once and shipped: r bits for each key at a rate of 2^-r, which
 * is the least that is possible, and about 1 % on top. BinaryFuseFilter is larger and answers faster. Keys
 * are never added: a changed list is built anew. A key may come twice, and keys in any order.
 *
 * Dillinger, Huebschle-Schneider, Sanders and Walzer, SEA 2022.
 *
 * @example
 * import { RibbonFilter } from 'tamis';
 * const blocked = RibbonFilter.from(['phishing.example', 'malware.example'], { fpr: 2 ** -16 });
 * blocked.has('malware.example'); // => true
 * blocked.has('example.org'); // => false
 * blocked.count; // => 2
 */
export class RibbonFilter extends Filter {
  /** Filters are made by `from`, `fromAsync`, `fromHashes`, `fromBytes` and `fromStream`. */
  constructor(made: Adopted) {
    super(handleOf(made, 'RibbonFilter'));
  }

  /** Builds the filter of the keys. Throws RangeError, TypeError, TOO_LARGE, OUT_OF_MEMORY, BUILD_FAILED. */
  static from(keys: Keys, options?: RibbonOptions): RibbonFilter {
    return buildFromKeys(ribbonType, keys, options);
  }

  /** The same for keys that come in time. When `signal` aborts it rejects with the signal's reason. */
  static fromAsync(
    source: KeySource,
    options?: AsyncOptions<RibbonOptions>,
  ): Promise<RibbonFilter> {
    return buildFromSource(ribbonType, source, options);
  }

  /** The same for keys that hashKeys hashed, with the same `key` where there is one. */
  static fromHashes(hashes: BigUint64Array, options?: RibbonOptions): RibbonFilter {
    return buildFromHashes(ribbonType, hashes, options);
  }

  /** Bytes in memory that a filter of `capacity` distinct keys is expected to take. */
  static sizeFor(options: RibbonOptions & { readonly capacity: number }): number {
    return expectedSize(ribbonType, options);
  }

  /** The filter in the bytes of `toBytes`; throws rather than give a wrong one. */
  static fromBytes(bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): RibbonFilter {
    return load([ribbonType], bytes, options);
  }

  /** fromBytes for a download; refuses as soon as the header is wrong. */
  static fromStream(stream: ByteSource, options?: StreamLoadOptions): Promise<RibbonFilter> {
    return loadStream([ribbonType], stream, options);
  }

  get type(): 'ribbon' {
    return 'ribbon';
  }

  get [Symbol.toStringTag](): string {
    return 'RibbonFilter';
  }

  /** Bits of a fingerprint; the rate is a half to their power. */
  get fingerprintBits(): number {
    return figure(this, 'fingerprintBits');
  }

  clone(): RibbonFilter {
    return ribbonType.adopt(copyOf(this));
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), fingerprintBits: this.fingerprintBits };
  }
}
