// Detects the format of a feed from its first 64 kB.

import { rangeError } from '../core/errors.js';
import { namesOf } from '../core/options.js';
import { readRule } from './adblock.js';
import { type FeedFormat, Findings, type LineReader, type ReaderSettings } from './report.js';
import { readDnsmasqLine, readDomain, readHostsLine, UnboundReader } from './resolvers.js';
import { RpzReader } from './rpz.js';
import { CsvReader, type JsonFormat, readUrl, tables } from './tables.js';

export type LineFormat = Exclude<FeedFormat, JsonFormat>;

/** Makes the reader of a format whose lines do not depend on one another. */
const oneByOne =
  (read: (line: string, findings: Findings) => void) =>
  (findings: Findings): LineReader => ({ read: (line) => read(line, findings) });

/** The readers. If several formats fit a sample equally well, the first in this order is chosen. */
export const lineReaders: Readonly<
  Record<LineFormat, (findings: Findings, settings: ReaderSettings) => LineReader>
> = {
  urls: oneByOne(readUrl),
  domains: oneByOne(readDomain),
  hosts: oneByOne(readHostsLine),
  rpz: (findings) => new RpzReader(findings),
  dnsmasq: oneByOne(readDnsmasqLine),
  unbound: (findings) => new UnboundReader(findings),
  'urlhaus-csv': (...rest) => new CsvReader(tables.urlhaus, ...rest),
  'phishtank-csv': (...rest) => new CsvReader(tables.phishtank, ...rest),
  csv: (...rest) => new CsvReader(undefined, ...rest),
  adblock: oneByOne(readRule),
};

/** The least share of lines that a format must understand. */
const leastShare = 0.9;

/** The heading of rules for ad blockers, such as `[Adblock Plus 2.0]`. */
const ruleHeading = /^\[(ad ?block|ad ?guard|ublock)/im;
/** Matches the start of JSON, but not of a heading such as `[Adblock Plus 2.0]`. */
const json = /^\s*(\{|\[\s*(["{[\]\d-]|$))/;

/** Matches the start of content that is not text, or not a list. */
const contents: readonly (readonly [RegExp, string])[] = [
  [/^\s*</, 'HTML'],
  [/^(\xff\xfe|\xfe\xff)|^\0[^\0]|^[^\0]\0/, 'UTF-16, not UTF-8'],
  [/^PK[^ -~]/, 'zip'],
  [/^BZh\d/, 'bzip2'],
  [/^.{257}ustar/s, 'tar'],
];

/** Matches names that occur in the JSON of these feeds. */
const jsonNames: readonly (readonly [JsonFormat, RegExp])[] = [
  ['urlhaus-json', /"(url_status|urlhaus_\w+)"/],
  ['phishtank-json', /"(phish_id|phish_detail_url)"/],
  ['metamask', /"(fuzzy|black|white|block|allow)list(Paths)?"/],
  ['json', /^\s*\[[^{]*"/],
];

interface Score {
  readonly format: FeedFormat;
  /** The share of entries and skips that are not 'not-understood'. Skips for the reason 'pattern' do not count. */
  readonly share: number;
  /** The number of entries, including exceptions. */
  readonly entries: number;
}

/** Reads the lines in a format, and counts what it understands. */
function scoreOf(
  format: LineFormat,
  lines: readonly string[],
  landing: ReadonlySet<string>,
): Score {
  const findings = new Findings(format, undefined, landing);
  // Dead URLs are skipped, and so count as understood.
  const reader = lineReaders[format](findings, { online: true, maxLineBytes: 65_536 });
  for (const line of lines) reader.read(line);
  try {
    reader.end?.();
  } catch {
    // The sample ends here, so an open parenthesis is no error.
  }
  const { entries, allowed, skipped } = findings.report;
  // Any word may be a pattern of an ad blocker's rule, so skipped patterns say nothing about the format.
  const { 'not-understood': unknown = 0, pattern: _, ...others } = skipped;
  const known = Object.values(others).reduce((sum, count) => sum + count, entries + allowed);
  return { format, share: known && known / (known + unknown), entries: entries + allowed };
}

/**
 * Detects the format of a feed from its first 64 kB. If `isWhole` is false, the last line may be incomplete. Of the
 * formats that understand 90 % of the lines, it chooses the first with the most entries. Throws
 * ERR_TAMIS_INVALID_OPTION if there is none; the message names the kind of content, or the best format.
 */
export function detectFormat(
  bytes: Uint8Array,
  isWhole: boolean,
  landing: ReadonlySet<string>,
): FeedFormat {
  const fail = (why: string): never => {
    throw rangeError(`readFeed: ${why}`);
  };
  const raw = new TextDecoder('latin1').decode(bytes);
  const [, content] = contents.find(([start]) => start.test(raw)) ?? [];
  if (content !== undefined) fail(`the content is ${content}: pass a list as text`);
  const text = new TextDecoder().decode(bytes);
  if (json.test(text)) {
    const [format] = jsonNames.find(([, names]) => names.test(text)) ?? [];
    return format ?? fail('the content is JSON, but not in a known list format');
  }
  if (ruleHeading.test(text)) return 'adblock';
  const whole = isWhole ? text : text.slice(0, text.lastIndexOf('\n') + 1);
  const lines = whole.split(/\r?\n/);
  // 'csv' cannot be detected, because its column is an option.
  const formats = namesOf(lineReaders).filter((format) => format !== 'csv');
  const scores = formats.map((format) => scoreOf(format, lines, landing));
  const fits = ({ share }: Score): boolean => share >= leastShare;
  scores.sort((one, other) =>
    fits(one) && fits(other) ? other.entries - one.entries : other.share - one.share,
  );
  const [best] = scores as [Score];
  if (fits(best)) return best.format;
  const percent = Math.round(best.share * 100);
  const guess = `('${best.format}' understands ${percent} % of the lines): pass the option format`;
  return fail(`no format fits ${percent > 0 ? guess : 'the lines'}`);
}
