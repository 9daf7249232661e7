// Stores ("spills") hashed keys on disk in buckets. Keys are assigned to buckets as they are to pages: of B buckets,
// the first has the keys of the first 1/B of all pages. Thus nearby pages stay together, for any number of pages.

import { closeSync, openSync, readSync } from 'node:fs';
import { pagesOf } from '../../core/keys/routes.js';
import { onFile } from '../../disk/index.js';
import type { HashedKeys } from '../options.js';
import { writeAll } from './parts.js';

export interface SpillShape {
  readonly buckets: number;
  /** The number of keys in a block, which is written at once. */
  readonly blockKeys: number;
  readonly seed: string;
  /** True if each hash has a value. */
  readonly hasValues: boolean;
}

/** Tells to which bucket each block of a complete file belongs. */
export interface SpillIndex {
  /** The number of keys added, with repeats. */
  readonly keys: number;
  /** The bucket of each full block, in order. */
  readonly whole: readonly number[];
  /** For each bucket: the number of keys in its last, partial block. */
  readonly rest: readonly number[];
}

/** Arrays for keys, and for values if the shape has them. */
const emptyKeys = (length: number, { hasValues }: SpillShape): HashedKeys => ({
  hashes: new BigUint64Array(length),
  values: hasValues ? new Uint32Array(length) : undefined,
});

const partOf = ({ hashes, values }: HashedKeys, start?: number, end?: number): HashedKeys => ({
  hashes: hashes.subarray(start, end),
  values: values?.subarray(start, end),
});

/** Views hashes as 32-bit halves, the low half first. Copying halves creates no BigInts. */
const halvesOf = ({ buffer, byteOffset, length }: BigUint64Array): Uint32Array =>
  new Uint32Array(buffer, byteOffset, 2 * length);

