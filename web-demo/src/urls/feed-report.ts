import type { FeedFormat, SkipReason } from 'tamis/feeds';
import { make, makeButton, makeRow } from '../dom';
import { fillFigures } from '../figures-view';
import { integer, plural } from '../format';
import type { FeedOutcome } from './feed-job';

/** The formats, with words that owners of such files know. */
export const FORMATS: Readonly<Record<FeedFormat, string>> = {
  domains: 'domains, one a line',
  hosts: 'hosts file',
  adblock: 'adblock rules',
  rpz: 'RPZ zone',
  dnsmasq: 'dnsmasq',
  unbound: 'unbound',
  urls: 'URLs, one a line',
  'urlhaus-csv': 'URLhaus, CSV',
  'urlhaus-json': 'URLhaus, JSON',
  'phishtank-csv': 'PhishTank, CSV',
  'phishtank-json': 'PhishTank, JSON',
  metamask: 'MetaMask, JSON',
  csv: 'another table',
  json: 'names in JSON',
};

const REASONS: Readonly<Record<SkipReason, string>> = {
  modifier: 'rules for some pages or programs alone',
  cosmetic: 'rules that hide parts of a page',
  regex: 'regular expressions',
  wildcard: 'names with a * that is more than all subdomains',
  pattern: 'rules for other parts of addresses',
  narrowed: 'rules that cover more than a list can',
  'ip-trigger': 'rules for addresses or name servers',
  hashed: 'hashes that no URL has',
  fuzzy: 'names that other names must not resemble',
  offline: 'URLs that the feed calls dead',
  unverified: 'URLs that nobody confirmed',
  'local-name': 'names of this machine',
  'single-label': 'names without a dot',
  'too-long': 'lines that are too long',
  'no-effect': 'lines that their program ignores',
  'not-understood': 'what is not understood',
  exact: 'entries that a list would widen',
  'no-url': 'what no browser opens',
};

const skippedOf = ({ report, refused }: FeedOutcome): number =>
  Object.values(report.skipped).reduce((sum, count) => sum + count, refused);

/** The result of a feed, in a sentence. */
export function sentenceOf(name: string, outcome: FeedOutcome): string {
  const { report, failure, ms } = outcome;
  if (failure !== undefined) return `Nothing of ${name} is in your list.`;
  const found = report.entries === 1 ? '1 entry' : `${integer(report.entries)} entries`;
  return `${name}: ${found} in ${plural(report.lines, 'line')}, read in ${integer(Math.round(ms))} ms.`;
}

function figuresOf(outcome: FeedOutcome): HTMLDListElement {
  const { format, lines, entries, allowed, comments } = outcome.report;
  const { hosts, pages } = outcome.widened;
  const list = make('dl', 'feed-counts');
  const figures: [label: string, value: string][] = [
    ['Format', format === 'auto' ? 'not known' : FORMATS[format]],
    [/-json$|^metamask$/.test(format) ? 'Records' : 'Lines', integer(lines)],
    ['Entries', integer(entries)],
    ['Exceptions', integer(allowed)],
    ['Comments', integer(comments)],
    ['Skipped', integer(skippedOf(outcome))],
  ];
  if (hosts > 0) figures.push(['Widened to subdomains', integer(hosts)]);
  if (pages > 0) figures.push(['Widened to pages below', integer(pages)]);
  fillFigures(list, figures);
  return list;
}

/** The skipped lines by reason, the most frequent first, with an example for each. */
function skipsOf(name: string, { report, refused, refusedExample }: FeedOutcome): HTMLElement {
  const reasons = Object.entries(report.skipped) as [SkipReason, number][];
  reasons.sort(([, one], [, other]) => other - one);
  const rows = reasons.map(([reason, count]) => {
    const first = report.first.find((skip) => skip.reason === reason);
    const example = make('span');
    if (first) {
      const where = /-json$|^metamask$/.test(report.format) ? 'record' : 'line';
      example.append(
        make('code', '', first.text),
        make('small', '', `${where} ${integer(first.line)}`),
      );
    }
    return makeRow(REASONS[reason], '', [integer(count), example]);
  });
  if (refused > 0) {
    const cells = [integer(refused), refusedExample ?? ''];
    rows.push(makeRow('entries that the list refused', '', cells));
  }
  const table = make('table', 'size-table feed-skips');
  const caption = make('caption', 'visually-hidden', `What was skipped of ${name}`);
  table.append(caption);
  const heads = table.createTHead().insertRow();
  for (const text of ['What was skipped', 'Count', 'The first']) {
    const head = make('th', '', text);
    head.scope = 'col';
    heads.append(head);
  }
  table.createTBody().append(...rows);
  return table;
}

/**
 * The report of a feed. If the feed failed, `onAgain` reads it again in the format that the visitor then chooses.
 * `onAgain` receives the report, to replace it.
 */
export function reportOf(
  name: string,
  outcome: FeedOutcome,
  onAgain: (report: HTMLLIElement) => void,
): HTMLLIElement {
  const { report, failure } = outcome;
  const skipped = skippedOf(outcome);
  const item = make('li', 'feed-report');
  item.dataset.state = failure === undefined ? 'read' : 'refused';
  const title = make('h3', 'feed-name', name);
  title.tabIndex = -1;
  item.append(title);
  if (failure !== undefined) {
    item.append(make('p', 'feed-failure', failure));
    item.append(makeButton('', 'Read it in the format chosen above', () => onAgain(item)));
  } else if (skipped > report.entries + report.allowed) {
    item.append(make('p', 'feed-failure', 'Most of it was skipped. Is the format right?'));
  }
  if (report.lines > 0) item.append(figuresOf(outcome));
  const { hosts, pages } = outcome.widened;
  if (hosts + pages > 0) {
    const widened =
      'A list has each host with its subdomains, and each folder with its pages, even if the feed meant less.';
    item.append(make('p', 'note', widened));
  }
  if (skipped > 0) item.append(skipsOf(name, outcome));
  return item;
}
