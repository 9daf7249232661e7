// Reads the keys of pages from the buckets of a spill.

import { pagesOf } from '../../core/keys/routes.js';
import type { HashedKeys } from '../options.js';
import { emptyHashes, type SpillReader } from './spill.js';

/** The keys of a bucket in the order of their pages. */
interface Loaded {
  readonly keys: HashedKeys;
  readonly firstPage: number;
  /** The start of each page from the first on, and the end of the last page. */
  readonly starts: Uint32Array;
}

/** Returns the keys of pages; the caller takes the pages in ascending order. */
export class PageReader {
  readonly #spill: SpillReader;
  readonly #pages: number;
  readonly #loaded = new Map<number, Loaded>();

  constructor(spill: SpillReader, pages: number) {
    this.#spill = spill;
    this.#pages = pages;
  }

  /** The keys of a page. Some may repeat. */
  read(page: number): HashedKeys {
    const { buckets } = this.#spill.shape;
    const from = Math.floor((page * buckets) / this.#pages);
    const to = Math.min(buckets - 1, Math.floor(((page + 1) * buckets) / this.#pages));
    for (const bucket of this.#loaded.keys()) if (bucket < from) this.#loaded.delete(bucket);
    const slices: HashedKeys[] = [];
    for (let bucket = from; bucket <= to; bucket++) slices.push(this.#slice(bucket, page));
    const length = slices.reduce((sum, slice) => sum + slice.hashes.length, 0);
    const { hashes, values } = emptyHashes(length, this.#spill.shape);
    let at = 0;
    for (const slice of slices) {
      hashes.set(slice.hashes, at);
      if (slice.values) values?.set(slice.values, at);
      at += slice.hashes.length;
    }
    return { hashes, values };
  }

  #slice(bucket: number, page: number): HashedKeys {
    const loaded = this.#loaded.get(bucket) ?? this.#load(bucket);
    this.#loaded.set(bucket, loaded);
    const { keys, starts, firstPage } = loaded;
    const from = starts[page - firstPage];
    const to = starts[page - firstPage + 1];
    return {
      hashes: keys.hashes.subarray(from, to),
      values: keys.values?.subarray(from, to),
    };
  }

  /** Reads a bucket, and sorts its keys by page. */
  #load(bucket: number): Loaded {
    const { buckets, seed } = this.#spill.shape;
    const stored = this.#spill.read(bucket);
    const count = stored.hashes.length;
    const firstPage = Math.floor((bucket * this.#pages) / buckets);
    const lastPage = Math.floor(((bucket + 1) * this.#pages) / buckets);
    const starts = new Uint32Array(lastPage - firstPage + 2);
    const routes = pagesOf(stored.hashes, { seed: BigInt(seed), pages: this.#pages });
    for (let i = 0; i < count; i++) {
      const place = (routes[i] as number) - firstPage + 1;
      starts[place] = (starts[place] ?? 0) + 1;
    }
    for (let i = 1; i < starts.length; i++) {
      starts[i] = (starts[i] as number) + (starts[i - 1] as number);
    }
    const keys = emptyHashes(count, this.#spill.shape);
    const next = starts.slice();
    const source = new Uint32Array(stored.hashes.buffer);
    const target = new Uint32Array(keys.hashes.buffer);
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
