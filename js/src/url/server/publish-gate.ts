// Checks whether a list may be published.

import { mapEach, mustBe, TamisError } from '../../core/errors.js';
import { between, callable, integer, type Reader, readOptions } from '../../core/options.js';
import { errorOf } from '../../core/statuses.js';
import { expressions, type HostRule } from '../list/expressions.js';
import { readingsOf, writtenFolders } from '../list/lookups.js';
import type { UrlList } from '../list/url-list.js';
import { isHost } from './feed-rules.js';
import { toPageExpression, urlOf } from './list-entries.js';

/** Limits that refuse a bad list: for instance, a list with a good site on it, or a list from an empty feed. */
export interface PublishGate {
  /** URLs and hosts that must not be on the list. An invalid one throws ERR_TAMIS_INVALID_URL with its `index`. */
  readonly mustNotMatch?: Iterable<string>;
  /** Refuses a list that removes more entries than this, in percent of the entries of `previous`. */
  readonly maxRemovedPct?: number;
  /** Refuses a list that adds more entries than this, in percent of the entries of `previous`. */
  readonly maxAddedPct?: number;
  /** Refuses a list with fewer entries than this. */
  readonly minEntries?: number;
  /**
   * Returns true for a host such as `co.uk` or `github.io`, under which different people have sites. An entry for such
   * a host would block all these sites, so `build` throws ERR_TAMIS_REFUSED. Without this function, nothing is checked.
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

/** The expressions that would block a site. Throws ERR_TAMIS_INVALID_URL unless all browsers open the same page. */
function expressionsOf(site: string, rule: HostRule): string[] {
  const { texts, isSure } = readingsOf(site);
  const [page] = texts;
  if (page === undefined || !isSure || !toPageExpression(site)) {
    throw errorOf('ERR_TAMIS_INVALID_URL');
  }
  return [page, ...writtenFolders(page)].flatMap((url) => expressions(url, { rule }));
}

/** Throws ERR_TAMIS_REFUSED if a good site is on the list. The keys of `listed` are the list's expressions. */
function checkSites(
  sites: Iterable<string>,
  listed: ReadonlyMap<string, unknown>,
  rule: HostRule,
): void {
  const matches = mapEach(sites, (site) => {
    const hits = expressionsOf(site, rule).filter((expression) => listed.has(expression));
    return hits.map((expression) => ({ site, expression }));
  }).flat();
  const [first] = matches;
  if (first === undefined) return;
  const offenders = [...new Set(matches.map(({ expression }) => expression))];
  const example = `'${first.site}' is on the list as '${first.expression}'`;
  refuse(
    `sites of mustNotMatch are on the list (entries: ${offenders.length}): ${example}`,
    offenders,
  );
}

/** Throws ERR_TAMIS_REFUSED if the look-up of an entry does not find it. The keys of `listed` are the entries. */
export function checkFound(list: UrlList, listed: ReadonlyMap<string, unknown>): void {
  const entries = [...listed.keys()];
  const answers = list.checkMany(entries.map(urlOf));
  const missed = entries.filter((_, i) => answers[i] !== 'maybe');
  if (missed.length > 0) {
    refuse(`no look-up finds some entries (${missed.length}): '${missed[0]}'`, missed);
  }
}

/** Throws ERR_TAMIS_REFUSED if a listed host is a public suffix. */
function checkSuffixes(isSuffix: (host: string) => boolean, listed: Iterable<string>): void {
  const offenders = [...listed].filter((expression) => {
    return isHost(expression) && isSuffix(expression.slice(0, -1));
  });
  if (offenders.length > 0) {
    refuse(`the list has public suffixes (${offenders.length}): '${offenders[0]}'`, offenders);
  }
}

/** Throws ERR_TAMIS_REFUSED if the list does not pass the gate. */
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
  // `list.count` includes marks (extra entries that speed up look-ups); `listed` does not.
  if (listed.size < minEntries) {
    refuse(`the list has fewer than ${minEntries} entries: ${listed.size}`);
  }
  // The first list has nothing to compare with.
  if (previous === undefined) return;
  if (maxRemovedPct === undefined && maxAddedPct === undefined) return;
  const delta = list.diff(previous);
  const { removals, additions } = delta;
  delta.dispose();
  const limit = (what: string, changed: number, most: number | undefined) => {
    if (most === undefined || changed * 100 <= most * previous.count) return;
    refuse(`over ${most} % of the entries were ${what}: ${changed} of ${previous.count}`);
  };
  limit('removed', removals, maxRemovedPct);
  limit('added', additions, maxAddedPct);
}
