// Keeps one list: from the storage, from the network, and up to date. It is switched to only once it is
// verified; what fails leaves the list in hand in use.

import { TamisError } from '../../core/errors.js';
import { readBody, send, unavailableError, withTimeout } from '../../core/requests.js';
import { maxManifestBytes, openManifest, saysTheSame } from '../../core/signed/manifest.js';
import { nameOfRule } from '../list/expressions.js';
import { imageOf, openImage } from '../list/list-image.js';
import type { UrlList } from '../list/url-list.js';
import { expectManifest } from '../signed/manifest.js';
import { listManifest, type Manifest } from '../signed/manifest-fields.js';
import type { CheckerConfig } from './checker-options.js';
import { download, obtainList, readList } from './list-updates.js';
import { type Stored, StoredList } from './stored-list.js';
import { UpdateSchedule } from './update-schedule.js';

/** What an update did. */
export interface UpdateResult {
  /** Whether another manifest is in use now. */
  readonly changed: boolean;
  /** Bytes of the files that were downloaded, the manifest aside. */
  readonly receivedBytes: number;
  /** The versions before and now; undefined: there was no list. */
  readonly from: string | undefined;
  readonly to: string;
  /** How the list came: by one delta, by a chain of them or whole. 'none': it is the one that was in hand. */
  readonly by: 'none' | 'jump' | 'deltas' | 'snapshot';
}

/** A list, and what is known of it. */
export interface Held {
  readonly list: UrlList;
  readonly manifest: Manifest;
  /** Its `notAfter`, in milliseconds since 1970. */
  readonly endMs: number;
  readonly source: 'storage' | 'network';
  readonly etag: string | undefined;
  readonly isStored: boolean;
}

/** Whether a header that is no simple one costs no question to the server beforehand (CORS). */
function isSameOrigin(url: string): boolean {
  const { location } = globalThis;
  return location === undefined || new URL(url).origin === location.origin;
}

export class ListKeeper {
  readonly #config: CheckerConfig;
  readonly #stored: StoredList;
  readonly #listeners = new Set<(result: UpdateResult) => void>();
  readonly #closing = new AbortController();
  #held: Held | undefined;
  /** The newest manifest that was in use or stored: nothing older is taken. */
  #newest: Manifest | undefined;
  /** The signature of the manifest whose jump the server lacks: one question is enough. */
  #jumpless: string | undefined;
  #updating: Promise<UpdateResult> | undefined;
  readonly schedule: UpdateSchedule;
  /** Ends when bytes that an older version stored are stored as an image. */
  #converting: Promise<void> | undefined;
  /** Whether the storage is known to answer. */
  #canStore = false;
  error: TamisError | undefined;

  private constructor(config: CheckerConfig, stored: StoredList) {
    this.#config = config;
    this.#stored = stored;
    const update = () => this.update().catch(() => {});
    const { rule, list, keys } = config;
    const of = [nameOfRule(rule), list, ...keys.map(({ id }) => id)].join();
    this.schedule = new UpdateSchedule({ ...config, of }, stored, this.signal, update);
  }

  /** The list that is stored; where there is none in its time, that of the network. */
  static async open(config: CheckerConfig): Promise<ListKeeper> {
    const { storage, manifest, keys, updateEveryMs } = config;
    const stored = await StoredList.at(storage, manifest, (text) =>
      openManifest(listManifest, text, keys),
    );
    const keeper = new ListKeeper(config, stored);
    await keeper.#load();
    // Their errors are kept in `error`.
    const isWaiting = keeper.schedule.nextMs !== undefined;
    if (isWaiting && keeper.usable === undefined) keeper.error ??= keeper.schedule.waiting;
    else if (isWaiting) return keeper;
    else if (keeper.usable === undefined) await keeper.update().catch(() => {});
    else if (updateEveryMs > 0) keeper.update().catch(() => {});
    return keeper;
  }

