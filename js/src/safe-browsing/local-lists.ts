// Keeps the server's lists up to date, from the storage and the network. A new list is used once its checksum is right.
// If a list's update fails, the whole list is requested, and look-ups use the old one. Other lists are not affected.

import { longestWaitMs, unavailableError, withTimeout } from '../core/requests.js';
import { hexOf } from '../core/signed/bytes.js';
import { isIn } from '../url/client/confirm-client.js';
import { type UpdateResult, UpdateSchedule } from '../url/client/update-schedule.js';
import { nameOfRule } from '../url/list/expressions.js';
import type { UrlList } from '../url/list/url-list.js';
import { corrupt, type HashList, readHashLists } from './messages.js';
import { globalCache, type SafeBrowsingConfig } from './options.js';
import { askServer, isRefusal, toBase64 } from './requests.js';
import { isLast, ListStore, updateList, type VersionedList } from './versioned-list.js';

const maxAnswerBytes = 64 * 2 ** 20;
/** The maximum number of requests in a row while the server says that it has more data. */
const mostRounds = 16;
/** The minimum wait before the next update, per request of this update. */
const shortWaitMs = 60_000;

export class LocalLists {
  readonly #config: SafeBrowsingConfig;
  readonly #store: ListStore;
  readonly #signal: AbortSignal;
  /** The lists in use. A list may lack entries that the server has not sent yet. */
  readonly #lists = new Map<string, VersionedList>();
  /** New versions that are not complete yet, while a complete old version stays in use. */
  readonly #coming = new Map<string, VersionedList>();
  /** The number of requests of the last update. */
  #requests = 0;
  readonly schedule: UpdateSchedule;
  source: 'none' | 'storage' | 'network' = 'none';

