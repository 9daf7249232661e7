// The pages of a set: from keys to pages, and from one manifest to the next.

import { TamisError } from '../core/errors.js';
import { isBytes } from '../core/keys/key-types.js';
import { unavailableError } from '../core/requests.js';
import { sha256Hex } from '../core/signed/bytes.js';
import {
  expectPages,
  openPagesManifest,
  type PagesManifest,
  type PageType,
} from '../pages/manifest.js';
import { Host, missing } from './host.js';
import { keyIdOf, pageOf } from './key-bytes.js';
import type { RemoteConfig } from './options.js';
import { Page, type PageDecoder } from './page.js';
import { PageCache } from './page-cache.js';

/** What decodes pages of a type; a part of the wasm that is rarely wanted comes by import(). */
export type Decoders = { readonly [Type in PageType]?: () => PageDecoder | Promise<PageDecoder> };

/** A failed update of the manifest is tried again after so long. */
const pauseMs = 60_000;

interface Held {
  readonly cache: PageCache;
  readonly seed: bigint;
}

export class PageSource {
  readonly config: RemoteConfig;
  readonly host: Host;
  readonly #decoders: Decoders;
  readonly #closing = new AbortController();
  #held: Held | undefined;
  /** The newest manifest that was in use or stored: nothing older is taken. */
  #newest: PagesManifest | undefined;
  #updating: Promise<boolean> | undefined;
  /** When the manifest is looked at again. */
  #nextMs = 0;
  /** Why the last update, or storing its manifest, failed. */
  error: TamisError | undefined;

  /** Nothing is in hand before `open` is done. */
  constructor(config: RemoteConfig, decoders: Decoders) {
    this.config = config;
    this.host = new Host(config);
    this.#decoders = decoders;
  }

  async open(): Promise<this> {
    await this.#recall();
    await this.update();
    return this;
  }

  /** What is in hand. Throws DISPOSED. */
  get held(): Held {
    this.#closing.signal.throwIfAborted();
    return this.#held as Held;
  }

