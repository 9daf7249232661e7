// Runs updates on a schedule (cpp/FORMAT.md, section 7.5). The schedule is stored, so that the next page continues it.

import { TamisError } from '../../core/errors.js';
import {
  type Fetch,
  longestWaitMs,
  retryAfterMs,
  unavailableError,
  withTimeout,
} from '../../core/requests.js';
import type { CheckerConfig } from './checker-options.js';
import { isIn } from './confirm-client.js';

const firstBackOffMs = 15 * 60 * 1000;

/** True if Node's fetch failed without a network: no route, or no answer from DNS. */
function isWithoutNetwork(failure: unknown): boolean {
  const { cause } = Object(failure);
  // Matches an error's code and system call. A refused 'connect' reached a machine; any other refused call was to DNS.
  const pattern = /^(ENETUNREACH |EAI_AGAIN |ENOTFOUND |ECONNREFUSED (?!connect$))/;
  // Node may have tried several addresses, each with its error.
  const causes: unknown[] = [cause?.errors ?? cause].flat();
  return causes.map(Object).every(({ code, syscall }) => pattern.test(`${code} ${syscall}`));
}

/** The result of an update. */
export interface UpdateResult {
  /** True if a new manifest (in SafeBrowsing, a new version) is in use now. */
  readonly changed: boolean;
  /** Downloaded bytes, without the manifest. */
  readonly receivedBytes: number;
  /** The versions before and after. `from` is undefined if there was no list. */
  readonly from: string | undefined;
  readonly to: string;
  /** The list came in one delta ('jump'), a chain of deltas, or whole ('snapshot'). 'none': the list is unchanged. */
  readonly by: 'none' | 'jump' | 'deltas' | 'snapshot';
}

export interface ScheduleConfig
  extends Pick<CheckerConfig, 'downloadTimeoutMs' | 'fetch' | 'now' | 'random' | 'updateEveryMs'> {
  /** Identifies what an update requests. A stored schedule with another id does not apply. */
  readonly requestId: string;
  readonly signal: AbortSignal;
  readonly update: () => Promise<UpdateResult>;
  readonly saveDue: (due: object) => Promise<void>;
  /** Stores the server's times after an update, if there is no schedule because `updateEveryMs` is 0. */
  readonly saveTimes?: () => Promise<void>;
  /** The wait after an update (`isDone`: it succeeded), at least; default `updateEveryMs`, after a failure 0. */
  readonly waitAfter?: (isDone: boolean) => number;
}

export class UpdateSchedule {
  readonly #config: ScheduleConfig;
  readonly #signal: AbortSignal;
  readonly #listeners = new Set<(result: UpdateResult) => void>();
  #running: Promise<UpdateResult> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The Retry-After of this update, in ms. */
  #waitMs = 0;
  /** True if the last request found no network. */
  #lacksNetwork = false;
  /** True once the storage has worked. */
  canStore = false;
  /** The failure of the last update, or of the storage. */
  error: TamisError | undefined;
  /** True if the last update failed without a network. */
  isOffline = false;
  /** Failed updates since the last success. */
  failures = 0;
  /** The time of the next update; undefined if it starts at once, or only when `run` is called. */
  nextMs: number | undefined;
  /** The time at which `nextMs` was set. If the clock shows an earlier time, it was set back: `nextMs` is void. */
  #plannedMs = 0;