  /** What is in hand, also past its time. Throws DISPOSED. */
  get held(): Held | undefined {
    this.signal.throwIfAborted();
    return this.#held;
  }

  /** The same, and undefined once closed: for who looks often, since a look at a signal takes time. */
  get current(): Held | undefined {
    return this.#held;
  }

  /** What look-ups may use: verified, and not past its time. Throws DISPOSED. */
  get usable(): Held | undefined {
    const { held } = this;
    // A clock that gives NaN finds everything past its time.
    return held && this.#config.now() < held.endMs ? held : undefined;
  }

  /** Aborts with DISPOSED when the keeper is closed. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  async #load(): Promise<void> {
    const { list, rule, downloadTimeoutMs } = this.#config;
    let due = {};
    try {
      const stored = await withTimeout(downloadTimeoutMs, this.signal, async () => {
        // First this: a list that another page stores in between is newer than that.
        due = await this.#stored.due();
        return this.#stored.load();
      });
      this.#canStore = true;
      if (stored === undefined || stored.manifest.list !== list) return;
      const { manifest, etag } = stored;
      this.#newest = manifest;
      if (manifest.rule !== nameOfRule(rule)) return;
      const found = await this.#read(stored);
      if (found === undefined) return;
      const endMs = Date.parse(manifest.notAfter);
      this.#held = { list: found, manifest, endMs, source: 'storage', etag, isStored: true };
    } catch (cause) {
      this.error = unavailableError('the stored list could not be read', cause);
    } finally {
      this.schedule.resume(due, this.usable !== undefined);
    }
  }

  /** The stored list, or undefined: of its image or, where that is none, of the bytes that an older version stored. */
  async #read({ manifest, etag, image }: Stored): Promise<UrlList | undefined> {
    const { sha256: identity, n: count, prefixBytes, snapshot } = manifest;
    const { rule, maxBytes } = this.#config;
    if (image !== undefined && snapshot.bytes <= maxBytes) {
      try {
        return await openImage(image, { identity, count, prefixBytes, rule });
      } catch {
        // As good as none.
      }
    }
    const bytes = await withTimeout(this.#config.downloadTimeoutMs, this.signal, () =>
      this.#stored.blob(manifest, 'bin'),
    );
    if (bytes === undefined) return undefined;
    const list = readList(bytes, manifest, this.#config);
    // For the next start; nobody waits for it, and if it fails that start is as this one.
    this.#converting = this.#save(manifest, etag, list).catch(() => {});
    return list;
  }

