import { addMember } from '../../core/add-member.js';
import { mapEach, TamisError, typeError } from '../../core/errors.js';
import { checkIterable } from '../../core/key-types.js';
import { abortSignal, callable, readOptions } from '../../core/options.js';
import type { SharedConfig } from '../client/checker-options.js';
import { answerError, isIn } from '../client/confirm-client.js';
import { type CurrentList, ListKeeper } from '../client/list-keeper.js';
import {
  answerWithout,
  type CheckerAnswer,
  type CheckerStatus,
  isAllowed,
} from '../client/list-verdicts.js';
import type { UpdateResult } from '../client/update-schedule.js';
import { ListSet } from '../list/list-set.js';
import { pageOfHost, readingsOf } from '../list/lookups.js';
import { type ShownFields, shownFields } from '../signed/manifest.js';
import { readGuardOptions, type UrlGuardOptions } from './guard-options.js';
import { type Overrides, StoredOverrides } from './overrides.js';
import {
  type Decisions,
  type Finding,
  type GuardVerdict,
  inState,
  isIncomplete,
  isSuspect,
  judge,
  listNames,
} from './policy.js';
import { askLists, type Member } from './questions.js';

/** The answer of the lists and overrides, without any request. */
export interface GuardAnswer {
  /** The answer, as in UrlChecker. A URL that an override blocks is 'maybe' too. Only 'safe' means safe. */
  readonly answer: CheckerAnswer;
  /** The lists that hit, including those that an override or `allow` cancels. */
  readonly lists: readonly string[];
  /** The lists that are missing or expired. */
  readonly missing: readonly string[];
}

/** The state of one list, and its publisher's texts for users. */
export interface GuardStatus extends CheckerStatus, ShownFields {}

/** A snapshot of the current lists. */
interface View {
  /** The list of each member, even if it has expired. */
  readonly current: readonly (CurrentList | undefined)[];
  /** The period, in milliseconds since 1970, in which the view is valid: no list expires in it. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** The lists that have not expired, at the indices of their members. */
  readonly set: ListSet;
  /** The findings for a URL that is on no list. */
  readonly findings: readonly Finding[];
  readonly missing: readonly string[];
  readonly isIncomplete: boolean;
}

/** The state for each answer of a source. Any other answer counts as missing. */
const stateBy: ReadonlyMap<CheckerAnswer, Finding['state']> = new Map([
  ['safe', 'clear'],
  ['maybe', 'hit'],
  ['invalid', 'clear'],
]);

const nothing: readonly string[] = Object.freeze([]);

/**
 * Checks URLs against 1 to 32 signed lists, each with its own action, and against the user's overrides. It stores and
 * updates the lists as UrlChecker does.
 *
 * The order of precedence is fixed: the user's 'block'; lists with `canOverride: false`; the user's 'allow' and the
 * option `allow`; all other lists. Among several lists the strictest action wins.
 */
export class UrlGuard {
  readonly #config: SharedConfig;
  readonly #members: readonly Member[];
  readonly #hasSources: boolean;
  readonly #overrides: StoredOverrides;
  readonly #closing: AbortController;
  #view: View | undefined;
  /** The same as close(), for `using`. */
  declare readonly [Symbol.dispose]: () => void;

  private constructor(
    config: SharedConfig,
    members: readonly Member[],
    overrides: StoredOverrides,
    closing: AbortController,
  ) {
    if (!(overrides instanceof StoredOverrides)) {
      throw typeError('use await UrlGuard.open(options)');
    }
    const { prototype } = new.target;
    addMember(prototype, Symbol.dispose, prototype.close);
    this.#config = config;
    this.#members = members;
    this.#hasSources = members.some(({ source }) => source !== undefined);
    this.#overrides = overrides;
    this.#closing = closing;
  }

