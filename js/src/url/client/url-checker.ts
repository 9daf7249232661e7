import { addMember } from '../../core/add-member.js';
import { typeError } from '../../core/errors.js';
import { checkIterable } from '../../core/key-types.js';
import { callable, readManifestUrl } from '../../core/options.js';
import { pageOfHost, readingsOf, type UrlHit } from '../list/lookups.js';
import { readCheckerOptions, type UrlCheckerOptions } from './checker-options.js';
import { answerError } from './confirm-client.js';
import { ListKeeper } from './list-keeper.js';
import {
  answerWithout,
  type CheckerAnswer,
  type CheckerStatus,
  isAllowed,
} from './list-verdicts.js';
import type { UpdateResult } from './update-schedule.js';

/** The verdict of `verify`, and its source. */
export interface Verification {
  readonly verdict: 'safe' | 'unsafe' | 'unknown' | 'invalid';
  readonly from: 'list' | 'cache' | 'server';
}

/**
 * Checks URLs against a signed list that it fetches, stores and keeps up to date. It runs in a page, a worker, a
 * service worker, an extension or Node.
 *
 * `check` is local, synchronous and private. Only `verify` asks a server about a URL: it sends the first 4 bytes of the
 * hashes that hit. A missing or expired list, or a server that is down, never makes a URL 'safe'.
 */
export class UrlChecker {
  readonly #keeper: ListKeeper;
  /** The same as close(), for `using`. */
  declare readonly [Symbol.dispose]: () => void;

  private constructor(keeper: ListKeeper) {
    if (!(keeper instanceof ListKeeper))
      throw typeError('use await UrlChecker.open(manifestUrl, options)');
    const { prototype } = new.target;
    addMember(prototype, Symbol.dispose, prototype.close);
    this.#keeper = keeper;
  }

  /**
   * Opens a checker with the stored list, and updates the list when due (never if `updateEveryMs` is 0). Without a
   * valid stored list it first waits for a download, unless requests pause after failures, perhaps of an earlier page.
   * The checker opens even if no list arrives: see `status`. Wrong options reject with TypeError or RangeError. Rejects
   * with ERR_TAMIS_UNSUPPORTED if WebCrypto lacks Ed25519. In a page, `manifestUrl` may be relative.
   *
   * @example
   * import { UrlChecker } from 'tamis/url';
   * const checker = await UrlChecker.open('https://lists.example/phish/manifest.json', {
   *   name: 'phish', // its publisher's name of the list
   *   publicKeys: ['d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'],
   *   storage: 'memory', // 'indexeddb' in a browser
   *   confirm: 'https://api.example/confirm',
   *   whenMissing: 'unknown',
   *   whenUnconfirmed: 'unknown',
   *   fetch: async () => new Response(null, { status: 503 }), // a server that is down
   * });
   * checker.check('https://evil.example/'); // => 'unknown'
   * checker.check('mailto:eve@evil.example'); // => 'invalid'
   * checker.close();
   */
  static async open(manifestUrl: string | URL, options: UrlCheckerOptions): Promise<UrlChecker> {
    const what = 'UrlChecker.open';
    const config = await readCheckerOptions(readManifestUrl(manifestUrl, what), options, what);
    // Not `new UrlChecker`, because bundlers rename a class that refers to itself, here to `_UrlChecker`.
    return new this(await ListKeeper.open(config));
  }

  /** Returns the answer without a list. Throws ERR_TAMIS_UNAVAILABLE if `whenMissing` is 'throw'. */
  #noList(url: string): CheckerAnswer {
    return answerWithout(url, this.#keeper.config, this.#keeper.schedule.error);
  }

  /** Turns 'maybe' into 'safe' if the URL's host is in `allow`. */
  #allow(answer: CheckerAnswer, url: string): CheckerAnswer {
    return answer === 'maybe' && isAllowed(url, this.#keeper.config) ? 'safe' : answer;
  }

  /**
   * Checks the URL that a browser would open for this text. Throws TypeError for anything but a string,
   * ERR_TAMIS_UNAVAILABLE without a list if `whenMissing` is 'throw', and ERR_TAMIS_DISPOSED once closed.
   */
  check(url: string): CheckerAnswer {
    const { usable } = this.#keeper;
    return usable ? this.#allow(usable.list.check(url), url) : this.#noList(url);
  }

