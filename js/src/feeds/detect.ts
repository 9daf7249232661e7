// Detects the format of a feed by its first lines.

import { rangeError } from '../core/errors.js';
import { namesOf } from '../core/options.js';
import { readRule } from './adblock.js';
import { type FeedFormat, Findings, type LineReader } from './report.js';
import { readDnsmasqLine, readDomain, readHostsLine, UnboundReader } from './resolvers.js';
import { RpzReader } from './rpz.js';
import { csvReader, type JsonFormat, readUrl, tables } from './tables.js';

/** The formats that have lines. */
export type LineFormat = Exclude<FeedFormat, JsonFormat>;

/** Makes readers of lines that do not depend on one another. */
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
/** Empty lines, and comments of any format. */
const comment = /^\s*($|#(?![#@?$%])|!|;|\[Adblock)/i;

/** Names that occur in the JSON of these feeds. */
const jsonNames: readonly (readonly [JsonFormat, RegExp])[] = [
  ['urlhaus-json', /"(url_status|urlhaus_\w+)"/],
  ['phishtank-json', /"(phish_id|phish_detail_url)"/],
  ['metamask', /"(fuzzylist|blacklist|whitelist|blocklist|allowlist|blocklistPaths)"/],
];

interface Score {
  readonly format: FeedFormat;
  /** The understood share of the lines that are not comments. */
  readonly share: number;
  readonly entries: number;
}

function scoreOf(format: LineFormat, lines: readonly string[]): Score {
  let skipped = 0;
  let others = 0;
  const findings = new Findings(format, ({ reason }) => {
    if (reason === 'not-understood') others++;
    else skipped++;
  });
  const reader = lineReaders[format](findings, true);
  for (const line of lines) {
    findings.report.lines++;
    reader.read(line);
  }
  try {
    reader.end?.();
  } catch {
    // The sample ends here, so an open parenthesis is no error.
  }
  const entries = findings.report.entries + findings.report.allowed;
  const share = entries + skipped && (entries + skipped) / (entries + skipped + others);
  return { format, share, entries };
}

/**
 * Detects the format of a feed from its first 64 kB. If `isWhole` is false, the last line may be cut. Throws
 * ERR_TAMIS_INVALID_OPTION if no format understands 90 % of the first 50 lines. The message names the two best formats.
 */
export function detectFormat(bytes: Uint8Array, isWhole: boolean): FeedFormat {
  const text = new TextDecoder().decode(bytes);
  let scores: Score[];
  if (/^\s*[[{]/.test(text) && !comment.test(text)) {
    scores = jsonNames.map(([format, names]) => ({ format, share: +names.test(text), entries: 0 }));
  } else {
    const whole = isWhole ? text : text.slice(0, text.lastIndexOf('\n') + 1);
    let count = 0;
    const all = whole.split(/\r?\n/);
    const end = all.findIndex((line) => !comment.test(line) && ++count > mostLines);
    const lines = end < 0 ? all : all.slice(0, end);
    scores = namesOf(lineReaders).map((format) => scoreOf(format, lines));
  }
  // One format may take what another format skips.
  scores.sort((one, other) => other.share - one.share || other.entries - one.entries);
  const [best, next] = scores as [Score, Score];
  const isClear = best.share > next.share || best.entries > next.entries;
  if (best.share >= leastShare && isClear) return best.format;
  const shown = [best, next].map(
    ({ format, share }) => `'${format}' (${Math.round(share * 100)} % of it is understood)`,
  );
  throw rangeError(
    `readFeed: the format is not clear; give it as the option. It may be ${shown.join(' or ')}`,
  );
}
