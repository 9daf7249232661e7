// The options of SafeBrowsing: each is checked before anything is fetched.

import { mustBe, rangeError, show } from '../core/errors.js';
import {
  between,
  callable,
  copyOwn,
  flag,
  integer,
  need,
  oneOf,
  type Reader,
  readOptions,
  text,
  urlReader,
} from '../core/options.js';
import type { Fetch } from '../core/requests.js';
import { actions, type ListAction } from '../url/guard/policy.js';
import { type HostRule, hostRule } from '../url/list/expressions.js';
import { memoryStorage, type StorageChoice, storageReader } from '../url/signed/storage.js';

/** What Google says of a page. */
export type Threat =
  | 'malware'
  | 'social-engineering'
  | 'unwanted-software'
  | 'potentially-harmful-application';

/** By their numbers less 1. Google has others, which it tells its own browser alone. */
export const threats: readonly Threat[] = [
  'malware',
  'social-engineering',
  'unwanted-software',
  'potentially-harmful-application',
];

/**
 * How Google is asked.
 *
 * - 'local-lists': what hits a list here, as with UrlChecker. Lists take some megabytes. New pages are missed for up to
 *   an hour.
 * - 'real-time': all but what the list of most good sites has. Where Google gives no answer, the lists say.
 * - 'no-storage': everything, and no list is kept.
 */
export type SafeBrowsingMode = 'local-lists' | 'real-time' | 'no-storage';

/** Options of `SafeBrowsing.open`. */
export interface SafeBrowsingOptions {
  /**
   * The key of Google's API, which is sent in a header and never in a URL. Everybody can read the key of a page: restrict it
   * to your site (HTTP referrers) in Google's console. null: none is sent, since your own proxy at `endpoint` adds it.
   */
  readonly key: string | null;
  /** How Google is asked. */
  readonly mode: SafeBrowsingMode;
  /** Where the lists are kept from one visit to the next; not needed for 'no-storage'. */
  readonly storage?: StorageChoice;
  /**
   * What `verify` does where Google gives no answer of use. Google's own text says 'safe'. Then whoever can block the
   * question can open every page.
   */
  readonly onSearchError: 'unknown' | 'throw' | 'safe';
  /**
   * The names of 1 to 31 lists; default 'se-4b', 'mw-4b' and 'uws-4b', which are social engineering, malware and
   * unwanted software. A name ends in the bytes of a prefix. For 'real-time' comes the list of good sites, 'gc-32b'.
   */
  readonly lists?: readonly string[];
  /** The server, which has `v5/hashLists:batchGet` and `v5/hashes:search`; default Google's. */
  readonly endpoint?: string | URL;
  /** The most entries that a list may have; default: as many as the server sends. */
  readonly maxEntries?: number;
  /** The most entries that come at once, at least 1024. The rest comes in further answers, at once too. */
  readonly maxUpdateEntries?: number;
  /**
   * The rule of host suffixes; default 'labels5', as Chrome has it. Google's text of version 5 wants those of public
   * suffixes: a PublicSuffixRule.
   */
  readonly rule?: HostRule;
  /** What you do with pages of a threat, where that is another than the action of the source in a UrlGuard. */
  readonly action?: Readonly<Partial<Record<Threat, ListAction>>>;
  /** Default true: lists are updated as often as the server says. False: only by `update`. */
  readonly autoUpdate?: boolean;
  /** After so long without word of the server a list is as good as missing; default a week. */
  readonly maxAgeMs?: number;
  /** How long an answer with lists may take, and the storage; default 60,000. */
  readonly downloadTimeoutMs?: number;
  /** How long the answer to a search may take; default 5,000. */
  readonly searchTimeoutMs?: number;
  /** In the place of the global `fetch`. */
  readonly fetch?: Fetch;
  /** In the place of `Date.now`. */
  readonly now?: () => number;
  /** In the place of `Math.random`. */
  readonly random?: () => number;
}

