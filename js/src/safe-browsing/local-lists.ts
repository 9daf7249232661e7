// Keeps the lists of the server: from the storage, from the network, and up to date. A list is switched to once its
// checksum is right. One that fails is requested as a whole. Look-ups go on with the old one, and the other lists
// stay.

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

/** The most bytes that an answer with lists may have. */
const maxAnswerBytes = 64 * 2 ** 20;
/** How often the server is asked at once again, where it says that there is more. */
const mostRounds = 16;
/** After a failure without a network, and after the last of so many rounds. */
const shortWaitMs = 60_000;

/** What one round of questions did. */
interface Round {
  readonly receivedBytes: number;
  readonly switches: number;
  /** Whether one of the lists came whole. */
  readonly isWhole: boolean;
  /** Lists to be requested again at once. */
  readonly again: readonly string[];
  readonly failures: ReadonlyMap<string, unknown>;
}

export class LocalLists {
  readonly #config: SafeBrowsingConfig;
  readonly #store: ListStore;
  readonly #signal: AbortSignal;
  readonly #listeners = new Set<(result: UpdateResult) => void>();
  readonly #held = new Map<string, HeldList>();
  /** Those that did not come to their end yet, in the place of lists that did and that stay in use. */
  readonly #coming = new Map<string, HeldList>();
  /** Those that an answer did not fit: they are requested without their version. */
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
      // The server says when; so long is no wait.
      updateEveryMs: autoUpdate ? longestWaitMs : 0,
      of: [nameOfRule(rule), maxEntries, ...lists].join(),
    };
    this.schedule = new UpdateSchedule(schedule, store, signal, () => {
      this.update().catch(() => {});
    });
    signal.addEventListener('abort', () => this.#drop());
  }

  /** The stored lists; where one is missing, those of the network. */
  static async open(config: SafeBrowsingConfig, signal: AbortSignal): Promise<LocalLists> {
    const lists = new LocalLists(config, await ListStore.at(config), signal);
    await lists.#load();
    // Their errors are kept in `error`.
    const isWaiting = lists.schedule.nextMs !== undefined;
    const isComplete = lists.missing.length === 0;
    if (isWaiting && !isComplete) lists.error ??= lists.schedule.waiting;
    else if (isWaiting) return lists;
    else if (!isComplete) await lists.update().catch(() => {});
    else if (config.autoUpdate) lists.update().catch(() => {});
    return lists;
  }

  /** The list of that name, where it came to its end, and the server spoke of it in time. */
  usable(name: string): UrlList | undefined {
    const held = this.#held.get(name);
    const { knownMs = Number.NaN } = this.#store.times.get(name) ?? {};
    const ageMs = this.#config.now() - knownMs;
    // What is known from the future was learned by a clock that was wrong.
    const isFresh = Math.abs(ageMs) <= this.#config.maxAgeMs;
    return isFresh && held?.isWhole ? held.list : undefined;
  }

  /** Those of threats that may be used. */
  get ofThreats(): UrlList[] {
    const { lists } = this.#config;
    return lists.flatMap((name) => (name === globalCache ? [] : (this.usable(name) ?? [])));
  }

  /** Lists that are not in hand, or too old. */
  get missing(): string[] {
    return this.#config.lists.filter((name) => this.usable(name) === undefined);
  }

  get held(): ReadonlyMap<string, HeldList> {
    return this.#held;
  }

  /** Since when the server has not spoken of one of the lists in hand. Undefined where that is not known of all. */
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
      // It comes from the network again.
      this.error = unavailableError(`the stored list '${name}' could not be read`, cause);
    }
  }

  /** Asks for newer lists; calls while an update is on its way get the same promise. */
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
      // Nobody else stores the times then.
      if (!this.#config.autoUpdate) await this.#store.saveDue({}).catch(() => {});
    }
  }

  /** Asks until the server has no more for any list. Rejects with the first failure that is left. */
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

  /** What the next answer is for. */
  #latest(name: string): HeldList | undefined {
    return this.#coming.get(name) ?? this.#held.get(name);
  }

  /** Undefined: the list is to come as a whole. */
  #versionToTell(name: string): Uint8Array | undefined {
    const version = this.#unfit.has(name) ? undefined : this.#latest(name)?.version;
    return version?.length ? version : undefined;
  }

  async #askOnce(names: readonly string[]): Promise<Round> {
    const { downloadTimeoutMs, maxEntries, maxUpdateEntries } = this.#config;
    const limits = { maxUpdateEntries, maxDatabaseEntries: maxEntries };
    const query: Query = [
      ...names.map((name) => ['names', name] as const),
      // The server knows the list by the version's bytes.
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
      throw corrupt(`it has ${answers.length} lists, and ${names.length} were requested`);
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

  /** Puts a list in the place of another, which gives its memory back if nobody else has it. */
  #replace(lists: Map<string, HeldList>, name: string, next: HeldList | undefined): void {
    const before = lists.get(name)?.list;
    if (next === undefined) lists.delete(name);
    else lists.set(name, next);
    const isInUse = [this.#held, this.#coming].some((all) => all.get(name)?.list === before);
    if (!isInUse) before?.dispose();
  }

  /** Switches to what the answer makes of a list, and stores it; whether that is another version. */
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

  /** Names the lists in hand, each with the start of its checksum. Undefined where there is none. */
  get version(): string | undefined {
    const all = [...this.#held].map(([name, { list }]) => {
      return `${name} ${hexOf(list.sha256.subarray(0, 4))}`;
    });
    return all.length > 0 ? all.join(', ') : undefined;
  }

  /** Calls `listener` after each switch; gives what ends that. */
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
