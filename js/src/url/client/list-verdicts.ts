// What a list says of a URL that hits, or where there is no list; and what is told of the list.

import { TamisError } from '../../core/errors.js';
import { hexOf } from '../../core/signed/bytes.js';
import { makeCanonical, readParts } from '../list/canonicalize.js';
import type { UrlHit } from '../list/lookups.js';
import { readingsOf } from '../list/readings.js';
import type { CheckerConfig } from './checker-options.js';
import type { ConfirmClient } from './confirm-client.js';
import type { Held, ListKeeper } from './list-keeper.js';
import { randomPrefixes } from './list-updates.js';

/**
 * 'safe': not on the list. 'maybe': it hits, and a listed URL always does; ask `verify`. 'invalid': no
 * browser surely opens it as a page of the web. 'unknown': there is no list, or only one past its time.
 * Only 'safe' means safe.
 */
export type CheckerAnswer = 'safe' | 'maybe' | 'invalid' | 'unknown';

/** What a UrlChecker works with now. */
export interface CheckerStatus {
  /** Of the list in hand; undefined: there is none. */
  readonly version: string | undefined;
  /** Its entries. */
  readonly count: number;
  /** Its size in memory. */
  readonly sizeBytes: number;
  /** Milliseconds since it was made. */
  readonly ageMs: number | undefined;
  /** Whether there is no list, or one past its time: `check` answers as `onMissing` says. */
  readonly stale: boolean;
  readonly source: 'none' | 'storage' | 'network';
  /**
   * Why the last update, or reading or storing its list, failed. INCOMPATIBLE where the list has prefixes of 4 bytes and
   * there is no confirm server: no hit gets a verdict.
   */
  readonly error: TamisError | undefined;
  /** Whether the last update failed because there is no network. That counts as no failure of the server. */
  readonly offline: boolean;
  /**
   * When the next update is due, in milliseconds since 1970; undefined: at the next call of `update`, or one
   * is on its way. It is stored, and holds for the next page too.
   */
  readonly nextUpdateMs: number | undefined;
}

/** Whether some list could have it. */
function hasCanonicalForm(text: string): boolean {
  try {
    makeCanonical(text, 'UrlChecker', true);
    return true;
  } catch (error) {
    if ((error as TamisError).code === 'ERR_TAMIS_INVALID_URL') return false;
    throw error;
  }
}

/** The answer without a list. Throws UNAVAILABLE, of this cause, where that is wanted. */
export function answerWithout(
  url: string,
  { onMissing }: Pick<CheckerConfig, 'onMissing'>,
  cause: TamisError | undefined,
): CheckerAnswer {
  const { texts } = readingsOf(url);
  if (onMissing === 'throw') {
    const message = 'there is no list, or only one past its time; see status';
    throw new TamisError('ERR_TAMIS_UNAVAILABLE', message, { cause });
  }
  return texts.some(hasCanonicalForm) ? onMissing : 'invalid';
}

/** Whether the URL surely leads to a good host. */
export function isAllowed(url: string, { allow }: Pick<CheckerConfig, 'allow'>): boolean {
  if (allow === undefined) return false;
  const { texts, isSure } = readingsOf(url);
  if (!isSure) return false;
  makeCanonical(texts[0] as string, 'UrlChecker');
  // Not what is as good as true: a promise is, whatever it promises.
  return allow.has(readParts().host) === true;
}

/** From so many bytes on a hit is a verdict: for each entry another URL begins alike by a chance of one in 2^64. */
const leastSureBytes = 8;

/** Why no hit gets a verdict, of a list of so long prefixes. */
function errorOf({ confirm }: CheckerConfig, prefixBytes = leastSureBytes): TamisError | undefined {
  if (confirm !== null || prefixBytes >= leastSureBytes) return undefined;
  const message = '4-byte prefixes need a confirm server; publish with 8 bytes, or give `confirm`';
  return new TamisError('ERR_TAMIS_INCOMPATIBLE', message);
}

/** Throws DISPOSED once closed. */
export function statusOf(keeper: ListKeeper, config: CheckerConfig): CheckerStatus {
  const { held, usable, error, schedule } = keeper;
  return {
    version: held?.manifest.version,
    count: held?.list.count ?? 0,
    sizeBytes: held?.list.sizeBytes ?? 0,
    ageMs: held && config.now() - Date.parse(held.manifest.created),
    stale: usable === undefined,
    source: held?.source ?? 'none',
    error: error ?? errorOf(config, held?.list.prefixBytes),
    offline: schedule.isOffline,
    nextUpdateMs: schedule.nextMs,
  };
}

/**
 * Which of the hits is listed, as the hash in hexadecimal, by the list itself or by its confirm server. Rejects where no
 * answer of use comes, as ConfirmClient.ask.
 */
export async function settleHits(
  hits: readonly UrlHit[],
  { list, manifest }: Held,
  client: ConfirmClient,
  { confirm, decoys, random }: CheckerConfig,
  signal: AbortSignal,
): Promise<{ listed: string | undefined; from: 'list' | 'cache' | 'server' }> {
  const hashes = hits.map(({ hash }) => hexOf(hash));
  if (confirm === null && list.prefixBytes >= leastSureBytes) {
    return { listed: hashes[0], from: 'list' };
  }
  return client.ask(hashes, manifest, () => randomPrefixes(list, decoys, random), signal);
}
