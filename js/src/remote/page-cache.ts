// The pages of one manifest that are in memory or being fetched, for all look-ups.

import type { PagesManifest } from '../pages/manifest.js';
import type { Filter } from '../read/filter.js';
import type { Host } from './host.js';

interface Entry {
  /** The number of look-ups that use the page or wait for it. */
  users: number;
  loading: Promise<Filter>;
  page: Filter | undefined;
  settle: (page: Filter) => void;
  /** Rejects `loading`, which `settle` resolves. Aborts the request if no other page in the request is awaited. */
  fail: (reason: unknown) => void;
}

type Numbered = readonly [number: number, entry: Entry];

/** The maximum gap in bytes between two pages of a request. At 10 Mbit/s it takes as long as a round trip, 50 ms. */
const mostGapBytes = 2 ** 16;
/** The maximum number of bytes in a request for several pages. All of them are lost if the request breaks. */
const mostRangeBytes = 2 ** 22;

/** Sorts pages, and joins near ones into ranges within one part. No range shows which of its pages are decoys. */
function rangesOf(
  pages: readonly number[],
  { stride, pagesPerPart }: PagesManifest,
): readonly number[][] {
  const ranges: number[][] = [];
  let range: number[] = [];
  // Before the first page the gap is infinite, so that page begins a range.
  for (const page of [...pages].sort((one, other) => one - other)) {
    const [first = page] = range;
    const last = range.at(-1) ?? -Infinity;
    if (
      (page - last - 1) * stride > mostGapBytes ||
      (page - first + 1) * stride > mostRangeBytes ||
      Math.floor(page / pagesPerPart) > Math.floor(first / pagesPerPart)
    ) {
      range = [];
      ranges.push(range);
    }
    range.push(page);
  }
  return ranges;
}

export class PageCache {
  /** An update replaces this manifest if a newer one has the same pages. */
  manifest: PagesManifest;
  readonly #host: Host;
  readonly #read: (leaf: Uint8Array) => Filter;
  #most: number;
  readonly #entries = new Map<number, Entry>();
  /** The pages without users, least recently used first. */
  readonly #idle = new Map<number, Entry>();
  /** The controllers that can abort the running requests. */
  readonly #stops = new Set<AbortController>();

  /** Keeps at most `most` unused pages. `read` turns the bytes that the host sends into a page. */
  constructor(
    manifest: PagesManifest,
    most: number,
    host: Host,
    read: (leaf: Uint8Array) => Filter,
  ) {
    this.manifest = manifest;
    this.#most = most;
    this.#host = host;
    this.#read = read;
  }

  /** The number of pages in memory. */
  get size(): number {
    return [...this.#entries.values()].filter(({ page }) => page).length;
  }

  /** True if the page of this number is in memory or being fetched. */
  holds(number: number): boolean {
    return this.#entries.has(number);
  }

  /**
   * Fetches all pages in `asked`, even those in memory: leaving them out would show the host what is cached. Calls
   * `act` with each page in `wanted`, unless `ended` rejects first. Keeps these pages in memory until the last call,
   * and waits for the other pages in `asked` too. Requests start in the order of pages.
   */
  async use(
    wanted: readonly number[],
    asked: ReadonlySet<number>,
    ended: Promise<never>,
    act: (page: Filter, number: number) => void,
  ): Promise<void> {
    const started = rangesOf([...asked], this.manifest).flatMap((range) => this.#start(range));
    /** Waits for pages, and calls `act` with each. Until the last call each has one more user, so that it stays. */
    const useAll = async (
      used: readonly Numbered[],
      act?: (page: Filter, number: number) => void,
    ) => {
      for (const [number, entry] of used) {
        entry.users++;
        if (this.#keeps(number, entry)) this.#idle.delete(number);
      }
      try {
        await Promise.all(
          used.map(async ([number, { loading }]) => {
            const page = await Promise.race([loading, ended]);
            act?.(page, number);
          }),
        );
      } finally {
        for (const [number, entry] of used) {
          if (--entry.users > 0) continue;
          if (entry.page && this.#keeps(number, entry)) this.#idle.set(number, entry);
          else this.#drop(number, entry); // no look-up waits for this page any more
        }
        this.dropIdle();
      }
    };
    const using = useAll(
      wanted.map((number) => [number, this.#entries.get(number) as Entry]),
      act,
    );
    const isWanted = new Set(wanted);
    // These include second copies of wanted pages that were in memory.
    const decoys = started.filter(([number, entry]) => {
      return !isWanted.has(number) || !this.#keeps(number, entry);
    });
    // A look-up succeeds even if a decoy fails.
    const ending = decoys.map((one) => useAll([one]).catch(() => {}));
    // If the look-up ended before its decoys, the next request would show the host which page was wanted.
    if (decoys.length > 0) await Promise.allSettled([using, ...ending]);
    await using;
  }

  /** True if later look-ups will find this entry. */
  #keeps(number: number, entry: Entry): boolean {
    return this.#entries.get(number) === entry;
  }

  /** Fetches the pages in one request. */
  #start(numbers: readonly number[]): Numbered[] {
    const stop = new AbortController();
    this.#stops.add(stop);
    const started: Numbered[] = [];
    // The pages that are still awaited. A page is removed once it has arrived, or once no look-up waits for it.
    const awaited = new Map<number, Entry>();
    for (const number of numbers) {
      const entry = { users: 0, page: undefined } as unknown as Entry;
      entry.loading = new Promise((resolve, reject) => {
        entry.settle = resolve;
        entry.fail = (reason) => {
          reject(reason);
          awaited.delete(number);
          if (awaited.size === 0) stop.abort(reason);
        };
      });
      entry.loading.catch(() => {}); // when it rejects, nobody may be waiting for it
      awaited.set(number, entry);
      started.push([number, entry]);
      // A page that is in memory stays there, even if the request fails.
      if (!this.holds(number)) this.#entries.set(number, entry);
    }
    const take = (number: number, leaf: Uint8Array) => {
      const entry = awaited.get(number);
      if (!entry) return;
      try {
        entry.page = this.#read(leaf);
        entry.settle(entry.page);
        awaited.delete(number);
      } catch (error) {
        this.#drop(number, entry, error);
      }
    };
    this.#host
      .pages(this.manifest, awaited, stop.signal, take)
      .catch((reason) => {
        // Failures are not cached, so that the next look-up tries again.
        for (const [number, entry] of awaited) this.#drop(number, entry, reason);
      })
      .finally(() => this.#stops.delete(stop));
    return started;
  }

  /** Removes a page, and rejects the look-ups that wait for it. */
  #drop(number: number, entry: Entry, reason?: unknown): void {
    // If another entry has replaced this one, the other entry stays.
    if (this.#keeps(number, entry)) {
      this.#entries.delete(number);
      this.#idle.delete(number);
    }
    entry.fail(reason);
    entry.page?.dispose();
  }

  /** Keeps at most `most` unused pages from now on. Returns the number of entries left, unused or not. */
  dropIdle(most = this.#most): number {
    this.#most = most;
    for (const [number, entry] of this.#idle) if (this.#idle.size > most) this.#drop(number, entry);
    return this.#entries.size;
  }

  /** Aborts all requests with the reason, and frees the memory. */
  close(reason: unknown): void {
    for (const [number, entry] of this.#entries) this.#drop(number, entry, reason);
    // Second copies of pages are not in `#entries`, so their requests are aborted here.
    for (const stop of this.#stops) stop.abort(reason);
  }
}
