/// <reference lib="esnext.disposable" preserve="true" />
// The common part of RemoteFilter and RemoteMap.

import { addMember } from '../core/add-member.js';
import { type TamisError, typeError } from '../core/errors.js';
import type { Key } from '../core/key-types.js';
import { abortSignal, readOptions } from '../core/options.js';
import type { PagesManifest } from '../pages/manifest.js';
import type { Filter } from '../read/filter.js';
import { hashesOfKeys } from './key-hashes.js';
import type { LookUpOptions } from './options.js';
import { PageSource } from './page-source.js';

/** The state of a RemoteFilter or RemoteMap. */
export interface RemoteStatus {
  /** The publisher's data about the pages: their number, the number of keys, the time of expiry. */
  readonly manifest: PagesManifest;
  /** The number of pages in memory. */
  readonly cachedPages: number;
  /** Requests sent, including those for the manifest. `receivedBytes` counts their bodies. */
  readonly requests: number;
  readonly receivedBytes: number;
  /** The failure of the last update of the manifest, or of storing it. */
  readonly error: TamisError | undefined;
}

/** Look-ups of keys in pages on a static host. */
export abstract class RemotePages {
  readonly #source: PageSource;
  /** The same as close(), for `using`. */
  declare readonly [Symbol.dispose]: () => void;

  /** Only for `open`. */
  protected constructor(source: PageSource) {
    if (!(source instanceof PageSource))
      throw typeError('use await RemoteFilter.open or RemoteMap.open');
    const { prototype } = RemotePages;
    addMember(prototype, Symbol.dispose, prototype.close);
    this.#source = source;
  }

  /**
   * Calls `act` for each key, with its page and its index. The key's hash is then in `u`.
   *
   * @internal
   */
  protected async visit(
    keys: Iterable<Key>,
    options: LookUpOptions | undefined,
    act: (page: Filter, place: number) => void,
  ): Promise<void> {
    const { signal } = readOptions(options, { signal: abortSignal }, 'look-up');
    this.#source.current;
    // Hashed now: the caller may change the keys during the request.
    const hashes = hashesOfKeys(keys, this.#source.config.key);
    await this.#source.visit(hashes, signal, act);
  }

  /**
   * Looks a key up, by at most one request. `false` means certainly absent, `true` means probably present. Rejects if
   * the page cannot be fetched: a failure never becomes `false`.
   */
  async has(key: Key, options?: LookUpOptions): Promise<boolean> {
    return (await this.hasMany([key], options))[0] === 1;
  }

  /**
   * Looks many keys up: 1 (probably present) or 0 (certainly absent) for each, in order. Pages that lie near each other
   * come by one request, of up to 4 MiB. Rejects if a page cannot be fetched.
   */
  async hasMany(keys: Iterable<Key>, options?: LookUpOptions): Promise<Uint8Array<ArrayBuffer>> {
    const answers: number[] = [];
    await this.visit(keys, options, (page, place) => {
      answers[place] = Number(page.live.test());
    });
    return Uint8Array.from(answers);
  }

  /** Fetches the pages of the keys, so that later look-ups find them in memory. Rejects as `hasMany` does. */
  async prefetch(keys: Iterable<Key>, options?: LookUpOptions): Promise<void> {
    await this.visit(keys, options, () => {});
  }

  /** Updates the manifest now. Resolves to true if the pages changed. Rejects as `open` does. */
  update(): Promise<boolean> {
    return this.#source.update();
  }

  /** The current state. Throws ERR_TAMIS_DISPOSED once closed. */
  get status(): RemoteStatus {
    const { current, host, error } = this.#source;
    const { manifest, size: cachedPages } = current;
    const { requests, bytes: receivedBytes } = host;
    return { manifest, cachedPages, requests, receivedBytes, error };
  }

  /** Aborts running look-ups, and frees the memory. Idempotent. */
  close(): void {
    this.#source.close();
  }
}