  /**
   * Opens a guard with all its lists, each as `UrlChecker.open` does: stored lists at once, others from the network.
   * Lists may be missing: see `status`. Wrong options reject with TypeError or RangeError: bad names, two lists with
   * one manifest, no list or more than 32. Rejects with ERR_TAMIS_UNSUPPORTED if WebCrypto lacks Ed25519.
   *
   * @example
   * import { memoryStorage, publishList, UrlGuard, UrlListBuilder } from 'tamis/url';
   * const signingKeys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
   * const folder = memoryStorage();
   * const list = new UrlListBuilder({ prefixBytes: 8 }).addHosts(['evil.example']).build();
   * await publishList(list, { name: 'phish', storage: folder, signingKeys });
   * const guard = await UrlGuard.open({
   *   lists: {
   *     phish: {
   *       manifest: 'https://lists.example/phish/manifest.json',
   *       name: 'phish', // its publisher's name of the list
   *       publicKeys: [signingKeys.publicKey],
   *       confirm: null,
   *       action: 'block',
   *     },
   *   },
   *   storage: 'memory', // 'indexeddb' in a browser
   *   whenMissing: 'unknown',
   *   whenUnconfirmed: 'unknown',
   *   fetch: async (url) => new Response(await folder.get(url.split('/').at(-1))), // here, without a network
   * });
   * guard.check('https://login.evil.example/').lists; // => ['phish']
   * (await guard.verify('https://login.evil.example/')).action; // => 'block'
   * await guard.overrides.add({ url: 'https://evil.example/', scope: 'site', verdict: 'allow', forMs: 600_000 });
   * guard.check('https://login.evil.example/').answer; // => 'safe'
   * guard.close();
   */
  static async open(options: UrlGuardOptions): Promise<UrlGuard> {
    const { shared, lists } = await readGuardOptions(options);
    const closing = new AbortController();
    const opening = lists.map(async (one): Promise<Member> => {
      // A source is open already.
      if (one.source !== undefined) return one;
      return { role: one.role, keeper: await ListKeeper.open(one.config), source: undefined };
    });
    const stored = StoredOverrides.open(shared, closing.signal);
    const [overrides, ...members] = await Promise.all([stored, ...opening]);
    // Not `new UrlGuard`, because bundlers rename a class that refers to itself, here to `_UrlGuard`.
    return new this(shared, members, overrides, closing);
  }

