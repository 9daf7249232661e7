// The pages of a set: from keys to pages, and from one manifest to the next.

import { TamisError } from '../core/errors.js';
import { rejectOnAbort, unavailableError, withTimeout } from '../core/requests.js';
import { sha256Hex } from '../core/signed/bytes.js';
import { isBytes } from '../core/tags.js';
import { fileInLeaf } from '../pages/layout.js';
import { expectPages, openPagesManifest, type PagesManifest } from '../pages/manifest.js';
import type { Words } from '../read/u64.js';
import { Host, missing } from './host.js';
import { keyIdOf, pagesBy } from './key-hashes.js';
import type { RemoteConfig, RemoteStorage } from './options.js';
import { PageCache } from './page-cache.js';
import type { Page } from './remote-pages.js';

/** A failed update of the manifest is tried again after so long. */
const pauseMs = 60_000;

export class PageSource {
  readonly config: RemoteConfig;
  readonly host: Host;
  readonly #closing = new AbortController();
  #held: PageCache | undefined;
  /** `#held`, and those of earlier sets whose pages look-ups may still wait for. */
  readonly #caches = new Set<PageCache>();
  /** The newest manifest that was in use or stored: nothing older is taken. */
  #newest: PagesManifest | undefined;
  #updating: Promise<boolean> | undefined;
  /** From when on a look-up has the manifest fetched again. */
  #nextMs = 0;
  /** Why the last update, or storing its manifest, failed. */
  error: TamisError | undefined;

  /** Nothing is in hand before `open` is done. */
  constructor(config: RemoteConfig) {
    this.config = config;
    this.host = new Host(config);
  }

  async open(): Promise<this> {
    // Without what the storage has, an older set could pass for the newest.
    await this.#readStored();
    await this.update();
    return this;
  }

  /** Gives the `seq` of the stored manifest, which others may have stored too. Rejects as `#inStorage`. */
  async #readStored(): Promise<number | undefined> {
    const { keys, name } = this.config;
    const bytes = await this.#inStorage((storage, file) => storage.get(file));
    if (!isBytes(bytes)) return;
    // What is damaged, signed by somebody else or of another set is as good as nothing.
    const stored = await openPagesManifest(bytes, keys).catch(() => undefined);
    if (stored?.name !== name) return;
    if (!(stored.seq <= (this.#newest?.seq ?? 0))) this.#newest = stored;
    return stored.seq;
  }

  /** The pages in hand. Throws DISPOSED. */
  get held(): PageCache {
    this.#closing.signal.throwIfAborted();
    return this.#held as PageCache;
  }

  /** What `act` has the storage, if any, do with the name of the manifest. Rejects with UNAVAILABLE. */
  async #inStorage(act: (storage: RemoteStorage, file: string) => unknown): Promise<unknown> {
    const { url, timeoutMs, storage } = this.config;
    if (!storage) return;
    const digest = await sha256Hex(new TextEncoder().encode(url));
    const file = `tamis-pages-${digest.slice(0, 16)}.json`;
    const acting = withTimeout(timeoutMs, this.#closing.signal, async () => act(storage, file));
    return acting.catch((cause) => {
      throw unavailableError('the storage failed', cause);
    });
  }

  /** Fetches the manifest; whether another set of pages is in use now. */
  async update(): Promise<boolean> {
    this.#closing.signal.throwIfAborted();
    this.#updating ??= this.#update().finally(() => {
      this.#updating = undefined;
    });
    return this.#updating;
  }

