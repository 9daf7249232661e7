// Keeps one list up to date, from the storage and the network. It uses a new list only after verifying it.

import { TamisError } from '../../core/errors.js';
import { readBody, send, unavailableError, withTimeout } from '../../core/requests.js';
import { hexOf } from '../../core/signed/bytes.js';
import { maxManifestBytes, openManifest, saysTheSame } from '../../core/signed/manifest.js';
import { expectedRule, nameOfRule } from '../list/expressions.js';
import { imageOf, openImage } from '../list/list-image.js';
import type { UrlHit } from '../list/lookups.js';
import type { UrlList } from '../list/url-list.js';
import { expectManifest, listManifest, type Manifest } from '../signed/manifest.js';
import type { CheckerConfig } from './checker-options.js';
import { ConfirmClient } from './confirm-client.js';
import { DecoyGroups } from './decoy-groups.js';
import { Downloads } from './list-updates.js';
import type { CheckerStatus } from './list-verdicts.js';
import { StoredList, type StoredVersion } from './stored-list.js';
import { type UpdateResult, UpdateSchedule } from './update-schedule.js';

export interface CurrentList {
  readonly list: UrlList;
  readonly manifest: Manifest;
  /** The manifest's `notAfter`, in milliseconds since 1970. */
  readonly endMs: number;
  readonly source: 'storage' | 'network';
  readonly etag: string | undefined;
  readonly isStored: boolean;
}

/** True if a custom header needs no preflight request (CORS): outside of browsers, and for the page's own origin. */
function isSameOrigin(url: string): boolean {
  const { location } = globalThis;
  return location === undefined || new URL(url).origin === location.origin;
}

/** If prefixes have 8 bytes or more, no server need confirm a hit: the chance of a false hit on an entry is 2^-64. */
const leastSureBytes = 8;

export class ListKeeper {
  readonly config: CheckerConfig;
  readonly schedule: UpdateSchedule;
  readonly #confirm: ConfirmClient;
  readonly #decoys: DecoyGroups;
  readonly #stored: StoredList;
  readonly #closing = new AbortController();
  #current: CurrentList | undefined;
  /** The newest manifest that was used or stored. An older manifest is refused. */
  #newest: Manifest | undefined;
  /** The signatures of manifests whose jump (a delta straight to their list) is missing: it is not requested again. */
  readonly #jumpless = new Set<string>();

  private constructor(config: CheckerConfig, stored: StoredList) {
    this.config = config;
    this.#stored = stored;
    this.#confirm = new ConfirmClient(config);
    const { rule, name, keys } = config;
    this.schedule = new UpdateSchedule({
      ...config,
      requestId: [rule && nameOfRule(rule), name, ...keys.map(({ id }) => id)].join(),
      signal: this.signal,
      update: () => this.#update(),
      saveDue: (due) => stored.saveDue(due),
    });
    this.#decoys = new DecoyGroups(config, stored, this.schedule, this.signal);
  }

  /** Opens with the stored list. If there is none, or it has expired, waits for the network. */
  static async open(config: CheckerConfig): Promise<ListKeeper> {
    const { storage, manifest, keys } = config;
    const stored = await StoredList.at(storage, manifest, (text) =>
      openManifest(listManifest, text, keys),
    );
    const keeper = new ListKeeper(config, stored);
    const due = await keeper.#load();
    await keeper.schedule.start(due, keeper.usable !== undefined);
    return keeper;
  }

  /** The current list, even if it has expired. Throws ERR_TAMIS_DISPOSED. */
  get current(): CurrentList | undefined {
    this.signal.throwIfAborted();
    return this.#current;
  }

  /** The current list; undefined once closed. It is faster than `current`, which reads the AbortSignal. */
  get currentIfOpen(): CurrentList | undefined {
    return this.#current;
  }

  /** The list that look-ups may use: verified, and not expired. Throws ERR_TAMIS_DISPOSED. */
  get usable(): CurrentList | undefined {
    const { current } = this;
    // If the clock gives NaN, every list counts as expired.
    return current && this.config.now() < current.endMs ? current : undefined;
  }

