// The pages of one manifest that are in memory or on their way: each once, for everybody who wants it.

import type { PagesManifest } from '../pages/manifest.js';
import type { Page } from './remote-pages.js';

interface Entry {
  /** Look-ups that wait for the page, or were not answered yet. */
  users: number;
  loading: Promise<Page>;
  /** The page, once it is there. */
  page?: Page;
  /** The two ends of `loading`. */
  settle: (page: Page) => void;
  /** Nobody waits for the page any longer. With the last page of a request it ends that too. */
  fail: (reason: unknown) => void;
}

/** Has one request bring pages. What is no longer in `awaited` nobody waits for. */
type Load = (
  awaited: ReadonlyMap<number, unknown>,
  signal: AbortSignal,
  take: (page: number, leaf: Uint8Array) => void,
) => Promise<void>;

/** The most bytes between two pages of one request. At 10 Mbit/s they take the 50 ms of a round trip. */
const mostGapBytes = 2 ** 16;
/** The most bytes of a request for several pages: what is lost where it breaks off. */
const mostRangeBytes = 2 ** 22;

/**
 * The pages in ascending order, in groups that are a range of one part each. Nothing but the pages decides, so no
 * group tells which of them are decoys.
 */
function rangesOf(
  pages: readonly number[],
  { stride, pagesPerPart }: PagesManifest,
): readonly number[][] {
  const ranges: number[][] = [];
  let range: number[] = [];
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
  /** A later one replaces it where the pages are the same. */
  manifest: PagesManifest;
  readonly #load: Load;
  readonly #read: (leaf: Uint8Array) => Page;
  #most: number;
  readonly #entries = new Map<number, Entry>();
  /** The pages that nobody uses. The one that was used longest ago comes first. */
  readonly #idle = new Map<number, Entry>();

  /** Keeps at most `most` pages beside those in use. `read` makes a page of what `load` brings. */
  constructor(manifest: PagesManifest, most: number, load: Load, read: (leaf: Uint8Array) => Page) {
    this.manifest = manifest;
    this.#most = most;
    this.#load = load;
    this.#read = read;
  }

  /** Pages in memory. */
  get size(): number {
    return [...this.#entries.values()].filter(({ page }) => page).length;
  }

  /** Whether a look-up costs no request of its own. */
  holds(page: number): boolean {
    return this.#entries.has(page);
  }

  /**
   * Has `act` see all pages that are wanted, unless `ended` rejects before. They stay in memory until it saw the last
   * one. Decoys are fetched alike, but nobody waits for them. Requests begin in the order of pages.
   */
  async use(
    wanted: readonly number[],
    decoys: readonly number[],
    ended: Promise<never>,
    act: (page: Page, number: number) => void,
  ): Promise<void> {
    const asked = [...wanted, ...decoys].filter((number) => !this.holds(number));
    for (const range of rangesOf(asked, this.manifest)) this.#start(range);
    const hold = async (numbers: readonly number[]) => {
      const held = numbers.map((number) => [number, this.#entries.get(number) as Entry] as const);
      for (const [number, entry] of held) {
        entry.users++;
        this.#idle.delete(number);
      }
      try {
        await Promise.all(
          held.map(async ([number, { loading }]) =>
            act(await Promise.race([loading, ended]), number),
          ),
        );
      } finally {
        for (const [number, entry] of held) {
          if (--entry.users > 0) continue;
          if (entry.page) this.#idle.set(number, entry);
          // Nobody waits for it any longer.
          else this.#drop(number, entry);
        }
        this.keep();
      }
    };
    // A decoy that fails is as good as one that comes.
    for (const decoy of decoys) hold([decoy]).catch(() => {});
    await hold(wanted);
  }

  /** Has one request bring the pages. */
  #start(numbers: readonly number[]): void {
    const stop = new AbortController();
    const awaited = new Map<number, Entry>();
    for (const number of numbers) {
      const entry = { users: 0 } as Entry;
      entry.loading = new Promise((resolve, reject) => {
        entry.settle = resolve;
        entry.fail = (reason) => {
          reject(reason);
          awaited.delete(number);
          if (awaited.size === 0) stop.abort(reason);
        };
      });
      entry.loading.catch(() => {});
      awaited.set(number, entry);
      this.#entries.set(number, entry);
    }
    this.#load(awaited, stop.signal, (number, leaf) => {
      const entry = awaited.get(number);
      if (!entry) return;
      try {
        entry.page = this.#read(leaf);
        entry.settle(entry.page);
        awaited.delete(number);
      } catch (error) {
        this.#drop(number, entry, error);
      }
    }).catch((reason) => {
      // Not kept: the next look-up tries again.
      for (const [number, entry] of awaited) this.#drop(number, entry, reason);
    });
  }

  #drop(number: number, entry: Entry, reason?: unknown): void {
    // It was dropped before.
    if (this.#entries.get(number) !== entry) return;
    this.#entries.delete(number);
    this.#idle.delete(number);
    entry.fail(reason);
    entry.page?.dispose();
  }

  /** Keeps at most `most` pages from now on, beside those in use or on their way. Gives how many stay, with those. */
  keep(most = this.#most): number {
    this.#most = most;
    for (const [number, entry] of this.#idle) if (this.#idle.size > most) this.#drop(number, entry);
    return this.#entries.size;
  }

  /** Ends all requests with the reason, and gives all memory back. */
  close(reason: unknown): void {
    for (const [number, entry] of this.#entries) this.#drop(number, entry, reason);
  }
}
