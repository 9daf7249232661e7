// A threat list with a version: applies the server's answers, and stores the list. Its times are in another file.

import { TamisError } from '../core/errors.js';
import { copyOwn } from '../core/options.js';
import {
  bytesOfHex,
  hexOf,
  joinBytes,
  jsonBytes,
  jsonIn,
  sha256,
  sha256Hex,
} from '../core/signed/bytes.js';
import { nameOfRule } from '../url/list/expressions.js';
import { decodeV5, type RiceDeltas } from '../url/list/rice.js';
import { UrlList } from '../url/list/url-list.js';
import { readBytes } from '../url/signed/storage.js';
import { corrupt, type HashList } from './messages.js';
import { prefixBytesOf, type SafeBrowsingConfig } from './options.js';

export interface VersionedList {
  readonly list: UrlList;
  /** The server's name of this version. */
  readonly version: Uint8Array;
  /** True once the server has sent the whole list. Before that, entries may be missing. */
  readonly isWhole: boolean;
}

/** True if the server has no more data for now: it asks the client to wait, or sent nothing new. */
export function isLast(old: VersionedList | undefined, answer: HashList): boolean {
  const { version, isPartial, waitMs } = answer;
  return waitMs > 0 || (isPartial && old !== undefined && hexOf(version) === hexOf(old.version));
}

function decode(deltas: RiceDeltas): Uint8Array<ArrayBuffer> {
  const { parameter, entriesCount } = deltas;
  if (parameter < 0 || entriesCount < 0) throw corrupt('a number in a list is negative');
  return decodeV5(deltas);
}

/** Decodes integers of 32 bits. They are big-endian, which is the default of getUint32. */
function toIndices(deltas: RiceDeltas): Uint32Array {
  const bytes = decode(deltas);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return Uint32Array.from({ length: bytes.length / 4 }, (_, i) => view.getUint32(4 * i));
}

function checkSha256(name: string, actual: Uint8Array, expected: Uint8Array): void {
  if (hexOf(actual) !== hexOf(expected)) throw corrupt(`the checksum of '${name}' is wrong`);
}

/** The maximum number of entries if `maxEntries` is absent: several times as many as in Google's largest list. */
const mostEntries = 2 ** 22;

/** Refuses impossible counts before decoding: a compressed body of a few kilobytes could have millions of entries. */
function checkCounts(
  name: string,
  base: UrlList | undefined,
  { additions, removals }: HashList,
  most: number,
): void {
  const before = base?.count ?? 0;
  const [added = 0, removed = 0] = [additions?.deltas, removals].map(
    (deltas) => deltas && deltas.entriesCount + 1,
  );
  if (removed > before || before - removed + added > most) {
    const changes = `loses ${removed} of ${before} entries, and gets ${added}`;
    throw corrupt(`'${name}' ${changes}; maxEntries is ${most}`);
  }
}

/**
 * Makes the version that an answer leads to. If no entry changed, its list is the object in `before`, which stays
 * usable. Rejects with ERR_TAMIS_CORRUPT if the answer does not fit this list, or if the result has another checksum.
 * Also rejects with ERR_TAMIS_OUT_OF_MEMORY and ERR_TAMIS_TOO_LARGE.
 */
export async function updateList(
  name: string,
  before: VersionedList | undefined,
  answer: HashList,
  { rule, maxEntries = mostEntries }: Pick<SafeBrowsingConfig, 'rule' | 'maxEntries'>,
): Promise<VersionedList> {
  const { version, isPartial, additions, removals, sha256: expected } = answer;
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
    // No entry changes. If the answer has a checksum, it must be the checksum of `base`.
    if (expected !== undefined) checkSha256(name, base.sha256, expected);
    return { list: base, version, isWhole };
  }
  if (expected === undefined) throw corrupt(`'${name}' has no checksum`);
  checkCounts(name, base, answer, maxEntries);
  const prefixes = additions && decode(additions.deltas);
  if (base !== undefined) {
    const changes = {
      ...(removals && { removals: toIndices(removals) }),
      ...(prefixes && { additions: prefixes }),
      sha256: expected,
    };
    return { list: base.update(changes), version, isWhole };
  }
  if (removals !== undefined) throw corrupt(`'${name}' is whole, but has removals`);
  // This check comes before the list is built, which takes longer.
  checkSha256(name, await sha256(prefixes ?? new Uint8Array()), expected);
  const list = UrlList.fromPrefixes(prefixes ?? new Uint8Array(), { prefixBytes, rule });
  return { list, version, isWhole };
}