  async #update(): Promise<boolean> {
    const { name, keys, key, now, cachePages, maxAgeMs, types } = this.config;
    const { signal } = this.#closing;
    try {
      const bytes = await this.host.manifest(signal);
      const manifest = await openPagesManifest(bytes, keys);
      const { type, keyCheck, seq, notAfter } = manifest;
      // A storage that is full or broken is no reason to look nothing up.
      let failure: TamisError | undefined;
      const note = (error: TamisError) => {
        failure = error;
      };
      const storedSeq = await this.#readStored().catch(note);
      expectPages(manifest, { nowMs: now(), name, newest: this.#newest });
      const Class = types.find(({ prototype }) => prototype.type === type);
      if (Class === undefined) {
        const message = `types lacks the class of ${type}`;
        throw new TamisError('ERR_TAMIS_UNSUPPORTED', message);
      }
      if (keyCheck !== (key && keyIdOf(key))) {
        const code = key ? 'ERR_TAMIS_WRONG_KEY' : 'ERR_TAMIS_KEY_REQUIRED';
        throw new TamisError(code, 'the pages have another key');
      }
      this.#newest = manifest;
      const before = this.#held;
      const known = before?.manifest;
      // The seed is in no page: it says which is whose.
      const isNew = known?.root !== manifest.root || known.seed !== manifest.seed;
      if (isNew) {
        for (const old of this.#caches) if (old.keep(0) === 0) this.#caches.delete(old);
        this.#held = new PageCache(
          manifest,
          cachePages,
          (pages, signal, take) => this.host.pages(manifest, pages, signal, take),
          (leaf) => Class.fromBytes(fileInLeaf(leaf), key ? { key, view: true } : { view: true }),
        );
        this.#caches.add(this.#held);
      } else {
        (before as PageCache).manifest = manifest;
      }
      // Not known to be newer than what is stored, it is not written.
      if (!failure && seq !== storedSeq) {
        await this.#inStorage((storage, file) => storage.set(file, bytes)).catch(note);
      }
      this.error = failure;
      signal.throwIfAborted();
      this.#nextMs = Math.min(now() + maxAgeMs, Date.parse(notAfter));
      return isNew;
    } catch (cause) {
      signal.throwIfAborted();
      this.error = cause as TamisError;
      this.#nextMs = now() + Math.min(maxAgeMs || pauseMs, pauseMs);
      throw cause;
    }
  }

  /** Throws unless the pages in hand are to be believed now. An update that is due runs beside the look-up. */
  async #expectUsable(): Promise<void> {
    const { name, now, maxAgeMs } = this.config;
    const { manifest } = this.held;
    const isOver = !(now() < Date.parse(manifest.notAfter));
    if ((maxAgeMs > 0 || isOver) && now() >= this.#nextMs) {
      const updating = this.update().catch(() => {});
      if (isOver) await updating;
    }
    expectPages(this.held.manifest, { nowMs: now(), name });
  }

  /**
   * Has `act` see the page of each hash, with the places of the hashes that belong to it. Rejects when one page of
   * all could not be had. `act` may see a page again where the host has a newer set.
   */
  async visit(
    hashes: readonly Words[],
    given: AbortSignal | undefined,
    act: (page: Page, at: readonly number[]) => void,
  ): Promise<void> {
    await withTimeout(undefined, given, async (signal) => {
      for (let isAgain = false; ; isAgain = true) {
        await this.#expectUsable();
        const { held } = this;
        try {
          return await this.#visit(hashes, signal, act);
        } catch (error) {
          // The parts of a set may go when the next one is published.
          if (isAgain || !missing.has(error as object)) throw error;
          if (held === this.held) await this.update().catch(() => {});
          if (held === this.held) throw error;
        }
      }
    });
  }

  /** Of the set in hand: it begins with all requests before an update can replace the set. */
  async #visit(
    hashes: readonly Words[],
    given: AbortSignal,
    act: (page: Page, at: readonly number[]) => void,
  ): Promise<void> {
    const cache = this.held;
    const { manifest } = cache;
    const pageOf = pagesBy(BigInt(manifest.seed), manifest.pages);
    const wanted = new Map<number, number[]>();
    hashes.forEach((hash, at) => {
      const page = pageOf(hash);
      const places = wanted.get(page) ?? [];
      places.push(at);
      wanted.set(page, places);
    });
    await withTimeout(undefined, given, async (signal) => {
      const ended = rejectOnAbort(signal);
      ended.catch(() => {});
      await cache.use([...wanted.keys()], this.#decoysFor(cache, wanted), ended, (page, number) =>
        act(page, wanted.get(number) ?? []),
      );
    });
  }

  /** Other pages for each one that is wanted. What is in memory is no request, and needs none that hide it. */
  #decoysFor(cache: PageCache, wanted: ReadonlyMap<number, unknown>): readonly number[] {
    const { decoys, random } = this.config;
    const { pages } = cache.manifest;
    const all = new Set(wanted.keys());
    const asked = [...all].filter((page) => !cache.holds(page));
    const most = all.size + decoys * asked.length;
    for (let tries = 0; tries < 64 * most && all.size < most; tries++) {
      const page = Math.min(Math.floor(random() * pages), pages - 1);
      if (!cache.holds(page)) all.add(page);
    }
    return [...all].slice(wanted.size);
  }

  close(): void {
    const { signal } = this.#closing;
    this.#closing.abort(new TamisError('ERR_TAMIS_DISPOSED'));
    for (const cache of this.#caches) cache.close(signal.reason);
    this.host.parts.clear();
  }
}
