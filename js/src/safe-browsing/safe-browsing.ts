// A client of Safe Browsing v5.

import { addMember } from '../core/add-member.js';
import { atIndex, TamisError, typeError } from '../core/errors.js';
import { checkIterable } from '../core/key-types.js';
import { abortSignal, callable, flag, readOptions } from '../core/options.js';
import { unavailableError, withTimeout } from '../core/requests.js';
import { hexOf } from '../core/signed/bytes.js';
import type { UpdateResult } from '../url/client/list-keeper.js';
import type { CheckerAnswer, CheckerStatus } from '../url/client/list-verdicts.js';
import type { ListSource, SourceVerdict } from '../url/guard/list-source.js';
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
import { type Listing, type Listings, Search } from './search.js';

export type { SafeBrowsingMode, SafeBrowsingOptions, Threat } from './options.js';

/** What Google says of a page in the end. */
export interface SafeBrowsingVerdict extends SourceVerdict {
  /** Of 'unsafe', why. */
  readonly threats: readonly Threat[];
  /** Whether it is dangerous in a frame alone, so that the page itself is not 'unsafe'. */
  readonly frameOnly: boolean;
}

/** Options of `verify`. */
export interface SafeBrowsingVerifyOptions {
  /** Ends waiting. */
  readonly signal?: AbortSignal;
  /** Whether the page is opened in a frame; default false. */
  readonly isFrame?: boolean;
}

/** A lookup by the name of its hash. */
interface Lookup extends UrlHit {
  readonly name: string;
}

const namesOf = (hits: readonly UrlHit[]): Lookup[] =>
  hits.map((hit) => ({ ...hit, name: hexOf(hit.hash) }));

/** UNAVAILABLE, with the cause, whatever went wrong between us and the server. */
function searchError(cause: unknown): TamisError {
  const isOurs = cause instanceof TamisError && cause.code === 'ERR_TAMIS_UNAVAILABLE';
  return isOurs ? cause : unavailableError('the server gave no answer of use', cause);
}

/** 'unsafe' where one of the lookups is listed; else `clear`. */
function judgeListings(
  lookups: readonly Lookup[],
  listings: Listings,
  isFrame: boolean,
  clear: Pick<SourceVerdict, 'verdict' | 'from'>,
  actionOf: SafeBrowsingConfig['action'],
): SafeBrowsingVerdict {
  const all = lookups.flatMap(({ name, expression }) => {
    return (listings.get(name) ?? []).map((listing) => ({ ...listing, expression }));
  });
  const [first, ...others] = all.filter(({ isFrameOnly }) => isFrame || !isFrameOnly);
  if (first === undefined) return { ...clear, threats: [], frameOnly: all.length > 0 };
  const threats = [...new Set([first, ...others].map(({ threat }) => threat))];
  const wanted = threats.map((threat) => actionOf[threat]);
  // A threat without an action of its own has that of the source.
  const action = wanted.includes(undefined)
    ? undefined
    : actions.find((one) => wanted.includes(one));
  return {
    verdict: 'unsafe',
    from: clear.from,
    threats,
    frameOnly: false,
    expression: first.expression,
    ...(action && { action }),
  };
}

/** Outside the class: one that names itself is bundled under another name, `_SafeBrowsing`. */
const itself = () => SafeBrowsing;

/**
 * Asks Google's Safe Browsing, version 5, by lists in hand and by a search for hashes that begin alike. It works alone and
 * as a source of a UrlGuard. Google's service is for non-commercial use, and wants certain words on a warning: see the
 * guide. It learns the first four bytes of the hashes that are searched, and the address of who asks.
 *
 * @example
 * import { SafeBrowsing } from 'tamis/safe-browsing';
 * const google = await SafeBrowsing.open({
 *   key: 'key-of-the-api',
 *   mode: 'no-storage', // or 'local-lists' and 'real-time', with a storage
 *   onSearchError: 'unknown',
 *   // Here, without a network: nothing is listed, for five minutes.
 *   fetch: async () => new Response(Uint8Array.of(0x12, 3, 0x08, 0xac, 2)),
 * });
 * google.check('https://good.example/'); // => 'maybe'
 * (await google.verify('https://good.example/')).verdict; // => 'safe'
 * google.close();
 */
