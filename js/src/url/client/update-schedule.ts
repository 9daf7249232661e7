// The schedule of updates (cpp/FORMAT.md, section 7.5). It is stored, so that the next page goes on with it.

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

/**
 * The wait after `failures` in a row: 15 to 30 minutes, doubled with each failure, at most a day (as in Safe Browsing).
 */
function backOffMs(failures: number, random: () => number): number {
  return Math.min(2 ** (failures - 1) * firstBackOffMs * (1 + random()), longestWaitMs);
}

interface SystemError {
  readonly code?: string;
  readonly syscall?: string;
  /** One error for each address that was tried. */
  readonly errors?: readonly SystemError[];
}

/** True if Node's fetch failed without a network: no route, or no answer from DNS. */
function isWithoutNetwork(failure: unknown): boolean {
  const cause = (failure as { cause?: SystemError } | undefined)?.cause;
  return (cause?.errors ?? [cause]).every((one) =>
    /^(ENETUNREACH |EAI_AGAIN |ENOTFOUND |ECONNREFUSED (?!connect$))/.test(
      `${one?.code} ${one?.syscall}`,
    ),
  );
}

/** The settings of a schedule. */
export interface ScheduleConfig
  extends Pick<CheckerConfig, 'downloadTimeoutMs' | 'fetch' | 'now' | 'random' | 'updateEveryMs'> {
  /** Identifies the request. A stored schedule of another request does not apply. */
  readonly of: string;
}

/** A store for the time of the next update. */
interface DueStore {
  saveDue(due: object): Promise<void>;
}

export class UpdateSchedule {
  readonly #config: ScheduleConfig;
  readonly #stored: DueStore;
  readonly #signal: AbortSignal;
  readonly #update: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The Retry-After of this update, in ms. */
  #waitMs = 0;
  /** True if the last request found no network. */
  #foundNone = false;
  /** True if the last update failed without a network. */
  isOffline = false;
  /** Failed updates since the last success. */
  failures = 0;
  /** The time of the next update; undefined if it starts at once, or only on a call. */
  nextMs: number | undefined;

  /** Calls `update` at each due time, until the signal aborts. */
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

  /** The config's fetch. Once the server sends Retry-After, it throws for the rest of the update. */
  readonly fetch: Fetch = async (url, init) => {
    const { fetch, now } = this.#config;
    if (this.#waitMs > 0) throw unavailableError('the server wants a pause');
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
    // In Node, a waiting timer must not keep the process alive.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  /** Continues the stored schedule of an earlier page. Without a usable list, only failures delay the next update. */
  resume({ nextMs, failures, of }: Record<string, unknown>, isUsable: boolean): void {
    const { updateEveryMs, now } = this.#config;
    const isOurs =
      of === this.#config.of && Number.isSafeInteger(failures) && Number.isFinite(nextMs);
    if (!isOurs || updateEveryMs === 0) return;
    this.failures = Math.max(failures as number, 0);
    const left = (nextMs as number) - now();
    // A time further away than any plan was set by a wrong clock.
    const most = this.failures > 0 ? longestWaitMs : 1.1 * updateEveryMs;
    if (!(left > 0 && left <= most && (isUsable || this.failures > 0))) return;
    this.nextMs = nextMs as number;
    this.#wait(left);
  }

  /** The error while there is no list and a back-off runs. */
  get waiting(): TamisError {
    const next = new Date(this.nextMs as number).toISOString();
    return unavailableError(`the last update failed; the next is due at ${next}`);
  }

  /** Resets the state before an update. */
  begin(): void {
    this.#waitMs = 0;
    this.#foundNone = false;
  }

  /** Plans the next update. After a success it comes in `everyMs`. */
  async plan(
    isDone: boolean,
    mayStore: boolean,
    everyMs: number = this.#config.updateEveryMs,
  ): Promise<void> {
    const { updateEveryMs, now, random, downloadTimeoutMs } = this.#config;
    const { navigator } = globalThis as { navigator?: Navigator };
    // Without a network the server did not fail, even if something else answered.
    this.isOffline = !isDone && (navigator?.onLine === false || this.#foundNone);
    if (!this.isOffline) this.failures = isDone ? 0 : this.failures + 1;
    if (updateEveryMs === 0 || this.#signal.aborted) return;
    // A random delay, so that clients do not all come at once.
    const spread = 1 + random() / 10;
    let delay = everyMs * spread;
    if (this.isOffline) {
      // Keeps an earlier wait that is longer.
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
    // Without it, the next page sends one request more.
    await withTimeout(downloadTimeoutMs, this.#signal, () => this.#stored.saveDue(due)).catch(
      () => {},
    );
  }
}
