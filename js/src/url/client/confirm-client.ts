// The client of a confirm server: what it asks, and how long it remembers the answers (cpp/FORMAT.md, section
// 8.4).

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
import type { Manifest } from '../signed/manifest-fields.js';
import type { CheckerConfig } from './checker-options.js';

/** What is remembered of one prefix. */
interface Remembered {
  /** Listed hashes. */
  readonly hashes: ReadonlySet<string>;
  readonly learnedMs: number;
  readonly listedUntilMs: number;
  /** Until when no others with the prefix are listed. */
  readonly othersUntilMs: number;
}

/** More than a page asks of in a day, and about a megabyte. */
const maxRemembered = 4096;

const prefixOf = (hash: string): string => hash.slice(0, 2 * askedBytes);

/** Answers by prefix, each until its time is over. */
class Memory {
  /** Questions on their way, by what they are about: whoever asks the same meanwhile waits for that answer. */
  readonly asking = new Map<string, Promise<ConfirmAnswer>>();
  readonly #prefixes = new Map<string, Remembered>();

  /** Whether the hash is listed; undefined: not known, or no longer. */
  recall(hash: string, nowMs: number): boolean | undefined {
    const known = this.#prefixes.get(prefixOf(hash));
    if (known === undefined) return undefined;
    const isListed = known.hashes.has(hash);
    const untilMs = isListed ? known.listedUntilMs : known.othersUntilMs;
    // A clock that was put back does not tell how old an answer is.
    return known.learnedMs <= nowMs && nowMs < untilMs ? isListed : undefined;
  }

  learn(asked: Iterable<string>, answer: ConfirmAnswer, nowMs: number): void {
    const until = (seconds: number) => nowMs + 1000 * Math.min(seconds, maxCacheSeconds);
    for (const prefix of asked) {
      // Last again, since the oldest are forgotten first.
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
  /** When the server asked to be left alone, and until when. */
  #quiet = { fromMs: 0, untilMs: 0 };

  constructor(config: CheckerConfig) {
    this.#config = config;
  }

  /**
   * Which of the hashes, in hexadecimal, is listed, if one is, and who said so. Only prefixes that are not
   * remembered are asked, with `decoys` among them. What was said of another list than the manifest's is
   * forgotten: prefixes may have got new hashes. UNAVAILABLE where nobody answers in time, CORRUPT for an
   * answer that is none.
   */
  async ask(
    hashes: readonly string[],
    about: Manifest,
    decoys: () => readonly string[],
    signal: AbortSignal,
  ): Promise<{ listed: string | undefined; from: 'cache' | 'server' }> {
    const { now } = this.#config;
    // A new one for each list: answers that are still on their way are learnt by the old one.
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

  /** Asks the server, with decoys, and has `memory` learn what it says. */
  async #send(
    asked: Set<string>,
    memory: Memory,
    decoys: () => readonly string[],
    signal: AbortSignal,
  ): Promise<ConfirmAnswer> {
    const { confirm: url, confirmTimeoutMs, fetch, now } = this.#config;
    if (url === null) throw unavailableError('no confirm server was given');
    const { fromMs, untilMs } = this.#quiet;
    // A clock that was put back does not tell how long that is.
    if (fromMs <= now() && now() < untilMs) {
      throw unavailableError(`${url}: the server asked to be left alone`);
    }
    for (const decoy of decoys()) if (asked.size < maxAsked) asked.add(decoy);
    const answer = await withTimeout(confirmTimeoutMs, signal, async (signal) => {
      const init: RequestInit = {
        method: 'POST',
        body: encodeQuestion(asked),
        cache: 'no-store',
        // Not 'error', which Workers refuse. What is sent elsewhere is no answer: its status is not 200.
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

/** UNAVAILABLE, with the cause, whatever went wrong between us and the confirm server. */
export function confirmError(cause: unknown): TamisError {
  const isOurs = cause instanceof TamisError && cause.code === 'ERR_TAMIS_UNAVAILABLE';
  return isOurs ? cause : unavailableError('the confirm server gave no answer of use', cause);
}