  /** Checks each URL, in order. Throws the errors of `check`. */
  checkMany(urls: Iterable<string>): CheckerAnswer[] {
    const usable = this.#keeper.usable;
    checkIterable(urls, 'URLs');
    const all = [...urls];
    if (usable === undefined) return all.map((url) => this.#noList(url));
    return usable.list.checkMany(all).map((answer, i) => this.#allow(answer, all[i] as string));
  }

  /** Checks a host, as `UrlList.checkHost` does: listed pages of a host do not count. Throws the errors of `check`. */
  checkHost(host: string): CheckerAnswer {
    return this.check(pageOfHost(host));
  }

  /** Checks each host, in order. Throws the errors of `check`. */
  checkHosts(hosts: Iterable<string>): CheckerAnswer[] {
    checkIterable(hosts, 'hosts');
    return this.checkMany(Array.from(hosts, pageOfHost));
  }

  /**
   * Returns the expressions of a URL that make `check` say 'maybe', with their hashes, so that you can show the reason.
   * The result is empty for any other answer, and without a list. Throws the errors of `check`.
   */
  hits(url: string): UrlHit[] {
    if (this.check(url) !== 'maybe') return [];
    return this.#keeper.usable?.list.hits(url) ?? [];
  }

  /**
   * Checks a URL, and asks the confirm server about hits. It sends the 4-byte prefixes that hit and are not cached,
   * with decoys. Without a confirm server, a hit on a list with `prefixBytes` of 8, 16 or 32 is 'unsafe'. Rejects with
   * the errors of `check`, and with ERR_TAMIS_UNAVAILABLE if no valid answer comes and `whenUnconfirmed` is 'throw'.
   */
  async verify(url: string): Promise<Verification> {
    const verdict = this.check(url);
    if (verdict !== 'maybe') return { verdict, from: 'list' };
    const { usable, signal, config } = this.#keeper;
    // Here `whenMissing` is 'maybe'. Without a list, the prefixes to ask about are unknown.
    if (usable === undefined) return { verdict: 'unknown', from: 'list' };
    const hits = usable.list.hits(url);
    // The host rule answered differently in the two calls, so the URL may be listed.
    if (hits.length === 0) return { verdict: 'unknown', from: 'list' };
    try {
      const { listed, from } = await this.#keeper.settleHits(hits, usable, signal);
      if (listed !== undefined) return { verdict: 'unsafe', from };
      return { verdict: readingsOf(url).isSure ? 'safe' : 'invalid', from };
    } catch (cause) {
      signal.throwIfAborted();
      if (config.whenUnconfirmed === 'throw') throw answerError('the confirm server', cause);
      return { verdict: 'unknown', from: 'server' };
    }
  }

  /**
   * Updates the list now, even during a back-off or a Retry-After. It downloads nothing (304), one delta, a chain of
   * deltas or the whole list. The list is verified, stored and then used. If the update fails, the current list stays.
   *
   * Rejects with ERR_TAMIS_UNAVAILABLE, ERR_TAMIS_CORRUPT, ERR_TAMIS_TRUNCATED, ERR_TAMIS_TOO_LARGE,
   * ERR_TAMIS_BAD_SIGNATURE, ERR_TAMIS_ROLLBACK, ERR_TAMIS_EXPIRED, ERR_TAMIS_INCOMPATIBLE,
   * ERR_TAMIS_UNSUPPORTED_VERSION, ERR_TAMIS_DISPOSED, and with the errors of UrlList.fromBytes. A failure of the
   * storage only appears in `status.error`.
   */
  update(): Promise<UpdateResult> {
    return this.#keeper.schedule.run();
  }

  /** The current state. Throws ERR_TAMIS_DISPOSED once closed. */
  get status(): CheckerStatus {
    return this.#keeper.status;
  }

  /** Calls `listener` after each switch to another version. Returns a function that removes it. */
  onUpdate(listener: (result: UpdateResult) => void): () => void {
    return this.#keeper.schedule.onUpdate(callable<typeof listener>()(listener, 'onUpdate'));
  }

  /** Aborts running updates and requests, and frees the list's memory. Idempotent. */
  close(): void {
    this.#keeper.close();
  }

  /** Returns the type, the list's name and the status. */
  toJSON(): Record<string, unknown> {
    return { type: 'url-checker', name: this.#keeper.config.name, ...this.status };
  }
}
