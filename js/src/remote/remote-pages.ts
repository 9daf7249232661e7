// The common part of RemoteFilter and RemoteMap: it finds the page of each key, and keeps the manifest up to date.

import { addMember } from '../core/add-member.js';
import { TamisError, typeError } from '../core/errors.js';
import { isBytes, type Key } from '../core/key-types.js';
import { abortSignal, readOptions } from '../core/options.js';
import { rejectOnAbort, unavailableError, withTimeout } from '../core/requests.js';
import { sha256Hex } from '../core/signed/bytes.js';
import { fileInLeaf } from '../pages/layout.js';
import { expectPages, openPagesManifest, type PagesManifest } from '../pages/manifest.js';
import { type Filter, liveOf } from '../read/filter.js';
import { h, type Words } from '../read/u64.js';
import { Host, MissingFileError } from './host.js';
import { groupOf, hashesOfKeys, keyCheckOf, pagesBy } from './key-hashes.js';
import type { LookUpOptions, RemoteStorage } from './options.js';
import { PageCache } from './page-cache.js';

/** The longest pause after a failed manifest update. */
const pauseMs = 60_000;

/** The state of a RemoteFilter or RemoteMap. */
export interface RemoteStatus {
  /** The publisher's facts about the pages: their number, the number of keys, the time of expiry and others. */
  readonly manifest: PagesManifest;
  /** The number of pages in memory. */
  readonly cachedPages: number;
  /** The number of requests sent, also for the manifest; `receivedBytes` is the size of all answers. */
  readonly requests: number;
  readonly receivedBytes: number;
  /** The error of the last manifest update, or of storing the manifest; undefined if both succeeded. */
  readonly error: TamisError | undefined;
}

/** Looks keys up in pages on a static host. */
export abstract class RemotePages {
  readonly #host: Host;
  readonly #closing = new AbortController();
  #cache: PageCache | undefined;
  /** `#cache`, and caches of earlier sets that look-ups may still use. */
  readonly #caches = new Set<PageCache>();
  /** The newest manifest that was used or stored. An older one is refused. */
  #newest: PagesManifest | undefined;
  #updating: Promise<boolean> | undefined;
  /** The time from which a look-up updates the manifest. */
  #nextMs = 0;
  /** The time at which `#nextMs` was set. If the clock shows an earlier time, it was set back: `#nextMs` is void. */
  #plannedMs = 0;
  #error: TamisError | undefined;
  /** Calls close(), for `using`. */
  declare readonly [Symbol.dispose]: () => void;

  /** `open` calls this; programs cannot. */
  protected constructor(host: unknown) {
    if (!(host instanceof Host)) throw typeError('use await RemoteFilter.open or RemoteMap.open');
    const { prototype } = RemotePages;
    addMember(prototype, Symbol.dispose, prototype.close);
    this.#host = host;
  }

