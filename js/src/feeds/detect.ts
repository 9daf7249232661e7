// Detects the format of a feed by its first lines.

import { rangeError } from '../core/errors.js';
import { namesOf } from '../core/options.js';
import { readRule } from './adblock.js';
import { type FeedFormat, Findings, type LineReader } from './report.js';
import { readDnsmasqLine, readDomain, readHostsLine, UnboundReader } from './resolvers.js';
import { RpzReader } from './rpz.js';
import { csvReader, type JsonFormat, readUrl, tables } from './tables.js';

export type LineFormat = Exclude<FeedFormat, JsonFormat>;

/** Makes the reader of a format whose lines do not depend on one another. */
const oneByOne =
  (read: (line: string, findings: Findings) => void) =>
  (findings: Findings): LineReader => ({ read: (line) => read(line, findings) });

export const lineReaders: Readonly<
  Record<LineFormat, (findings: Findings, online: boolean) => LineReader>
> = {
  domains: oneByOne(readDomain),
  hosts: oneByOne(readHostsLine),
  adblock: oneByOne(readRule),
  rpz: (findings) => new RpzReader(findings),
  dnsmasq: oneByOne(readDnsmasqLine),
  unbound: (findings) => new UnboundReader(findings),
  urls: oneByOne(readUrl),
  'urlhaus-csv': (...rest) => csvReader(tables.urlhaus, ...rest),
  'phishtank-csv': (...rest) => csvReader(tables.phishtank, ...rest),
};

/** The lines that decide, and the share of them that a format must understand. */
const mostLines = 50;
const leastShare = 0.9;
/** An empty line, a comment of any format, or `[Adblock Plus 2.0]`. A rule such as `##.banner` is no comment. */
const comment = /^\s*($|#(?![#@?$%])|!|;|\[Adblock)/i;

/** Names that occur in the JSON of these feeds. */
const jsonNames: readonly (readonly [JsonFormat, RegExp])[] = [
  ['urlhaus-json', /"(url_status|urlhaus_\w+)"/],
  ['phishtank-json', /"(phish_id|phish_detail_url)"/],
  ['metamask', /"(fuzzylist|blacklist|whitelist|blocklist|allowlist|blocklistPaths)"/],
];

interface Score {
  readonly format: FeedFormat;
  /** The share that is understood, of all but comments: entries, and skips with a reason besides 'not-understood'. */
  readonly share: number;
  /** The number of entries, with exceptions. */
  readonly entries: number;
}

/** Reads the lines in a format, and counts what it understands. */
function scoreOf(format: LineFormat, lines: readonly string[]): Score {
  let skipped = 0;
  let notUnderstood = 0;
  const findings = new Findings(format, ({ reason }) => {
    if (reason === 'not-understood') notUnderstood++;
    else skipped++;
  });
  const reader = lineReaders[format](findings, true); // skips dead URLs, which count as understood
  for (const line of lines) reader.read(line);
  try {
    reader.end?.();
  } catch {
    // The sample ends here, so an open parenthesis is no error.
  }
  const entries = findings.report.entries + findings.report.allowed;
  const understood = entries + skipped;
  const share = understood === 0 ? 0 : understood / (understood + notUnderstood);
  return { format, share, entries };
}

/**
 * Detects the format of a feed from its first 64 kB. If `isWhole` is false, the last line may be cut. Throws
 * ERR_TAMIS_INVALID_OPTION if no format understands 90 % of the first 50 lines that are no comments, or if two formats
 * do equally well. The message names the two best.
 */
export function detectFormat(bytes: Uint8Array, isWhole: boolean): FeedFormat {
  const text = new TextDecoder().decode(bytes);
  let scores: Score[];
  // JSON begins with a bracket, and so does the heading of rules for ad blockers.
  if (/^\s*(\{|\[(?!Adblock))/i.test(text)) {
    scores = jsonNames.map(([format, names]) => ({ format, share: +names.test(text), entries: 0 }));
  } else {
    const whole = isWhole ? text : text.slice(0, text.lastIndexOf('\n') + 1);
    const all = whole.split(/\r?\n/);
    // Comments do not count towards `mostLines`, but stay: in URLhaus one names the columns.
    const countedIndexes = all.flatMap((line, i) => (comment.test(line) ? [] : [i]));
    const lines = all.slice(0, countedIndexes[mostLines]); // all of them, if there are fewer
    scores = namesOf(lineReaders).map((format) => scoreOf(format, lines));
  }
  // One format may take what another skips. So among equal shares, the one with more entries is better.
  scores.sort((one, other) => other.share - one.share || other.entries - one.entries);
  const [best, next] = scores as [Score, Score];
  const isClear = best.share > next.share || best.entries > next.entries;
  if (best.share >= leastShare && isClear) return best.format;
  const shown = [best, next].map(
    ({ format, share }) => `'${format}' (${Math.round(share * 100)} % of it is understood)`,
  );
  throw rangeError(
    `readFeed: the format is not clear; pass the option format. It may be ${shown.join(' or ')}`,
  );
}
