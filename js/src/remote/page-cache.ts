// The pages of one manifest that are in memory or being fetched. All look-ups share them.

import type { PagesManifest } from '../pages/manifest.js';
import type { Filter } from '../read/filter.js';
import type { Host } from './host.js';

interface Entry {
  /** The number of look-ups that use the page or wait for it. */
  users: number;
  loading: Promise<Filter>;
  page: Filter | undefined;
  settle: (page: Filter) => void;
  /** Rejects `loading`, which `settle` resolves. If this was the last page of a request, it aborts the request. */
  fail: (reason: unknown) => void;
}

type Numbered = readonly [number: number, entry: Entry];

/** The most bytes between two pages of one request. At 10 Mbit/s they take as long as a round trip, 50 ms. */
const mostGapBytes = 2 ** 16;
/** The most bytes of a request for several pages. A broken request loses as much. */
const mostRangeBytes = 2 ** 22;

/** Sorts pages, and groups near ones into ranges within one part. Decoys are treated alike, so the groups hide them. */
function rangesOf(
  pages: readonly number[],
  { stride, pagesPerPart }: PagesManifest,
): readonly number[][] {
  const ranges: number[][] = [];
  let range: number[] = [];
  // The infinite gap before the first page begins the first range.
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
  /** Replaced by a newer manifest of the same pages. */
  manifest: PagesManifest;
  readonly #host: Host;
  readonly #read: (leaf: Uint8Array) => Filter;
  #most: number;
  readonly #entries = new Map<number, Entry>();
  /** The pages without users, least recently used first. */
  readonly #idle = new Map<number, Entry>();
  /** End the running requests. */
  readonly #stops = new Set<AbortController>();

  /** Keeps at most `most` unused pages. `read` makes a page of the bytes that the host sends. */
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
   * Fetches the pages of `asked`, even those in memory, because a request without them would tell of them. Calls `act`
   * with each wanted page, unless `ended` rejects first. All pages stay in memory until the last call. Waits for the
   * other pages of `asked` too. Requests start in the order of pages.
   */
  async use(
    wanted: readonly number[],
    asked: ReadonlySet<number>,
    ended: Promise<never>,
    act: (page: Filter, number: number) => void,
  ): Promise<void> {
    const started = rangesOf([...asked], this.manifest).flatMap((range) => this.#start(range));
    /** Awaits pages, and calls `act` with each. Until the last call they have one more user, so that they stay. */
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
          else this.#drop(number, entry); // no look-up waits for this page any longer
        }
        this.dropIdle();
      }
    };
    const using = useAll(
      wanted.map((number) => [number, this.#entries.get(number) as Entry]),
      act,
    );
    const isWanted = new Set(wanted);
    // With copies of wanted pages that are in memory.
    const decoys = started.filter(([number, entry]) => {
      return !isWanted.has(number) || !this.#keeps(number, entry);
    });
    // A decoy may fail.
    const ending = decoys.map((one) => useAll([one]).catch(() => {}));
    // An answer before that of a decoy would tell the host, by the next request, which page was wanted.
    if (decoys.length > 0) await Promise.allSettled([using, ...ending]);
    await using;
  }

  /** True if later look-ups find this entry. */
  #keeps(number: number, entry: Entry): boolean {
    return this.#entries.get(number) === entry;
  }

  /** Fetches the pages by one request. */
  #start(numbers: readonly number[]): Numbered[] {
    const stop = new AbortController();
    this.#stops.add(stop);
    const started: Numbered[] = [];
    // The pages to come. A page leaves when it is there, or when no look-up waits for it.
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
      entry.loading.catch(() => {}); // nobody may await it when it rejects
      awaited.set(number, entry);
      started.push([number, entry]);
      // A page in memory stays, even if the request fails.
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
        // Failures are not kept, so that the next look-up tries again.
        for (const [number, entry] of awaited) this.#drop(number, entry, reason);
      })
      .finally(() => this.#stops.delete(stop));
    return started;
  }

  /** Forgets a page, and rejects the look-ups that wait for it. */
  #drop(number: number, entry: Entry, reason?: unknown): void {
    // Another entry for the same page may be there, and stays.
    if (this.#keeps(number, entry)) {
      this.#entries.delete(number);
      this.#idle.delete(number);
    }
    entry.fail(reason);
    entry.page?.dispose();
  }

  /** Keeps only `most` unused pages, from now on. Returns how many pages remain, with those in use or being fetched. */
  dropIdle(most = this.#most): number {
    this.#most = most;
    for (const [number, entry] of this.#idle) if (this.#idle.size > most) this.#drop(number, entry);
    return this.#entries.size;
  }

  /** Aborts all requests with the reason, and frees all memory. */
  close(reason: unknown): void {
    for (const [number, entry] of this.#entries) this.#drop(number, entry, reason);
    // Copies of pages in memory are no entries.
    for (const stop of this.#stops) stop.abort(reason);
  }
}