  /** The pages of the current manifest. Throws ERR_TAMIS_DISPOSED. */
  get #current(): PageCache {
    this.#closing.signal.throwIfAborted();
    return this.#cache as PageCache;
  }

  /** If there is a storage, calls `act` with it and the name of the file. Rejects with ERR_TAMIS_UNAVAILABLE. */
  async #inStorage(act: (storage: RemoteStorage, file: string) => unknown): Promise<unknown> {
    const { url, timeoutMs, storage } = this.#host.config;
    if (!storage) return;
    const digest = await sha256Hex(new TextEncoder().encode(url));
    const file = `tamis-pages-${digest.slice(0, 16)}.json`;
    const acting = withTimeout(timeoutMs, this.#closing.signal, async () => act(storage, file));
    return acting.catch((cause) => {
      throw unavailableError('the storage failed', cause);
    });
  }

  /** Reads the stored manifest, which another client may have replaced. Rejects as `#inStorage` does. */
  async #readStored(): Promise<PagesManifest | undefined> {
    const { keys, name } = this.#host.config;
    const bytes = await this.#inStorage((storage, file) => storage.get(file));
    // Ignores a manifest that is damaged, has another key's signature, or belongs to another set.
    const stored = isBytes(bytes) && (await openPagesManifest(bytes, keys).catch(() => undefined));
    return stored && stored.name === name ? stored : undefined;
  }

  /** Fetches the manifest, and uses it. Resolves to true if its pages are a new set. */
  async #update(): Promise<boolean> {
    const { name, keys, now, maxAgeMs } = this.#host.config;
    const { signal } = this.#closing;
    try {
      // At the first update, an unreadable storage is fatal: an older set could pass for the newest.
      if (!this.#cache) this.#newest = await this.#readStored();
      const bytes = await this.#host.manifest(signal);
      const manifest = await openPagesManifest(bytes, keys);
      // Later, a storage that is full or broken must not stop look-ups.
      let failure: TamisError | undefined;
      const noteFailure = (error: TamisError) => {
        failure = error;
      };
      const stored = await this.#readStored().catch(noteFailure);
      if (stored && stored.seq > (this.#newest?.seq ?? 0)) this.#newest = stored;
      expectPages(manifest, name, now(), this.#newest);
      const isOtherSet = this.#use(manifest);
      // A storage that could not be read may contain a newer manifest, so nothing is written to it.
      if (!failure && manifest.seq !== stored?.seq) {
        await this.#inStorage((storage, file) => storage.set(file, bytes)).catch(noteFailure);
      }
      this.#error = failure;
      // If `close` interrupted the storage, the storage did not fail.
      signal.throwIfAborted();
      this.#plannedMs = now();
      this.#nextMs = Math.min(this.#plannedMs + maxAgeMs, Date.parse(manifest.notAfter));
      return isOtherSet;
    } catch (cause) {
      signal.throwIfAborted();
      this.#error = cause as TamisError;
      // A maxAgeMs of 0 means no age, so the pause is the longest one.
      this.#plannedMs = now();
      this.#nextMs = this.#plannedMs + Math.min(maxAgeMs || pauseMs, pauseMs);
      throw cause;
    }
  }

  /** Uses the pages of a verified manifest from now on. Returns true if they are a new set. */
  #use(manifest: PagesManifest): boolean {
    const { secret, cachePages, types } = this.#host.config;
    const { type, keyCheck } = manifest;
    const Class = types.find(({ prototype }) => prototype.type === type);
    if (Class === undefined) {
      const message = `the pages have type '${type}': add its class, from 'tamis/read', to the option types`;
      throw new TamisError('ERR_TAMIS_UNSUPPORTED', message);
    }
    if (keyCheck !== (secret && keyCheckOf(secret))) {
      const code = secret ? 'ERR_TAMIS_WRONG_KEY' : 'ERR_TAMIS_KEY_REQUIRED';
      const why = secret ? 'another secret, or none' : 'a secret: pass the option secret';
      throw new TamisError(code, `the pages have ${why}`);
    }
    this.#newest = manifest;
    const cache = this.#cache;
    // The seed is compared too: it assigns keys to pages, but no page contains it.
    if (cache?.manifest.root === manifest.root && cache.manifest.seed === manifest.seed) {
      cache.manifest = manifest;
      return false;
    }
    for (const old of this.#caches) {
      const stillUsed = old.dropIdle(0);
      if (stillUsed === 0) this.#caches.delete(old);
    }
    this.#cache = new PageCache(manifest, cachePages, this.#host, (leaf) =>
      Class.fromBytes(fileInLeaf(leaf), secret ? { secret, view: true } : { view: true }),
    );
    this.#caches.add(this.#cache);
    return true;
  }

  /** Throws unless the current pages are usable. Starts an update if one is due; waits for it if the pages expired. */
  async #expectUsable(): Promise<void> {
    const { name, now, maxAgeMs } = this.#host.config;
    // Not written with >=, so that pages count as expired if the clock returns NaN.
    const nowMs = now();
    const areExpired = !(nowMs < Date.parse(this.#current.manifest.notAfter));
    const isDue = nowMs >= this.#nextMs || nowMs < this.#plannedMs;
    // With a maxAgeMs of 0, look-ups update only expired pages.
    if ((maxAgeMs > 0 || areExpired) && isDue) {
      const updating = this.update().catch(() => {});
      if (areExpired) await updating;
    }
    expectPages(this.#current.manifest, name, now());
  }

  /**
   * Calls `act` for each key, with its page and its index. During a call, `h` contains the key's hash. If the host has
   * a newer set, `act` may be called again for the same keys.
   *
   * @internal
   */
  protected async visit(
    keys: Iterable<Key>,
    options: LookUpOptions | undefined,
    act: (page: Filter, place: number) => void,
  ): Promise<void> {
    const { signal } = readOptions(options, { signal: abortSignal }, 'look-up');
    this.#closing.signal.throwIfAborted();
    // The keys are hashed now, since the caller may change them during the request.
    const hashes = hashesOfKeys(keys, this.#host.config.secret);
    await withTimeout(undefined, signal, async (ending) => {
      const ended = rejectOnAbort(ending);
      for (let isAgain = false; ; isAgain = true) {
        await this.#expectUsable();
        ending.throwIfAborted();
        const cache = this.#current;
        try {
          return await this.#visit(cache, hashes, ended, act);
        } catch (error) {
          // The publisher may delete a set's parts once the next set is published.
          if (isAgain || !(error instanceof MissingFileError)) throw error;
          if (cache === this.#current) await this.update().catch(() => {});
          if (cache === this.#current) throw error;
        }
      }
    });
  }

  /** Runs `visit` in one set, until `ended` rejects. All requests start before an update can replace the set. */
  async #visit(
    cache: PageCache,
    hashes: readonly Words[],
    ended: Promise<never>,
    act: (page: Filter, place: number) => void,
  ): Promise<void> {
    const { manifest } = cache;
    const pageOf = pagesBy(BigInt(manifest.seed), manifest.pages);
    const wanted = new Map<number, [place: number, hash: Words][]>();
    for (const [place, hash] of hashes.entries()) {
      const page = pageOf(hash);
      const entries = wanted.get(page) ?? [];
      entries.push([place, hash]);
      wanted.set(page, entries);
    }
    const groups = [...wanted.keys()]
      .filter((page) => !cache.holds(page))
      .map((page) => groupOf(page, manifest.pages, this.#host.config.decoys + 1));
    await cache.use([...wanted.keys()], new Set(groups.flat()), ended, (page, number) => {
      for (const [place, hash] of wanted.get(number) ?? []) {
        h.set(hash);
        act(page, place);
      }
    });
  }

  /**
   * Looks a key up, with at most one request. `false` means certainly absent, `true` means probably present. Rejects if
   * the page cannot be fetched: a failure never becomes `false`.
   */
  async has(key: Key, options?: LookUpOptions): Promise<boolean> {
    return (await this.hasMany([key], options))[0] === 1;
  }

  /**
   * Looks many keys up: 1 (probably present) or 0 (certainly absent) for each, in order. Pages near each other are
   * fetched in one request of up to 4 MiB. Rejects if a page cannot be fetched.
   */
  async hasMany(keys: Iterable<Key>, options?: LookUpOptions): Promise<Uint8Array<ArrayBuffer>> {
    const answers: number[] = [];
    await this.visit(keys, options, (page, place) => {
      answers[place] = Number(liveOf(page).test()); // looks up the hash in `h`
    });
    return Uint8Array.from(answers);
  }

  /** Fetches the pages of these keys, so that later look-ups find them in memory. Rejects as `hasMany` does. */
  async prefetch(keys: Iterable<Key>, options?: LookUpOptions): Promise<void> {
    await this.visit(keys, options, () => {});
  }

  /** Updates the manifest now. Resolves to true if the pages changed. Rejects as `open` does. */
  async update(): Promise<boolean> {
    this.#closing.signal.throwIfAborted();
    this.#updating ??= this.#update().finally(() => {
      this.#updating = undefined;
    });
    return this.#updating;
  }

  /** The current state. Throws ERR_TAMIS_DISPOSED after `close`. */
  get status(): RemoteStatus {
    const { manifest, size: cachedPages } = this.#current;
    const { requests, bytes: receivedBytes } = this.#host;
    return { manifest, cachedPages, requests, receivedBytes, error: this.#error };
  }

  /** The type, the name and the status, as values of JSON. */
  toJSON(): Record<string, unknown> {
    return { type: 'remote-pages', name: this.#host.config.name, ...this.status };
  }

  /** Aborts running look-ups, and frees the memory. A second call does nothing. */
  close(): void {
    const reason = new TamisError('ERR_TAMIS_DISPOSED');
    this.#closing.abort(reason);
    for (const cache of this.#caches) cache.close(reason);
    this.#host.parts.clear();
  }
}
