// Checks URLs against a list that a publisher keeps up to date.

import { addMember } from '../../core/add-member.js';
import { typeError } from '../../core/errors.js';
import { checkIterable } from '../../core/key-types.js';
import { callable } from '../../core/options.js';
import type { UrlHit } from '../list/lookups.js';
import { pageOfHost, readingsOf } from '../list/readings.js';
import {
  type CheckerConfig,
  readCheckerOptions,
  type UrlCheckerOptions,
} from './checker-options.js';
import { ConfirmClient, confirmError } from './confirm-client.js';
import { ListKeeper, type UpdateResult } from './list-keeper.js';
import {
  answerWithout,
  type CheckerAnswer,
  type CheckerStatus,
  isAllowed,
  settleHits,
  statusOf,
} from './list-verdicts.js';

export type { HostSet, UrlCheckerOptions } from './checker-options.js';
export type { UpdateResult } from './list-keeper.js';
export type { CheckerAnswer, CheckerStatus } from './list-verdicts.js';

/** What `verify` found, and who said so. */
export interface Verification {
  readonly verdict: 'safe' | 'unsafe' | 'unknown' | 'invalid';
  readonly from: 'list' | 'cache' | 'server';
}

/** Outside the class: one that names itself is bundled under another name, `_UrlChecker`. */
const itself = () => UrlChecker;

/**
 * Checks URLs against a signed list that it fetches, stores and keeps up to date. It runs in a page, a worker, a
 * service worker, an extension or Node. `check` is local, at once and private. Only `verify` asks a server, and
 * sends the first 4 bytes of what hits. No list, a stale one and a dead server never make a URL 'safe'.
 *
 * @example
 * import { UrlChecker } from 'tamis/url';
 * const checker = await UrlChecker.open({
 *   manifest: 'https://lists.example/phish/manifest.json',
 *   list: 'phish', // its publisher's name of the list
 *   publicKeys: ['d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'],
 *   storage: 'memory', // 'indexeddb' in a browser
 *   confirm: 'https://api.example/confirm',
 *   onMissing: 'unknown',
 *   onConfirmError: 'unknown',
 *   fetch: async () => new Response(null, { status: 503 }), // a server that is down
 * });
 * checker.check('https://evil.example/'); // => 'unknown'
 * checker.check('mailto:eve@evil.example'); // => 'invalid'
 * checker.close();
 */
export class UrlChecker {
  readonly #config: CheckerConfig;
  readonly #keeper: ListKeeper;
  readonly #confirm: ConfirmClient;
  /** close(), for `using`. */
  declare readonly [Symbol.dispose]: () => void;

  private constructor(config: CheckerConfig, keeper: ListKeeper) {
    if (!(keeper instanceof ListKeeper)) throw typeError('use await UrlChecker.open(options)');
    const { prototype } = itself();
    addMember(prototype, Symbol.dispose, prototype.close);
    this.#config = config;
    this.#keeper = keeper;
    this.#confirm = new ConfirmClient(config);
  }

  /**
   * The checker with the stored list, which a newer one replaces when an update is due (never where `updateEveryMs`
   * is 0). Without a stored list in its time it waits for the network. After failures, also those of an earlier
   * page, it tries again when the back-off is over, and not before. It opens without a list too: see `status`.
   * Rejects with TypeError and RangeError for options that are wrong, UNSUPPORTED without WebCrypto and its
   * Ed25519.
   */
  static async open(options: UrlCheckerOptions): Promise<UrlChecker> {
    const config = await readCheckerOptions(options, 'UrlChecker.open');
    return new (itself())(config, await ListKeeper.open(config));
  }

  /** The answer without a list. Throws UNAVAILABLE where that is wanted. */
  #missing(url: string): CheckerAnswer {
    return answerWithout(url, this.#config, this.#keeper.error);
  }

  /** A good host's hit is none. */
  #but(answer: CheckerAnswer, url: string): CheckerAnswer {
    return answer === 'maybe' && isAllowed(url, this.#config) ? 'safe' : answer;
  }