  private constructor(config: SafeBrowsingConfig, store: ListStore, signal: AbortSignal) {
    this.#config = config;
    this.#store = store;
    this.#signal = signal;
    const { lists, rule, maxEntries, autoUpdate, now } = config;
    this.schedule = new UpdateSchedule({
      ...config,
      // This is the longest wait. The server's waits, from `waitAfter`, are shorter.
      updateEveryMs: autoUpdate ? longestWaitMs : 0,
      requestId: [nameOfRule(rule), maxEntries, ...lists].join(),
      signal,
      update: () => this.#ask(),
      saveDue: (due) => store.saveDue(due),
      saveTimes: () => store.saveDue({}).catch(() => {}),
      waitAfter: (isDone) => {
        const firstDueMs = Math.min(...Array.from(store.times.values(), ({ dueMs }) => dueMs));
        const waitMs = isDone ? firstDueMs - now() : 0;
        const leastMs = Math.max(this.#requests, 1) * shortWaitMs;
        // The comparison is false if the clock gives NaN.
        return waitMs > leastMs ? Math.min(waitMs, longestWaitMs) : leastMs;
      },
    });
    signal.addEventListener('abort', () => {
      for (const all of [this.#lists, this.#coming]) {
        for (const { list } of all.values()) list.dispose();
        all.clear();
      }
    });
  }

  /** Opens with the stored lists. If one is missing, waits for the network. */
  static async open(config: SafeBrowsingConfig, signal: AbortSignal): Promise<LocalLists> {
    const lists = new LocalLists(config, await ListStore.at(config), signal);
    const due = await lists.#load();
    await lists.schedule.start(due, lists.missing.length === 0);
    return lists;
  }

  /** Returns the list with that name, if it is complete and not too old. */
  usable(name: string): UrlList | undefined {
    const current = this.#lists.get(name);
    const knownMs = this.#store.times.get(name)?.knownMs;
    if (!current?.isWhole || knownMs === undefined) return undefined;
    // Math.abs also refuses a time far in the future, which a wrong clock noted.
    const ageMs = Math.abs(this.#config.now() - knownMs);
    return ageMs <= this.#config.maxAgeMs ? current.list : undefined;
  }

  /** The usable threat lists. */
  get ofThreats(): UrlList[] {
    const { lists } = this.#config;
    return lists.flatMap((name) => (name === globalCache ? [] : (this.usable(name) ?? [])));
  }

  /** The lists that are missing or too old. */
  get missing(): string[] {
    return this.#config.lists.filter((name) => this.usable(name) === undefined);
  }

  /** The lists in use, including lists that are not usable. */
  get all(): UrlList[] {
    return Array.from(this.#lists.values(), ({ list }) => list);
  }

  /** The oldest time at which a list was known to be complete; undefined without lists, or if a list has no time. */
  get knownMs(): number | undefined {
    const times = [...this.#lists.keys()].map((name) => this.#store.times.get(name)?.knownMs);
    // The result is NaN if a time is undefined, and infinite without lists.
    const oldestMs = Math.min(...times.map(Number));
    return Number.isFinite(oldestMs) ? oldestMs : undefined;
  }

  /** Loads the stored lists, and resolves to the stored schedule. */
  async #load(): Promise<Record<string, unknown>> {
    const { downloadTimeoutMs, lists } = this.#config;
    let due = {};
    try {
      await withTimeout(downloadTimeoutMs, this.#signal, async () => {
        due = await this.#store.due();
        for (const name of lists) await this.#loadOne(name);
      });
      this.schedule.canStore = true;
    } catch (cause) {
      this.#signal.throwIfAborted();
      this.schedule.error = unavailableError('the stored lists could not be read', cause);
    }
    if (this.#lists.size > 0) this.source = 'storage';
    return due;
  }

  async #loadOne(name: string): Promise<void> {
    try {
      const stored = await this.#store.load(name);
      if (stored === undefined) return;
      if (this.#signal.aborted) stored.list.dispose();
      else this.#lists.set(name, stored);
    } catch (cause) {
      // The list will be downloaded again.
      this.schedule.error = unavailableError(`the stored list '${name}' could not be read`, cause);
    }
  }

  /** Sends requests until the server has no more data for any list. Rejects with the first failure that remains. */
  async #ask(): Promise<UpdateResult> {
    const { lists, now } = this.#config;
    const from = this.version;
    this.#requests = 0;
    // No list can be newer than now. A later time was noted by a wrong clock.
    for (const [name, times] of this.#store.times) {
      this.#store.times.set(name, { ...times, knownMs: Math.min(times.knownMs, now()) });
    }
    // The lists that are due. A list that is not usable is always due.
    let asked: readonly string[] = lists.filter((name) => {
      const { askedMs = 0, dueMs = 0 } = this.#store.times.get(name) ?? {};
      const isWaiting = isIn({ fromMs: askedMs, untilMs: dueMs }, now());
      return !isWaiting || this.usable(name) === undefined;
    });
    // A list that fails once is requested again, as a whole. The first list that fails twice rejects the update.
    const failedOnce = new Set<string>();
    let failure: unknown;
    let receivedBytes = 0;
    let hasSnapshot = false;
    let switches = 0;
    for (let round = 0; asked.length > 0 && round < mostRounds; round++) {
      const { again, ...outcome } = await this.#askOnce(asked).catch((cause) => {
        if (!this.#dropVersions(asked, cause)) throw cause;
        return this.#askOnce(asked);
      });
      receivedBytes += outcome.receivedBytes;
      switches += outcome.switches;
      hasSnapshot ||= outcome.hasSnapshot;
      for (const [name, cause] of outcome.failures) {
        if (failedOnce.has(name)) failure ??= cause;
        else again.push(name);
        failedOnce.add(name);
      }
      // The lists keep the order of the options.
      asked = lists.filter((name) => again.includes(name));
    }
    if (failure !== undefined) throw failure;
    const to = this.version ?? '';
    const way = hasSnapshot ? 'snapshot' : 'deltas';
    return { changed: from !== to, receivedBytes, from, to, by: switches === 0 ? 'none' : way };
  }

  /** The version that the next answer builds on. */
  #latest(name: string): VersionedList | undefined {
    return this.#coming.get(name) ?? this.#lists.get(name);
  }

  /** Returns the version for the next request; undefined if the request must ask for the whole list. */
  #versionOf(name: string): Uint8Array | undefined {
    const version = this.#store.needWhole.has(name) ? undefined : this.#latest(name)?.version;
    return version?.length ? version : undefined;
  }

  /** If `cause` may be the refusal of a version, returns true, and requests these lists without versions next time. */
  #dropVersions(names: readonly string[], cause: unknown): boolean {
    // 401, 403 and 429 are about the API key, or too many requests.
    const isAbout = isRefusal(cause, 401, 403, 429) && names.some((name) => this.#versionOf(name));
    if (isAbout) for (const name of names) this.#store.needWhole.add(name);
    return isAbout;
  }

