// The pages of a set: it finds the pages of keys, and follows the manifest.

import { TamisError } from '../core/errors.js';
import { isBytes } from '../core/key-types.js';
import { rejectOnAbort, unavailableError, withTimeout } from '../core/requests.js';
import { sha256Hex } from '../core/signed/bytes.js';
import { fileInLeaf } from '../pages/layout.js';
import { expectPages, openPagesManifest, type PagesManifest } from '../pages/manifest.js';
import type { Filter, ReaderClass } from '../read/filter.js';
import { u, type Words } from '../read/u64.js';
import { Host, MissingFileError } from './host.js';
import { keyCheckOf, pagesBy } from './key-hashes.js';
import {
  type RemoteConfig,
  type RemoteOptions,
  type RemoteStorage,
  readRemoteOptions,
} from './options.js';
import { PageCache } from './page-cache.js';

/** The longest pause after a failed update of the manifest. */
const pauseMs = 60_000;

export class PageSource {
  readonly config: RemoteConfig;
  readonly host: Host;
  readonly #closing = new AbortController();
  #current: PageCache | undefined;
  /** `#current`, and the caches of earlier sets that look-ups may still use. */
  readonly #caches = new Set<PageCache>();
  /** The newest manifest that was used or stored. An older one is refused. */
  #newest: PagesManifest | undefined;
  #updating: Promise<boolean> | undefined;
  /** The time from which a look-up updates the manifest. */
  #nextMs = 0;
  /** The failure of the last update, or of storing its manifest. */
  error: TamisError | undefined;

  private constructor(config: RemoteConfig) {
    this.config = config;
    this.host = new Host(config);
  }

  /** Reads the options of `what`, and fetches the manifest. `types` are the default of the option. */
  static async open(
    manifest: string | URL,
    options: RemoteOptions,
    what: string,
    types: readonly ReaderClass<Filter>[],
  ): Promise<PageSource> {
    const source = new PageSource(await readRemoteOptions(manifest, options, what, types));
    // Without the stored manifest, an older set could pass as the newest.
    await source.#readStored();
    await source.update();
    return source;
  }

  /**
   * Reads the stored manifest, which another client may have replaced. Resolves to its `seq`. Rejects as `#inStorage`
   * does.
   */
  async #readStored(): Promise<number | undefined> {
    const { keys, name } = this.config;
    const bytes = await this.#inStorage((storage, file) => storage.get(file));
    if (!isBytes(bytes)) return;
    // Ignore a manifest that is damaged, signed by an unknown key, or of another set.
    const stored = await openPagesManifest(bytes, keys).catch(() => undefined);
    if (stored?.name !== name) return;
    if (!(stored.seq <= (this.#newest?.seq ?? 0))) this.#newest = stored;
    return stored.seq;
  }

  /** The pages of the current manifest. Throws ERR_TAMIS_DISPOSED. */
  get current(): PageCache {
    this.#closing.signal.throwIfAborted();
    return this.#current as PageCache;
  }

  /** Calls `act` with the storage, if there is one, and the file's name. Rejects with ERR_TAMIS_UNAVAILABLE. */
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

  /** Updates the manifest. Resolves to true if the set of pages changed. */
  async update(): Promise<boolean> {
    this.#closing.signal.throwIfAborted();
    this.#updating ??= this.#update().finally(() => {
      this.#updating = undefined;
    });
    return this.#updating;
  }

  async #update(): Promise<boolean> {
    const { name, keys, now, maxAgeMs } = this.config;
    const { signal } = this.#closing;
    try {
      const bytes = await this.host.manifest(signal);
      const manifest = await openPagesManifest(bytes, keys);
      // A storage that is full or broken must not stop look-ups.
      let failure: TamisError | undefined;
      const note = (error: TamisError) => {
        failure = error;
      };
      const storedSeq = await this.#readStored().catch(note);
      expectPages(manifest, name, now(), this.#newest);
      const isNew = this.#use(manifest);
      // If the storage could not be read, it may hold a newer manifest. So nothing is written.
      if (!failure && manifest.seq !== storedSeq) {
        await this.#inStorage((storage, file) => storage.set(file, bytes)).catch(note);
      }
      this.error = failure;
      signal.throwIfAborted();
      this.#nextMs = Math.min(now() + maxAgeMs, Date.parse(manifest.notAfter));
      return isNew;
    } catch (cause) {
      signal.throwIfAborted();
      this.error = cause as TamisError;
      this.#nextMs = now() + Math.min(maxAgeMs || pauseMs, pauseMs);
      throw cause;
    }
  }

