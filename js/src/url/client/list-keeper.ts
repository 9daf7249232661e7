// Keeps one list up to date, from the storage and the network. It uses a new list only after verifying it. If an update
// fails, the current list stays in use.

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

/** The result of an update. */
export interface UpdateResult {
  /** True if another manifest is in use now. */
  readonly changed: boolean;
  /** Downloaded bytes, without the manifest. */
  readonly receivedBytes: number;
  /** The versions before and after. `from` is undefined if there was no list. */
  readonly from: string | undefined;
  readonly to: string;
  /** The way of the list: one delta ('jump'), a chain of deltas, or the whole list. 'none': it is unchanged. */
  readonly by: 'none' | 'jump' | 'deltas' | 'snapshot';
}

/** A list with its manifest. */
export interface Held {
  readonly list: UrlList;
  readonly manifest: Manifest;
  /** The manifest's `notAfter`, in milliseconds since 1970. */
  readonly endMs: number;
  readonly source: 'storage' | 'network';
  readonly etag: string | undefined;
  readonly isStored: boolean;
}

/** True if a custom header needs no preflight request (CORS). */
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
  /** The newest manifest that was used or stored. An older one is refused. */
  #newest: Manifest | undefined;
  /** The signature of the manifest whose jump the server lacks, so that only one request is made. */
  #jumpless: string | undefined;
  #updating: Promise<UpdateResult> | undefined;
  readonly schedule: UpdateSchedule;
  /** Ends once a list that an older version of the package stored is stored as an image. */
  #converting: Promise<void> | undefined;
  /** True once the storage has worked. */
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

  /** Opens with the stored list. If there is none, or it has expired, waits for the network. */
  static async open(config: CheckerConfig): Promise<ListKeeper> {
    const { storage, manifest, keys, updateEveryMs } = config;
    const stored = await StoredList.at(storage, manifest, (text) =>
      openManifest(listManifest, text, keys),
    );
    const keeper = new ListKeeper(config, stored);
    await keeper.#load();
    // Errors are kept in `error`.
    const isWaiting = keeper.schedule.nextMs !== undefined;
    if (isWaiting && keeper.usable === undefined) keeper.error ??= keeper.schedule.waiting;
    else if (isWaiting) return keeper;
    else if (keeper.usable === undefined) await keeper.update().catch(() => {});
    else if (updateEveryMs > 0) keeper.update().catch(() => {});
    return keeper;
  }

  /** The current list, even if it has expired. Throws ERR_TAMIS_DISPOSED. */
  get held(): Held | undefined {
    this.signal.throwIfAborted();
    return this.#held;
  }

  /** The same without a throw; undefined once closed. For hot paths: reading a signal takes time. */
  get current(): Held | undefined {
    return this.#held;
  }

  /** The list that look-ups may use: verified, and not expired. Throws ERR_TAMIS_DISPOSED. */
  get usable(): Held | undefined {
    const { held } = this;
    // If the clock gives NaN, every list counts as expired.
    return held && this.#config.now() < held.endMs ? held : undefined;
  }

  /** Aborts with ERR_TAMIS_DISPOSED when the keeper is closed. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  async #load(): Promise<void> {
    const { list, rule, downloadTimeoutMs } = this.#config;
    let due = {};
    try {
      const stored = await withTimeout(downloadTimeoutMs, this.signal, async () => {
        // Read first: if another page stores a list in between, the list is newer than these times, not older.
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

  /**
   * Reads the stored list from its image. If that fails, reads the bytes that an older version of the package stored.
   */
  async #read({ manifest, etag, image }: Stored): Promise<UrlList | undefined> {
    const { sha256: identity, n: count, prefixBytes, snapshot } = manifest;
    const { rule, maxBytes } = this.#config;
    if (image !== undefined && snapshot.bytes <= maxBytes) {
      try {
        return await openImage(image, { identity, count, prefixBytes, rule });
      } catch {
        // Treated as missing.
      }
    }
    const bytes = await withTimeout(this.#config.downloadTimeoutMs, this.signal, () =>
      this.#stored.blob(manifest, 'bin'),
    );
    if (bytes === undefined) return undefined;
    const list = readList(bytes, manifest, this.#config);
    // In the background, for the next start. If it fails, the next start reads the bytes again.
    this.#converting = this.#save(manifest, etag, list).catch(() => {});
    return list;
  }

  /** Updates the list. Calls during an update share its promise. */
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
      // The steps below set it again.
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
    // The browser's cache may hold a bad file, and would serve it again.
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

  /** Fetches the manifest; undefined if it is unchanged (status 304). */
  async #ask(
    signal: AbortSignal,
  ): Promise<{ manifest: Manifest; etag: string | undefined } | undefined> {
    const { manifest: url, keys } = this.#config;
    // For another origin, the header would need a preflight request, and the browser revalidates by itself. An expired
    // list must be replaced, whatever a cache answers.
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
    // Copied now, before the list can be disposed of.
    const image = imageOf(list);
    // One at a time, even if the engine has no locks.
    await this.#converting;
    await withTimeout(this.#config.downloadTimeoutMs, this.signal, (signal) =>
      this.#stored.save(manifest, etag, image, signal),
    );
  }

  /** Stores the list. A failure costs only a download at the next start. */
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

  /** Calls `listener` after each switch to another version. Returns a function that removes it. */
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
