import { addMember } from '../core/add-member.js';
import { mapEach, TamisError, typeError } from '../core/errors.js';
import { checkIterable } from '../core/key-types.js';
import { abortSignal, callable, flag, readOptions } from '../core/options.js';
import { withTimeout } from '../core/requests.js';
import { hexOf } from '../core/signed/bytes.js';
import { answerError } from '../url/client/confirm-client.js';
import type { CheckerAnswer, CheckerStatus } from '../url/client/list-verdicts.js';
import type { UpdateResult } from '../url/client/update-schedule.js';
import type { ListSource, SourceVerdict } from '../url/guard/guard-options.js';
import { actions } from '../url/guard/policy.js';
import { lookupsOf, type UrlHit } from '../url/list/lookups.js';
import { LocalLists } from './local-lists.js';
import {
  globalCache,
  readSafeBrowsingOptions,
  type SafeBrowsingConfig,
  type SafeBrowsingOptions,
  type Threat,
} from './options.js';
import { isRefusal } from './requests.js';
import { type Listing, type Listings, Search } from './search.js';

/** The final verdict on a page. */
export interface SafeBrowsingVerdict extends SourceVerdict {
  /** The threats, if the verdict is 'unsafe'. */
  readonly threats: readonly Threat[];
  /** True if the page is dangerous only in a frame. Then the page itself is not 'unsafe'. */
  readonly frameOnly: boolean;
}

/** Options of `verify`. */
export interface SafeBrowsingVerifyOptions {
  /** When the signal aborts, `verify` stops waiting for an answer. */
  readonly signal?: AbortSignal;
  /** True if the page is opened in a frame; default false. */
  readonly isFrame?: boolean;
}

interface Lookup extends UrlHit {
  readonly hex: string;
}

const withHex = (hits: readonly UrlHit[]): Lookup[] =>
  hits.map((hit) => ({ ...hit, hex: hexOf(hit.hash) }));

/** Returns 'unsafe' if a listing counts for a look-up; else `clear`. A listing for frames counts only in a frame. */
function judgeListings(
  lookups: readonly Lookup[],
  listings: Listings,
  isFrame: boolean,
  clear: Pick<SourceVerdict, 'verdict' | 'from'>,
  actionOf: SafeBrowsingConfig['action'],
): SafeBrowsingVerdict {
  const all = lookups.flatMap(({ hex, expression }) => {
    return (listings.get(hex) ?? []).map((listing) => ({ ...listing, expression }));
  });
  const counted = all.filter(({ isFrameOnly }) => isFrame || !isFrameOnly);
  const [first] = counted;
  if (first === undefined) return { ...clear, threats: [], frameOnly: all.length > 0 };
  const threats = [...new Set(counted.map(({ threat }) => threat))];
  const wanted = threats.map((threat) => actionOf[threat]);
  // `actions` begins with the strictest.
  const strictest = actions.find((one) => wanted.includes(one));
  // In UrlGuard, a threat without an action gets the source's action. That may be stricter than all but 'block'.
  const isCertain = strictest === 'block' || !wanted.includes(undefined);
  return {
    verdict: 'unsafe',
    from: clear.from,
    threats,
    frameOnly: false,
    expression: first.expression,
    ...(strictest && isCertain && { action: strictest }),
  };
}

/**
 * Checks URLs with Google's Safe Browsing, version 5: with local lists, and with a search for hash prefixes. It works
 * alone and as a source of a UrlGuard.
 *
 * Google's service is for non-commercial use, and prescribes the text of warnings: see the guide. Google learns the
 * first four bytes of the searched hashes, and your user's IP address.
 */
export class SafeBrowsing implements ListSource {
  readonly #config: SafeBrowsingConfig;
  readonly #lists: LocalLists | undefined;
  readonly #search: Search;
  readonly #closing: AbortController;
  /** The same as close(), for `using`. */
  declare readonly [Symbol.dispose]: () => void;

  private constructor(
    config: SafeBrowsingConfig,
    lists: LocalLists | undefined,
    closing: AbortController,
  ) {
    if (!(closing instanceof AbortController)) {
      throw typeError('use await SafeBrowsing.open(options)');
    }
    const { prototype } = new.target;
    addMember(prototype, Symbol.dispose, prototype.close);
    this.#config = config;
    this.#lists = lists;
    this.#search = new Search(config, closing.signal);
    this.#closing = closing;
  }

