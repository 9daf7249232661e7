// The client of a confirm server: its requests, and its cache of answers (cpp/FORMAT.md, section 8.4).

import { TamisError } from '../../core/errors.js';
import {
  readBody,
  retryAfterMs,
  send,
  unavailableError,
  withTimeout,
} from '../../core/requests.js';
import {
  askedBytes,
  type ConfirmAnswer,
  decodeAnswer,
  encodeQuestion,
  maxAnswerBytes,
  maxAsked,
  maxCacheSeconds,
} from '../signed/confirm-format.js';
import type { Manifest } from '../signed/manifest.js';
import type { CheckerConfig } from './checker-options.js';

/** The cached answer about one prefix. */
interface Remembered {
  /** The listed hashes with this prefix. */
  readonly hashes: ReadonlySet<string>;
  readonly learnedMs: number;
  readonly listedUntilMs: number;
  /** The time until which all other hashes with this prefix are not listed. */
  readonly othersUntilMs: number;
}

/** More prefixes than a page asks about in a day; about a megabyte. */
const maxRemembered = 4096;

const prefixOf = (hash: string): string => hash.slice(0, 2 * askedBytes);

/** Answers by prefix. Each is kept until it expires. */
class Memory {
  /** Running requests, by their hashes. A second caller with the same hashes waits for the same answer. */
  readonly asking = new Map<string, Promise<ConfirmAnswer>>();
  readonly #prefixes = new Map<string, Remembered>();

  /** True if the hash is listed; undefined if that is unknown, or no longer known. */
  recall(hash: string, nowMs: number): boolean | undefined {
    const known = this.#prefixes.get(prefixOf(hash));
    if (known === undefined) return undefined;
    const isListed = known.hashes.has(hash);
    const untilMs = isListed ? known.listedUntilMs : known.othersUntilMs;
    // If the clock was set back, the age of an answer is unknown.
    return known.learnedMs <= nowMs && nowMs < untilMs ? isListed : undefined;
  }

  learn(asked: Iterable<string>, answer: ConfirmAnswer, nowMs: number): void {
    const until = (seconds: number) => nowMs + 1000 * Math.min(seconds, maxCacheSeconds);
    for (const prefix of asked) {
      // Moves the prefix to the end, because the first entries are dropped first.
      this.#prefixes.delete(prefix);
      this.#prefixes.set(prefix, {
        hashes: new Set(answer.hashes.filter((hash) => prefixOf(hash) === prefix)),
        learnedMs: nowMs,
        listedUntilMs: until(answer.cacheSeconds),
        othersUntilMs: until(answer.negativeSeconds),
      });
    }
    for (const prefix of this.#prefixes.keys()) {
      if (this.#prefixes.size <= maxRemembered) break;
      this.#prefixes.delete(prefix);
    }
  }
}

export class ConfirmClient {
  readonly #config: CheckerConfig;
  #memory = new Memory();
  #about: Manifest | undefined;
  /** The period in which the server wants no requests. */
  #quiet = { fromMs: 0, untilMs: 0 };

  constructor(config: CheckerConfig) {
    this.#config = config;
  }

  /**
   * Finds out if one of the hashes (in hexadecimal) is listed, and gives the source. It sends only prefixes that are
   * not cached, mixed with `decoys`. A new list clears the cache, because prefixes may have new hashes. Rejects with
   * ERR_TAMIS_UNAVAILABLE if no answer comes in time, and with ERR_TAMIS_CORRUPT for an invalid answer.
   */
  async ask(
    hashes: readonly string[],
    about: Manifest,
    decoys: () => readonly string[],
    signal: AbortSignal,
  ): Promise<{ listed: string | undefined; from: 'cache' | 'server' }> {
    const { now } = this.#config;
    // A new cache for each list: late answers about the old list go into the old cache.
    if (this.#about !== about) this.#memory = new Memory();
    this.#about = about;
    const memory = this.#memory;
    const known = hashes.map((hash) => memory.recall(hash, now()));
    const listed = hashes[known.indexOf(true)];
    if (listed !== undefined) return { listed, from: 'cache' };
    const unknown = hashes.filter((_, i) => known[i] === undefined);
    if (unknown.length === 0) return { listed, from: 'cache' };
    const question = unknown.join();
    let asking = memory.asking.get(question);
    if (asking === undefined) {
      asking = this.#send(new Set(unknown.map(prefixOf)), memory, decoys, signal).finally(() =>
        memory.asking.delete(question),
      );
      memory.asking.set(question, asking);
    }
    const answer = await asking;
    return { listed: unknown.find((hash) => answer.hashes.includes(hash)), from: 'server' };
  }

  /** Sends the prefixes with decoys, and stores the answer in `memory`. */
  async #send(
    asked: Set<string>,
    memory: Memory,
    decoys: () => readonly string[],
    signal: AbortSignal,
  ): Promise<ConfirmAnswer> {
    const { confirm: url, confirmTimeoutMs, fetch, now } = this.#config;
    if (url === null) throw unavailableError('no confirm server was given');
    const { fromMs, untilMs } = this.#quiet;
    // If the clock was set back, the rest of the period is unknown.
    if (fromMs <= now() && now() < untilMs) {
      throw unavailableError(`${url}: the server wants a pause`);
    }
    for (const decoy of decoys()) if (asked.size < maxAsked) asked.add(decoy);
    const answer = await withTimeout(confirmTimeoutMs, signal, async (signal) => {
      const init: RequestInit = {
        method: 'POST',
        body: encodeQuestion(asked),
        cache: 'no-store',
        // Not 'error', which Workers refuse. A redirect is no answer, because its status is not 200.
        redirect: 'manual',
        signal,
      };
      const response = await send(fetch, url, init);
      if (response.status !== 200) {
        const nowMs = now();
        this.#quiet = { fromMs: nowMs, untilMs: nowMs + retryAfterMs(response, nowMs) };
        throw unavailableError(`${url}: the server answered ${response.status}`);
      }
      return decodeAnswer(await readBody(response, maxAnswerBytes, signal), asked);
    });
    memory.learn(asked, answer, now());
    return answer;
  }
}

/** Wraps any failure of a server in ERR_TAMIS_UNAVAILABLE, with its cause. */
export function answerError(server: string, cause: unknown): TamisError {
  const isOurs = cause instanceof TamisError && cause.code === 'ERR_TAMIS_UNAVAILABLE';
  return isOurs ? cause : unavailableError(`${server} gave no valid answer`, cause);
}
