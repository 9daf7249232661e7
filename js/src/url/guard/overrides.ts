// The user's overrides. They are stored, shared by all pages, and never last longer than the user chose.

import { rangeError, TamisError } from '../../core/errors.js';
import { between, callable, copyOwn, need, oneOf, readOptions, text } from '../../core/options.js';
import { unavailableError, withTimeout } from '../../core/requests.js';
import { matchText } from '../../core/signed/fields.js';
import { errorOf } from '../../core/statuses.js';
import type { CheckerConfig } from '../client/checker-options.js';
import { ifCanonical } from '../list/canonicalize.js';
import { placeOf } from '../list/expressions.js';
import { readingsOf } from '../list/lookups.js';
import { hasMember, inTurn } from '../signed/storage.js';
import {
  changeOverrides,
  fileName,
  type Kept,
  keyOf,
  type Override,
  readOverrides,
} from './overrides-file.js';

/** The argument of `Overrides.add`. */
export interface NewOverride {
  /** The URL, as a user typed it. */
  readonly url: string;
  readonly scope: Override['scope'];
  readonly verdict: Override['verdict'];
  /** The duration in milliseconds, at most a year. Without it, the override has no end. */
  readonly forMs?: number;
  /** A note for people, at most 1,000 characters. */
  readonly note?: string;
}

/** The user's exceptions to the lists. All guards with the same storage share them. A change that rejects is undone. */
export interface Overrides {
  /**
   * Stores an override, and replaces an override with the same scope and target. It applies once stored, to http,
   * https, ws, wss and ftp alike. Rejects with ERR_TAMIS_INVALID_URL if browsers may open different pages or none for
   * the URL, and with RangeError for an 'allow' of a site if `publicSuffixes` returns true for its host. Rejects with
   * ERR_TAMIS_TOO_LARGE above 10,000 overrides, or for a `target` above 8,192 characters, with ERR_TAMIS_UNAVAILABLE if
   * the storage fails, and with ERR_TAMIS_DISPOSED once closed.
   */
  add(override: NewOverride): Promise<Override>;
  /** Removes an override. Resolves to false if there was none. Rejects with the errors of `add`. */
  remove(override: Override): Promise<boolean>;
  /** The current overrides, oldest first. */
  list(): Override[];
  /** Removes all overrides. Rejects with the errors of `add`. */
  clear(): Promise<void>;
  /** Calls `listener` after each change, also in other pages and processes. Returns a function that removes it. */
  onChange(listener: () => void): () => void;
  /** ERR_TAMIS_CORRUPT if the file is damaged: no 'allow' in it counts. ERR_TAMIS_UNAVAILABLE if it is unreadable. */
  readonly error: TamisError | undefined;
}

const mostOverrides = 10_000;
const longestMs = 365 * 24 * 3600 * 1000;
const longestTarget = 8192;

/** The interval at which the latest time is stored: when a page ends, at most this much time is lost. */
const seenEveryMs = 60_000;
/** If a host name is longer, only its last `longestHost` characters are looked up. */
const longestHost = 256;
const readers = {
  url: text,
  scope: oneOf(['host', 'site', 'page']),
  verdict: oneOf(['allow', 'block']),
  forMs: between(1, longestMs),
  note: matchText(/^[\s\S]{0,1000}$/, 'a text of at most 1,000 characters'),
};

const tooLarge = (most: number, what: string) =>
  new TamisError('ERR_TAMIS_TOO_LARGE', `at most ${most} ${what}`);

const isOver = ({ untilMs }: Kept, nowMs: number): boolean =>
  untilMs !== undefined && nowMs >= untilMs;

/** Returns the override without internal fields. */
const shown = ({ seenMs: _, id: __, ...rest }: Kept): Override => Object.freeze(rest);

/** Returns a URL without its scheme, which is the target of an override for that page. */
const withoutScheme = (url: string): string => url.slice(url.indexOf('//') + 2);

/** Returns the result of placeOf; undefined if the URL has no canonical form. */
const tryPlaceOf = (url: string, isLenient = false) => ifCanonical(() => placeOf(url, isLenient));

/** Returns the look-up key of an override. keysOf returns this key for the URLs to which the override applies. */
function lookUpKeyOf({ scope, target, verdict }: Override): string {
  if (scope !== 'page') return `${scope} ${target}`;
  if (verdict === 'allow') return `url ${target}`;
  return `page ${tryPlaceOf(`http://${target}`)?.page ?? target}`;
}

/** Returns a URL's look-up keys: its page (unless `isHost`), its host, and its host and parent domains as sites. */
function keysOf(text: string, isLenient: boolean, isHost: boolean): string[] {
  const place = tryPlaceOf(text, isLenient);
  if (place === undefined) return [];
  const { host, page, isAddress } = place;
  const pages = isHost ? [] : [`page ${page}`, `url ${withoutScheme(text)}`];
  const sites = [host];
  // Only the end of a long host is used: an attacker's host may have a million labels. An address has no parents.
  let dot = isAddress ? -1 : host.indexOf('.', host.length - longestHost);
  for (; dot >= 0; dot = host.indexOf('.', dot + 1)) sites.push(host.slice(dot + 1));
  return [...pages, `host ${host}/`, ...sites.map((site) => `site ${site}/`)];
}

