// When the server is asked next (cpp/FORMAT.md, section 7.5): by the page that asked last, and by one that is
// loaded in the meantime.

import type { TamisError } from '../../core/errors.js';
import {
  type Fetch,
  longestWaitMs,
  retryAfterMs,
  unavailableError,
  withTimeout,
} from '../../core/requests.js';
import type { CheckerConfig } from './checker-options.js';

const firstBackOffMs = 15 * 60 * 1000;

/** After `failures` in a row: 15 to 30 minutes, twice as long each time, at most a day (Safe Browsing). */
function backOffMs(failures: number, random: () => number): number {
  return Math.min(2 ** (failures - 1) * firstBackOffMs * (1 + random()), longestWaitMs);
}

interface SystemError {
  readonly code?: string;
  readonly syscall?: string;
  /** One of each address that was tried. */
  readonly errors?: readonly SystemError[];
}

/** Whether a request of Node's fetch failed without a network: no way out, or no answer of the resolver. */
function isWithoutNetwork(failure: unknown): boolean {
  const cause = (failure as { cause?: SystemError } | undefined)?.cause;
  return (cause?.errors ?? [cause]).every((one) =>
    /^(ENETUNREACH |EAI_AGAIN |ENOTFOUND |ECONNREFUSED (?!connect$))/.test(
      `${one?.code} ${one?.syscall}`,
    ),
  );
}

/** What a schedule goes by. */
export interface ScheduleConfig
  extends Pick<CheckerConfig, 'downloadTimeoutMs' | 'fetch' | 'now' | 'random' | 'updateEveryMs'> {
  /** Who asks for what: another's failures say nothing of that. */
  readonly of: string;
}

/** Where it is kept when the next update is due. */
interface DueStore {
  saveDue(due: object): Promise<void>;
}

export class UpdateSchedule {
  readonly #config: ScheduleConfig;
  readonly #stored: DueStore;
  readonly #signal: AbortSignal;
  readonly #update: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** How long the server asked to be left alone for, in this update. */
  #waitMs = 0;
  /** Whether the last request found no network. */
  #foundNone = false;
  /** Whether the last update failed for want of a network. */
  isOffline = false;
  /** Updates that failed, since the last one that did not. */
  failures = 0;
  /** When the next is due; undefined: at once, or never by itself. */
  nextMs: number | undefined;

  /** Calls `update` whenever one is due, until the signal aborts. */
  constructor(config: ScheduleConfig, stored: DueStore, signal: AbortSignal, update: () => void) {
    this.#config = config;
    this.#stored = stored;
    this.#signal = signal;
    this.#update = update;
    signal.addEventListener('abort', () => clearTimeout(this.#timer));
    if (config.updateEveryMs === 0) return;
    const onOnline = () => this.isOffline && update();
    // Node has no such function.
    globalThis.addEventListener?.('online', onOnline, { signal });
  }

  /** The config's fetch, until the server asks to be left alone. */
  readonly fetch: Fetch = async (url, init) => {
    const { fetch, now } = this.#config;
    if (this.#waitMs > 0) throw unavailableError('the server asked to be left alone');
    const response = await fetch(url, init).catch((error) => {
      this.#foundNone = isWithoutNetwork(error);
      throw error;
    });
    this.#foundNone = false;
    this.#waitMs = retryAfterMs(response, now());
    return response;
  };

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#update, ms);
    // In Node a list that waits for its update keeps no process alive.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  /**
   * Goes on where an earlier page ended, by what that stored. Without a list in its time only failures put
   * the next update off.
   */
  resume({ nextMs, failures, of }: Record<string, unknown>, isUsable: boolean): void {
    const { updateEveryMs, now } = this.#config;
    const isOurs =
      of === this.#config.of && Number.isSafeInteger(failures) && Number.isFinite(nextMs);
    if (!isOurs || updateEveryMs === 0) return;
    this.failures = Math.max(failures as number, 0);
    const left = (nextMs as number) - now();
    // What is further off than was ever planned was planned by a clock that was wrong.
    const most = this.failures > 0 ? longestWaitMs : 1.1 * updateEveryMs;
    if (!(left > 0 && left <= most && (isUsable || this.failures > 0))) return;
    this.nextMs = nextMs as number;
    this.#wait(left);
  }

  /** Why nobody has been asked although there is no list. */
  get waiting(): TamisError {
    const next = new Date(this.nextMs as number).toISOString();
    return unavailableError(`the last update failed; the next is due at ${next}`);
  }

  /** Before an update. */
  begin(): void {
    this.#waitMs = 0;
    this.#foundNone = false;
  }

  /** Plans what follows an update; `everyMs` after one that went well. */
  async plan(
    isDone: boolean,
    mayStore: boolean,
    everyMs: number = this.#config.updateEveryMs,
  ): Promise<void> {
    const { updateEveryMs, now, random, downloadTimeoutMs } = this.#config;
    const { navigator } = globalThis as { navigator?: Navigator };
    // No failure of the server, whatever answers in its place.
    this.isOffline = !isDone && (navigator?.onLine === false || this.#foundNone);
    if (!this.isOffline) this.failures = isDone ? 0 : this.failures + 1;
    if (updateEveryMs === 0 || this.#signal.aborted) return;
    // Apart from one another, so that a server's clients do not all come at once.
    const spread = 1 + random() / 10;
    let delay = everyMs * spread;
    if (this.isOffline) {
      // Still to be left alone, if it was.
      const left = (this.nextMs ?? 0) - now();
      if (left > delay) delay = left;
    } else if (this.failures > 0) {
      const wait = Math.min(this.#waitMs * spread, longestWaitMs);
      delay = Math.max(backOffMs(this.failures, random), wait);
    }
    this.nextMs = now() + delay;
    this.#wait(delay);
    if (this.isOffline || !mayStore) return;
    const { nextMs, failures } = this;
    const due = { nextMs, failures, of: this.#config.of };
    // What is not stored costs a question.
    await withTimeout(downloadTimeoutMs, this.#signal, () => this.#stored.saveDue(due)).catch(
      () => {},
    );
  }
}