  /**
   * What the list says of the URL that a browser would open for this text. Throws TypeError for what is no
   * string, UNAVAILABLE without a list where `onMissing` is 'throw', DISPOSED once closed.
   */
  check(url: string): CheckerAnswer {
    const usable = this.#keeper.usable;
    if (usable === undefined) return this.#missing(url);
    return this.#but(usable.list.check(url), url);
  }

  /** `check` of each, in order. Throws as `check`. */
  checkMany(urls: Iterable<string>): CheckerAnswer[] {
    const usable = this.#keeper.usable;
    checkIterable(urls);
    const all = [...urls];
    if (usable === undefined) return all.map((url) => this.#missing(url));
    return usable.list.checkMany(all).map((answer, i) => this.#but(answer, all[i] as string));
  }

  /**
   * What the list says of a host, as `UrlList.checkHost` has it: listed pages of the host do not count. Throws as `check`.
   */
  checkHost(host: string): CheckerAnswer {
    return this.check(pageOfHost(host));
  }

  /** `checkHost` of each, in order. Throws as `check`. */
  checkHosts(hosts: Iterable<string>): CheckerAnswer[] {
    checkIterable(hosts);
    return this.checkMany(Array.from(hosts, pageOfHost));
  }

  /**
   * The expressions of a URL that make `check` say 'maybe', with their hashes, to tell people why. Empty for
   * another answer, and without a list. Throws as `check`.
   */
  hits(url: string): UrlHit[] {
    if (this.check(url) !== 'maybe') return [];
    return this.#keeper.usable?.list.hits(url) ?? [];
  }

  /**
   * `check`, and for what hits the confirm server's word. It sends the 4-byte prefixes that hit and are not
   * remembered, with decoys if any. Without such a server a hit is 'unsafe' by a list of `prefixBytes` 8, 16 or 32.
   * Rejects as `check` throws, and with UNAVAILABLE where `onConfirmError` is 'throw' and no answer of use came.
   */
  async verify(url: string): Promise<Verification> {
    const verdict = this.check(url);
    if (verdict !== 'maybe') return { verdict, from: 'list' };
    const { usable, signal } = this.#keeper;
    // onMissing: 'maybe'. There is no list to say which prefixes to ask for.
    if (usable === undefined) return { verdict: 'unknown', from: 'list' };
    const hits = usable.list.hits(url);
    // A rule that changes its mind about a host; nothing is safe by that.
    if (hits.length === 0) return { verdict: 'unknown', from: 'list' };
    try {
      const { listed, from } = await settleHits(hits, usable, this.#confirm, this.#config, signal);
      if (listed !== undefined) return { verdict: 'unsafe', from };
      return { verdict: readingsOf(url).isSure ? 'safe' : 'invalid', from };
    } catch (cause) {
      signal.throwIfAborted();
      if (this.#config.onConfirmError === 'throw') throw confirmError(cause);
      return { verdict: 'unknown', from: 'server' };
    }
  }

  /**
   * Looks for a newer list now. It comes by nothing (304), one delta, a chain of them or as a whole. The list is verified, stored and then switched to; what fails leaves the one in hand in use.
   * It asks whatever the back-off and Retry-After say.
   * Rejects with UNAVAILABLE, CORRUPT, TRUNCATED, TOO_LARGE, BAD_SIGNATURE, ROLLBACK, EXPIRED,
   * INCOMPATIBLE, UNSUPPORTED_VERSION, DISPOSED and as UrlList.fromBytes throws; a storage that fails is in
   * `status.error`.
   */
  update(): Promise<UpdateResult> {
    return this.#keeper.update();
  }

  /** Throws DISPOSED once closed. */
  get status(): CheckerStatus {
    return statusOf(this.#keeper, this.#config);
  }

  /** Calls `listener` after each switch to another version; the function that is given ends that. */
  onUpdate(listener: (result: UpdateResult) => void): () => void {
    return this.#keeper.onUpdate(callable<typeof listener>()(listener, 'onUpdate'));
  }

  /** Ends updates and questions on their way, and gives the list's memory back. Idempotent. */
  close(): void {
    this.#keeper.close();
  }

  /** Type and figures. */
  toJSON(): Record<string, unknown> {
    return { type: 'url-checker', ...this.status };
  }
}