const day = 24 * 3600 * 1000;
const longest = 3_600_000;

const keyReader: Reader<string | null> = (value, name) => {
  const key = value === null ? null : text(value, name);
  // What no header may hold would fail every request.
  if (key !== null && !/^[!-~]{1,256}$/.test(key)) throw rangeError(`${name} is no key of an API`);
  return key;
};

/** The list of most good sites. What it has is no threat, nor surely good. */
export const globalCache = 'gc-32b';

/** The bytes of a prefix in a list, by its name. */
export const prefixBytesOf = (name: string): 4 | 8 | 16 | 32 =>
  Number(/(\d+)b$/.exec(name)?.[1]) as 4 | 8 | 16 | 32;

const listsReader: Reader<readonly string[]> = (value, name) => {
  if (!Array.isArray(value)) throw mustBe('an array', name, value);
  const names: readonly unknown[] = [...value];
  const isName = (one: unknown, i: number) =>
    typeof one === 'string' &&
    /^[a-z\d-]{1,32}-(4|8|16|32)b$/.test(one) &&
    names.indexOf(one) === i;
  if (names.length > 0 && names.length < 32 && names.every(isName)) return names as string[];
  throw rangeError(`${name} must be 1 to 31 names such as 'se-4b', each once, got ${show(value)}`);
};

const actionReader: Reader<Partial<Record<Threat, ListAction>>> = (value, name) => {
  const reader = oneOf(actions);
  const readers = Object.fromEntries(threats.map((threat) => [threat, reader]));
  return readOptions(value, readers, name) as Partial<Record<Threat, ListAction>>;
};

const readers = {
  key: keyReader,
  mode: oneOf(['local-lists', 'real-time', 'no-storage']),
  storage: storageReader,
  onSearchError: oneOf(['unknown', 'throw', 'safe']),
  lists: listsReader,
  endpoint: urlReader,
  maxEntries: integer(1024, 2 ** 31 - 1),
  maxUpdateEntries: integer(1024, 2 ** 31 - 1),
  rule: hostRule,
  action: actionReader,
  autoUpdate: flag,
  maxAgeMs: between(1, 365 * day),
  downloadTimeoutMs: between(1, longest),
  searchTimeoutMs: between(1, longest),
  fetch: callable<Fetch>(),
  now: callable<() => number>(),
  random: callable<() => number>(),
};

type Given = { [Name in keyof typeof readers]: ReturnType<(typeof readers)[Name]> };

/** The options as they are used. */
export interface SafeBrowsingConfig
  extends Readonly<Omit<Given, 'key' | 'maxEntries' | 'maxUpdateEntries'>> {
  readonly key: string | null;
  readonly maxEntries: number | undefined;
  readonly maxUpdateEntries: number | undefined;
}

const defaults = {
  lists: ['se-4b', 'mw-4b', 'uws-4b'],
  endpoint: 'https://safebrowsing.googleapis.com/',
  maxEntries: undefined,
  maxUpdateEntries: undefined,
  rule: 'labels5',
  action: copyOwn({}),
  autoUpdate: true,
  maxAgeMs: 7 * day,
  downloadTimeoutMs: 60_000,
  searchTimeoutMs: 5000,
  fetch: (url: string, init: RequestInit) => globalThis.fetch(url, init),
  now: () => Date.now(),
  random: () => Math.random(),
} as const;

/** Throws TypeError and RangeError. */
export function readSafeBrowsingOptions(options: SafeBrowsingOptions): SafeBrowsingConfig {
  const what = 'SafeBrowsing.open';
  const read = readOptions(options, readers, what);
  need(read, what, 'key', 'mode', 'onSearchError');
  if (read.mode !== 'no-storage') need(read, what, 'storage');
  const given = { ...defaults, storage: memoryStorage(), ...read };
  const isAdded = given.mode === 'real-time' && !given.lists.includes(globalCache);
  return { ...given, lists: isAdded ? [...given.lists, globalCache] : given.lists };
}