/** The times of a list, in milliseconds since 1970. */
interface ListTimes {
  /** The time of the last answer. If the clock shows an earlier time, it was set back: `dueMs` is void. */
  readonly askedMs: number;
  /** The time from which the server may be asked again. */
  readonly dueMs: number;
  /** The last time at which the list was complete, as the server said. */
  readonly knownMs: number;
}

const isTime = (value: unknown): value is number => Number.isFinite(value);

/** Returns the digest of a stored record and of its bytes. It reveals damage, but proves no origin. */
const digestOf = (record: object, bytes: Uint8Array = new Uint8Array()): Promise<string> =>
  sha256Hex(joinBytes([jsonBytes(record), bytes]));

export class ListStore {
  readonly #config: SafeBrowsingConfig;
  readonly #name: string;
  /** The times of each list, by its name. */
  readonly times = new Map<string, ListTimes>();
  /** Lists whose version the server refused, or whose last answer did not fit. They are requested whole. */
  readonly needWhole = new Set<string>();

  private constructor(config: SafeBrowsingConfig, name: string) {
    this.#config = config;
    this.#name = name;
  }

  /** Returns the store for the lists of one server. */
  static async at(config: SafeBrowsingConfig): Promise<ListStore> {
    const digest = await sha256Hex(new TextEncoder().encode(config.endpoint));
    return new ListStore(config, `tamis-v5-${digest.slice(0, 16)}`);
  }

  /** Loads a list; undefined if none with this rule is stored. Rejects with storage errors and ERR_TAMIS_CORRUPT. */
  async load(name: string): Promise<VersionedList | undefined> {
    const bytes = await readBytes(this.#config.storage, `${this.#name}-${name}.bin`);
    if (bytes === undefined) return undefined;
    const headerEnd = bytes.indexOf(0);
    // Without the zero byte the header is empty, so it has no digest.
    const { digest, ...header } = jsonIn(bytes.subarray(0, Math.max(headerEnd, 0)));
    const content = bytes.subarray(headerEnd + 1);
    if (digest !== (await digestOf(header, content)) || header.name !== name) {
      throw new TamisError('ERR_TAMIS_CORRUPT', `the stored list '${name}' is damaged`);
    }
    const { rule } = this.#config;
    if (header.rule !== nameOfRule(rule)) return undefined;
    const list = UrlList.fromBytes(content, { rule });
    return { list, version: bytesOfHex(String(header.version)), isWhole: header.isWhole === true };
  }

  /** Stores a list: a JSON header, a zero byte, the list's own bytes. Rejects with the storage's errors. */
  async save(name: string, { list, version, isWhole }: VersionedList): Promise<void> {
    const header = { name, version: hexOf(version), rule: nameOfRule(this.#config.rule), isWhole };
    const content = list.toBytes();
    const digest = await digestOf(header, content);
    const bytes = joinBytes([jsonBytes({ ...header, digest }), Uint8Array.of(0), content]);
    await this.#config.storage.set(`${this.#name}-${name}.bin`, bytes);
  }

  /** Reads the times that `saveDue` stored. Resolves to the schedule's record. Rejects with the storage's errors. */
  async due(): Promise<Record<string, unknown>> {
    const bytes = await readBytes(this.#config.storage, `${this.#name}-due.json`);
    const { digest, ...content } = jsonIn(bytes);
    // A damaged time could keep an old list in use.
    if (digest !== (await digestOf(content))) return copyOwn({});
    const due = copyOwn(content);
    for (const name of this.#config.lists) {
      const { askedMs, dueMs, knownMs }: Partial<ListTimes> = copyOwn(
        Object(copyOwn(Object(due.lists))[name]),
      );
      if (isTime(askedMs) && isTime(dueMs) && isTime(knownMs)) {
        this.times.set(name, { askedMs, dueMs, knownMs });
      }
      if ([due.needWhole].flat().includes(name)) this.needWhole.add(name);
    }
    return due;
  }

  /** Stores `times`, `needWhole` and the schedule's record of the next update. Rejects with the storage's errors. */
  async saveDue(schedule: object): Promise<void> {
    const lists = Object.fromEntries(this.times);
    const due = { ...schedule, lists, needWhole: [...this.needWhole] };
    const bytes = jsonBytes({ ...due, digest: await digestOf(due) });
    await this.#config.storage.set(`${this.#name}-due.json`, bytes);
  }
}