const bytesOf = (array: BigUint64Array | Uint32Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** Random odd multipliers. With known multipliers, an attacker could choose keys that all collide. */
const [factor = 1, otherFactor = 1] = crypto
  .getRandomValues(new Uint32Array(2))
  .map((number) => number | 1);

/** A hash table: 0, or the index of a distinct hash plus one. All calls share the table, because it is large. */
let table = new Uint32Array(2 ** 12);

/** Moves the distinct hashes to the front, and returns their number. A hash with two values counts twice. */
export function gatherDistinct({ hashes, values }: HashedKeys): number {
  const { length } = hashes;
  // The table gets at least twice as many places as there are hashes.
  const bits = Math.max(2, 33 - Math.clz32(length));
  const size = 2 ** bits;
  if (table.length < size) table = new Uint32Array(size);
  else table.fill(0, 0, size);
  const halves = halvesOf(hashes);
  let count = 0;
  for (let i = 0; i < length; i++) {
    const low = halves[2 * i] as number;
    const high = halves[2 * i + 1] as number;
    let place = Math.imul(low ^ Math.imul(high, factor), otherFactor) >>> (32 - bits);
    let known = table[place] as number; // an index plus one, or 0 for a free place
    while (known !== 0) {
      const isHash = halves[2 * known - 2] === low && halves[2 * known - 1] === high;
      if (isHash && (values === undefined || values[known - 1] === values[i])) break;
      place = (place + 1) & (size - 1);
      known = table[place] as number;
    }
    if (known !== 0) continue;
    halves[2 * count] = low;
    halves[2 * count + 1] = high;
    if (values !== undefined) values[count] = values[i] as number;
    table[place] = ++count;
  }
  return count;
}

/** A bucket with more than this multiple of the mean number of keys is too large. */
const CROWDED = 2;

/** Writes hashes in blocks, into one file for all buckets. */
export class SpillWriter {
  readonly #path: string;
  readonly #shape: SpillShape;
  readonly #file: number;
  /** The current, unwritten block of each bucket. */
  readonly #blocks: HashedKeys;
  readonly #lengths: Uint32Array;
  readonly #whole: number[] = [];
  /** The number of keys written for each bucket. */
  readonly #written: Float64Array;
  /** The number of keys added. */
  keys = 0;

  constructor(path: string, shape: SpillShape) {
    this.#path = path;
    this.#shape = shape;
    this.#file = openSync(path, 'w');
    this.#blocks = emptyKeys(shape.buckets * shape.blockKeys, shape);
    this.#lengths = new Uint32Array(shape.buckets);
    this.#written = new Float64Array(shape.buckets);
  }

  add({ hashes, values }: HashedKeys): void {
    const { seed, buckets, blockKeys } = this.#shape;
    const routes = pagesOf(hashes, { seed: BigInt(seed), pages: buckets });
    const halves = halvesOf(hashes);
    const target = halvesOf(this.#blocks.hashes);
    const targetValues = this.#blocks.values;
    this.keys += routes.length;
    for (let i = 0; i < routes.length; i++) {
      const bucket = routes[i] as number;
      const length = this.#lengths[bucket] as number;
      const place = bucket * blockKeys + length;
      target[2 * place] = halves[2 * i] as number;
      target[2 * place + 1] = halves[2 * i + 1] as number;
      if (values && targetValues) targetValues[place] = values[i] as number;
      this.#lengths[bucket] = length + 1 < blockKeys ? length + 1 : this.#writeFull(bucket);
    }
  }

  /**
   * Writes a full block, and returns the number of keys that stay in the block. Each bucket is later read as a whole,
   * so it must not grow without limit. Distinct hashes spread evenly, so a bucket far above the mean contains repeats.
   * Its block drops the repeats; if at most half of the keys remain, the block is not written yet.
   */
  #writeFull(bucket: number): number {
    const { buckets, blockKeys } = this.#shape;
    const written = this.#written[bucket] as number;
    if (written > CROWDED * (this.keys / buckets + blockKeys)) {
      const distinct = gatherDistinct(this.#block(bucket, blockKeys));
      if (distinct <= blockKeys / 2) return distinct;
    }
    this.#write(bucket, blockKeys);
    this.#whole.push(bucket);
    this.#written[bucket] = written + blockKeys;
    return 0;
  }

  /** Writes the partial blocks, and returns the index. It need not flush: after a power cut the journal is not used. */
  finish(): SpillIndex {
    const rest = Array.from(this.#lengths);
    for (const [bucket, length] of rest.entries()) this.#write(bucket, length);
    return { keys: this.keys, whole: this.#whole, rest };
  }

  close(): void {
    closeSync(this.#file);
  }

  /** The first `length` keys in a bucket's block. */
  #block(bucket: number, length: number): HashedKeys {
    const start = bucket * this.#shape.blockKeys;
    return partOf(this.#blocks, start, start + length);
  }

  #write(bucket: number, length: number): void {
    const { hashes, values } = this.#block(bucket, length);
    onFile(this.#path, () => {
      writeAll(this.#file, bytesOf(hashes));
      if (values) writeAll(this.#file, bytesOf(values));
    });
  }
}

/** Reads exactly the given number of bytes. */
function readAll(file: number, target: Uint8Array, position: number): void {
  for (let at = 0; at < target.length; ) {
    const count = readSync(file, target, at, target.length - at, position + at);
    if (count === 0) throw new Error('the file is too short: remove .spill');
    at += count;
  }
}

/** Reads the buckets of a complete spill. */
export class SpillReader {
  readonly shape: SpillShape;
  /** The number of keys added, with repeats. */
  readonly keys: number;
  /** The number of keys in all buckets, without the repeats that were left out. */
  readonly stored: number;
  readonly #path: string;
  readonly #file: number;
  /** For each bucket: the offset and the number of keys of its blocks. */
  readonly #blocks: [offset: number, keys: number][][];

  constructor(path: string, shape: SpillShape, { keys, whole, rest }: SpillIndex) {
    this.shape = shape;
    this.#path = path;
    this.#file = openSync(path, 'r');
    this.#blocks = Array.from({ length: shape.buckets }, () => []);
    const keyBytes = shape.hasValues ? 12 : 8;
    let offset = 0;
    const put = (bucket: number, length: number) => {
      if (length > 0) this.#blocks[bucket]?.push([offset, length]);
      offset += keyBytes * length;
    };
    for (const bucket of whole) put(bucket, shape.blockKeys);
    for (const [bucket, length] of rest.entries()) put(bucket, length);
    this.keys = keys;
    this.stored = offset / keyBytes;
  }

  read(bucket: number): HashedKeys {
    const blocks = this.#blocks[bucket] ?? [];
    const total = blocks.reduce((sum, [, keys]) => sum + keys, 0);
    const all = emptyKeys(total, this.shape);
    let at = 0;
    for (const [offset, keys] of blocks) {
      const { hashes, values } = partOf(all, at, at + keys);
      onFile(this.#path, () => {
        readAll(this.#file, bytesOf(hashes), offset);
        if (values) readAll(this.#file, bytesOf(values), offset + 8 * keys);
      });
      at += keys;
    }
    return all;
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** The keys of a bucket in the order of their pages. */
interface Loaded {
  readonly keys: HashedKeys;
  readonly firstPage: number;
  /** The index of the first key of each page, from `firstPage` on, and finally the end of the last page. */
  readonly starts: Uint32Array;
}

/** Returns the keys of each page. The caller must read pages in ascending order. */
export class PageReader {
  readonly #spill: SpillReader;
  readonly #pages: number;
  readonly #loaded = new Map<number, Loaded>();

  constructor(spill: SpillReader, pages: number) {
    this.#spill = spill;
    this.#pages = pages;
  }

  /** Returns the keys of a page. Some may repeat. */
  read(page: number): HashedKeys {
    const { buckets } = this.#spill.shape;
    const firstBucket = Math.floor((page * buckets) / this.#pages);
    const lastBucket = Math.ceil(((page + 1) * buckets) / this.#pages) - 1;
    for (const bucket of this.#loaded.keys()) if (bucket < firstBucket) this.#loaded.delete(bucket);
    const slices: HashedKeys[] = [];
    for (let bucket = firstBucket; bucket <= lastBucket; bucket++) {
      const loaded = this.#loaded.get(bucket) ?? this.#load(bucket);
      this.#loaded.set(bucket, loaded);
      const { keys, firstPage, starts } = loaded;
      slices.push(partOf(keys, starts[page - firstPage], starts[page - firstPage + 1]));
    }
    const length = slices.reduce((sum, slice) => sum + slice.hashes.length, 0);
    const { hashes, values } = emptyKeys(length, this.#spill.shape);
    let at = 0;
    for (const slice of slices) {
      hashes.set(slice.hashes, at);
      if (slice.values) values?.set(slice.values, at);
      at += slice.hashes.length;
    }
    return { hashes, values };
  }

  /** Reads a bucket, and sorts its keys by page with a counting sort. */
  #load(bucket: number): Loaded {
    const { buckets, seed } = this.#spill.shape;
    const stored = this.#spill.read(bucket);
    const count = stored.hashes.length;
    const firstPage = Math.floor((bucket * this.#pages) / buckets);
    const lastPage = Math.floor(((bucket + 1) * this.#pages) / buckets);
    // The count of each page is stored one place later, so that the sum up to a place is the start of its page.
    const starts = new Uint32Array(lastPage - firstPage + 2);
    const routes = pagesOf(stored.hashes, { seed: BigInt(seed), pages: this.#pages });
    for (const route of routes) {
      const place = route - firstPage + 1;
      starts[place] = (starts[place] ?? 0) + 1;
    }
    for (let i = 1; i < starts.length; i++) {
      starts[i] = (starts[i] as number) + (starts[i - 1] as number);
    }
    const keys = emptyKeys(count, this.#spill.shape);
    const next = starts.slice();
    const source = halvesOf(stored.hashes);
    const target = halvesOf(keys.hashes);
    for (let i = 0; i < count; i++) {
      const page = (routes[i] as number) - firstPage;
      const place = next[page] as number;
      next[page] = place + 1;
      target[2 * place] = source[2 * i] as number;
      target[2 * place + 1] = source[2 * i + 1] as number;
      if (stored.values && keys.values) keys.values[place] = stored.values[i] as number;
    }
    return { keys, firstPage, starts };
  }
}
