// The options of SafeBrowsing. Each is checked before the first request.

import { mustBe, rangeError, show, typeError } from '../core/errors.js';
import {
  between,
  copyOwn,
  flag,
  integer,
  need,
  oneOf,
  type Reader,
  readOptions,
  text,
  urlReader,
  type Values,
} from '../core/options.js';
import {
  commonDefaults,
  commonReaders,
  type UrlCheckerOptions,
} from '../url/client/checker-options.js';
import { actions, type ListAction } from '../url/guard/policy.js';
import { type HostRule, hostRule } from '../url/list/expressions.js';
import { memoryStorage, type StorageChoice } from '../url/signed/storage.js';

/** Google's threat types. */
export type Threat =
  | 'malware'
  | 'social-engineering'
  | 'unwanted-software'
  | 'potentially-harmful-application';

/** The threat types, in the order of their numbers from 1. Google sends other types only to its own browser. */
export const threats: readonly Threat[] = [
  'malware',
  'social-engineering',
  'unwanted-software',
  'potentially-harmful-application',
];

/**
 * The URLs about which `verify` asks Google.
 *
 * - 'local-lists': only URLs that hit a local list, as in UrlChecker. Lists take some megabytes. New threats are missed
 *   for up to an hour.
 * - 'real-time': every URL that is not on the list of most good sites. If Google does not answer, the local lists
 *   decide.
 * - 'no-storage': every URL. No list is kept.
 */
export type SafeBrowsingMode = 'local-lists' | 'real-time' | 'no-storage';

/** Options of `SafeBrowsing.open`. */
export interface SafeBrowsingOptions extends Pick<UrlCheckerOptions, 'fetch'> {
  /**
   * The API key. It is sent in a header, never in a URL. Visitors can read the API key of a page, so restrict it to
   * your site (HTTP referrers) in Google's console: Google's server gets the origin of the page as the referrer. Pass
   * null if your own proxy at `endpoint` adds the API key.
   */
  readonly apiKey: string | null;
  /** Decides about which URLs `verify` asks Google. */
  readonly mode: SafeBrowsingMode;
  /** The storage that keeps the lists between visits; not needed for 'no-storage'. */
  readonly storage?: StorageChoice;
  /**
   * The reaction of `verify` if Google gives no valid answer. Google recommends 'safe'. But with 'safe', an attacker
   * who can block the request can open every page. If the server refuses the request, for example because the API key
   * is wrong, 'safe' acts as 'unknown', because otherwise no page would ever be checked.
   */
  readonly whenSearchFails: 'unknown' | 'throw' | 'safe';
  /**
   * The names of 1 to 31 lists; default 'se-4b', 'mw-4b' and 'uws-4b': social engineering, malware and unwanted
   * software. A name ends in the list's prefix length. The mode 'real-time' adds the list of good sites, 'gc-32b'.
   */
  readonly lists?: readonly string[];
  /** The server with `v5/hashLists:batchGet` and `v5/hashes:search`; default: Google's, which needs an `apiKey`. */
  readonly endpoint?: string | URL;
  /** The maximum number of entries; a longer list is refused. The default, 4,194,304, is not sent to the server. */
  readonly maxEntries?: number;
  /** The maximum number of entries in one answer, at least 1024. Further answers follow at once. */
  readonly maxUpdateEntries?: number;
  /** The host rule; default 'labels5', as in Chrome. Google's documents of version 5 ask for a PublicSuffixRule. */
  readonly rule?: Exclude<HostRule, 'parents'>;
  /** The action for each threat in a UrlGuard; default: the source's action. A threat with 'block' decides. */
  readonly action?: Readonly<Partial<Record<Threat, ListAction>>>;
  /**
   * If true, the default, lists are updated as often as the server says, but on average with at most one request a
   * minute. If false, only `update` updates.
   */
  readonly autoUpdate?: boolean;
  /** The time after which a list without news from the server counts as missing, in ms; default a week. */
  readonly maxAgeMs?: number;
  /** The time limit of a request for lists, or of a use of the storage, in ms; default 60,000. */
  readonly downloadTimeoutMs?: number;
  /** The time limit of a search, in ms; default 5,000. */
  readonly searchTimeoutMs?: number;
}

const day = 24 * 3600 * 1000;

