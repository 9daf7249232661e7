// The options of UrlChecker. Each is checked before the first request.

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
  type Values,
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
import { label } from '../signed/manifest.js';
import { type StorageChoice, storageReader } from '../signed/storage.js';

/** A set of good hosts in their canonical form, such as a Set or an ExactFilter. */
export interface HostSet {
  has(host: string): boolean;
}

/** Options of `UrlChecker.open`. */
export interface UrlCheckerOptions {
  /**
   * The list's name, from its publisher. The signature proves the publisher, the name proves the list. Without the name
   * the server could send another list of the same publisher, which answers 'safe' for your listed hosts.
   */
  readonly name: string;
  /** 1 to 16 public keys, any of which may have signed. For a change of keys, pass the current key and the next one. */
  readonly publicKeys: readonly PublicKey[];
  /** The storage that keeps the list between visits. */
  readonly storage: StorageChoice;
  /**
   * The URL of the confirm server (createConfirmHandler), or null for none. Without a server, a hit is 'unsafe' if the
   * list's `prefixBytes` is 8, 16 or 32; if it is 4, `verify` acts as `whenUnconfirmed` says.
   */
  readonly confirm: string | URL | null;
  /** The answer of `check` while there is no list, or only an expired one. */
  readonly whenMissing: 'unknown' | 'throw' | 'maybe';
  /** The reaction of `verify` if the confirm server gives no valid answer. */
  readonly whenUnconfirmed: 'unknown' | 'throw';
  /**
   * The host rule; required if the list was built with a PublicSuffixRule. A manifest with a different rule is refused.
   * Default: the manifest's rule, if that is 'parents' or 'labels5'.
   */
  readonly rule?: HostRule;
  /**
   * Good hosts: a URL whose own host is one of them is 'safe' even if it hits, provided that every browser opens it on
   * that host. The set must not contain other hosts by chance, because any host may be looked up:
   *
   * - a Set;
   * - a UrlList with `prefixBytes` of 16 or 32, whose hosts cover their subdomains too;
   * - an ExactFilter of the good hosts, with all other listed hosts as its `exclude`. Its `fpr` must be 2^-20 or less,
   *   because subdomains of listed hosts are not excluded.
   */
  readonly allow?: HostSet | UrlList;
  /**
   * The number of other prefixes (decoys) that hide each prefix in requests to the confirm server; 0 (default) to 29. A
   * prefix keeps its decoys as long as the storage lasts, so many visits tell the server no more than one visit.
   */
  readonly decoys?: number;
  /**
   * The time between updates in ms, at most a week; default 30 minutes. After a failure it is 15 to 30 minutes, doubled
   * with each further failure, or Retry-After if longer; at most a day. If 0, only calls of `update` update.
   */
  readonly updateEveryMs?: number;
  /** The time limit of a download, or of a use of the storage, in ms; default 60,000. All deltas are one download. */
  readonly downloadTimeoutMs?: number;
  /** The time limit of the confirm server, in ms; default 5,000. */
  readonly confirmTimeoutMs?: number;
  /** The largest list to accept, in bytes; default 256 MiB. */
  readonly maxBytes?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch;
  /** Replaces `Date.now`. @internal */
  readonly now?: () => number;
  /** Replaces `Math.random`. @internal */
  readonly random?: () => number;
}

const hourMs = 3_600_000;
/** Attackers cannot find a host whose hash shares 16 bytes with the hash of a good host. */
const leastExactBytes = 16;

/** Reads `allow`, and refuses a set that may contain a host by chance. */
const hostSetReader: Reader<HostSet> = (value, name) => {
  if (value instanceof UrlList) {
    if (value.prefixBytes >= leastExactBytes) {
      return { has: (host) => value.check(`http://${host}/`) === 'maybe' };
    }
    throw rangeError(`${name} must have prefixBytes of 16 or 32, got ${value.prefixBytes}`);
  }
  const { has, fpr = 0 } = Object(value);
  if (typeof has !== 'function') throw mustBe('a UrlList or have a method has(host)', name, value);
  // A Set has no fpr. With the default fpr of an ExactFilter, every second subdomain of a listed host would be 'safe'.
  if (!(fpr <= 2 ** -20)) {
    throw rangeError(`${name} must have an fpr of 2 ** -20 or less, or be a Set`);
  }
  return value as HostSet;
};

/** Makes the functions that check the options that SafeBrowsing has too. Bundles can drop them, like checkerReaders. */
export const commonReaders = () => ({
  storage: storageReader,
  rule: hostRule,
  downloadTimeoutMs: between(1, hourMs),
  fetch: callable<Fetch>(),
  now: callable<() => number>(),
  random: callable<() => number>(),
});

/** Makes the functions that check all options. Bundles can drop them, because they are made in a function. */
export const checkerReaders = () => ({
  ...commonReaders(),
  name: label,
  publicKeys: publicKeysReader,
  confirm: (value: unknown, name: string) => (value === null ? null : urlReader(value, name)),
  whenMissing: oneOf(['unknown', 'throw', 'maybe']),
  whenUnconfirmed: oneOf(['unknown', 'throw']),
  allow: hostSetReader,
  decoys: integer(0, 29),
  updateEveryMs: between(0, 7 * 24 * hourMs),
  confirmTimeoutMs: between(1, hourMs),
  maxBytes: integer(1),
});

export const commonDefaults = {
  downloadTimeoutMs: 60_000,
  // Wrapped, because a browser's fetch refuses to be called as a method of this object.
  fetch: (url: string, init: RequestInit) => globalThis.fetch(url, init),
  now: () => Date.now(),
  random: () => Math.random(),
} as const;

type CheckerValues = Required<Values<ReturnType<typeof checkerReaders>>>;

/** The complete options, with the URL of the manifest and the imported keys. */
export interface CheckerConfig extends Readonly<Omit<CheckerValues, 'allow' | 'rule'>> {
  readonly manifest: string;
  readonly rule?: HostRule | undefined;
  readonly allow?: HostSet | undefined;
  readonly keys: readonly TrustedKey[];
}

/** The options that all lists of a UrlGuard share. */
export type SharedConfig = Omit<
  CheckerConfig,
  'manifest' | 'name' | 'publicKeys' | 'keys' | 'confirm' | 'rule'
>;

export const withDefaults = <T extends object>(read: T) =>
  ({
    ...commonDefaults,
    allow: undefined,
    rule: undefined,
    decoys: 0,
    updateEveryMs: 30 * 60 * 1000,
    confirmTimeoutMs: 5000,
    maxBytes: 256 * 2 ** 20,
    ...read,
  }) as T & CheckerValues;

export async function readCheckerOptions(
  manifest: string,
  options: UrlCheckerOptions,
  what: string,
): Promise<CheckerConfig> {
  const values = readOptions(options, checkerReaders(), what);
  need(values, what, 'name', 'publicKeys', 'storage', 'confirm', 'whenMissing', 'whenUnconfirmed');
  return { ...withDefaults(values), manifest, keys: await trustKeys(values.publicKeys) };
}
