// Stores the lists, one file each with the server's version, and the time of the next update.

import { TamisError } from '../core/errors.js';
import {
  bytesOfHex,
  hexOf,
  joinBytes,
  jsonBytes,
  jsonIn,
  sha256Hex,
} from '../core/signed/bytes.js';
import { nameOfRule } from '../url/list/expressions.js';
import { UrlList } from '../url/list/url-list.js';
import { readBytes } from '../url/signed/storage.js';
import type { VersionedList } from './hash-list.js';
import { prefixBytesOf, type SafeBrowsingConfig } from './options.js';

/** The times of a list, in milliseconds since 1970. */
export interface ListTimes {
  /** The time from which the server may be asked again. */
  readonly dueMs: number;
  /** The last time at which the list was complete, by the server's word. */
  readonly knownMs: number;
}

const isTime = (value: unknown): value is number => Number.isFinite(value);

export class ListStore {
  readonly #config: SafeBrowsingConfig;
  readonly #name: string;
  /** The times of each list, by its name. */
  readonly times = new Map<string, ListTimes>();

  private constructor(config: SafeBrowsingConfig, name: string) {
    this.#config = config;
    this.#name = name;
  }

  /** The store for the lists of one server. */
  static async at(config: SafeBrowsingConfig): Promise<ListStore> {
    const digest = await sha256Hex(new TextEncoder().encode(config.endpoint));
    return new ListStore(config, `tamis-v5-${digest.slice(0, 16)}`);
  }

  /**
   * The stored list; undefined if there is none, or it was built by another rule. Rejects as the storage does, and with
   * ERR_TAMIS_CORRUPT if it is damaged.
   */
  async load(name: string): Promise<VersionedList | undefined> {
    const bytes = await readBytes(this.#config.storage, `${this.#name}-${name}.bin`);
    if (bytes === undefined) return undefined;
    const end = bytes.indexOf(0);
    const { version, sha256, rule, isWhole } = jsonIn(bytes.subarray(0, Math.max(end, 0)));
    if (rule !== nameOfRule(this.#config.rule)) return undefined;
    const list = UrlList.fromBytes(bytes.subarray(end + 1), { rule: this.#config.rule });
    const isRight =
      hexOf(list.sha256) === sha256 &&
      list.prefixBytes === prefixBytesOf(name) &&
      typeof version === 'string' &&
      /^([\da-f]{2})*$/.test(version);
    if (isRight) return { list, version: bytesOfHex(version), isWhole: isWhole === true };
    list.dispose();
    throw new TamisError('ERR_TAMIS_CORRUPT', `the stored list '${name}' is damaged`);
  }

  /** Stores a list. Rejects as the storage does. */
  async save(name: string, { list, version, isWhole }: VersionedList): Promise<void> {
    const header = {
      version: hexOf(version),
      sha256: hexOf(list.sha256),
      rule: nameOfRule(this.#config.rule),
      isWhole,
    };
    const bytes = joinBytes([jsonBytes(header), Uint8Array.of(0), list.toBytes()]);
    await this.#config.storage.set(`${this.#name}-${name}.bin`, bytes);
  }

  /** Reads the record of saveDue, and fills `times` from it. Rejects as the storage does. */
  async due(): Promise<Record<string, unknown>> {
    const due = jsonIn(await readBytes(this.#config.storage, `${this.#name}-due.json`));
    for (const name of this.#config.lists) {
      const { dueMs, knownMs }: Partial<ListTimes> = Object(Object(due.lists)[name]);
      if (isTime(dueMs) && isTime(knownMs)) this.times.set(name, { dueMs, knownMs });
    }
    return due;
  }

  /** Stores the time of the next update. Rejects as the storage does. */
  async saveDue(due: object): Promise<void> {
    const lists = Object.fromEntries(this.times);
    await this.#config.storage.set(`${this.#name}-due.json`, jsonBytes({ ...due, lists }));
  }
}