const apiKeyReader: Reader<string | null> = (value, name) => {
  // A key that no header may contain would make every request fail.
  if (value === null || /^[!-~]{1,256}$/.test(text(value, name))) return value as string | null;
  throw rangeError(`${name} must be 1 to 256 characters of printable ASCII, without blanks`);
};

const ruleReader: Reader<Exclude<HostRule, 'parents'>> = (value, name) => {
  const rule = hostRule(value, name);
  if (rule !== 'parents') return rule;
  // With 'parents' a search could have some hundred prefixes, but Google expects at most 30.
  throw typeError(`${name} must be 'labels5' or { name, registrableDomain }, got 'parents'`);
};

/** The list of most good sites. A hit means neither a threat nor a guarantee. */
export const globalCache = 'gc-32b';

/** Returns the prefix length of a list, from its name, which listsReader has checked. */
export const prefixBytesOf = (name: string): 4 | 8 | 16 | 32 =>
  Number(/(\d+)b$/.exec(name)?.[1]) as 4 | 8 | 16 | 32;

const listsReader: Reader<readonly string[]> = (value, name) => {
  if (!Array.isArray(value)) throw mustBe('an array', name, value);
  const names: readonly unknown[] = [...value];
  const isNewName = (one: unknown, i: number) =>
    typeof one === 'string' &&
    /^[a-z\d-]{1,32}-(4|8|16|32)b$/.test(one) &&
    names.indexOf(one) === i;
  if (names.length > 0 && names.length < 32 && names.every(isNewName)) return names as string[];
  throw rangeError(`${name} must be 1 to 31 names such as 'se-4b', each once, got ${show(value)}`);
};

const actionReader: Reader<Partial<Record<Threat, ListAction>>> = (value, name) => {
  const readers = Object.fromEntries(threats.map((threat) => [threat, oneOf(actions)]));
  return readOptions(value, readers, name) as Partial<Record<Threat, ListAction>>;
};

const readers = {
  apiKey: apiKeyReader,
  mode: oneOf(['local-lists', 'real-time', 'no-storage']),
  ...commonReaders(),
  rule: ruleReader,
  whenSearchFails: oneOf(['unknown', 'throw', 'safe']),
  lists: listsReader,
  endpoint: urlReader,
  maxEntries: integer(1024, 2 ** 31 - 1),
  maxUpdateEntries: integer(1024, 2 ** 31 - 1),
  action: actionReader,
  autoUpdate: flag,
  maxAgeMs: between(1, 365 * day),
  searchTimeoutMs: between(1, 3_600_000),
};

type SafeBrowsingValues = Readonly<Values<typeof readers>>;
type Limit = 'maxEntries' | 'maxUpdateEntries';

export type SafeBrowsingConfig = Required<Omit<SafeBrowsingValues, Limit>> &
  Pick<SafeBrowsingValues, Limit>;

const google = 'https://safebrowsing.googleapis.com/';

/** True for Google's own server. */
export const isGoogles = (endpoint: string): boolean => endpoint.startsWith(google);

const defaults = {
  ...commonDefaults,
  rule: 'labels5' as const,
  lists: ['se-4b', 'mw-4b', 'uws-4b'],
  endpoint: google,
  action: copyOwn({}),
  autoUpdate: true,
  maxAgeMs: 7 * day,
  searchTimeoutMs: 5000,
};

/** Reads the options, and adds the list of good sites for 'real-time'. Throws TypeError and RangeError. */
export function readSafeBrowsingOptions(options: SafeBrowsingOptions): SafeBrowsingConfig {
  const what = 'SafeBrowsing.open';
  const read = readOptions(options, readers, what);
  need(read, what, 'apiKey', 'mode', 'whenSearchFails');
  // 'no-storage' stores nothing, so any storage will do.
  if (read.mode !== 'no-storage') need(read, what, 'storage');
  const { lists, ...rest } = { ...defaults, storage: memoryStorage(), ...read };
  if (rest.apiKey === null && isGoogles(rest.endpoint)) {
    throw typeError(
      `${what}: apiKey is null: pass endpoint, the URL of your proxy that adds the key`,
    );
  }
  const isAdded = rest.mode === 'real-time' && !lists.includes(globalCache);
  return { ...rest, lists: isAdded ? [...lists, globalCache] : lists };
}
