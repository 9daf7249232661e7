// Filters whose layout is no structure of tamis: they are looked up in where their bytes lie, and never change.

import { ownedOf } from '../core/border/lifetime.js';
import { numberAddress, read, statusAddress } from '../core/border/memory.js';
import { typeError } from '../core/errors.js';
import type { Key, Keys } from '../core/key-types.js';
import { Adopted, adopt } from '../core/structures/definition.js';
import { hasKey, hasKeys } from '../core/structures/filter.js';
import { Held } from '../core/structures/structure.js';
import { foreign } from '../wasm/parts/foreign.js';
import { makeOf, type Settle, withCopy } from './storage.js';

/** How a key becomes places, in the order of the core's ForeignRule. */
const rules = ['bloom', 'redis-cuckoo', 'go-cuckoo', 'go-cuckoo-2018', 'fuse', 'xor'] as const;

/** A table of the file, as the core's ForeignLayer has it. */
export interface ForeignLayer {
  readonly size: number;
  readonly offset: number;
  readonly step: number;
}

/** What a codec found in a container. */
export interface ForeignShape {
  readonly format: string;
  readonly rule: (typeof rules)[number];
  readonly layers: readonly ForeignLayer[];
  /** Keys, where the file says how many. */
  readonly count?: number;
  /** Of a fuse or xor filter: bytes of a fingerprint, the seed, and whether keys are hashed by XXH64. */
  readonly width?: number;
  readonly seed?: bigint;
  readonly hashesKeys?: boolean;
  /** Where the file is held in another form than its own: makes the file of it. */
  readonly restore?: (held: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;
}

/**
 * A filter of another library that is only looked up in: Bloom filters in several layers, and the cuckoo and fuse
 * filters of others. What a codec gives as a `BloomFilter` can do more.
 *
 * @example
 * import { goCuckoo } from 'tamis/interop';
 * // What Encode() gives in Go: 16 buckets without a key.
 * const filter = goCuckoo.decode(new Uint8Array(64));
 * filter.has('alice'); // => false
 * filter.format; // => 'go-cuckoo'
 */
export class ForeignFilter extends Held {
  readonly #shape: ForeignShape;
  readonly #address: number;
  readonly #size: number;

  /** @internal */
  constructor(made: Adopted, shape: ForeignShape, address: number, size: number) {
    super((Class) => {
      if (made instanceof Adopted) return made.take(Class);
      throw typeError('ForeignFilter: made by a codec of tamis/interop, not by new');
    });
    this.#shape = shape;
    this.#address = address;
    this.#size = size;
  }

  /** The name of the codec that made it. */
  get format(): string {
    return this.#shape.format;
  }

  /** Payload in memory, in bytes. */
  get sizeBytes(): number {
    ownedOf(this).check();
    return this.#size;
  }

  /** `false` means certainly absent, where the other library says so; `true` means probably present. */
  has(key: Key): boolean {
    return hasKey(this, key);
  }

  /** 1 (probably present) or 0 (certainly absent) for each key, in order. */
  hasMany(keys: Keys): Uint8Array<ArrayBuffer> {
    return hasKeys(this, keys);
  }

  /** The foreign file as it came; of several chunks all, one behind the other. */
  toBytes(): Uint8Array<ArrayBuffer> {
    ownedOf(this).check();
    const held = read(this.#address, this.#size);
    return this.#shape.restore?.(held) ?? held;
  }

  /** What it is, never its bits. `count` is there where the file says how many keys it has. */
  override toJSON(): Record<string, unknown> {
    return { ...describe(this.#shape), sizeBytes: this.sizeBytes };
  }

  get [Symbol.toStringTag](): string {
    return 'ForeignFilter';
  }
}

/** A row of toJSON for each thing that a filter of this rule has. */
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

/** Bytes of a ForeignRecord of the core, and of a layer behind it. */
const recordBytes = 40;
const layerBytes = 16;

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
  let at = recordBytes;
  for (const layer of layers) {
    view.setBigUint64(at, BigInt(layer.size), true);
    view.setUint32(at + 8, layer.offset, true);
    view.setUint32(at + 12, layer.step, true);
    at += layerBytes;
  }
  return record;
}

/**
 * The filter of a file of `size` bytes, which come in pieces and are copied once. Throws CORRUPT for a layer that
 * reaches past them, TOO_LARGE, OUT_OF_MEMORY.
 */
export function makeForeign(
  shape: ForeignShape,
  size: number,
  pieces: Iterable<Uint8Array>,
  settle?: Settle,
): ForeignFilter {
  const record = recordOf(shape, size);
  const { handle, address } = makeOf(pieces, size, {
    part: foreign,
    prepare: (core) =>
      withCopy(record, (from) => core._tamis_foreign(from, numberAddress, statusAddress)),
    settle,
  });
  return adopt(ForeignFilter, handle, shape, address, size);
}
