// The report about the feeds of a run: a JSON file, and text for people.

import type { FeedReport } from 'tamis/feeds';
import { alignRows, escapeControls, formatCount, pluralize } from '../frame/format.js';
import type { Terminal } from '../frame/terminal.js';

/** The report about one feed. `entries` counts the entries that are on the list. */
export interface FeedFigures extends Omit<FeedReport, 'exact'> {
  readonly feed: string;
  /** The numbers of entries that cover more on the list than in the feed. */
  readonly widened: { readonly hosts: number; readonly pages: number };
}

/** A number of hosts or entries, and the first of them. */
export interface Counted {
  readonly count: number;
  readonly first: readonly string[];
}

export interface FeedsFigures {
  readonly exact: 'widen' | 'skip';
  readonly publicSuffixes: 'checked' | 'not checked';
  readonly exceptions: {
    /** The entries that exceptions removed, from feeds or --allow. */
    readonly removed: Counted;
    /** The excepted hosts that are still listed, because a parent host is listed. */
    readonly unmet: Counted;
  };
  readonly feeds: readonly FeedFigures[];
}

/** The maximum number of entries per reason, and of hosts, that a report names. */
export const MOST_SHOWN = 20;

const shorten = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, Math.max(0, width - 3))}...` : text;

const widthOf = (texts: readonly string[]): number => Math.max(...texts.map((text) => text.length));

/** A line for each reason, with the number of entries and the first entry. */
export function reasonLines({ skipped, first }: FeedFigures, width: number): string[] {
  const reasons = Object.entries(skipped).sort(([, one], [, other]) => other - one);
  const nameWidth = widthOf(Object.keys(skipped));
  const counts = reasons.map(([, count]) => formatCount(count));
  const countWidth = widthOf(counts);
  return reasons.map(([reason], i) => {
    const start = `${reason.padEnd(nameWidth)}  ${(counts[i] ?? '').padStart(countWidth)}  `;
    const example = first.find((skip) => skip.reason === reason);
    if (example === undefined) return start.trimEnd();
    const { line, text } = example;
    const shown = `line ${formatCount(line)}: ${escapeControls(text)}`;
    return start + shorten(shown, width - start.length);
  });
}

/** The indent of a row, as in figures. The lines below it have twice this indent. */
const INDENT = 2;
/** The minimum number of columns for a feed's name. */
const LEAST_NAME = 12;

/** Shortens a long path at its start, because files differ at the end. */
const shortenStart = (text: string, width: number): string =>
  text.length > width ? `...${text.slice(3 - width)}` : text;

function padAll(texts: readonly string[]): string[] {
  const width = widthOf(texts);
  return texts.map((text) => text.padEnd(width));
}

/** A row for each feed, and below it a line for each reason. */
function feedRows(feeds: readonly FeedFigures[], width: number): string {
  const formats = padAll(feeds.map(({ format }) => format));
  const countWidth = widthOf(feeds.map(({ entries }) => formatCount(entries)));
  const figures = feeds.map(({ entries, lines, comments }, i) => {
    const of = `${entries === 1 ? 'entry' : 'entries'} of ${pluralize(lines - comments, 'line')}`;
    return `  ${formats[i]}  ${formatCount(entries).padStart(countWidth)} ${of}`;
  });
  const nameColumns = Math.max(LEAST_NAME, width - INDENT - widthOf(figures));
  const names = padAll(feeds.map(({ feed }) => shortenStart(escapeControls(feed), nameColumns)));
  const indent = ' '.repeat(INDENT);
  const rows = feeds.map((feed, i) => {
    const row = shorten(`${names[i]}${figures[i]}`, width - INDENT);
    const { allowed } = feed;
    const exceptions = allowed > 0 ? [pluralize(allowed, 'exception')] : [];
    const more = [...exceptions, ...reasonLines(feed, width - 2 * INDENT)];
    return [row, ...more.map((line) => indent + line)].map((line) => `${indent}${line}\n`).join('');
  });
  return rows.join('');
}

/** The text that is printed below the figures of the list. */
export function describeFeeds(figures: FeedsFigures, width: number): string {
  const { exceptions, feeds, publicSuffixes } = figures;
  const { removed } = exceptions;
  const widened = (kind: 'hosts' | 'pages') =>
    feeds.reduce((sum, feed) => sum + feed.widened[kind], 0);
  const [hosts, pages] = [widened('hosts'), widened('pages')];
  const rows: [label: string, value: string][] = [];
  if (hosts > 0) rows.push(['widened', `${pluralize(hosts, 'host')}, now with all subdomains`]);
  if (pages > 0) rows.push(['widened', `${pluralize(pages, 'page')}, now with all pages below`]);
  if (removed.count + feeds.reduce((sum, { allowed }) => sum + allowed, 0) > 0) {
    const shown = removed.count > 0 ? `: ${removed.first.join(', ')}` : '';
    rows.push(['taken off', `${formatCount(removed.count)} by exceptions${shown}`]);
  }
  const isChecked = publicSuffixes === 'checked';
  rows.push(['public suffixes', isChecked ? 'none listed' : 'not checked: --public-suffixes FILE']);
  // alignRows puts two blanks before and two after a label.
  const labelSpace = 4 + widthOf(rows.map(([name]) => name));
  const short = rows.map(
    ([name, text]) => [name, shorten(escapeControls(text), width - labelSpace)] as const,
  );
  const isWhole = feeds.every(({ skipped }) => Object.keys(skipped).length === 0);
  const heading = isWhole ? 'Feeds, of which nothing was skipped:' : 'Feeds, and what was skipped:';
  return `${alignRows(short)}${heading}\n${feedRows(feeds, width)}`;
}

/** Warns of excepted hosts that are still listed. */
export function warnOfUnmet({ exceptions }: FeedsFigures, name: string, terminal: Terminal): void {
  const { count, first } = exceptions.unmet;
  if (count === 0) return;
  const hosts = count === 1 ? '1 excepted host stays' : `${formatCount(count)} excepted hosts stay`;
  terminal.warn(name, `${hosts} listed, because of a parent host or a stronger rule`, first, count);
}