  /** Sends a request. Returns the number of new versions, the lists with more data, and whether a list came whole. */
  async #askOnce(names: readonly string[]) {
    const { downloadTimeoutMs, maxEntries, maxUpdateEntries } = this.#config;
    const limits = { maxUpdateEntries, maxDatabaseEntries: maxEntries };
    const query = new URLSearchParams(names.map((name) => ['names', name]));
    for (const name of names) {
      // If the request names the version of a list, the server sends only changes to it.
      const version = this.#versionOf(name);
      if (version) query.append('version', toBase64(version));
    }
    for (const [name, most] of Object.entries(limits)) {
      if (most !== undefined) query.append(`sizeConstraints.${name}`, String(most));
    }
    const config = { ...this.#config, fetch: this.schedule.fetch };
    this.#requests++;
    const body = await withTimeout(downloadTimeoutMs, this.#signal, (signal) =>
      askServer(config, 'hashLists:batchGet', query, maxAnswerBytes, signal),
    );
    const answers = readHashLists(body);
    if (answers.length !== names.length) {
      throw corrupt(`expected ${names.length} lists, got ${answers.length}`);
    }
    const failures = new Map<string, unknown>();
    const again: string[] = [];
    let switches = 0;
    for (const [i, name] of names.entries()) {
      try {
        const answer = answers[i] as HashList;
        const isEnd = isLast(this.#latest(name), answer);
        if (await this.#take(name, answer)) switches++;
        if (!isEnd) again.push(name);
      } catch (cause) {
        this.#signal.throwIfAborted();
        this.#store.needWhole.add(name);
        this.#replace(this.#coming, name, undefined);
        failures.set(name, cause);
      }
    }
    const hasSnapshot = answers.some(({ isPartial }) => !isPartial);
    return { receivedBytes: body.length, switches, hasSnapshot, again, failures };
  }

  /** Replaces a list, or removes it if `next` is undefined. Frees the old one unless it is still in use. */
  #replace(lists: Map<string, VersionedList>, name: string, next: VersionedList | undefined): void {
    const before = lists.get(name)?.list;
    if (next === undefined) lists.delete(name);
    else lists.set(name, next);
    const isInUse = [this.#lists, this.#coming].some((all) => all.get(name)?.list === before);
    if (!isInUse) before?.dispose();
  }

  /** Applies the answer to a list, uses the result and stores it. Resolves to true if the version changed. */
  async #take(name: string, answer: HashList): Promise<boolean> {
    const current = this.#lists.get(name);
    const latest = this.#latest(name);
    const next = await updateList(name, latest, answer, this.#config);
    if (this.#signal.aborted && next.list !== latest?.list) next.list.dispose();
    this.#signal.throwIfAborted();
    const nowMs = this.#config.now();
    // Without a wait, more data is ready now. If #ask sends no further request, the list is due after a short wait.
    const waitMs = Math.min(Math.max(answer.waitMs, shortWaitMs), longestWaitMs);
    // While more data is to come, the list was last complete at the earlier time.
    const earlierMs = isLast(latest, answer) ? undefined : this.#store.times.get(name)?.knownMs;
    const knownMs = earlierMs ?? nowMs;
    this.#store.times.set(name, { askedMs: nowMs, dueMs: nowMs + waitMs, knownMs });
    this.#store.needWhole.delete(name);
    // The complete old version stays in use until the new one is complete.
    if (current?.isWhole && !next.isWhole) {
      this.#replace(this.#coming, name, next);
      return false;
    }
    this.#replace(this.#lists, name, next);
    this.#replace(this.#coming, name, undefined);
    // updateList returns the same list object if no entry changed.
    const isNew = next.list !== current?.list || hexOf(next.version) !== hexOf(current.version);
    if (!isNew && next.isWhole === current?.isWhole) return false;
    if (isNew) this.source = 'network';
    try {
      await withTimeout(this.#config.downloadTimeoutMs, this.#signal, () =>
        this.#store.save(name, next),
      );
      this.schedule.canStore = true;
    } catch (cause) {
      this.#signal.throwIfAborted();
      this.schedule.error = unavailableError(`'${name}' is in use, but could not be stored`, cause);
    }
    return isNew;
  }

  /** The names of the lists, each with the start of its checksum; undefined if there is no list. */
  get version(): string | undefined {
    const all = Array.from(this.#lists, ([name, { list }]) => {
      return `${name} ${hexOf(list.sha256.subarray(0, 4))}`;
    });
    return all.length > 0 ? all.join(', ') : undefined;
  }
}
