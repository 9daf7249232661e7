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

/** A period, in milliseconds since 1970. */
interface Period {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** True during the period. Before it, the result is false too: the clock was set back, so the time left is unknown. */
export const isIn = ({ fromMs, untilMs }: Period, nowMs: number): boolean =>
  fromMs <= nowMs && nowMs < untilMs;

/** The maximum number of prefixes in a cache, about a megabyte: more than a page asks about in a day. */
const mostRemembered = 4096;

/** Adds the newest answer to a cache, and drops the oldest answer if there are too many. */
export function remember<T>(answers: Map<string, T>, prefix: string, answer: T): void {
  // A Map keeps the place of a key that it contains. Deleting the key first moves it to the end.
  answers.delete(prefix);
  answers.set(prefix, answer);
  const [oldest = ''] = answers.keys();
  if (answers.size > mostRemembered) answers.delete(oldest);
}

/** Sends a request. While it runs, a second caller with the same question gets the same answer. */
export function share<T>(
  running: Map<string, Promise<T>>,
  question: string,
  send: () => Promise<T>,
): Promise<T> {
  const answer = running.get(question) ?? send().finally(() => running.delete(question));
  running.set(question, answer);
  return answer;
}

/** The cached answer about one prefix. */
interface Remembered {
  /** The listed hashes with this prefix. */
  readonly hashes: ReadonlySet<string>;
  readonly fromMs: number;
  readonly listedUntilMs: number;
  /** The time until which all other hashes with this prefix count as not listed. */
  readonly othersUntilMs: number;
}

/** The prefix of a hash, both in hexadecimal. */
export const prefixOf = (hash: string): string => hash.slice(0, 2 * askedBytes);

/** The cached answers, by prefix. An expired answer counts as unknown. */
class Memory {
  /** Running requests, by their hashes. */
  readonly asking = new Map<string, Promise<ConfirmAnswer>>();
  readonly #prefixes = new Map<string, Remembered>();

  /** True if the hash is listed, false if it is not; undefined if no valid answer about it is cached. */
  recall(hash: string, nowMs: number): boolean | undefined {
    const known = this.#prefixes.get(prefixOf(hash));
    if (known === undefined) return undefined;
    const isListed = known.hashes.has(hash);
    const untilMs = isListed ? known.listedUntilMs : known.othersUntilMs;
    return isIn({ fromMs: known.fromMs, untilMs }, nowMs) ? isListed : undefined;
  }

  /** Stores an answer. If `isEven`, its parts expire together, so that no later request reveals which part expired. */
  learn(
    prefixes: Iterable<string>,
    { hashes, cacheSeconds, negativeSeconds }: ConfirmAnswer,
    nowMs: number,
    isEven: boolean,
  ): void {
    const least = isEven ? Math.min(cacheSeconds, negativeSeconds) : maxCacheSeconds;
    const until = (seconds: number) => nowMs + 1000 * Math.min(seconds, least, maxCacheSeconds);
    for (const prefix of prefixes) {
      remember(this.#prefixes, prefix, {
        hashes: new Set(hashes.filter((hash) => prefixOf(hash) === prefix)),
        fromMs: nowMs,
        listedUntilMs: until(cacheSeconds),
        othersUntilMs: until(negativeSeconds),
      });
    }
  }
}

/** Hashes in hexadecimal, and the prefixes to send for them: for each hash a group, which is its prefix and decoys. */
interface Question {
  readonly hashes: string[];
  prefixes: ReadonlySet<string>;
}

/** Divides hashes into requests of at most `maxAsked` prefixes, as the server accepts. Each group stays whole. */
async function questionsOf(
  hashes: readonly string[],
  groupOf: (prefix: string) => Promise<readonly string[]>,
): Promise<Question[]> {
  const questions: Question[] = [];
  for (const hash of hashes) {
    const group = await groupOf(prefixOf(hash));
    const last = questions.at(-1);
    const both = new Set([...(last?.prefixes ?? []), ...group]);
    if (last && both.size <= maxAsked) {
      last.prefixes = both;
      last.hashes.push(hash);
    } else questions.push({ hashes: [hash], prefixes: new Set(group) });
  }
  return questions;
}