export class SafeBrowsing implements ListSource {
  readonly #config: SafeBrowsingConfig;
  readonly #lists: LocalLists | undefined;
  readonly #search: Search;
  readonly #closing: AbortController;
  /** close(), for `using`. */
  declare readonly [Symbol.dispose]: () => void;

  private constructor(
    config: SafeBrowsingConfig,
    lists: LocalLists | undefined,
    closing: AbortController,
  ) {
    if (!(closing instanceof AbortController)) {
      throw typeError('use await SafeBrowsing.open(options)');
    }
    const { prototype } = itself();
    addMember(prototype, Symbol.dispose, prototype.close);
    this.#config = config;
    this.#lists = lists;
    this.#search = new Search(config, closing.signal);
    this.#closing = closing;
  }

  /**
   * The client with its stored lists, which newer ones replace when the server allows. Where one is missing it waits for
   * the network. It opens without lists too: see `status`. Rejects with TypeError and RangeError for options that are
   * wrong, UNSUPPORTED without WebCrypto.
   */
  static async open(options: SafeBrowsingOptions): Promise<SafeBrowsing> {
    const config = readSafeBrowsingOptions(options);
    const closing = new AbortController();
    const lists =
      config.mode === 'no-storage' ? undefined : await LocalLists.open(config, closing.signal);
    return new (itself())(config, lists, closing);
  }

  #lookups(url: string): { lookups: Lookup[]; isSafe: boolean } {
    const { lookups, isSafe } = lookupsOf(url, this.#config.rule, 'SafeBrowsing');
    return { lookups: namesOf(lookups), isSafe };
  }