  /**
   * Opens a client with the stored lists, and updates them when the server allows. If a list is missing, waits for the
   * network, and then opens even if lists are still missing: see `status`. Wrong options reject with TypeError or
   * RangeError. Rejects with ERR_TAMIS_UNSUPPORTED if the engine lacks WebCrypto.
   *
   * @example
   * import { SafeBrowsing } from 'tamis/safe-browsing';
   * const google = await SafeBrowsing.open({
   *   apiKey: 'your-api-key',
   *   mode: 'no-storage', // or 'local-lists' and 'real-time', with a storage
   *   whenSearchFails: 'unknown',
   *   // Here, without a network: nothing is listed, for five minutes.
   *   fetch: async () => new Response(Uint8Array.of(0x12, 3, 0x08, 0xac, 2)),
   * });
   * google.check('https://good.example/'); // => 'maybe'
   * (await google.verify('https://good.example/')).verdict; // => 'safe'
   * google.close();
   */
  static async open(options: SafeBrowsingOptions): Promise<SafeBrowsing> {
    const config = readSafeBrowsingOptions(options);
    const closing = new AbortController();
    const lists =
      config.mode === 'no-storage' ? undefined : await LocalLists.open(config, closing.signal);
    // Not `new SafeBrowsing`, because bundlers rename a class that refers to itself, here to `_SafeBrowsing`.
    return new this(config, lists, closing);
  }