export class ConfirmClient {
  readonly #config: CheckerConfig;
  #memory = new Memory();
  /** The manifest of the list to which the cached answers belong. */
  #manifest: Manifest | undefined;
  /** The period in which the server wants no requests. */
  #quiet = { fromMs: 0, untilMs: 0 };

  constructor(config: CheckerConfig) {
    this.#config = config;
  }

  /**
   * Finds the first listed hash among `hashes` (in hexadecimal), and where that answer comes from. For each prefix that
   * is not cached, it sends the prefix's group, which `groupOf` returns. With decoys, it sends all groups, even after a
   * listed hash is found. A new list clears the cache, because prefixes may have new hashes. A second call for the same
   * hashes shares the running request, which the first caller's `signal` aborts. Rejects with ERR_TAMIS_UNAVAILABLE if
   * no answer comes in time, and with ERR_TAMIS_CORRUPT if the answer is invalid.
   */
  async ask(
    hashes: readonly string[],
    manifest: Manifest,
    groupOf: (prefix: string) => Promise<readonly string[]>,
    signal: AbortSignal,
  ): Promise<{ listed: string | undefined; from: 'cache' | 'server' }> {
    const { now, decoys } = this.#config;
    // Each list has a new cache, so that late answers about the old list go into the old cache.
    if (this.#manifest !== manifest) this.#memory = new Memory();
    this.#manifest = manifest;
    const memory = this.#memory;
    // An item is undefined if the cache has no valid answer about its hash.
    const areListed = hashes.map((hash) => memory.recall(hash, now()));
    const listed = hashes.find((_, i) => areListed[i] === true);
    const unknown = hashes.filter((_, i) => areListed[i] === undefined);
    const isKnown = unknown.length === 0 || (decoys === 0 && listed !== undefined);
    if (isKnown) return { listed, from: 'cache' };
    const questions = await questionsOf(unknown, groupOf);
    const find = async ({ hashes, prefixes }: Question): Promise<string | undefined> => {
      const send = () => this.#send(prefixes, memory, signal);
      const answer = await share(memory.asking, hashes.join(), send);
      return hashes.find((hash) => answer.hashes.includes(hash));
    };
    let found = listed;
    let failure: unknown;
    if (decoys > 0) {
      for (const one of await Promise.allSettled(questions.map(find))) {
        if (one.status === 'fulfilled') found ??= one.value;
        else failure ??= one.reason;
      }
    } else {
      for (const question of questions) found ??= await find(question);
    }
    if (found === undefined && failure !== undefined) throw failure;
    return { listed: found, from: 'server' };
  }

  /** Sends the prefixes, and stores the answer in `memory`. */
  async #send(
    asked: ReadonlySet<string>,
    memory: Memory,
    signal: AbortSignal,
  ): Promise<ConfirmAnswer> {
    const { confirm: url, confirmTimeoutMs, fetch, now, decoys } = this.#config;
    if (url === null) throw unavailableError('no confirm server: pass the option confirm');
    if (isIn(this.#quiet, now())) throw unavailableError(`${url}: the server wants a pause`);
    const answer = await withTimeout(confirmTimeoutMs, signal, async (signal) => {
      const init: RequestInit = {
        method: 'POST',
        body: encodeQuestion(asked),
        cache: 'no-store',
        // Not 'error', which Cloudflare Workers refuse. A redirect is refused below, because its status is not 200.
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
    memory.learn(asked, answer, now(), decoys > 0);
    return answer;
  }
}

/** Wraps any failure of a server in ERR_TAMIS_UNAVAILABLE, with the failure as its cause. */
export function answerError(server: string, cause: unknown): TamisError {
  const isOurs = cause instanceof TamisError && cause.code === 'ERR_TAMIS_UNAVAILABLE';
  return isOurs ? cause : unavailableError(`${server} gave no valid answer`, cause);
}
