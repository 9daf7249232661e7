// A list of threats with a version: applies the server's answers, and stores it. Another file has its times.

import { TamisError } from '../core/errors.js';
import { copyOwn } from '../core/options.js';
import {
  bytesOfHex,
  hexOf,
  joinBytes,
  jsonBytes,
  jsonIn,
  sha256Hex,
} from '../core/signed/bytes.js';
import { type HostRule, nameOfRule } from '../url/list/expressions.js';
import { decodeV5, type RiceDeltas } from '../url/list/rice.js';
import { UrlList } from '../url/list/url-list.js';
import { readBytes } from '../url/signed/storage.js';
import { corrupt, type HashList } from './messages.js';
import { prefixBytesOf, type SafeBrowsingConfig } from './options.js';

export interface VersionedList {
  readonly list: UrlList;
  /** The server's name of this version. */
  readonly version: Uint8Array;
  /** True once the server has sent the whole list. Before that, more entries may be listed. */
  readonly isWhole: boolean;
}

/** True if the server has no more for now: it names a wait, or sent nothing new. */
export function isLast(old: VersionedList | undefined, answer: HashList): boolean {
  const { version, isPartial, waitMs } = answer;
  return waitMs > 0 || (isPartial && old !== undefined && hexOf(version) === hexOf(old.version));
}

function decode(deltas: RiceDeltas): Uint8Array<ArrayBuffer> {
  const { parameter, entriesCount } = deltas;
  if (parameter < 0 || entriesCount < 0) throw corrupt('a number of a list is negative');
  return decodeV5(deltas);
}

/** The decoded integers of 32 bits. They are big-endian, which is the default of getUint32. */
function toIndices(deltas: RiceDeltas): Uint32Array {
  const bytes = decode(deltas);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return Uint32Array.from({ length: bytes.length / 4 }, (_, i) => view.getUint32(4 * i));
}

function checkSha256(name: string, list: UrlList, sha256: Uint8Array): void {
  if (hexOf(list.sha256) !== hexOf(sha256)) throw corrupt(`the checksum of '${name}' is wrong`);
}

/**
 * The version after an answer. It has the same list object as `before` if no entry changed; `before` stays usable.
 * Throws ERR_TAMIS_CORRUPT if the answer does not fit this list, or the result has another checksum; also
 * ERR_TAMIS_OUT_OF_MEMORY and ERR_TAMIS_TOO_LARGE.
 */
export function updateList(
  name: string,
  before: VersionedList | undefined,
  answer: HashList,
  rule: HostRule,
): VersionedList {
  const { version, isPartial, additions, removals, sha256 } = answer;
  const prefixBytes = prefixBytesOf(name);
  if (answer.name !== name) throw corrupt(`expected '${name}', got '${answer.name.slice(0, 40)}'`);
  if (answer.waitMs < 0) throw corrupt(`the wait for '${name}' is negative`);
  if (additions !== undefined && additions.prefixBytes !== prefixBytes) {
    throw corrupt(`'${name}' has prefixes of ${additions.prefixBytes} bytes`);
  }
  if (isPartial && before === undefined) {
    throw corrupt(`'${name}' is partial, but there is no list`);
  }
  /** The list that the answer changes; undefined if the answer has the whole list. */
  const base = isPartial ? before?.list : undefined;
  // A whole list stays whole after a change, even if more changes follow.
  const isWhole = isLast(before, answer) || (isPartial && before?.isWhole === true);
  if (base !== undefined && additions === undefined && removals === undefined) {
    // No entry changes. The checksum, if there is one, is that of `base`.
    if (sha256 !== undefined) checkSha256(name, base, sha256);
    return { list: base, version, isWhole };
  }
  if (sha256 === undefined) throw corrupt(`'${name}' has no checksum`);
  const prefixes = additions && decode(additions.deltas);
  if (base !== undefined) {
    const changes = {
      ...(removals && { removals: toIndices(removals) }),
      ...(prefixes && { additions: prefixes }),
      sha256,
    };
    return { list: base.update(changes), version, isWhole };
  }
  if (removals !== undefined) throw corrupt(`'${name}' is whole, but has removals`);
  const list = UrlList.fromPrefixes(prefixes ?? new Uint8Array(), { prefixBytes, rule });
  try {
    checkSha256(name, list, sha256);
  } catch (error) {
    list.dispose();
    throw error;
  }
  return { list, version, isWhole };
}

/** The times of a list, in milliseconds since 1970. */
interface ListTimes {
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

  /** The stored list; undefined if none is of this rule. Rejects as the storage does, or with ERR_TAMIS_CORRUPT. */
  async load(name: string): Promise<VersionedList | undefined> {
    const bytes = await readBytes(this.#config.storage, `${this.#name}-${name}.bin`);
    if (bytes === undefined) return undefined;
    const headerEnd = bytes.indexOf(0);
    // Without the zero byte the header is empty, so it has no rule.
    const { version, sha256, rule, isWhole } = jsonIn(bytes.subarray(0, Math.max(headerEnd, 0)));
    if (rule !== nameOfRule(this.#config.rule)) return undefined;
    const list = UrlList.fromBytes(bytes.subarray(headerEnd + 1), { rule: this.#config.rule });
    const isRight =
      hexOf(list.sha256) === sha256 &&
      list.prefixBytes === prefixBytesOf(name) &&
      typeof version === 'string' &&
      /^([\da-f]{2})*$/.test(version);
    if (isRight) return { list, version: bytesOfHex(version), isWhole: isWhole === true };
    list.dispose();
    throw new TamisError('ERR_TAMIS_CORRUPT', `the stored list '${name}' is damaged`);
  }

  /** Stores a list: a header of JSON, a zero byte, the list's own bytes. Rejects as the storage does. */
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

  /** Fills `times` from the untrusted record of saveDue, and resolves to that record. Rejects as the storage does. */
  async due(): Promise<Record<string, unknown>> {
    const due = jsonIn(await readBytes(this.#config.storage, `${this.#name}-due.json`));
    for (const name of this.#config.lists) {
      const { dueMs, knownMs }: Partial<ListTimes> = copyOwn(
        Object(copyOwn(Object(due.lists))[name]),
      );
      if (isTime(dueMs) && isTime(knownMs)) this.times.set(name, { dueMs, knownMs });
    }
    return due;
  }

  /** Stores `times`, with the schedule's record of the next update. Rejects as the storage does. */
  async saveDue(due: object): Promise<void> {
    const lists = Object.fromEntries(this.times);
    await this.#config.storage.set(`${this.#name}-due.json`, jsonBytes({ ...due, lists }));
  }
}