  /** Whether the list of good sites has something of the URL, so that the other lists say enough. */
  #isLikelyGood(url: string): boolean {
    return this.#lists?.usable(globalCache)?.check(url) === 'maybe';
  }

  /** Whether all lists of threats are in hand. */
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
   * What the lists in hand say of the URL that a browser would open for this text, and answers that are remembered. It
   * asks nobody. 'maybe': ask `verify`. That is the answer for all but good sites in 'real-time', and for everything in
   * 'no-storage'. 'unknown': a list is missing. Only 'safe' means safe. Throws TypeError for what is no string, DISPOSED.
   */
  check(url: string): CheckerAnswer {
    this.#closing.signal.throwIfAborted();
    const lists = this.#lists;
    const isLocal = this.#config.mode === 'local-lists' || this.#isLikelyGood(url);
    const answer = lists !== undefined && isLocal ? this.#checkLists(url, lists) : undefined;
    if (answer !== undefined && !this.#search.hasListed) return answer;
    const { lookups } = this.#lookups(url);
    if (lookups.length === 0) return 'invalid';
    const isListed = lookups.some(({ name }) => this.#search.recall(name)?.length);
    return isListed ? 'maybe' : (answer ?? 'maybe');
  }

  /** `check` of each, in order. Throws as `check`, with an `index`. */
  checkMany(urls: Iterable<string>): CheckerAnswer[] {
    checkIterable(urls);
    return Array.from(urls, (url, i) => {
      try {
        return this.check(url);
      } catch (error) {
        throw atIndex(error as Error, i);
      }
    });
  }

  /**
   * `check`, and for what is not surely safe Google's word. It sends the first four bytes of the hashes that hit, or of
   * all where the mode says so, unless the answer is remembered. Rejects as `check` throws, with the reason of `signal`,
   * and with UNAVAILABLE where `onSearchError` is 'throw' and no answer of use came.
   */
  async verify(url: string, options?: SafeBrowsingVerifyOptions): Promise<SafeBrowsingVerdict> {
    const { signal, isFrame = false } = readOptions(
      options,
      { signal: abortSignal, isFrame: flag },
      'verify',
    );
    signal?.throwIfAborted();
    this.#closing.signal.throwIfAborted();
    const { lookups, isSafe } = this.#lookups(url);
    const clear = { verdict: isSafe ? 'safe' : 'invalid', from: 'list' } as const;
    const known = new Map<string, readonly Listing[]>();
    for (const { name } of lookups) {
      const listings = this.#search.recall(name);
      if (listings !== undefined) known.set(name, listings);
    }
    const judge = (some: readonly Lookup[], listings: Listings, from: SourceVerdict['from']) =>
      judgeListings(some, listings, isFrame, { ...clear, from }, this.#config.action);
    const cached = judge(lookups, known, known.size > 0 ? 'cache' : 'list');
    if (lookups.length === 0 || cached.verdict === 'unsafe') return cached;

    const isOpen = ({ name }: Lookup) => !known.has(name);
    const ask = async (some: readonly Lookup[]): Promise<SafeBrowsingVerdict> => {
      if (some.length === 0) return cached;
      const names = some.map(({ name }) => name);
      const listings = await withTimeout(undefined, signal, () => this.#search.ask(names));
      const found = judge([...some, ...lookups], listings, 'server');
      return { ...found, frameOnly: found.frameOnly || cached.frameOnly };
    };
    const leave = () => {
      this.#closing.signal.throwIfAborted();
      signal?.throwIfAborted();
    };
    try {
      if (this.#config.mode !== 'local-lists' && !this.#isLikelyGood(url)) {
        try {
          return await ask(lookups.filter(isOpen));
        } catch (cause) {
          leave();
          // The lists say then, where all are there.
          if (!this.#isComplete()) throw cause;
        }
      }
      const hits = this.#hitsOf(url).filter(isOpen);
      if (hits.length > 0 || this.#isComplete()) return await ask(hits);
      return { ...cached, verdict: 'unknown' };
    } catch (cause) {
      leave();
      if (this.#config.onSearchError === 'throw') throw searchError(cause);
      const isAnswered = this.#config.onSearchError === 'safe';
      return { ...cached, verdict: isAnswered ? clear.verdict : 'unknown', from: 'server' };
    }
  }

  /** What the lists of threats may have of the URL. */
  #hitsOf(url: string): Lookup[] {
    const lists = this.#lists?.ofThreats ?? [];
    // Of what is 'invalid' hits() would throw.
    const hits = lists.flatMap((list) => (list.check(url) === 'maybe' ? list.hits(url) : []));
    return namesOf(hits);
  }

  /**
   * Requests newer lists, as far as the server allows that by now. A list is switched to once its checksum is right, and
   * stored. If an answer does not fit, the whole list is requested. If that fails too, the list in hand stays in use.
   * Rejects with UNAVAILABLE, CORRUPT, TOO_LARGE, DISPOSED; a storage that fails is in `status.error`.
   */
  async update(): Promise<UpdateResult> {
    this.#closing.signal.throwIfAborted();
    if (this.#lists !== undefined) return this.#lists.update();
    return { changed: false, receivedBytes: 0, from: undefined, to: '', by: 'none' };
  }

  /** What it works with now, of all lists together. Throws DISPOSED once closed. */
  get status(): CheckerStatus {
    this.#closing.signal.throwIfAborted();
    const lists = this.#lists;
    const all = [...(lists?.held.values() ?? [])].map(({ list }) => list);
    const knownMs = lists?.knownMs;
    return {
      version: lists?.version,
      count: all.reduce((sum, { count }) => sum + count, 0),
      sizeBytes: all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      ageMs: knownMs === undefined ? undefined : this.#config.now() - knownMs,
      stale: lists !== undefined && lists.missing.length > 0,
      source: lists?.source ?? 'none',
      error: lists?.error,
      offline: lists?.schedule.isOffline ?? false,
      nextUpdateMs: lists?.schedule.nextMs,
    };
  }

  /** Calls `listener` after each update that changed a list; the function that is given ends that. Throws DISPOSED. */
  onUpdate(listener: (result: UpdateResult) => void): () => void {
    const own = callable<typeof listener>()(listener, 'onUpdate');
    this.#closing.signal.throwIfAborted();
    return this.#lists?.onUpdate(own) ?? (() => {});
  }

  /** Ends updates and questions on their way, and gives the lists' memory back. Idempotent. */
  close(): void {
    if (this.#closing.signal.aborted) return;
    const message = 'the SafeBrowsing has been closed';
    this.#closing.abort(new TamisError('ERR_TAMIS_DISPOSED', message));
  }

  /** Type and figures. */
  toJSON(): Record<string, unknown> {
    return { type: 'safe-browsing', mode: this.#config.mode, ...this.status };
  }
}