  /** True if the list of good sites may contain the URL. Then the other lists decide. */
  #isLikelyGood(url: string): boolean {
    return this.#lists?.usable(globalCache)?.check(url) === 'maybe';
  }

  /** True if no threat list is missing. */
  #isComplete(): boolean {
    return this.#lists?.missing.every((name) => name === globalCache) === true;
  }

  #checkLists(url: string, lists: LocalLists): CheckerAnswer {
    const answers = lists.ofThreats.map((list) => list.check(url));
    if (answers.includes('maybe')) return 'maybe';
    if (answers.includes('invalid')) return 'invalid';
    return this.#isComplete() ? 'safe' : 'unknown';
  }

  /**
   * Checks the URL that a browser would open for this text, with the local lists and cached answers, without a request.
   * Only 'safe' means safe. 'maybe': call `verify`. In 'real-time', every URL that is not on the list of good sites is
   * 'maybe', and in 'no-storage' every URL. 'unknown': a list is missing. Throws TypeError for anything but a string,
   * and ERR_TAMIS_DISPOSED.
   */
  check(url: string): CheckerAnswer {
    this.#closing.signal.throwIfAborted();
    const lists = this.#lists;
    const isLocal = this.#config.mode === 'local-lists' || this.#isLikelyGood(url);
    /** The lists' answer; undefined if they cannot decide. */
    const answer = lists !== undefined && isLocal ? this.#checkLists(url, lists) : undefined;
    // Only a cached listing could change this answer.
    if (answer !== undefined && !this.#search.hasListed) return answer;
    const { lookups } = lookupsOf(url, this.#config.rule);
    if (lookups.length === 0) return 'invalid';
    const isListed = withHex(lookups).some(({ hex }) => this.#search.recall(hex)?.length);
    return isListed ? 'maybe' : (answer ?? 'maybe');
  }

  /** Checks each URL, in order. Throws the errors of `check`, with an `index`. */
  checkMany(urls: Iterable<string>): CheckerAnswer[] {
    checkIterable(urls, 'URLs');
    return mapEach(urls, (url) => this.check(url));
  }

  /**
   * Checks a URL, and asks Google unless the URL is certainly safe. It sends the first four bytes of the hashes that
   * hit (of all hashes in some modes), unless the answer is cached. Rejects with the errors that `check` throws, with
   * the reason of `signal`, and with ERR_TAMIS_UNAVAILABLE if no valid answer comes and `whenSearchFails` is 'throw'.
   */
  async verify(url: string, options?: SafeBrowsingVerifyOptions): Promise<SafeBrowsingVerdict> {
    const readers = { signal: abortSignal, isFrame: flag };
    const { signal, isFrame = false } = readOptions(options, readers, 'verify');
    signal?.throwIfAborted();
    this.#closing.signal.throwIfAborted();
    const all = lookupsOf(url, this.#config.rule);
    const lookups = withHex(all.lookups);
    /** The verdict without a listing. */
    const clear = all.isSafe ? 'safe' : 'invalid';
    const known = new Map<string, readonly Listing[]>();
    for (const { hex } of lookups) {
      const listings = this.#search.recall(hex);
      if (listings !== undefined) known.set(hex, listings);
    }
    const judge = (some: readonly Lookup[], listings: Listings, from: SourceVerdict['from']) =>
      judgeListings(some, listings, isFrame, { verdict: clear, from }, this.#config.action);
    const cached = judge(lookups, known, known.size > 0 ? 'cache' : 'list');
    if (lookups.length === 0 || cached.verdict === 'unsafe') return cached;
    try {
      const outcome = await this.#searchFor(url, lookups, known, signal);
      // A list is missing, and there was nothing to search for.
      if (outcome === undefined) return { ...cached, verdict: 'unknown' };
      if (outcome.searched.length === 0) return cached;
      // All look-ups count: if the host rule answered differently in the search, `searched` and `lookups` differ.
      const listings = new Map([...known, ...outcome.listings]);
      return judge([...outcome.searched, ...lookups], listings, 'server');
    } catch (cause) {
      this.#throwIfAborted(signal);
      if (this.#config.whenSearchFails === 'throw') throw answerError('the server', cause);
      // While requests pause, the error's cause is the last failure.
      const isRefused = [cause, Object(cause).cause].some((error) => isRefusal(error, 408, 429));
      const isOpen = this.#config.whenSearchFails === 'safe' && !isRefused;
      const verdict = isOpen ? clear : 'unknown';
      return { ...cached, verdict, from: 'server' };
    }
  }

  #throwIfAborted(signal: AbortSignal | undefined): void {
    this.#closing.signal.throwIfAborted();
    signal?.throwIfAborted();
  }

  /**
   * Searches for the look-ups that have no cached answer: all of them, or those that hit a list, depending on the mode.
   * Resolves to undefined if there is nothing to search for, but a list is missing, so that there is no verdict.
   */
  async #searchFor(
    url: string,
    lookups: readonly Lookup[],
    known: Listings,
    signal: AbortSignal | undefined,
  ): Promise<{ searched: readonly Lookup[]; listings: Listings } | undefined> {
    const search = async (some: readonly Lookup[]) => {
      const searched = some.filter(({ hex }) => !known.has(hex));
      const ask = () => this.#search.ask(searched.map(({ hex }) => hex));
      // `signal` ends only this wait, because other callers may share the request.
      const listings = searched.length > 0 ? await withTimeout(undefined, signal, ask) : known;
      return { searched, listings };
    };
    if (this.#config.mode !== 'local-lists' && !this.#isLikelyGood(url)) {
      try {
        return await search(lookups);
      } catch (cause) {
        this.#throwIfAborted(signal);
        // The lists decide instead, if none is missing.
        if (!this.#isComplete()) throw cause;
      }
    }
    // This is read before the search, because a list that arrives during the search was not looked up.
    const isComplete = this.#isComplete();
    const outcome = await search(this.#hitsOf(url));
    return outcome.searched.length > 0 || isComplete ? outcome : undefined;
  }

  /** The look-ups of the URL that hit a threat list. */
  #hitsOf(url: string): Lookup[] {
    const lists = this.#lists?.ofThreats ?? [];
    // hits() throws for 'invalid' URLs.
    return withHex(lists.flatMap((list) => (list.check(url) === 'maybe' ? list.hits(url) : [])));
  }

  /**
   * Updates the lists now, except those for which the server has asked for a wait (always at least a minute). A list is
   * used and stored once its checksum is right. If an answer does not fit the list, or the server refuses a version,
   * the whole list is requested. If that fails too, the old list stays. Rejects with ERR_TAMIS_UNAVAILABLE,
   * ERR_TAMIS_CORRUPT, ERR_TAMIS_TOO_LARGE and ERR_TAMIS_DISPOSED. A failure of the storage only appears in
   * `status.error`.
   */
  async update(): Promise<UpdateResult> {
    this.#closing.signal.throwIfAborted();
    if (this.#lists !== undefined) return this.#lists.schedule.run();
    return { changed: false, receivedBytes: 0, from: undefined, to: '', by: 'none' };
  }

  /**
   * The current state of all lists together. `error` may also be the failure of the last search, with Google's reason,
   * such as a wrong API key. Throws ERR_TAMIS_DISPOSED once closed.
   */
  get status(): CheckerStatus {
    this.#closing.signal.throwIfAborted();
    const lists = this.#lists;
    const all = lists?.all ?? [];
    const knownMs = lists?.knownMs;
    return {
      version: lists?.version,
      count: all.reduce((sum, { count }) => sum + count, 0),
      sizeBytes: all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      ageMs: knownMs === undefined ? undefined : this.#config.now() - knownMs,
      stale: lists !== undefined && lists.missing.length > 0,
      source: lists?.source ?? 'none',
      error: lists?.schedule.error ?? this.#search.error,
      offline: lists?.schedule.isOffline ?? false,
      nextUpdateMs: lists?.schedule.nextMs,
    };
  }

  /** Calls `listener` after each change of a list. Returns a function that removes it. Throws ERR_TAMIS_DISPOSED. */
  onUpdate(listener: (result: UpdateResult) => void): () => void {
    callable()(listener, 'onUpdate');
    this.#closing.signal.throwIfAborted();
    return this.#lists?.schedule.onUpdate(listener) ?? (() => {});
  }

  /** Aborts running updates and requests, and frees the lists' memory. Idempotent. */
  close(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new TamisError('ERR_TAMIS_DISPOSED', 'the SafeBrowsing has been closed'));
  }

  /** Returns the type, the mode and the status. */
  toJSON(): Record<string, unknown> {
    return { type: 'safe-browsing', mode: this.#config.mode, ...this.status };
  }
}
