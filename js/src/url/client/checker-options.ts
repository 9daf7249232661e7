// The options of UrlChecker: each is checked before anything is fetched.

import { mustBe, rangeError } from '../../core/errors.js';
import {
  between,
  callable,
  integer,
  need,
  oneOf,
  type Reader,
  readOptions,
  urlReader,
} from '../../core/options.js';
import type { Fetch } from '../../core/requests.js';
import {
  type PublicKey,
  publicKeysReader,
  type TrustedKey,
  trustKeys,
} from '../../core/signed/keys.js';
import { type HostRule, hostRule } from '../list/expressions.js';
import { UrlList } from '../list/url-list.js';
import { label } from '../signed/manifest-fields.js';
import { type StorageChoice, storageReader } from '../signed/storage.js';

/** Whatever knows good hosts, in their canonical form: a Set, an ExactFilter. */
export interface HostSet {
  has(host: string): boolean;
}

/** Options of `UrlChecker.open`. */
export interface UrlCheckerOptions {
  /** Where the signed manifest is; relative to the page, if there is one. */
  readonly manifest: string | URL;
  /**
   * The list's name, which its publisher gave it. A signature says who published, and the name says what. Without it the
   * server could send another list of the same key, which answers 'safe' for hosts of yours.
   */
  readonly list: string;
  /** 1 to 16 keys, any of which may have signed: the present one and the next, to change keys. */
  readonly publicKeys: readonly PublicKey[];
  /** Where the list is kept from one visit to the next. */
  readonly storage: StorageChoice;
  /**
   * The confirm server (createConfirmHandler); null: there is none. A hit is then 'unsafe' where the list has
   * `prefixBytes` of 8, 16 or 32. With 4 it ends as onConfirmError says.
   */
  readonly confirm: string | URL | null;
  /** What `check` answers while there is no list, or only one past its `notAfter`. */
  readonly onMissing: 'unknown' | 'throw' | 'maybe';
  /** What `verify` does where the confirm server gives no answer of use. */
  readonly onConfirmError: 'unknown' | 'throw';
  /** The rule of host suffixes; default 'labels5'. A manifest of another rule is refused. */
  readonly rule?: HostRule;
  /**
   * Good hosts: a URL that hits is 'safe' if its own host is one, whatever else is listed, and every browser surely
   * opens it there. Any host may come, so they must be known exactly:
   *
   * - a Set;
   * - a UrlList with `prefixBytes` of 16 or 32, whose hosts stand for their subdomains too;
   * - an ExactFilter with the listed hosts as its `exclude` and an `fpr` of 2^-20 or less. Subdomains of listed
   *   hosts are in none of its sets.
   */
  readonly allow?: HostSet | UrlList;
  /** Prefixes picked from the list that each question to the confirm server has too; 0 to 29, default 0. */
  readonly decoys?: number;
  /**
   * Time from one update to the next, at most a week; default 30 minutes. After failures it is 15 to 30
   * minutes, twice as long each time, at least what Retry-After says, and at most a day. 0: only by `update`.
   */
  readonly updateEveryMs?: number;
  /** How long a download may take (all deltas are one), and the storage; default 60,000. */
  readonly downloadTimeoutMs?: number;
  /** How long the confirm server may take; default 5,000. */
  readonly confirmTimeoutMs?: number;
  /** The most bytes that a list may have; default 256 MiB. */
  readonly maxBytes?: number;
  /** In the place of the global `fetch`. */
  readonly fetch?: Fetch;
  /** In the place of `Date.now`. */
  readonly now?: () => number;
  /** In the place of `Math.random`. */
  readonly random?: () => number;
}

const week = 7 * 24 * 3600 * 1000;
const longest = 3_600_000;
/** Nobody finds a host of his whose hash begins with so many bytes of a good one's. */
const leastExactBytes = 16;
/** By the default of an ExactFilter every second subdomain of a listed host would pass. */
const highestFpr = 2 ** -20;

const confirmReader: Reader<string | null> = (value, name) =>
  value === null ? null : urlReader(value, name);

const hostSetReader: Reader<HostSet> = (value, name) => {
  if (value instanceof UrlList) {
    if (value.prefixBytes >= leastExactBytes) {
      return { has: (host) => value.check(`http://${host}/`) === 'maybe' };
    }
    throw rangeError(`${name} must have prefixBytes of 16 or 32, got ${value.prefixBytes}`);
  }
  const { has, fpr = 0 } = Object(value);
  if (typeof has !== 'function') {
    throw mustBe('a UrlList or have a method has(host)', name, value);
  }
  if (!(fpr <= highestFpr)) {
    throw rangeError(`${name} must have an fpr of 2 ** -20 or less, or be a Set`);
  }
  return value as HostSet;
};

/** A reader of each option. */
export const checkerReaders = {
  manifest: urlReader,
  list: label,
  publicKeys: publicKeysReader,
  storage: storageReader,
  confirm: confirmReader,
  onMissing: oneOf(['unknown', 'throw', 'maybe']),
  onConfirmError: oneOf(['unknown', 'throw']),
  rule: hostRule,
  allow: hostSetReader,
  decoys: integer(0, 29),
  updateEveryMs: between(0, week),
  downloadTimeoutMs: between(1, longest),
  confirmTimeoutMs: between(1, longest),
  maxBytes: integer(1),
  fetch: callable<Fetch>(),
  now: callable<() => number>(),
  random: callable<() => number>(),
};

const defaults = {
  rule: 'labels5',
  allow: undefined,
  decoys: 0,
  updateEveryMs: 30 * 60 * 1000,
  downloadTimeoutMs: 60_000,
  confirmTimeoutMs: 5000,
  maxBytes: 256 * 2 ** 20,
  // Called as functions: as members they would get the options as `this`, which a browser's fetch refuses.
  fetch: (url: string, init: RequestInit) => globalThis.fetch(url, init),
  now: () => Date.now(),
  random: () => Math.random(),
} as const;

type Given = { [Name in keyof typeof checkerReaders]: ReturnType<(typeof checkerReaders)[Name]> };

/** The options as they are used: complete, and the keys imported. */
export interface CheckerConfig
  extends Readonly<Omit<Given, 'allow'>>,
    Partial<Pick<Given, 'allow'>> {
  readonly keys: readonly TrustedKey[];
}

/** The options that hold for every list of a UrlGuard. */
export type SharedConfig = Omit<
  CheckerConfig,
  'manifest' | 'list' | 'publicKeys' | 'keys' | 'confirm' | 'rule'
>;

/** What was read, and the defaults of the rest. */
export const withDefaults = <T extends object>(read: T) => ({ ...defaults, ...read }) as T & Given;

/** `what` names the caller, for messages. */
export async function readCheckerOptions(
  options: UrlCheckerOptions,
  what: string,
): Promise<CheckerConfig> {
  const read = readOptions(options, checkerReaders, what);
  for (const name of Object.keys(checkerReaders) as (keyof typeof checkerReaders)[]) {
    if (!Object.hasOwn(defaults, name)) need(read, what, name);
  }
  const given = withDefaults(read) as Given;
  return { ...given, keys: await trustKeys(given.publicKeys) };
}
