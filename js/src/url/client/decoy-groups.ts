// Decoys hide from the confirm server which prefix was hit. A prefix and its decoys form a group, which is drawn once
// and stored. A request sends whole groups, so the server always sees the same prefixes, whichever was hit.

import { unavailableError, withTimeout } from '../../core/requests.js';
import { hexOf } from '../../core/signed/bytes.js';
import type { UrlList } from '../list/url-list.js';
import { inTurn } from '../signed/storage.js';
import type { CheckerConfig } from './checker-options.js';
import type { StoredList } from './stored-list.js';
import type { UpdateSchedule } from './update-schedule.js';

type Group = readonly string[];

/** The maximum number of groups, about 250 kB in the storage. A new group replaces the oldest group. */
const mostGroups = 1024;
/** Limits the draws from a short list, whose entries may all be in groups already. */
const mostTries = 2048;

export class DecoyGroups {
  readonly #config: CheckerConfig;
  readonly #stored: StoredList;
  readonly #schedule: UpdateSchedule;
  readonly #signal: AbortSignal;
  /** The group of each prefix, the oldest groups first. */
  readonly #groupBy = new Map<string, Group>();

  constructor(
    config: CheckerConfig,
    stored: StoredList,
    schedule: UpdateSchedule,
    signal: AbortSignal,
  ) {
    this.#config = config;
    this.#stored = stored;
    this.#schedule = schedule;
    this.#signal = signal;
  }

  /** Returns the group of a prefix. If it has none, draws a group, and stores it before the server can see it. */
  async of(prefix: string, list: UrlList): Promise<Group> {
    const { decoys, storage, downloadTimeoutMs } = this.#config;
    if (decoys === 0) return [prefix];
    const find = () => this.#groupBy.get(prefix);
    const known = find();
    if (known) return known;
    // `drawer` copies the list's prefixes now, because an update may dispose of the list.
    const draw = drawer(list, decoys, this.#groupBy);
    /** Adds the stored groups, and a new group if the prefix still has none. Returns all groups. */
    const extend = (stored: readonly Group[]): readonly Group[] => {
      this.#add(stored);
      if (!find()) this.#add([draw(prefix)]);
      return [...new Set(this.#groupBy.values())];
    };
    const store = () =>
      withTimeout(downloadTimeoutMs, this.#signal, (signal) =>
        this.#stored.changeGroups(extend, signal),
      );
    try {
      await inTurn(storage, async () => find() ?? store());
    } catch (cause) {
      this.#signal.throwIfAborted();
      this.#schedule.error = unavailableError('the decoys could not be stored', cause);
      extend([]);
    }
    return find() as Group;
  }

  #add(groups: readonly Group[]): void {
    for (const group of groups) for (const member of group) this.#groupBy.set(member, group);
    const old = [...new Set(this.#groupBy.values())].slice(0, -mostGroups);
    for (const [member, group] of this.#groupBy) {
      if (old.includes(group)) this.#groupBy.delete(member);
    }
  }
}

/** Returns a function that draws a prefix's group: random entries of the list that are in no group of `taken`. */
function drawer(list: UrlList, decoys: number, taken: ReadonlyMap<string, unknown>) {
  const { count, prefixBytes } = list;
  const prefixes = list.prefixes();
  return (prefix: string): Group => {
    const group = new Set([prefix]);
    for (let tries = 0; group.size <= decoys && tries < mostTries; tries++) {
      // Not Math.random: its numbers are predictable, so a server could tell which prefix was not drawn with them.
      const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
      const at = Math.floor((random / 2 ** 32) * count) * prefixBytes;
      const decoy = hexOf(prefixes.subarray(at, at + 4));
      if (!taken.has(decoy)) group.add(decoy);
    }
    return [...group];
  };
}