  /** Aborts with ERR_TAMIS_DISPOSED when the keeper is closed. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  #inTime<T>(action: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withTimeout(this.config.downloadTimeoutMs, this.signal, action);
  }

  /** Loads the stored list, and resolves to the stored schedule. A failure appears in the schedule's `error`. */
  async #load(): Promise<Record<string, unknown>> {
    const { name, rule } = this.config;
    let due = {};
    try {
      const stored = await this.#inTime(async () => {
        // The schedule is read before the list: if another page stores both in between, an old schedule does no harm.
        due = await this.#stored.due();
        return this.#stored.load();
      });
      this.schedule.canStore = true;
      if (stored === undefined || stored.manifest.list !== name) return due;
      this.#newest = stored.manifest;
      const { rule: storedRule } = stored.manifest;
      if (storedRule === expectedRule(rule, storedRule)) await this.#openStored(stored);
    } catch (cause) {
      this.schedule.error = unavailableError('the stored list could not be read', cause);
    }
    return due;
  }

  /** Opens the stored list. If it is missing, damaged or from another version of the package, there is no list. */
  async #openStored({ manifest, etag, image }: StoredVersion): Promise<void> {
    const { sha256: identity, n: count, prefixBytes, snapshot } = manifest;
    const { rule, maxBytes } = this.config;
    if (image === undefined || snapshot.bytes > maxBytes) return;
    const options = { identity, count, prefixBytes, rule };
    const list = await openImage(image, options).catch(() => undefined);
    if (list) this.#use({ list, manifest, source: 'storage', etag, isStored: true });
  }

  #use(current: Omit<CurrentList, 'endMs'>): void {
    this.#current = { ...current, endMs: Date.parse(current.manifest.notAfter) };
  }

  async #update(): Promise<UpdateResult> {
    const { rule, name, now } = this.config;
    const { signal } = this;
    const old = this.#current;
    const { manifest, etag } = await this.#inTime((signal) => this.#fetchManifest(signal));
    const newest = this.#newest;
    const expected = expectedRule(rule, manifest.rule);
    expectManifest(manifest, { nowMs: now(), rule: expected, name, newest });
    const versions = { from: old?.manifest.version, to: manifest.version };
    if (old !== undefined && saysTheSame(manifest, old.manifest)) {
      const latestEtag = etag ?? old.etag;
      const isStored = old.isStored || (await this.#store(old.manifest, latestEtag, old.list));
      signal.throwIfAborted();
      this.#current = { ...old, etag: latestEtag, isStored };
      return { changed: false, receivedBytes: 0, ...versions, by: 'none' };
    }
    const downloads = new Downloads({
      ...this.config,
      fetch: this.schedule.fetch,
      // The browser's cache may hold a bad file, and would serve it again.
      cache: this.schedule.failures > 0 ? 'reload' : undefined,
      jumpless: this.#jumpless,
      signal,
    });
    // If only the manifest is new, `list` is the old list object.
    const { list, by } = await downloads.obtain(manifest, old?.list);
    const isNewList = list !== old?.list;
    const isStored = await this.#store(manifest, etag, list);
    if (signal.aborted && isNewList) list.dispose();
    signal.throwIfAborted();
    this.#use({ list, manifest, source: 'network', etag, isStored });
    this.#newest = manifest;
    if (isNewList) old?.list.dispose();
    return { changed: true, receivedBytes: downloads.receivedBytes, ...versions, by };
  }

  /** Fetches the manifest. If it is unchanged (status 304), resolves to the current manifest. */
  async #fetchManifest(
    signal: AbortSignal,
  ): Promise<{ manifest: Manifest; etag: string | undefined }> {
    const { manifest: url, keys } = this.config;
    // The list that stays if the status is 304. For another origin it is undefined: the request header would need a
    // preflight, and the browser revalidates by itself. An expired list must be replaced, so its ETag is not sent.
    const known = isSameOrigin(url) ? this.usable : undefined;
    const headers: Record<string, string> = known?.etag ? { 'If-None-Match': known.etag } : {};
    const response = await send(this.schedule.fetch, url, { headers, cache: 'no-cache', signal });
    if (response.status === 304 && known?.etag) return known;
    if (!response.ok) throw unavailableError(`${url}: the server answered ${response.status}`);
    const text = await readBody(response, maxManifestBytes, signal);
    const manifest = await openManifest(listManifest, text, keys);
    return { manifest, etag: response.headers.get('ETag') ?? undefined };
  }

  async #save(manifest: Manifest, etag: string | undefined, list: UrlList): Promise<void> {
    // The list is copied now, before it can be disposed of.
    const image = imageOf(list);
    await this.#inTime((signal) => this.#stored.save(manifest, etag, image, signal));
  }

  /** Stores the list. Resolves to false if the storage fails; then the next start downloads the list again. */
  async #store(manifest: Manifest, etag: string | undefined, list: UrlList): Promise<boolean> {
    try {
      await this.#save(manifest, etag, list);
      this.schedule.canStore = true;
      return true;
    } catch (cause) {
      this.schedule.error = unavailableError('the list is in use, but could not be stored', cause);
      return false;
    }
  }

  /** The state of the list. Throws ERR_TAMIS_DISPOSED once closed. */
  get status(): CheckerStatus {
    const { current, usable, schedule } = this;
    const { confirm, now } = this.config;
    const needsConfirm = current !== undefined && current.list.prefixBytes < leastSureBytes;
    let { error } = schedule;
    if (confirm === null && needsConfirm) {
      const why = '4-byte prefixes need a confirm server; publish with 8 bytes, or pass `confirm`';
      error ??= new TamisError('ERR_TAMIS_INCOMPATIBLE', why);
    }
    return {
      version: current?.manifest.version,
      count: current?.list.count ?? 0,
      sizeBytes: current?.list.sizeBytes ?? 0,
      ageMs: current && now() - Date.parse(current.manifest.created),
      stale: usable === undefined,
      source: current?.source ?? 'none',
      error,
      offline: schedule.isOffline,
      nextUpdateMs: schedule.nextMs,
    };
  }

  /** Finds a listed hit's hash (hex), by long prefixes or the server. Rejects with the errors of ConfirmClient.ask. */
  async settleHits(
    hits: readonly UrlHit[],
    { list, manifest }: CurrentList,
    signal: AbortSignal,
  ): Promise<{ listed: string | undefined; from: 'list' | 'cache' | 'server' }> {
    const { confirm } = this.config;
    const hashes = hits.map(({ hash }) => hexOf(hash));
    if (confirm === null && list.prefixBytes >= leastSureBytes) {
      return { listed: hashes[0], from: 'list' };
    }
    const groupOf = (prefix: string) => this.#decoys.of(prefix, list);
    return this.#confirm.ask(hashes, manifest, groupOf, signal);
  }

  close(): void {
    if (this.signal.aborted) return;
    this.#closing.abort(new TamisError('ERR_TAMIS_DISPOSED', 'the checker has been closed'));
    this.#current?.list.dispose();
    this.#current = undefined;
  }
}