  /** Looks for a newer list; calls while one is on its way get the same promise. */
  async update(): Promise<UpdateResult> {
    this.signal.throwIfAborted();
    this.#updating ??= this.#update().finally(() => {
      this.#updating = undefined;
    });
    return this.#updating;
  }

  async #update(): Promise<UpdateResult> {
    let isDone = false;
    try {
      // Told anew by what follows.
      this.error = undefined;
      this.schedule.begin();
      const result = await this.#step();
      isDone = true;
      return result;
    } catch (cause) {
      this.signal.throwIfAborted();
      this.error =
        cause instanceof TamisError ? cause : unavailableError('the update failed', cause);
      throw this.error;
    } finally {
      await this.schedule.plan(isDone, this.#canStore);
    }
  }

  async #step(): Promise<UpdateResult> {
    const { rule, list, now, manifest: base, downloadTimeoutMs, maxBytes } = this.#config;
    const { signal } = this;
    const held = this.#held;
    // What failed may lie in the browser's cache, which passes no judgement on it.
    const cache = this.schedule.failures > 0 ? ({ cache: 'reload' } as const) : {};
    const answer = await withTimeout(downloadTimeoutMs, signal, (signal) => this.#ask(signal));
    const manifest = answer?.manifest ?? (held as Held).manifest;
    expectManifest(manifest, {
      nowMs: now(),
      rule: nameOfRule(rule),
      list,
      newest: this.#newest,
    });
    const from = held?.manifest.version;
    if (held !== undefined && saysTheSame(manifest, held.manifest)) {
      const etag = answer?.etag ?? held.etag;
      const isStored = held.isStored || (await this.#store(held.manifest, etag, held.list));
      this.signal.throwIfAborted();
      this.#held = { ...held, etag, isStored };
      return { changed: false, receivedBytes: 0, from, to: manifest.version, by: 'none' };
    }
    const obtained = await obtainList(
      manifest,
      held?.list,
      {
        rule,
        maxBytes,
        base,
        download: (url, maxBytes, signal, onMissing) =>
          download(this.schedule.fetch, url, maxBytes, { ...cache, signal }, onMissing),
        mayJump: this.#jumpless !== manifest.sig,
        onNoJump: () => {
          this.#jumpless = manifest.sig;
        },
        withTimeout: (action) => withTimeout(downloadTimeoutMs, signal, action),
      },
      signal,
    );
    const isStored = await this.#store(manifest, answer?.etag, obtained.list);
    if (signal.aborted && obtained.list !== held?.list) obtained.list.dispose();
    this.signal.throwIfAborted();
    const { list: found, receivedBytes, by } = obtained;
    this.#held = {
      list: found,
      manifest,
      endMs: Date.parse(manifest.notAfter),
      source: 'network',
      etag: answer?.etag,
      isStored,
    };
    this.#newest = manifest;
    if (found !== held?.list) held?.list.dispose();
    const result = { changed: true, receivedBytes, from, to: manifest.version, by };
    for (const listener of this.#listeners) {
      queueMicrotask(() => this.#listeners.has(listener) && listener(result));
    }
    return result;
  }

  /** The manifest that the server has; undefined: the one in hand (304). */
  async #ask(
    signal: AbortSignal,
  ): Promise<{ manifest: Manifest; etag: string | undefined } | undefined> {
    const { manifest: url, keys } = this.#config;
    // Elsewhere the browser asks so by itself, and would have to ask first whether it may. Past its time
    // a list is of no use, whatever a cache between says of it.
    const etag = isSameOrigin(url) ? this.usable?.etag : undefined;
    const headers: Record<string, string> = etag === undefined ? {} : { 'If-None-Match': etag };
    const response = await send(this.schedule.fetch, url, { headers, cache: 'no-cache', signal });
    if (response.status === 304 && etag !== undefined) return undefined;
    if (!response.ok) throw unavailableError(`${url}: the server answered ${response.status}`);
    const text = await readBody(response, maxManifestBytes, signal);
    const found = await openManifest(listManifest, text, keys);
    return { manifest: found, etag: response.headers.get('ETag') ?? undefined };
  }

  async #save(manifest: Manifest, etag: string | undefined, list: UrlList): Promise<void> {
    // Before anything else can dispose of the list.
    const image = imageOf(list);
    // One at a time, where the engine has no locks either.
    await this.#converting;
    await withTimeout(this.#config.downloadTimeoutMs, this.signal, (signal) =>
      this.#stored.save(manifest, etag, image, signal),
    );
  }

  /** A storage that is full or broken costs a download at the next start, and nothing else. */
  async #store(manifest: Manifest, etag: string | undefined, list: UrlList): Promise<boolean> {
    try {
      await this.#save(manifest, etag, list);
      this.#canStore = true;
      return true;
    } catch (cause) {
      this.error = unavailableError('the list is in use, but could not be stored', cause);
      return false;
    }
  }

  /** Calls `listener` after each switch; gives what ends that. */
  onUpdate(listener: (result: UpdateResult) => void): () => void {
    this.signal.throwIfAborted();
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    if (this.signal.aborted) return;
    this.#closing.abort(new TamisError('ERR_TAMIS_DISPOSED', 'the checker has been closed'));
    this.#listeners.clear();
    this.#held?.list.dispose();
    this.#held = undefined;
  }
}
