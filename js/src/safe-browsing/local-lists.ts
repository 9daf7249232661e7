// Keeps the server's lists up to date, from the storage and the network. It uses a new list once its checksum is right.
// If a list fails, the whole list is requested. Meanwhile look-ups use the old one, and the other lists are not
// affected.

import { TamisError } from '../core/errors.js';
import { longestWaitMs, unavailableError, withTimeout } from '../core/requests.js';
import { hexOf } from '../core/signed/bytes.js';
import type { UpdateResult } from '../url/client/list-keeper.js';
import { UpdateSchedule } from '../url/client/update-schedule.js';
import { nameOfRule } from '../url/list/expressions.js';
import type { UrlList } from '../url/list/url-list.js';
import { type HeldList, isLast, updateList } from './hash-list.js';
import { ListStore } from './list-store.js';
import { type HashList, readHashLists } from './messages.js';
import { globalCache, type SafeBrowsingConfig } from './options.js';
import { corrupt } from './protobuf.js';
import { askServer, type Query, toBase64 } from './requests.js';

/** The most bytes of an answer with lists. */
const maxAnswerBytes = 64 * 2 ** 20;
/** The most requests in a row while the server says that there is more. */
const mostRounds = 16;
/** The wait after a failure without a network, or after the last request in a row. */
const shortWaitMs = 60_000;

/** The result of one request. */
interface Round {
  readonly receivedBytes: number;
  readonly switches: number;
  /** True if one of the lists came whole. */
  readonly isWhole: boolean;
  /** Lists to request again at once. */
  readonly again: readonly string[];
  readonly failures: ReadonlyMap<string, unknown>;
}

export class LocalLists {
  readonly #config: SafeBrowsingConfig;
  readonly #store: ListStore;
  readonly #signal: AbortSignal;
  readonly #listeners = new Set<(result: UpdateResult) => void>();
  readonly #held = new Map<string, HeldList>();
  /** New versions that are not complete yet, while a complete old version stays in use. */
  readonly #coming = new Map<string, HeldList>();
  /** Lists whose last answer failed. They are requested without a version, so that they come whole. */
  readonly #unfit = new Set<string>();
  readonly schedule: UpdateSchedule;
  #updating: Promise<UpdateResult> | undefined;
  #canStore = false;
  source: 'none' | 'storage' | 'network' = 'none';
  error: TamisError | undefined;