  /** Calls `update` at each due time, until the signal aborts. */
  constructor(config: ScheduleConfig) {
    const { signal } = config;
    this.#config = config;
    this.#signal = signal;
    signal.addEventListener('abort', () => {
      clearTimeout(this.#timer);
      this.#listeners.clear();
    });
    if (config.updateEveryMs === 0) return;
    const onOnline = () => this.isOffline && this.#runQuietly();
    // Node has no global addEventListener.
    globalThis.addEventListener?.('online', onOnline, { signal });
  }

  /** Calls the config's `fetch`. Once the server has sent Retry-After, throws for the rest of the update. */
  readonly fetch: Fetch = async (url, init) => {
    const { fetch, now } = this.#config;
    if (this.#waitMs > 0) throw unavailableError('the server wants a pause');
    const response = await fetch(url, init).catch((error) => {
      this.#lacksNetwork = isWithoutNetwork(error);
      throw error;
    });
    this.#lacksNetwork = false;
    this.#waitMs = retryAfterMs(response, now());
    return response;
  };

  #runAfter(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#runQuietly(), ms);
    // In Node, a waiting timer must not keep the process alive.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  /** Continues the stored schedule, or updates. With a list, does not wait, and updates only if `updateEveryMs` > 0. */
  async start(due: Record<string, unknown>, hasList: boolean): Promise<void> {
    this.#resume(due, hasList);
    if (this.nextMs === undefined) {
      if (!hasList) await this.#runQuietly();
      else if (this.#config.updateEveryMs > 0) this.#runQuietly();
    } else if (!hasList) {
      // Without a list, #resume plans an update only after a failure.
      const next = new Date(this.nextMs).toISOString();
      this.error ??= unavailableError(`the last update failed; the next is due at ${next}`);
    }
  }

  /** Continues a stored schedule, if it is valid and for the same request. */
  #resume(due: Record<string, unknown>, hasList: boolean): void {
    const { nextMs, plannedMs, failures, of: requestId } = due;
    const { updateEveryMs, now } = this.#config;
    if (requestId !== this.#config.requestId || updateEveryMs === 0) return;
    if (typeof nextMs !== 'number' || typeof plannedMs !== 'number') return;
    if (typeof failures !== 'number' || !Number.isSafeInteger(failures)) return;
    this.failures = Math.max(failures, 0);
    const leftMs = nextMs - now();
    // If the time is further away than #plan would set it, the file is damaged.
    const longestMs = this.failures > 0 ? longestWaitMs : 1.1 * updateEveryMs;
    const isPlanned = isIn({ fromMs: plannedMs, untilMs: nextMs }, now()) && leftMs <= longestMs;
    // Without a usable list, only failures delay the next update.
    const canWait = hasList || this.failures > 0;
    if (!isPlanned || !canWait) return;
    this.nextMs = nextMs;
    this.#plannedMs = plannedMs;
    this.#runAfter(leftMs);
  }

  /** Updates now. Calls during an update share its promise. */
  async run(): Promise<UpdateResult> {
    this.#signal.throwIfAborted();
    this.#running ??= this.#runOnce().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Updates now. A failure only appears in `error`. */
  async #runQuietly(): Promise<void> {
    await this.run().catch(() => {});
  }

  async #runOnce(): Promise<UpdateResult> {
    let isDone = false;
    try {
      // `update` sets `error` again if the storage fails.
      this.error = undefined;
      this.#waitMs = 0;
      this.#lacksNetwork = false;
      const result = await this.#config.update();
      isDone = true;
      if (result.changed) {
        for (const listener of this.#listeners) {
          queueMicrotask(() => this.#listeners.has(listener) && listener(result));
        }
      }
      return result;
    } catch (cause) {
      this.#signal.throwIfAborted();
      this.error =
        cause instanceof TamisError ? cause : unavailableError('the update failed', cause);
      throw this.error;
    } finally {
      await this.#plan(isDone);
    }
  }

  /** Calls `listener` after each update that changed a list. Returns a function that removes it. */
  onUpdate(listener: (result: UpdateResult) => void): () => void {
    this.#signal.throwIfAborted();
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Sets the time of the next update, and stores it. `isDone` is false if this update failed. */
  async #plan(isDone: boolean): Promise<void> {
    const { updateEveryMs, waitAfter, now, random, downloadTimeoutMs } = this.#config;
    const { navigator }: { navigator?: Navigator } = globalThis;
    // Without a network, the failure does not count as the server's, even if a cache answered.
    this.isOffline = !isDone && (navigator?.onLine === false || this.#lacksNetwork);
    if (!this.isOffline) this.failures = isDone ? 0 : this.failures + 1;
    if (this.#signal.aborted) return;
    if (updateEveryMs === 0) return this.#config.saveTimes?.();
    // A random factor keeps clients from sending their requests all at once.
    const spread = 1 + random() / 10;
    let delay = (waitAfter?.(isDone) ?? updateEveryMs) * spread;
    const plannedMs = now();
    if (this.isOffline) {
      // If an update is already planned for a later time, that time stays.
      const { nextMs: untilMs = 0 } = this;
      const isWaiting = isIn({ fromMs: this.#plannedMs, untilMs }, plannedMs);
      if (isWaiting) delay = Math.max(delay, untilMs - plannedMs);
    } else if (this.failures > 0) {
      // As in Safe Browsing: 15 to 30 minutes, doubled with each failure in a row.
      const backOffMs = 2 ** (this.failures - 1) * firstBackOffMs * (1 + random());
      const leastMs = waitAfter ? delay : 0;
      delay = Math.min(Math.max(backOffMs, leastMs, this.#waitMs * spread), longestWaitMs);
    }
    this.nextMs = plannedMs + delay;
    this.#plannedMs = plannedMs;
    this.#runAfter(delay);
    if (this.isOffline || !this.canStore) return;
    const { nextMs, failures } = this;
    const due = { nextMs, plannedMs, failures, of: this.#config.requestId };
    const save = () => this.#config.saveDue(due);
    // If this fails, the next page sends one more request.
    await withTimeout(downloadTimeoutMs, this.#signal, save).catch(() => {});
  }
}