  /** The name under which the newest manifest is stored. */
  async #storageKey(): Promise<string> {
    const digest = await sha256Hex(new TextEncoder().encode(this.config.url));
    return `tamis-pages-${digest.slice(0, 16)}.json`;
  }

  /** The manifest that was stored; what is damaged or signed by somebody else is as good as none. */
  async #recall(): Promise<void> {
    const { storage, keys } = this.config;
    if (storage === undefined) return;
    const bytes = await storage.get(await this.#storageKey());
    if (isBytes(bytes)) {
      this.#newest = await openPagesManifest(bytes, keys).catch(() => undefined);
    }
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
    const { now, maxAgeMs } = this.config;
    try {
      const isNew = await this.#step();
      this.#nextMs = now() + maxAgeMs;
      return isNew;
    } catch (cause) {
      this.#closing.signal.throwIfAborted();
      this.error = cause as TamisError;
      this.#nextMs = now() + Math.min(maxAgeMs, pauseMs);
      throw cause;
    }
  }

  async #step(): Promise<boolean> {
    const { keys, key, now, storage, cachePages } = this.config;
    const { signal } = this.#closing;
    const bytes = await this.host.manifest(signal);
    const manifest = await openPagesManifest(bytes, keys);
    const { type, keyCheck } = manifest;
    expectPages(manifest, { nowMs: now(), newest: this.#newest });
    const decode = this.#decoders[type];
    if (decode === undefined) {
      throw new TamisError('ERR_TAMIS_WRONG_TYPE');
    }
    if (keyCheck !== (key && keyIdOf(key))) {
      throw new TamisError(key ? 'ERR_TAMIS_WRONG_KEY' : 'ERR_TAMIS_KEY_REQUIRED');
    }
    const decoder = await decode();
    signal.throwIfAborted();
    this.error = undefined;
    const isKnown = manifest.seq === this.#newest?.seq;
    this.#newest = manifest;
    const before = this.#held;
    const known = before?.cache.manifest;
    // The seed is in no page: it says which is whose.
    const isNew = known?.root !== manifest.root || known.seed !== manifest.seed;
    if (isNew) {
      const cache = new PageCache(manifest, cachePages, async (page, signal) => {
        const file = await this.host.page(manifest, page, signal);
        return new Page(file, decoder, key);
      });
      this.#held = { cache, seed: BigInt(manifest.seed) };
      before?.cache.keep(0);
    } else {
      (before as Held).cache.manifest = manifest;
    }
    if (storage !== undefined && !isKnown) {
      // A storage that is full or broken is no reason to look nothing up.
      try {
        await storage.set(await this.#storageKey(), bytes);
      } catch (cause) {
        this.error = unavailableError('not stored', cause);
      }
    }
    return isNew;
  }

  /** The pages in hand, if they are to be believed now. An update that is due runs beside the look-up. */
  async #usable(): Promise<Held> {
    const { now, maxAgeMs } = this.config;
    const { manifest } = this.held.cache;
    const isOver = !(now() < Date.parse(manifest.notAfter));
    if ((maxAgeMs > 0 || isOver) && now() >= this.#nextMs) {
      const updating = this.update().catch(() => {});
      if (isOver) await updating;
    }
    const { held } = this;
    expectPages(held.cache.manifest, { nowMs: now() });
    return held;
  }

  /**
   * Has `act` see the page of each key, with the places of the keys that belong to it. Rejects when one page of
   * all could not be had. `act` may see a page again where the host has a newer set.
   */
  async visit(
    keys: readonly Uint8Array[],
    given: AbortSignal | undefined,
    act: (page: Page, at: readonly number[]) => void,
  ): Promise<void> {
    const held = await this.#usable();
    try {
      await this.#visit(held, keys, given, act);
    } catch (error) {
      // The parts of a set may go when the next one is published.
      if (!missing.has(error as object)) throw error;
      const isNew = held !== this.held || (await this.update().catch(() => false));
      if (!isNew) throw error;
      await this.#visit(await this.#usable(), keys, given, act);
    }
  }

  async #visit(
    { cache, seed }: Held,
    keys: readonly Uint8Array[],
    given: AbortSignal | undefined,
    act: (page: Page, at: readonly number[]) => void,
  ): Promise<void> {
    this.#closing.signal.throwIfAborted();
    given?.throwIfAborted();
    const { pages } = cache.manifest;
    const wanted = new Map<number, number[]>();
    keys.forEach((key, at) => {
      const page = pageOf(key, this.config.key, seed, pages);
      const places = wanted.get(page);
      if (places === undefined) wanted.set(page, [at]);
      else places.push(at);
    });
    let end: (reason: unknown) => void = () => {};
    const ended = new Promise<never>((_, reject) => {
      end = reject;
    });
    ended.catch(() => {});
    const onAbort = () => end(given?.reason);
    given?.addEventListener('abort', onAbort);
    try {
      await Promise.all(
        this.#withDecoys(cache, [...wanted.keys()]).map((page) => {
          const at = wanted.get(page);
          const using = cache.use(page, ended, (found) => at && act(found, at));
          // A decoy that fails is as good as one that comes.
          return at === undefined ? void using.catch(() => {}) : using;
        }),
      );
    } catch (error) {
      end(error);
      throw error;
    } finally {
      given?.removeEventListener('abort', onAbort);
    }
  }

  /** The pages in the order in which they are fetched: where there are decoys, none that tells which they are. */
  #withDecoys(cache: PageCache, wanted: readonly number[]): readonly number[] {
    const { decoys, random } = this.config;
    const { pages } = cache.manifest;
    if (decoys === 0) return wanted;
    const all = new Set(wanted);
    let most = wanted.length;
    for (const page of wanted) if (!cache.holds(page)) most += decoys;
    // What is in memory is no request. Where all is, there is nothing to hide.
    for (let tries = 0; tries < 64 * most && all.size < most; tries++) {
      const page = Math.min(Math.floor(random() * pages), pages - 1);
      if (!cache.holds(page)) all.add(page);
    }
    return Array.from(all, (page) => ({ page, place: random() }))
      .sort((one, other) => one.place - other.place)
      .map(({ page }) => page);
  }

  close(): void {
    if (this.#closing.signal.aborted) return;
    const reason = new TamisError('ERR_TAMIS_DISPOSED');
    this.#closing.abort(reason);
    this.#held?.cache.close(reason);
  }
}