  /** Returns the cached view if it is still valid. Otherwise makes a view and caches it. Throws ERR_TAMIS_DISPOSED. */
  #currentView(): View {
    if (this.#overrides.hasTimed) this.#overrides.noteTime();
    const cached = this.#view;
    const members = this.#members;
    const nowMs = this.#config.now();
    const isNow = cached !== undefined && isIn(cached, nowMs);
    if (isNow && members.every(({ keeper }, i) => keeper?.currentIfOpen === cached.current[i])) {
      return cached;
    }
    this.#closing.signal.throwIfAborted();
    const current = members.map(({ keeper }) => keeper?.current);
    // If the clock gives NaN, every list counts as expired.
    const isAhead = (ms: number) => nowMs < ms;
    const usable = current.map((one) => (one && isAhead(one.endMs) ? one : undefined));
    const ends = current.flatMap((one) => one?.endMs ?? []);
    const findings = members.map(({ role, source }, i): Finding => {
      // A source has no list here. #ask calls it for each URL.
      return { role, state: source || usable[i] ? 'clear' : 'missing' };
    });
    this.#view = {
      current,
      // From the latest expiry in the past to the next one; -Infinity and Infinity if there is none.
      fromMs: Math.max(...ends.filter((ms) => !isAhead(ms))),
      untilMs: Math.min(...ends.filter(isAhead)),
      set: new ListSet(usable.map((one) => one?.list)),
      findings,
      missing: Object.freeze(listNames(inState(findings, 'missing'))),
      isIncomplete: isIncomplete(findings),
    };
    return this.#view;
  }

  /**
   * Returns the finding of each list about the URL. `mask` is the answer of `view.set`: a bit for each list that hits,
   * or undefined for an invalid URL. `isValid` is false if the set or a source says that the URL is invalid.
   */
  #ask(url: string, view: View, mask: number | undefined) {
    const bits = mask ?? 0;
    let isValid = mask !== undefined;
    const findings = this.#members.map(({ role, source }, i): Finding => {
      if (source === undefined) {
        // For a list of the guard, the answer is bit i.
        return (bits >> i) & 1 ? { role, state: 'hit' } : (view.findings[i] as Finding);
      }
      const answer = source.check(url);
      if (answer === 'invalid') isValid = false;
      return { role, state: stateBy.get(answer) ?? 'missing' };
    });
    return { findings, isHit: inState(findings, 'hit').length > 0, isValid };
  }

  /** The decisions of the user and the program about the URL. A URL without a hit needs no 'allow'. */
  #decide(url: string, isHit: boolean, isHost = false): Decisions {
    const needsOverride = isHit || this.#overrides.hasBlocks;
    const override = needsOverride ? this.#overrides.verdictOn(url, isHost) : undefined;
    return { override, isAllowed: isHit && override !== 'block' && isAllowed(url, this.#config) };
  }

  /** Returns the answer while lists are missing. Throws ERR_TAMIS_UNAVAILABLE if `whenMissing` is 'throw'. */
  #noList(url: string): CheckerAnswer {
    // The first required list that is missing. Its error becomes the cause of the guard's error.
    const missing = this.#members.find(({ role, keeper }) => {
      return keeper && keeper.usable === undefined && !role.isOptional;
    });
    return answerWithout(url, this.#config, missing?.keeper?.schedule.error);
  }

  /**
   * Checks the URL that a browser would open for this text: local, synchronous and private. Throws TypeError for
   * anything but a string, and ERR_TAMIS_DISPOSED once closed. With `whenMissing: 'throw'` it throws
   * ERR_TAMIS_UNAVAILABLE if a list is missing and no hit counts.
   */
  check(url: string): GuardAnswer {
    return this.#check(url, false);
  }

  /** Checks a URL. If `isHost`, the URL is the root page of a host, and overrides of pages do not count. */
  #check(url: string, isHost: boolean): GuardAnswer {
    const view = this.#currentView();
    const mask = view.set.check(url);
    // Most URLs take this fast path: no list hits, and no source or block can change that.
    const isClear = mask === 0 && !this.#hasSources && !this.#overrides.hasBlocks;
    if (isClear && !view.isIncomplete) {
      return { answer: 'safe', lists: nothing, missing: view.missing };
    }
    const { findings, isHit, isValid } = this.#ask(url, view, mask);
    let answer: CheckerAnswer = isValid ? 'safe' : 'invalid';
    if (isSuspect(findings, this.#decide(url, isHit, isHost))) answer = 'maybe';
    else if (isIncomplete(findings)) answer = this.#noList(url);
    const lists = listNames(inState(findings, 'hit'));
    return { answer, lists, missing: listNames(inState(findings, 'missing')) };
  }

  /** Checks each URL, in order. Throws the errors of `check`, with an `index`. */
  checkMany(urls: Iterable<string>): GuardAnswer[] {
    checkIterable(urls, 'URLs');
    return mapEach(urls, (url) => this.check(url));
  }

  /**
   * Checks a host, as `UrlList.checkHost` does: a name as in DNS or mail, or an IP address. Listed pages of the host do
   * not count, and neither do overrides for its pages. Any other text is 'invalid'. Throws the errors of `check`.
   */
  checkHost(host: string): GuardAnswer {
    return this.#check(pageOfHost(host), true);
  }

  /**
   * Checks a URL, and asks the confirm servers of the lists that hit, in parallel. It ends at the first certain
   * 'block', and aborts the other requests. No server is asked if an override or `allow` decides. Rejects with the
   * errors that `check` throws, with the reason of `signal`, and with ERR_TAMIS_UNAVAILABLE if `whenUnconfirmed` is
   * 'throw' and an answer that is needed does not come.
   */
  async verify(url: string, options?: { readonly signal?: AbortSignal }): Promise<GuardVerdict> {
    const { signal } = readOptions(options, { signal: abortSignal }, 'verify');
    signal?.throwIfAborted();
    const view = this.#currentView();
    const { findings, isHit, isValid } = this.#ask(url, view, view.set.check(url));
    const decisions = this.#decide(url, isHit);
    // An override that blocks, or findings without a hit that counts, decide without a request.
    const isAsked = decisions.override !== 'block' && isSuspect(findings, decisions);
    const asked = isAsked
      ? await askLists(url, this.#members, findings, decisions, [this.#closing.signal, signal])
      : { findings };
    // Without a hit, `isValid` is false for a URL that browsers read differently.
    const isSure = isValid && (!isHit || readingsOf(url).isSure);
    const result = judge(asked.findings, decisions, isSure);
    if (result.verdict !== 'unknown') return result;
    if (inState(asked.findings, 'unknown').length === 0) {
      // Some lists are missing, but no server failed. With `whenMissing: 'throw'`, #noList throws.
      return this.#noList(url) === 'invalid' ? { ...result, verdict: 'invalid' } : result;
    }
    if (this.#config.whenUnconfirmed !== 'throw') return result;
    throw answerError('the confirm server', asked.cause);
  }

  /** The user's overrides. */
  get overrides(): Overrides {
    return this.#overrides;
  }

  /** The state of each list. Throws ERR_TAMIS_DISPOSED once closed. */
  get status(): Readonly<Record<string, GuardStatus>> {
    this.#closing.signal.throwIfAborted();
    const each = this.#members.map(({ role, keeper, source }) => {
      if (keeper === undefined) return [role.name, source.status];
      const { current, status } = keeper;
      return [role.name, { ...status, ...(current && shownFields(current.manifest)) }];
    });
    return Object.fromEntries(each);
  }

  /**
   * Updates all lists now, as `UrlChecker.update` does. Resolves to each list's result or error. A list that fails does
   * not stop the others. Rejects with ERR_TAMIS_DISPOSED once closed.
   */
  async update(): Promise<Readonly<Record<string, UpdateResult | TamisError>>> {
    this.#closing.signal.throwIfAborted();
    const each = this.#members.map(async ({ role, keeper, source }) => {
      try {
        return [role.name, await (keeper ? keeper.schedule.run() : source.update())] as const;
      } catch (error) {
        return [role.name, error as TamisError] as const;
      }
    });
    const results = await Promise.all(each);
    this.#closing.signal.throwIfAborted();
    return Object.fromEntries(results);
  }

  /**
   * Calls `listener` with the list's name after each switch to another version. Returns a function that removes it.
   * Throws ERR_TAMIS_DISPOSED once closed.
   */
  onUpdate(listener: (name: string, result: UpdateResult) => void): () => void {
    callable()(listener, 'onUpdate');
    this.#closing.signal.throwIfAborted();
    const removers = this.#members.map(({ role, keeper, source }) =>
      (source ?? keeper.schedule).onUpdate((result) => listener(role.name, result)),
    );
    return () => {
      for (const remove of removers) remove();
    };
  }

  /**
   * Aborts running updates and requests, and frees the lists' memory. Sources stay open. Idempotent. In Deno an open
   * guard keeps the program alive, because a BroadcastChannel cannot be unreferenced there.
   */
  close(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new TamisError('ERR_TAMIS_DISPOSED', 'the UrlGuard has been closed'));
    for (const { keeper } of this.#members) keeper?.close();
    this.#view = undefined;
  }

  /** Returns the type and the status of each list. */
  toJSON(): Record<string, unknown> {
    return { type: 'url-guard', lists: this.status };
  }
}
