// The pages of one manifest that are in memory or on their way: each once, for everybody who wants it.

import type { PagesManifest } from '../pages/manifest.js';
import type { Page } from './remote-pages.js';

interface Entry {
  /** Look-ups that wait for the page, or are about to read it. */
  users: number;
  readonly stop: AbortController;
  readonly loading: Promise<Page>;
  /** The page, once it is there. */
  page?: Page;
}

export class PageCache {
  /** A later one replaces it where the pages are the same. */
  manifest: PagesManifest;
  readonly #load: (page: number, signal: AbortSignal) => Promise<Page>;
  #most: number;
  readonly #entries = new Map<number, Entry>();
  /** The pages that nobody uses. The one that was used longest ago comes first. */
  readonly #idle = new Map<number, Entry>();

  /** Keeps at most `most` pages beside those in use. `load` brings one. */
  constructor(
    manifest: PagesManifest,
    most: number,
    load: (page: number, signal: AbortSignal) => Promise<Page>,
  ) {
    this.manifest = manifest;
    this.#most = most;
    this.#load = load;
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
   * What `act` gives of the page, unless `ended` rejects before. The request ends when nobody waits for the page any
   * longer.
   */
  async use<T>(number: number, ended: Promise<never>, act: (page: Page) => T): Promise<T> {
    const entry = this.#entries.get(number) ?? this.#start(number);
    this.#entries.set(number, entry);
    this.#idle.delete(number);
    entry.users++;
    try {
      return act(await Promise.race([entry.loading, ended]));
    } finally {
      if (--entry.users === 0) {
        if (entry.page) this.#idle.set(number, entry);
        // Nobody waits for it any longer.
        else this.#drop(number, entry);
      }
      this.keep();
    }
  }

  #start(number: number): Entry {
    const stop = new AbortController();
    const loading = this.#load(number, stop.signal).then((page) => {
      if (stop.signal.aborted) page.dispose();
      else entry.page = page;
      return page;
    });
    const entry: Entry = { users: 0, stop, loading };
    // Not kept: the next look-up tries again.
    loading.catch(() => this.#drop(number, entry));
    return entry;
  }

  #drop(number: number, entry: Entry, reason?: unknown): void {
    // It was dropped before.
    if (this.#entries.get(number) !== entry) return;
    this.#entries.delete(number);
    this.#idle.delete(number);
    entry.stop.abort(reason);
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
