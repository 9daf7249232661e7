// The answers of checkers that need no look-up, and the types of all answers.

import { TamisError } from '../../core/errors.js';
import { ifCanonical, lastCanonical, makeCanonical } from '../list/canonicalize.js';
import { readingsOf } from '../list/lookups.js';
import type { CheckerConfig } from './checker-options.js';

/**
 * The answer of `check`. Only 'safe' means safe.
 *
 * - 'safe': not on the list.
 * - 'maybe': the URL hits: a prefix of its hashes is on the list. All listed URLs hit, and a few others; `verify` tells
 *   them apart.
 * - 'invalid': browsers may not open it as a web page, or may open different pages.
 * - 'unknown': there is no list, or it has expired.
 */
export type CheckerAnswer = 'safe' | 'maybe' | 'invalid' | 'unknown';

/** The state of a UrlChecker. */
export interface CheckerStatus {
  /** The version of the list; undefined if there is none. */
  readonly version: string | undefined;
  /** The number of entries of the list. */
  readonly count: number;
  /** The size of the list in memory, in bytes. */
  readonly sizeBytes: number;
  /** Milliseconds since the list was made. */
  readonly ageMs: number | undefined;
  /** True if there is no list, or it has expired. Then `check` answers as `whenMissing` says. */
  readonly stale: boolean;
  readonly source: 'none' | 'storage' | 'network';
  /**
   * The failure of the last update, or of reading or storing the list. It is ERR_TAMIS_INCOMPATIBLE if the list has
   * 4-byte prefixes and there is no confirm server, because then no hit can be confirmed.
   */
  readonly error: TamisError | undefined;
  /** True if the last update failed because there was no network. This does not count as a failure of the server. */
  readonly offline: boolean;
  /**
   * The time of the next update, in milliseconds since 1970. Undefined while an update is running, or if only calls of
   * `update` update the list. The time is stored, so it applies to the next page too.
   */
  readonly nextUpdateMs: number | undefined;
}

/** The answer without a list: 'invalid' if no list can contain the URL, else `whenMissing`. Throws for 'throw'. */
export function answerWithout(
  url: string,
  { whenMissing }: Pick<CheckerConfig, 'whenMissing'>,
  cause: TamisError | undefined,
): CheckerAnswer {
  // This comes first, because readingsOf throws TypeError for anything but a string.
  const { texts } = readingsOf(url);
  if (whenMissing === 'throw') {
    const message = 'there is no list, or it has expired; see status';
    throw new TamisError('ERR_TAMIS_UNAVAILABLE', message, { cause });
  }
  // The check is lenient, because other browsers may open a host that this platform refuses.
  const canBeListed = (text: string) => ifCanonical(() => makeCanonical(text, true)) !== undefined;
  return texts.some(canBeListed) ? whenMissing : 'invalid';
}

/** True if every browser opens the URL on the same host, and `allow` contains it. */
export function isAllowed(url: string, { allow }: Pick<CheckerConfig, 'allow'>): boolean {
  if (allow === undefined) return false;
  const { texts, isSure } = readingsOf(url);
  const [page] = texts;
  if (!isSure || page === undefined) return false;
  makeCanonical(page);
  // Only `true` counts, because a promise would be truthy.
  return allow.has(lastCanonical().host) === true;
}
