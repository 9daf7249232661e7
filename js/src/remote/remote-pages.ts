/// <reference lib="esnext.disposable" preserve="true" />
// What RemoteFilter and RemoteMap have in common.

import { addMember } from '../core/add-member.js';
import { type TamisError, typeError } from '../core/errors.js';
import type { Key } from '../core/key-types.js';
import { abortSignal, readOptions } from '../core/options.js';
import type { PagesManifest } from '../pages/manifest.js';
import type { Filter, ReaderClass } from '../read/filter.js';
import { u, type Words } from '../read/u64.js';
import { hashesOf } from './key-hashes.js';
import { type LookUpOptions, type RemoteOptions, readRemoteOptions } from './options.js';
import { PageSource } from './page-source.js';

/** A page in memory. */
export type Page = Filter;

/** What a RemoteFilter or RemoteMap works with now. */
export interface RemoteStatus {
  /** What the publisher says of the pages: their number, that of the keys, and until when they are believed. */
  readonly manifest: PagesManifest;
  /** Pages in memory. */
  readonly cachedPages: number;
  /** Requests that were sent, and the bytes of their bodies: the manifest's too. */
  readonly requests: number;
  readonly receivedBytes: number;
  /** Why the last update of the manifest, or storing it, failed. */
  readonly error: TamisError | undefined;
}

export async function openSource(
  manifest: string | URL,
  options: RemoteOptions,
  what: string,
  types: readonly ReaderClass<Filter>[],
): Promise<PageSource> {
  return new PageSource(await readRemoteOptions(manifest, options, what, types)).open();
}

/** Outside the class: one that names itself is bundled under another name. */
const itself = () => RemotePages;

/** Keys in pages on a static host. */
export abstract class RemotePages {
  readonly #source: PageSource;
  /** The same as close(), for `using`. */
  declare readonly [Symbol.dispose]: () => void;

  /** For `open` alone. */
  protected constructor(source: PageSource) {
    if (!(source instanceof PageSource))
      throw typeError('use await RemoteFilter.open or RemoteMap.open');
    const { prototype } = itself();
    addMember(prototype, Symbol.dispose, prototype.close);
    this.#source = source;
  }

  /**
   * Has `act` see each page for the key in `u` that belongs to it, whose place among the keys it is told.
   *
   * @internal
   */
  protected async visit(
    keys: Iterable<Key>,
    options: LookUpOptions | undefined,
    act: (page: Page, place: number) => void,
  ): Promise<void> {
    const { signal } = readOptions(options, { signal: abortSignal }, 'look-up');
    this.#source.held;
    // Their owner may change them while a page is on its way.
    const hashes = hashesOf(keys, this.#source.config.key);
    await this.#source.visit(hashes, signal, (page, at) => {
      for (const place of at) {
        u.set(hashes[place] as Words);
        act(page, place);
      }
    });
  }

  /**
   * `false` means certainly absent; `true` means probably present. It costs one request at most. Rejects where the
   * page could not be had: a failure is never `false`.
   */
  async has(key: Key, options?: LookUpOptions): Promise<boolean> {
    return (await this.hasMany([key], options))[0] === 1;
  }

  /**
   * 1 (probably present) or 0 (certainly absent) for each key, in order. Pages of these keys that lie near each other
   * come by one request of up to 4 MiB. It rejects where one page could not be had.
   */
  async hasMany(keys: Iterable<Key>, options?: LookUpOptions): Promise<Uint8Array<ArrayBuffer>> {
    const answers: number[] = [];
    await this.visit(keys, options, (page, place) => {
      answers[place] = Number(page.live.test());
    });
    return Uint8Array.from(answers);
  }

  /** Fetches the pages of the keys, so that look-ups find them in memory. Rejects as `hasMany`. */
  async prefetch(keys: Iterable<Key>, options?: LookUpOptions): Promise<void> {
    await this.visit(keys, options, () => {});
  }

  /** Fetches the manifest now; whether other pages are in use since. Rejects as `open`. */
  update(): Promise<boolean> {
    return this.#source.update();
  }

  /** Throws DISPOSED once closed. */
  get status(): RemoteStatus {
    const { held, host, error } = this.#source;
    const { manifest, size: cachedPages } = held;
    const { requests, bytes: receivedBytes } = host;
    return { manifest, cachedPages, requests, receivedBytes, error };
  }

  /** Ends look-ups on their way, and gives the memory back. Idempotent. */
  close(): void {
    this.#source.close();
  }
}
