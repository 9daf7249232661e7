// What a list must be to be published.

import { atIndex, mustBe, TamisError } from '../../core/errors.js';
import { between, callable, integer, type Reader, readOptions } from '../../core/options.js';
import { errorOf } from '../../core/statuses.js';
import { expressions, type HostRule } from '../list/expressions.js';
import { readingsOf, writtenFolders } from '../list/readings.js';
import type { UrlList } from '../list/url-list.js';
import { toPageExpression, urlOf } from './list-entries.js';

/** What stops a list that a source has spoilt: a good site on it, a feed that came empty. */
export interface PublishGate {
  /** URLs and hosts that must not be on the list, by none of their expressions. INVALID_URL has an `index`. */
  readonly mustNotMatch?: Iterable<string>;
  /** The most entries of `previous` that may be gone, in per cent of them. */
  readonly maxRemovedPct?: number;
  /** The most entries that may be new, in per cent of those of `previous`. */
  readonly maxAddedPct?: number;
  /** The fewest entries. */
  readonly minEntries?: number;
  /**
   * Whether anybody may have a site below a host: `co.uk`, `github.io`. Where it says true of a host on the list, the
   * list is REFUSED, for it would block all of these sites. Without it nobody looks.
   */
  readonly publicSuffixes?: (host: string) => boolean;
}

const strings: Reader<Iterable<string>> = (value, name) => {
  if (typeof value === 'string' || typeof Object(value)[Symbol.iterator] !== 'function') {
    throw mustBe('an iterable of strings', name, value);
  }
  return value as Iterable<string>;
};
const percent = between(0, Number.MAX_VALUE);

export const publishGate: Reader<PublishGate> = (value, name) =>
  readOptions(
    value,
    {
      mustNotMatch: strings,
      maxRemovedPct: percent,
      maxAddedPct: percent,
      minEntries: integer(0),
      publicSuffixes: callable<(host: string) => boolean>(),
    },
    name,
  );

function refuse(reason: string, offenders: readonly string[] = []): never {
  throw Object.assign(new TamisError('ERR_TAMIS_REFUSED', reason), { offenders });
}

function expressionsOf(site: string, rule: HostRule, index: number): string[] {
  try {
    const { texts, isSure } = readingsOf(site);
    const [page] = texts;
    if (page === undefined || !isSure || !toPageExpression(site)) {
      throw errorOf('ERR_TAMIS_INVALID_URL');
    }
    return [page, ...writtenFolders(page)].flatMap((url) => expressions(url, { rule }));
  } catch (error) {
    throw atIndex(error as Error, index);
  }
}

/** Throws REFUSED for good sites that are on a list, whose expressions are the keys of `listed`. */
function checkSites(
  sites: Iterable<string>,
  listed: ReadonlyMap<string, unknown>,
  rule: HostRule,
): void {
  const offenders = new Set<string>();
  let example = '';
  let index = 0;
  for (const site of sites) {
    for (const expression of expressionsOf(site, rule, index++)) {
      if (!listed.has(expression)) continue;
      offenders.add(expression);
      example ||= `: '${site}' is on the list as '${expression}'`;
    }
  }
  if (offenders.size > 0) {
    refuse(`${offenders.size} entries match what must not match${example}`, [...offenders]);
  }
}

/** Throws REFUSED for entries, which are the keys of `listed`, that a look-up misses. */
export function checkFound(list: UrlList, listed: ReadonlyMap<string, unknown>): void {
  const entries = [...listed.keys()];
  const answers = list.checkMany(entries.map(urlOf));
  const missed = entries.filter((_, i) => answers[i] !== 'maybe');
  if (missed.length > 0) {
    refuse(`no look-up finds ${missed.length} entries: '${missed[0]}'`, missed);
  }
}

/** Throws REFUSED for hosts that are public suffixes. */
function checkSuffixes(isSuffix: (host: string) => boolean, listed: Iterable<string>): void {
  const offenders: string[] = [];
  for (const expression of listed) {
    const at = expression.length - 1;
    if (expression.indexOf('/') === at && isSuffix(expression.slice(0, at))) {
      offenders.push(expression);
    }
  }
  if (offenders.length > 0) {
    refuse(`${offenders.length} entries are public suffixes: '${offenders[0]}'`, offenders);
  }
}

/** Throws REFUSED where the list is not as the gate has it. */
export function checkGate(
  gate: PublishGate,
  list: UrlList,
  listed: ReadonlyMap<string, unknown>,
  rule: HostRule,
  previous: UrlList | undefined,
): void {
  const { mustNotMatch, maxRemovedPct, maxAddedPct, minEntries = 0, publicSuffixes } = gate;
  if (mustNotMatch !== undefined) checkSites(mustNotMatch, listed, rule);
  if (publicSuffixes !== undefined) checkSuffixes(publicSuffixes, listed.keys());
  if (list.count < minEntries) {
    refuse(`the list has ${list.count} entries, fewer than ${minEntries}`);
  }
  if (maxRemovedPct === undefined && maxAddedPct === undefined) return;
  // The first list of all has nothing to differ from.
  if (previous === undefined) return;
  const delta = list.diff(previous);
  const { removals, additions } = delta;
  delta.dispose();
  const limit = (what: string, changed: number, most: number | undefined) => {
    if (most === undefined || changed * 100 <= most * previous.count) return;
    refuse(`${changed} entries of ${previous.count} were ${what}, over ${most} %`);
  };
  limit('removed', removals, maxRemovedPct);
  limit('added', additions, maxAddedPct);
}