  private constructor(config: SafeBrowsingConfig, store: ListStore, signal: AbortSignal) {
    this.#config = config;
    this.#store = store;
    this.#signal = signal;
    const { lists, rule, maxEntries = '', autoUpdate } = config;
    const schedule = {
      ...config,
      // The server's own waits are shorter.
      updateEveryMs: autoUpdate ? longestWaitMs : 0,
      of: [nameOfRule(rule), maxEntries, ...lists].join(),
    };
    this.schedule = new UpdateSchedule(schedule, store, signal, () => {
      this.update().catch(() => {});
    });
    signal.addEventListener('abort', () => this.#drop());
  }

  /** Opens with the stored lists. If one is missing, waits for the network. */
  static async open(config: SafeBrowsingConfig, signal: AbortSignal): Promise<LocalLists> {
    const lists = new LocalLists(config, await ListStore.at(config), signal);
    await lists.#load();
    // Errors are kept in `error`.
    const isWaiting = lists.schedule.nextMs !== undefined;
    const isComplete = lists.missing.length === 0;
    if (isWaiting && !isComplete) lists.error ??= lists.schedule.waiting;
    else if (isWaiting) return lists;
    else if (!isComplete) await lists.update().catch(() => {});
    else if (config.autoUpdate) lists.update().catch(() => {});
    return lists;
  }

  /** The list of that name, if it is complete and not too old. */
  usable(name: string): UrlList | undefined {
    const held = this.#held.get(name);
    const { knownMs = Number.NaN } = this.#store.times.get(name) ?? {};
    const ageMs = this.#config.now() - knownMs;
    // A time in the future was noted by a wrong clock.
    const isFresh = Math.abs(ageMs) <= this.#config.maxAgeMs;
    return isFresh && held?.isWhole ? held.list : undefined;
  }

  /** The usable lists of threats. */
  get ofThreats(): UrlList[] {
    const { lists } = this.#config;
    return lists.flatMap((name) => (name === globalCache ? [] : (this.usable(name) ?? [])));
  }

  /** The lists that are missing or too old. */
  get missing(): string[] {
    return this.#config.lists.filter((name) => this.usable(name) === undefined);
  }

  get held(): ReadonlyMap<string, HeldList> {
    return this.#held;
  }

  /** The oldest time at which the lists were known to be complete; undefined if one has no such time. */
  get knownMs(): number | undefined {
    const times = [...this.#held.keys()].map((name) => this.#store.times.get(name)?.knownMs);
    const oldestMs = Math.min(...times.map(Number));
    return Number.isFinite(oldestMs) ? oldestMs : undefined;
  }

  async #load(): Promise<void> {
    const { downloadTimeoutMs, lists } = this.#config;
    let due = {};
    try {
      await withTimeout(downloadTimeoutMs, this.#signal, async () => {
        due = await this.#store.due();
        for (const name of lists) await this.#loadOne(name);
      });
      this.#canStore = true;
    } catch (cause) {
      this.#signal.throwIfAborted();
      this.error = unavailableError('the stored lists could not be read', cause);
    } finally {
      if (this.#held.size > 0) this.source = 'storage';
      this.schedule.resume(due, this.missing.length === 0);
    }
  }

  async #loadOne(name: string): Promise<void> {
    try {
      const found = await this.#store.load(name);
      if (found === undefined) return;
      if (this.#signal.aborted) found.list.dispose();
      else this.#held.set(name, found);
    } catch (cause) {
      // The network will bring it again.
      this.error = unavailableError(`the stored list '${name}' could not be read`, cause);
    }
  }

  /** Updates the lists. Calls during an update share its promise. */
  async update(): Promise<UpdateResult> {
    this.#signal.throwIfAborted();
    this.#updating ??= this.#update().finally(() => {
      this.#updating = undefined;
    });
    return this.#updating;
  }

  async #update(): Promise<UpdateResult> {
    const { now } = this.#config;
    let isDone = false;
    try {
      this.error = undefined;
      this.schedule.begin();
      const result = await this.#ask();
      isDone = true;
      return result;
    } catch (cause) {
      this.#signal.throwIfAborted();
      this.error =
        cause instanceof TamisError ? cause : unavailableError('the update failed', cause);
      throw this.error;
    } finally {
      const dues = [...this.#store.times.values()].map(({ dueMs }) => dueMs);
      const nextMs = isDone ? Math.max(Math.min(...dues) - now(), 0) : shortWaitMs;
      await this.schedule.plan(isDone, this.#canStore, nextMs);
      // Without autoUpdate, `plan` stores no times.
      if (!this.#config.autoUpdate) await this.#store.saveDue({}).catch(() => {});
    }
  }

  /** Sends requests until the server has no more for any list. Rejects with the first failure that remains. */
  async #ask(): Promise<UpdateResult> {
    const { lists, now } = this.#config;
    const from = this.version;
    let asked: readonly string[] = lists.filter((name) => {
      const times = this.#store.times.get(name);
      return !(times && now() < times.dueMs) || this.usable(name) === undefined;
    });
    const tried = new Set<string>();
    let failure: unknown;
    let receivedBytes = 0;
    let isWhole = false;
    let switches = 0;
    for (let round = 0; asked.length > 0 && round < mostRounds; round++) {
      const { failures, again, ...rest } = await this.#askOnce(asked);
      receivedBytes += rest.receivedBytes;
      switches += rest.switches;
      isWhole ||= rest.isWhole;
      const repeated = [...failures.keys()].filter((name) => !tried.has(name));
      for (const [name, cause] of failures) {
        if (tried.has(name)) failure ??= cause;
        tried.add(name);
      }
      asked = lists.filter((name) => again.includes(name) || repeated.includes(name));
    }
    if (failure !== undefined) throw failure;
    const to = this.version ?? '';
    const changed = from !== to;
    const by: UpdateResult['by'] = switches === 0 ? 'none' : isWhole ? 'snapshot' : 'deltas';
    const result = { changed, receivedBytes, from, to, by };
    if (changed) {
      for (const listener of this.#listeners) {
        queueMicrotask(() => this.#listeners.has(listener) && listener(result));
      }
    }
    return result;
  }

  /** The version that the next answer builds on. */
  #latest(name: string): HeldList | undefined {
    return this.#coming.get(name) ?? this.#held.get(name);
  }

  /** The version to send; undefined requests the whole list. */
  #versionToTell(name: string): Uint8Array | undefined {
    const version = this.#unfit.has(name) ? undefined : this.#latest(name)?.version;
    return version?.length ? version : undefined;
  }

  async #askOnce(names: readonly string[]): Promise<Round> {
    const { downloadTimeoutMs, maxEntries, maxUpdateEntries } = this.#config;
    const limits = { maxUpdateEntries, maxDatabaseEntries: maxEntries };
    const query: Query = [
      ...names.map((name) => ['names', name] as const),
      // The version identifies its list to the server.
      ...names.flatMap((name) => {
        const version = this.#versionToTell(name);
        return version ? [['version', toBase64(version)] as const] : [];
      }),
      ...Object.entries(limits).flatMap(([name, most]) => {
        return most === undefined ? [] : [[`sizeConstraints.${name}`, String(most)] as const];
      }),
    ];
    const body = await withTimeout(downloadTimeoutMs, this.#signal, (signal) =>
      askServer(
        this.#config,
        this.schedule.fetch,
        'hashLists:batchGet',
        query,
        maxAnswerBytes,
        signal,
      ),
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
        if (await this.#take(name, answers[i] as HashList)) switches++;
        if (answers[i]?.waitMs === 0) again.push(name);
      } catch (cause) {
        this.#signal.throwIfAborted();
        this.#unfit.add(name);
        this.#replace(this.#coming, name, undefined);
        failures.set(name, cause);
      }
    }
    const isWhole = answers.some(({ isPartial }) => !isPartial);
    return { receivedBytes: body.length, switches, isWhole, again, failures };
  }

  /** Replaces a list, and frees the old one unless it is still in use. */
  #replace(lists: Map<string, HeldList>, name: string, next: HeldList | undefined): void {
    const before = lists.get(name)?.list;
    if (next === undefined) lists.delete(name);
    else lists.set(name, next);
    const isInUse = [this.#held, this.#coming].some((all) => all.get(name)?.list === before);
    if (!isInUse) before?.dispose();
  }

  /** Applies the answer to a list, uses the result and stores it. Resolves to true if the version changed. */
  async #take(name: string, answer: HashList): Promise<boolean> {
    const { rule, now } = this.#config;
    const [held, latest] = [this.#held.get(name), this.#latest(name)];
    const next = updateList(name, latest, answer, rule);
    const nowMs = now();
    const waitMs = Math.min(answer.waitMs || shortWaitMs, longestWaitMs);
    const { knownMs = nowMs } = isLast(latest, answer) ? {} : (this.#store.times.get(name) ?? {});
    this.#store.times.set(name, { dueMs: nowMs + waitMs, knownMs });
    this.#unfit.delete(name);
    if (held?.isWhole && !next.isWhole) {
      this.#replace(this.#coming, name, next);
      return false;
    }
    this.#replace(this.#held, name, next);
    this.#replace(this.#coming, name, undefined);
    const isNew = next.list !== held?.list || hexOf(next.version) !== hexOf(held.version);
    if (!isNew && next.isWhole === held?.isWhole) return false;
    if (isNew) this.source = 'network';
    try {
      await withTimeout(this.#config.downloadTimeoutMs, this.#signal, () =>
        this.#store.save(name, next),
      );
      this.#canStore = true;
    } catch (cause) {
      this.#signal.throwIfAborted();
      this.error = unavailableError(`'${name}' is in use, but could not be stored`, cause);
    }
    return isNew;
  }

  /** The names of the lists, each with the start of its checksum; undefined if there is none. */
  get version(): string | undefined {
    const all = [...this.#held].map(([name, { list }]) => {
      return `${name} ${hexOf(list.sha256.subarray(0, 4))}`;
    });
    return all.length > 0 ? all.join(', ') : undefined;
  }

  /** Calls `listener` after each change of a list. Returns a function that removes it. */
  onUpdate(listener: (result: UpdateResult) => void): () => void {
    this.#signal.throwIfAborted();
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #drop(): void {
    this.#listeners.clear();
    for (const lists of [this.#held, this.#coming]) {
      for (const { list } of lists.values()) list.dispose();
      lists.clear();
    }
  }
}
