// Checks URLs against a list that a publisher keeps up to date.

import { addMember } from '../../core/add-member.js';
import { TamisError, typeError } from '../../core/errors.js';
import { checkIterable } from '../../core/key-types.js';
import { callable } from '../../core/options.js';
import { hexOf } from '../../core/signed/bytes.js';
import { checkText, makeCanonical, readParts } from '../list/canonicalize.js';
import { urlOfHost } from '../list/hosts.js';
import { readingsOf } from '../list/readings.js';
import type { UrlHit } from '../list/url-list.js';
import {
  type CheckerConfig,
  readCheckerOptions,
  type UrlCheckerOptions,
} from './checker-options.js';
import { ConfirmClient, confirmError } from './confirm-client.js';
import { ListKeeper, type UpdateResult } from './list-keeper.js';
import { randomPrefixes } from './list-updates.js';

export type { HostSet, UrlCheckerOptions } from './checker-options.js';
export type { UpdateResult } from './list-keeper.js';

/**
 * 'safe': not on the list. 'maybe': it hits, and a listed URL always does; ask `verify`. 'invalid': no
 * browser surely opens it as a page of the web. 'unknown': there is no list, or only one past its time.
 * Only 'safe' means safe.
 */
export type CheckerAnswer = 'safe' | 'maybe' | 'invalid' | 'unknown';

/** What `verify` found, and who said so. */
export interface Verification {
  readonly verdict: 'safe' | 'unsafe' | 'unknown' | 'invalid';
  readonly from: 'list' | 'cache' | 'server';
}

/** What a UrlChecker works with now. */
export interface CheckerStatus {
  /** Of the list in hand; undefined: there is none. */
  readonly version: string | undefined;
  /** Its entries. */
  readonly count: number;
  /** Its size in memory. */
  readonly sizeBytes: number;
  /** Milliseconds since it was made. */
  readonly ageMs: number | undefined;
  /** Whether there is no list, or one past its time: `check` answers as `onMissing` says. */
  readonly stale: boolean;
  readonly source: 'none' | 'storage' | 'network';
  /**
   * Why the last update, or reading or storing its list, failed. INCOMPATIBLE where the list has prefixes of 4 bytes and
   * there is no confirm server: no hit gets a verdict.
   */
  readonly error: TamisError | undefined;
  /** Whether the last update failed because there is no network. That counts as no failure of the server. */
  readonly offline: boolean;
  /**
   * When the next update is due, in milliseconds since 1970; undefined: at the next call of `update`, or one
   * is on its way. It is stored, and holds for the next page too.
   */
  readonly nextUpdateMs: number | undefined;
}

/** Whether some list could have it. */
function hasCanonicalForm(text: string): boolean {
  try {
    makeCanonical(text, 'UrlChecker', true);
    return true;
  } catch (error) {
    if ((error as TamisError).code === 'ERR_TAMIS_INVALID_URL') return false;
    throw error;
  }
}

/** From so many bytes on a hit is a verdict: for each entry another URL begins alike by a chance of one in 2^64. */
const leastSureBytes = 8;

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
    const config = await readCheckerOptions(options);
    return new (itself())(config, await ListKeeper.open(config));
  }

  /** The answer without a list. Throws UNAVAILABLE where that is wanted. */
  #missing(url: string): CheckerAnswer {
    const { texts } = readingsOf(url);
    const { onMissing } = this.#config;
    if (onMissing === 'throw') {
      const cause = this.#keeper.error;
      const message = 'there is no list, or only one past its time; see status';
      throw new TamisError('ERR_TAMIS_UNAVAILABLE', message, { cause });
    }
    return texts.some(hasCanonicalForm) ? onMissing : 'invalid';
  }

  /** Why no hit gets a verdict, of a list of so long prefixes. */
  #errorOf(prefixBytes = leastSureBytes): TamisError | undefined {
    if (this.#config.confirm !== null || prefixBytes >= leastSureBytes) return undefined;
    const message =
      '4-byte prefixes need a confirm server; publish with 8 bytes, or give `confirm`';
    return new TamisError('ERR_TAMIS_INCOMPATIBLE', message);
  }

  /** What a hit is: a good host's is none. */
  #hit(url: string): CheckerAnswer {
    const { allow } = this.#config;
    if (allow === undefined) return 'maybe';
    const { texts, isSure } = readingsOf(url);
    if (!isSure) return 'maybe';
    makeCanonical(texts[0] as string, 'UrlChecker');
    // Not what is as good as true: a promise is, whatever it promises.
    return allow.has(readParts().host) === true ? 'safe' : 'maybe';
  }

  /**
   * What the list says of the URL that a browser would open for this text. Throws TypeError for what is no
   * string, UNAVAILABLE without a list where `onMissing` is 'throw', DISPOSED once closed.
   */
  check(url: string): CheckerAnswer {
    const usable = this.#keeper.usable;
    if (usable === undefined) return this.#missing(url);
    const answer = usable.list.check(url);
    return answer === 'maybe' ? this.#hit(url) : answer;
  }

  /** `check` of each, in order. Throws as `check`. */
  checkMany(urls: Iterable<string>): CheckerAnswer[] {
    const usable = this.#keeper.usable;
    checkIterable(urls);
    const all = [...urls];
    if (usable === undefined) return all.map((url) => this.#missing(url));
    const answers = usable.list.checkMany(all);
    return answers.map((answer, i) => (answer === 'maybe' ? this.#hit(all[i] as string) : answer));
  }

  /**
   * What the list says of a host, as `UrlList.checkHost` has it: listed pages of the host do not count. Throws as `check`.
   */
  checkHost(host: string): CheckerAnswer {
    const usable = this.#keeper.usable;
    const answer = usable?.list.checkHost(host);
    if (answer !== undefined && answer !== 'maybe') return answer;
    const url = urlOfHost(checkText(host));
    if (url === undefined) return 'invalid';
    return usable === undefined ? this.#missing(url) : this.#hit(url);
  }

  /** `checkHost` of each, in order. Throws as `check`. */
  checkHosts(hosts: Iterable<string>): CheckerAnswer[] {
    checkIterable(hosts);
    return Array.from(hosts, (host) => this.checkHost(host));
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
    const { confirm, decoys, onConfirmError, random } = this.#config;
    const { list, manifest } = usable;
    const hashes = list.hits(url).map(({ hash }) => hexOf(hash));
    // A rule that changes its mind about a host; nothing is safe by that.
    if (hashes.length === 0) return { verdict: 'unknown', from: 'list' };
    if (confirm === null && list.prefixBytes >= leastSureBytes) {
      return { verdict: 'unsafe', from: 'list' };
    }
    const pick = () => randomPrefixes(list, decoys, random);
    try {
      const { isListed, from } = await this.#confirm.ask(hashes, manifest, pick, signal);
      if (isListed) return { verdict: 'unsafe', from };
      return { verdict: readingsOf(url).isSure ? 'safe' : 'invalid', from };
    } catch (cause) {
      signal.throwIfAborted();
      if (onConfirmError === 'throw') throw confirmError(cause);
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
    const { held, usable, error, schedule } = this.#keeper;
    return {
      version: held?.manifest.version,
      count: held?.list.count ?? 0,
      sizeBytes: held?.list.sizeBytes ?? 0,
      ageMs: held && this.#config.now() - Date.parse(held.manifest.created),
      stale: usable === undefined,
      source: held?.source ?? 'none',
      error: error ?? this.#errorOf(held?.list.prefixBytes),
      offline: schedule.isOffline,
      nextUpdateMs: schedule.nextMs,
    };
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