interface Config extends Pick<CheckerConfig, 'storage' | 'now' | 'downloadTimeoutMs'> {
  readonly publicSuffixes: ((host: string) => boolean) | undefined;
}

export class StoredOverrides implements Overrides {
  readonly #config: Config;
  readonly #signal: AbortSignal;
  readonly #listeners = new Set<() => void>();
  readonly #channel: BroadcastChannel | undefined;
  #kept = new Map<string, Kept>();
  /** The text of the file. */
  #text = '';
  /** The overrides of #kept, by their look-up keys. */
  #byLookUp = new Map<string, Kept[]>();
  /** True if an override is a 'block', so that every URL must be checked. */
  hasBlocks = false;
  /** True if an override has an end, so that the clock must be watched. */
  hasTimed = false;
  /** The latest time that was seen and is not stored yet. */
  #latestMs = 0;
  #savedMs = 0;
  error: TamisError | undefined;

  private constructor(config: Config, signal: AbortSignal) {
    this.#config = config;
    this.#signal = signal;
    const { BroadcastChannel: Channel }: Partial<typeof globalThis> = globalThis;
    this.#channel = Channel && new Channel(fileName);
    // In Node, the channel must not keep the process alive.
    (this.#channel as { unref?: () => void } | undefined)?.unref?.();
    this.#channel?.addEventListener('message', () => this.#load());
    const { storage } = config;
    const unwatch = hasMember(storage, 'watch')
      ? callable<() => void>()(
          storage.watch?.(fileName, () => this.#load()),
          'the result of storage.watch',
        )
      : () => {};
    signal.addEventListener('abort', () => {
      this.#channel?.close();
      try {
        unwatch();
      } catch {
        // An abort listener that throws would end the process.
      }
      this.#listeners.clear();
    });
  }

  /** Loads the stored overrides. A failure of the storage appears in `error`. */
  static async open(config: Config, signal: AbortSignal): Promise<StoredOverrides> {
    const overrides = new StoredOverrides(config, signal);
    await overrides.#load();
    return overrides;
  }

  /** Runs `action`. Throws ERR_TAMIS_UNAVAILABLE if it fails, and ERR_TAMIS_DISPOSED once closed. */
  async #run<T>(action: () => Promise<T>): Promise<T> {
    this.#signal.throwIfAborted();
    try {
      return await action();
    } catch (cause) {
      this.#signal.throwIfAborted();
      if (cause instanceof TamisError) throw cause;
      throw unavailableError('the storage of overrides failed', cause);
    }
  }

  /** Loads the file, and calls the listeners if it has changed. */
  async #load(): Promise<void> {
    const { storage, downloadTimeoutMs } = this.#config;
    const before = [this.#text, this.error?.code].join();
    try {
      const { kept, isDamaged, text } = await this.#run(() =>
        inTurn(storage, () =>
          withTimeout(downloadTimeoutMs, this.#signal, () => readOverrides(storage)),
        ),
      );
      this.#adopt(kept, text);
      const message = 'the file of overrides is damaged: no allow in it counts';
      this.error = isDamaged ? new TamisError('ERR_TAMIS_CORRUPT', message) : undefined;
    } catch (error) {
      if (this.#signal.aborted) return;
      this.error = error as TamisError;
      // Each 'block' stays, but no 'allow', because another page may have removed it in the meantime.
      const blocks = [...this.#kept].filter(([, { verdict }]) => verdict === 'block');
      this.#adopt(new Map(blocks), '');
    }
    if ([this.#text, this.error?.code].join() !== before) this.#notify();
  }

  #adopt(kept: Map<string, Kept>, text: string): void {
    const all = [...kept.values()];
    this.#kept = kept;
    this.#text = text;
    this.#byLookUp = new Map();
    for (const one of all) {
      const key = lookUpKeyOf(one);
      this.#byLookUp.set(key, [...(this.#byLookUp.get(key) ?? []), one]);
    }
    this.hasBlocks = all.some(({ verdict }) => verdict === 'block');
    this.hasTimed = all.some(({ untilMs }) => untilMs !== undefined);
  }

  #notify(): void {
    for (const listener of this.#listeners) {
      queueMicrotask(() => this.#listeners.has(listener) && listener());
    }
  }

  /** Applies `act` to the stored overrides, and stores the result. Resolves to what `act` returned. */
  async #change<T>(act: (kept: Map<string, Kept>, nowMs: number) => T): Promise<T> {
    let result: T | undefined;
    let latestMs = 0;
    let nowMs = 0;
    const actNow = (kept: Map<string, Kept>) => {
      latestMs = this.#latestMs;
      nowMs = this.#config.now();
      for (const [key, one] of kept) {
        // The time is stored, so that no override lasts longer if the clock is set back later.
        one.seenMs = Math.max(one.seenMs, latestMs);
        if (isOver(one, nowMs)) kept.delete(key);
      }
      result = act(kept, nowMs);
      if (kept.size > mostOverrides) throw tooLarge(mostOverrides, 'overrides');
    };
    const { kept, text } = await this.#run(() =>
      changeOverrides(this.#config, this.#signal, actNow),
    );
    this.#adopt(kept, text);
    // #latestMs is stored now. A clock that was once ahead must not affect later overrides.
    if (this.#latestMs === latestMs) this.#latestMs = 0;
    this.#savedMs = nowMs;
    this.error = undefined;
    return result as T;
  }

  /** Makes a change for the user, and notifies other pages. */
  async #changeAll<T>(act: (kept: Map<string, Kept>, nowMs: number) => T): Promise<T> {
    const result = await this.#change(act);
    this.#signal.throwIfAborted();
    this.#channel?.postMessage(null);
    this.#notify();
    return result;
  }

  async add(override: NewOverride): Promise<Override> {
    const what = 'overrides.add';
    const values = readOptions(override, readers, what);
    need(values, what, 'url', 'scope', 'verdict');
    const { url, forMs, ...rest } = values;
    const { texts, isSure } = readingsOf(url);
    const [text] = texts;
    if (!isSure || text === undefined) throw errorOf('ERR_TAMIS_INVALID_URL');
    const { host, isAddress } = placeOf(text);
    const isSiteAllow = rest.scope === 'site' && rest.verdict === 'allow' && !isAddress;
    if (isSiteAllow && this.#config.publicSuffixes?.(host)) {
      throw rangeError(`${what}: scope must be 'host' or 'page' for a public suffix, got 'site'`);
    }
    const target = rest.scope === 'page' ? withoutScheme(text) : `${host}/`;
    if (target.length > longestTarget) throw tooLarge(longestTarget, 'characters');
    return this.#changeAll((kept, nowMs) => {
      if (!(nowMs > 0)) throw unavailableError('now() gives no time');
      const untilMs = forMs && nowMs + forMs;
      const own = { id: crypto.randomUUID(), seenMs: nowMs };
      const one: Kept = copyOwn({ target, ...rest, ...(untilMs && { untilMs }), ...own });
      const key = keyOf(one);
      // The newest comes last.
      kept.delete(key);
      kept.set(key, one);
      return shown(one);
    });
  }

  async remove(override: Override): Promise<boolean> {
    const { verdict, ...rest }: Override = Object(override);
    const key = keyOf(rest);
    return this.#changeAll((kept) => kept.get(key)?.verdict === verdict && kept.delete(key));
  }

  async clear(): Promise<void> {
    await this.#changeAll((kept) => kept.clear());
  }

  list(): Override[] {
    this.#signal.throwIfAborted();
    const nowMs = this.noteTime();
    return [...this.#kept.values()].filter((one) => this.#isInForce(one, nowMs)).map(shown);
  }

  onChange(listener: () => void): () => void {
    this.#signal.throwIfAborted();
    callable()(listener, 'onChange');
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns the time, and stores it now and then, so that setting the clock back prolongs no 'allow'. */
  noteTime(): number {
    const nowMs = this.#config.now();
    if (!this.hasTimed) return nowMs;
    if (nowMs > this.#latestMs) this.#latestMs = nowMs;
    if (nowMs - this.#savedMs > seenEveryMs) {
      this.#savedMs = nowMs;
      // A change stores the latest time, even if no override changes.
      this.#change(() => {}).catch(() => {});
    }
    return nowMs;
  }

  /** True if an override is in force. If the clock is unreliable, a timed 'allow' has ended, but a 'block' has not. */
  #isInForce(one: Kept, nowMs: number): boolean {
    const { untilMs, verdict } = one;
    if (untilMs === undefined) return true;
    if (verdict === 'block') return !isOver(one, nowMs);
    return Math.max(one.seenMs, this.#latestMs) <= nowMs && nowMs < untilMs;
  }

  /**
   * Returns 'block' if any page that a browser may open for the URL is blocked; otherwise 'allow' if the URL is allowed
   * and all browsers open the same page. If `isHost`, overrides of pages do not count.
   */
  verdictOn(url: string, isHost: boolean): Override['verdict'] | undefined {
    const nowMs = this.noteTime();
    if (this.#kept.size === 0) return undefined;
    const { texts, isSure } = readingsOf(url);
    const keys = texts.flatMap((text) => keysOf(text, !isSure, isHost));
    const verdicts = keys
      .flatMap((key) => this.#byLookUp.get(key) ?? [])
      .filter((one) => this.#isInForce(one, nowMs))
      .map(({ verdict }) => verdict);
    if (verdicts.includes('block')) return 'block';
    return isSure ? verdicts.at(0) : undefined;
  }
}
