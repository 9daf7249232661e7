// Filters whose layout differs from every structure of tamis. Look-ups read the bytes of the file, which never change.

import { ownedOf } from '../core/border/lifetime.js';
import { numberAddress, read, statusAddress } from '../core/border/memory.js';
import { notInJson, typeError } from '../core/errors.js';
import { areSame, type Key, type Keys } from '../core/key-types.js';
import { Adopted, adopt } from '../core/structures/definition.js';
import { hasKey, hasKeys } from '../core/structures/filter.js';
import { checkOwn, MemoryOwner } from '../core/structures/structure.js';
import { foreign } from '../wasm/parts/foreign.js';
import { type Making, makeOf, withCopy } from './adopt.js';

/** The ways to find the places of a key, in the order of the core's ForeignRule. */
const rules = ['bloom', 'redis-cuckoo', 'go-cuckoo', 'go-cuckoo-2018', 'fuse', 'xor'] as const;

/** A table in the file, like the core's ForeignLayer. */
export interface ForeignLayer {
  /** The bits, the buckets, a third of a xor filter's slots, or a fuse filter's slots without its last two segments. */
  readonly size: number;
  /** The offset of the table in the bytes. */
  readonly offset: number;
  /** The number of hashes of a Bloom filter, or of slots in a bucket or a segment. */
  readonly step: number;
}

/** The facts that a codec read in a file: how to look up a key, the tables, and the figures. */
export interface ForeignShape {
  readonly format: string;
  readonly rule: (typeof rules)[number];
  readonly layers: readonly ForeignLayer[];
  /** The number of keys, if the file states it. */
  readonly count?: number;
  /** The number of bytes of a fingerprint; default 1, as in all cuckoo filters. */
  readonly width?: number;
  /** For fuse and xor filters: the seed, and true if XXH64 hashes the keys. */
  readonly seed?: bigint;
  readonly hashesKeys?: boolean;
  /** Turns the stored bytes back into the file, if the two differ. */
  readonly restore?: (stored: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;
}

/**
 * A read-only filter of another library: a Bloom filter of several layers, a cuckoo filter or a fuse filter. A codec
 * returns a `BloomFilter`, which can do more, wherever it can.
 *
 * @example
 * import { goCuckoo } from 'tamis/interop';
 * // Go's Encode() of a filter without keys has 16 empty buckets.
 * const filter = goCuckoo.decode(new Uint8Array(64));
 * filter.has('alice'); // => false
 * filter.format; // => 'go-cuckoo'
 */
export class ForeignFilter extends MemoryOwner {
  readonly #shape: ForeignShape;
  readonly #address: number;
  readonly #size: number;

  /** @internal */
  constructor(adopted: Adopted, shape: ForeignShape, address: number, size: number) {
    if (!(adopted instanceof Adopted)) {
      throw typeError('ForeignFilter: use decode of a codec of tamis/interop, not new');
    }
    super(adopted.take());
    this.#shape = shape;
    this.#address = address;
    this.#size = size;
  }

  /** The name of the codec that made the filter. */
  get format(): string {
    return this.#shape.format;
  }

  /** The number of bytes in memory, without the object itself. */
  get sizeBytes(): number {
    ownedOf(this).check();
    return this.#size;
  }

  /** `true` means probably present. `false` means certainly absent, if the other library guarantees that too. */
  has(key: Key): boolean {
    return hasKey(this, key);
  }

  /** 1 (probably present) or 0 (certainly absent) for each key, in order. */
  hasMany(keys: Keys): Uint8Array<ArrayBuffer> {
    return hasKeys(this, keys);
  }

  /** The file that was decoded, unchanged; if it came in several chunks, they are joined. */
  toBytes(): Uint8Array<ArrayBuffer> {
    ownedOf(this).check();
    const stored = read(this.#address, this.#size);
    return this.#shape.restore?.(stored) ?? stored;
  }

  /** True if format, options and bytes are equal. Throws TypeError for a value that is not of tamis. */
  equals(other: ForeignFilter): boolean {
    checkOwn(other);
    if (this.format !== other.format) return false;
    const record = (filter: ForeignFilter) => recordOf(filter.#shape, filter.#size);
    return areSame(record(this), record(other)) && areSame(this.toBytes(), other.toBytes());
  }

  /** The figures of the filter, without its content. `count` is present if the file states the number of keys. */
  override toJSON(): Record<string, unknown> {
    const figures = { ...describe(this.#shape), sizeBytes: this.sizeBytes };
    return { type: 'foreign', ...figures, content: notInJson };
  }

  get [Symbol.toStringTag](): string {
    return 'ForeignFilter';
  }
}

/** The members of toJSON, except the size. The `step` of a layer is its number of hashes, or of slots in a bucket. */
function describe(shape: ForeignShape): Record<string, unknown> {
  const { format, rule, layers, count, width = 1, seed = 0n } = shape;
  const common = { format, ...(count === undefined ? undefined : { count }) };
  const fingerprintBits = 8 * width;
  if (rule === 'fuse' || rule === 'xor') {
    return { ...common, fpr: 2 ** -fingerprintBits, fingerprintBits, seed: String(seed) };
  }
  const tables = { ...common, layers: layers.length };
  if (rule !== 'bloom') return { ...tables, fingerprintBits, bucketSize: layers[0]?.step };
  const bits = layers.reduce((sum, { size }) => sum + size, 0);
  return { ...tables, bits, hashes: layers.map(({ step }) => step) };
}

/** The sizes in bytes of the core's ForeignRecord, and of each layer that follows it. */
const recordBytes = 40;
const layerBytes = 16;

/** The core's ForeignRecord of the filter and its layers, little-endian. Numbers below 2^32 leave the upper half 0. */
function recordOf(shape: ForeignShape, size: number): Uint8Array {
  const { rule, width = 1, seed = 0n, hashesKeys = false, layers } = shape;
  const record = new Uint8Array(recordBytes + layerBytes * layers.length);
  const view = new DataView(record.buffer);
  view.setUint32(0, rules.indexOf(rule), true);
  view.setUint32(4, width, true);
  view.setBigUint64(8, seed, true);
  view.setUint32(16, Number(hashesKeys), true);
  view.setUint32(24, size, true);
  view.setUint32(32, layers.length, true);
  for (const [i, layer] of layers.entries()) {
    const at = recordBytes + layerBytes * i;
    view.setBigUint64(at, BigInt(layer.size), true);
    view.setUint32(at + 8, layer.offset, true);
    view.setUint32(at + 12, layer.step, true);
  }
  return record;
}

/**
 * Makes the filter of a file in pieces, which are copied once. `unpacking`: the size of unpacked slots, and the step
 * that unpacks them. Throws ERR_TAMIS_TOO_LARGE, ERR_TAMIS_OUT_OF_MEMORY, and ERR_TAMIS_CORRUPT if a layer is cut.
 */
export function makeForeign(
  shape: ForeignShape,
  pieces: readonly Uint8Array[],
  unpacking?: Pick<Making, 'size' | 'settle'>,
): ForeignFilter {
  const { handle, address, size } = makeOf(pieces, {
    part: foreign,
    prepare: (core, total) =>
      withCopy(recordOf(shape, total), (from) =>
        core._tamis_foreign(from, numberAddress, statusAddress),
      ),
    ...unpacking,
  });
  return adopt(ForeignFilter, handle, shape, address, size);
}