  /** Uses the pages of a verified manifest from now on. Returns true if they are another set. */
  #use(manifest: PagesManifest): boolean {
    const { key, cachePages, types } = this.config;
    const { type, keyCheck } = manifest;
    const Class = types.find(({ prototype }) => prototype.type === type);
    if (Class === undefined) {
      const message = `the option types lacks the class of ${type}`;
      throw new TamisError('ERR_TAMIS_UNSUPPORTED', message);
    }
    if (keyCheck !== (key && keyCheckOf(key))) {
      const code = key ? 'ERR_TAMIS_WRONG_KEY' : 'ERR_TAMIS_KEY_REQUIRED';
      throw new TamisError(code, 'the pages were made with another key');
    }
    this.#newest = manifest;
    const current = this.#current;
    // The seed belongs to the set: it assigns keys to pages, but no page contains it.
    if (current?.manifest.root === manifest.root && current.manifest.seed === manifest.seed) {
      current.manifest = manifest;
      return false;
    }
    for (const old of this.#caches) if (old.keep(0) === 0) this.#caches.delete(old);
    this.#current = new PageCache(manifest, cachePages, this.host, (leaf) =>
      Class.fromBytes(fileInLeaf(leaf), key ? { key, view: true } : { view: true }),
    );
    this.#caches.add(this.#current);
    return true;
  }

  /**
   * Throws unless the current pages may be used now. Starts an update that is due, and waits for it only if they
   * expired.
   */
  async #expectUsable(): Promise<void> {
    const { name, now, maxAgeMs } = this.config;
    const { manifest } = this.current;
    const isOver = !(now() < Date.parse(manifest.notAfter));
    if ((maxAgeMs > 0 || isOver) && now() >= this.#nextMs) {
      const updating = this.update().catch(() => {});
      if (isOver) await updating;
    }
    expectPages(this.current.manifest, name, now());
  }

  /**
   * Calls `act` for each hash, with its page and its index. The hash is then in `u`. Rejects if one page cannot be
   * fetched. If the host has a newer set, `act` may be called again.
   */
  async visit(
    hashes: readonly Words[],
    signal: AbortSignal | undefined,
    act: (page: Filter, place: number) => void,
  ): Promise<void> {
    await withTimeout(undefined, signal, async (ending) => {
      const ended = rejectOnAbort(ending);
      ended.catch(() => {});
      for (let isAgain = false; ; isAgain = true) {
        await this.#expectUsable();
        ending.throwIfAborted();
        const { current } = this;
        try {
          return await this.#visit(current, hashes, ended, act);
        } catch (error) {
          // The publisher may delete the parts of a set once the next is published.
          if (isAgain || !(error instanceof MissingFileError)) throw error;
          if (current === this.current) await this.update().catch(() => {});
          if (current === this.current) throw error;
        }
      }
    });
  }

  /** Visits the pages of one set: all requests start before an update can replace it. */
  async #visit(
    cache: PageCache,
    hashes: readonly Words[],
    ended: Promise<never>,
    act: (page: Filter, place: number) => void,
  ): Promise<void> {
    const { manifest } = cache;
    const pageOf = pagesBy(BigInt(manifest.seed), manifest.pages);
    const wanted = new Map<number, [place: number, hash: Words][]>();
    for (const entry of hashes.entries()) {
      const page = pageOf(entry[1]);
      const entries = wanted.get(page) ?? [];
      entries.push(entry);
      wanted.set(page, entries);
    }
    await cache.use([...wanted.keys()], this.#decoysFor(cache, wanted), ended, (page, number) => {
      for (const [place, hash] of wanted.get(number) ?? []) {
        u.set(hash);
        act(page, place);
      }
    });
  }

  /** Picks random pages to hide the wanted ones. Pages in memory cause no request, so they need no decoys. */
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
    const reason = new TamisError('ERR_TAMIS_DISPOSED');
    this.#closing.abort(reason);
    for (const cache of this.#caches) cache.close(reason);
    this.host.parts.clear();
  }
}
