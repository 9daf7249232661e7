// Searches for hashes by their first four bytes, and caches the answers as long as the server says.

import type { TamisError } from '../core/errors.js';
import { type Fetch, retryAfterMs, unavailableError, withTimeout } from '../core/requests.js';
import { bytesOfHex, hexOf } from '../core/signed/bytes.js';
import { answerError, isIn, prefixOf, remember, share } from '../url/client/confirm-client.js';
import { corrupt, type FullHashDetail, readSearch, type SearchAnswer } from './messages.js';
import { type SafeBrowsingConfig, type Threat, threats } from './options.js';
import { askServer, toBase64 } from './requests.js';

export interface Listing {
  readonly threat: Threat;
  /** True if the page is dangerous only in a frame. */
  readonly isFrameOnly: boolean;
}

/** The listed hashes, in hexadecimal, with their listings. */
export type Listings = ReadonlyMap<string, readonly Listing[]>;

/** The cached answer about one prefix. */
interface Remembered {
  readonly listed: Listings;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The maximum size of an answer in bytes. An answer with the maximum number of fields is smaller. */
const maxAnswerBytes = 2 ** 20;
const longestCacheMs = 24 * 3600 * 1000;
/** After this many failures in a row, requests pause. Each further failure doubles the pause. */
const mostFailures = 3;
const firstBackOffMs = 5 * 60 * 1000;
const longestBackOffMs = 30 * 60 * 1000;

/** The number of the attribute FRAME_ONLY. */
const frameOnly = 2;

/** Returns the listing; undefined if this client does not know its threat or attribute, or must not enforce it. */
function listingOf({ threat: number, attributes }: FullHashDetail): Listing | undefined {
  // Google numbers threats from 1.
  const threat = threats[number - 1];
  // Any other attribute is unknown, or CANARY, which must not be enforced.
  const isEnforced = attributes.every((one) => one === frameOnly);
  return threat && isEnforced ? { threat, isFrameOnly: attributes.includes(frameOnly) } : undefined;
}

export class Search {
  readonly #config: SafeBrowsingConfig;
  readonly #signal: AbortSignal;
  readonly #prefixes = new Map<string, Remembered>();
  readonly #asking = new Map<string, Promise<Listings>>();
  /** The time at which the last cached answer with a listed hash expires. */
  #listedUntilMs = 0;
  #failures = 0;
  /** The failure of the last search. */
  error: TamisError | undefined;
  /** The period without requests, because of Retry-After or a back-off. */
  #quiet = { fromMs: 0, untilMs: 0 };

  constructor(config: SafeBrowsingConfig, signal: AbortSignal) {
    this.#config = config;
    this.#signal = signal;
  }

  /** Returns a hash's cached listings: [] if it is not listed; undefined if no valid answer is cached. */
  recall(hash: string): readonly Listing[] | undefined {
    const known = this.#prefixes.get(prefixOf(hash));
    if (known === undefined || !isIn(known, this.#config.now())) return undefined;
    return known.listed.get(hash) ?? [];
  }

  /** True if a cached hash may be listed. */
  get hasListed(): boolean {
    return this.#config.now() < this.#listedUntilMs;
  }

  /**
   * Searches for listed hashes with the same prefixes as `hashes`. Calls with the same prefixes share a request.
   * Rejects with ERR_TAMIS_UNAVAILABLE, or with the reason of the client's signal.
   */
  ask(hashes: readonly string[]): Promise<Listings> {
    const prefixes = [...new Set(hashes.map(prefixOf))].sort();
    return share(this.#asking, prefixes.join(), () => this.#send(prefixes));
  }

  /** Sends a request, unless requests pause. Caches the answer; a failure may start a pause. */
  async #send(prefixes: readonly string[]): Promise<Listings> {
    const { now, random, fetch, searchTimeoutMs } = this.#config;
    if (isIn(this.#quiet, now())) {
      throw unavailableError('the server wants a pause, or failed', this.error);
    }
    let waitMs = 0;
    const pairs = prefixes.map((hex) => ['hashPrefixes', toBase64(bytesOfHex(hex))]);
    const query = new URLSearchParams(pairs);
    const fetchAndNoteWait: Fetch = async (url, init) => {
      const response = await fetch(url, init);
      waitMs = retryAfterMs(response, now());
      return response;
    };
    const config = { ...this.#config, fetch: fetchAndNoteWait };
    try {
      const body = await withTimeout(searchTimeoutMs, this.#signal, (signal) =>
        askServer(config, 'hashes:search', query, maxAnswerBytes, signal),
      );
      const listed = this.#learn(prefixes, readSearch(body));
      this.#failures = 0;
      this.error = undefined;
      return listed;
    } catch (cause) {
      this.#signal.throwIfAborted();
      this.#failures++;
      const doublings = this.#failures - mostFailures;
      const backOffMs = doublings < 0 ? 0 : 2 ** doublings * firstBackOffMs * (1 + random());
      const quietMs = Math.max(waitMs, Math.min(backOffMs, longestBackOffMs));
      this.#quiet = { fromMs: now(), untilMs: now() + quietMs };
      this.error = answerError('the server', cause);
      throw this.error;
    }
  }

  /** Caches the answer under each of `prefixes`, and returns its listings. Throws ERR_TAMIS_CORRUPT. */
  #learn(prefixes: readonly string[], { hashes, cacheMs }: SearchAnswer): Listings {
    if (cacheMs === undefined || cacheMs < 0) throw corrupt('it has no cache duration');
    const all = new Map<string, Listing[]>();
    for (const { hash, details } of hashes) {
      if (hash.length !== 32) throw corrupt(`a hash has ${hash.length} bytes`);
      const listings = details.map(listingOf).filter((one) => one !== undefined);
      if (listings.length === 0) continue;
      const hex = hexOf(hash);
      const known = all.get(hex);
      if (known) known.push(...listings);
      else all.set(hex, listings);
    }
    const fromMs = this.#config.now();
    const untilMs = fromMs + Math.min(cacheMs, longestCacheMs);
    for (const prefix of prefixes) {
      const listed = new Map([...all].filter(([hash]) => prefixOf(hash) === prefix));
      if (listed.size > 0) this.#listedUntilMs = Math.max(this.#listedUntilMs, untilMs);
      remember(this.#prefixes, prefix, { listed, fromMs, untilMs });
    }
    return all;
  }
}
