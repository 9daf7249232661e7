import { domainToASCII } from 'node:url';
import {
  type FeedEntry,
  type FeedFormat,
  type FeedSkip,
  readFeed,
  type SkipReason,
} from 'tamis/feeds';
import type { UrlListBuilder } from 'tamis/url';
import { writeOutput } from '../files/files.js';
import { openStored, readTextFile, showProgress } from '../files/lists.js';
import { percentOption, wordOption } from '../frame/arguments.js';
import { dropUndefined, type Options, type ValuesOf } from '../frame/command.js';
import { CommandError, codeOf, orUsageError, prefixError, UsageError } from '../frame/errors.js';
import { formatCount, pluralize, toJson } from '../frame/format.js';
import type { Terminal } from '../frame/terminal.js';
import {
  type Counted,
  describeFeeds,
  type FeedFigures,
  type FeedsFigures,
  MOST_SHOWN,
  reasonLines,
  warnOfUnmet,
} from './feed-report.js';

const formats = [
  'auto',
  'domains',
  'hosts',
  'adblock',
  'rpz',
  'dnsmasq',
  'unbound',
  'urls',
  'urlhaus-csv',
  'urlhaus-json',
  'phishtank-csv',
  'phishtank-json',
  'metamask',
  'csv',
  'json',
] as const satisfies readonly (FeedFormat | 'auto')[];

const DEFAULT_MAX_SKIPPED = 50;

/** Reads a column: `url=2` or `url=NAME`. */
function readColumn(text: string, option: string): number | string {
  const [, name] = /^url=(.+)$/.exec(text) ?? [];
  const column = /^\d+$/.test(name ?? '') ? Number(name) : name;
  if (!column) throw new UsageError(`${option} ${text}: expected url=2 or url=NAME`);
  return column;
}

/** Reads a host, and returns it in the form that a list's expressions have. */
function readHostName(text: string, option: string): string {
  const host = domainToASCII(text.replace(/\.$/, ''));
  if (host === '' || !host.includes('.'))
    throw new UsageError(`${option} ${text}: expected a host`);
  return host;
}

export const feedOptions = {
  format: {
    ...wordOption(
      'FORMAT',
      formats,
      'reads LIST as a feed in this format, where auto recognizes it from the first 64 kB',
    ),
    heading: 'Feeds (block lists that others publish; all of these options need --format):',
  },
  report: {
    value: 'FILE',
    help: 'writes a report to FILE as JSON: what each feed listed, and what was skipped and why',
  },
  exact: {
    value: 'HOW',
    words: ['widen', 'skip'],
    help: 'entries that a list contains only with more than they mean, such as a host without its subdomains: widen lists them all the same, skip does not (default widen)',
  },
  columns: {
    value: 'COLUMN',
    help: 'for the format csv: the column with the URLs or the hosts, as url=2 or url=NAME',
    read: readColumn,
  },
  landing: {
    value: 'ADDRESS',
    multiple: true,
    help: 'an address or a name to which feeds send blocked names, such as your block page; can be repeated',
  },
  allow: {
    value: 'FILE',
    help: 'hosts that must not be listed, with their subdomains; a line =HOST is for that host alone',
  },
  'public-suffixes': {
    value: 'FILE',
    help: 'the list of publicsuffix.org; a feed that lists one of its suffixes is refused',
  },
  keep: {
    value: 'HOST',
    multiple: true,
    read: readHostName,
    help: 'a public suffix that may be listed all the same; can be repeated',
  },
  'max-skipped': percentOption(
    `the highest share of a feed's lines, without comments, that may be skipped (default ${DEFAULT_MAX_SKIPPED})`,
  ),
} as const satisfies Options;

type Values = ValuesOf<typeof feedOptions> & {
  readonly 'max-line': number;
  readonly json: boolean;
};

/** Reads --allow: hosts with their subdomains, and hosts alone. Throws a CommandError for a line that is not a host. */
async function readAllowed(path: string, terminal: Terminal) {
  const { name, text } = await readTextFile(path, terminal);
  const lines = text.split('\n');
  const hostsOf = async (pick: (line: string) => string): Promise<string[]> => {
    const onSkip = ({ line }: { line: number }): never => {
      const shown = (lines[line - 1] ?? '').trim();
      throw new CommandError(`${name}: line ${formatCount(line)}: '${shown}' is not a host`);
    };
    const hosts: string[] = [];
    const feed = readFeed(lines.map((line) => `${pick(line)}\n`).join(''), {
      format: 'domains',
      onSkip,
    });
    for await (const { kind, line, text } of feed) {
      if (kind === 'page') onSkip({ line });
      hosts.push(text);
    }
    return hosts;
  };
  // Each call replaces the lines of the other kind by empty lines, so that line numbers stay right.
  const wide = await hostsOf((line) => (line.startsWith('=') ? '' : line));
  const alone = await hostsOf((line) => (line.startsWith('=') ? line.slice(1) : ''));
  if (wide.length + alone.length === 0) {
    throw new CommandError(`${name}: an empty list: expected a host on each line`);
  }
  return { wide, alone };
}

type Allowed = Awaited<ReturnType<typeof readAllowed>>;

/** Yields the hosts as exceptions in a feed: the builder then reports those that a parent host keeps listed. */
async function* exceptionsOf({ wide, alone }: Allowed): AsyncGenerator<FeedEntry> {
  // These exceptions are important, so that they also win against important entries. Nothing reads the line number.
  const entry = { line: 1, kind: 'allow-host', isImportant: true } as const;
  for (const text of wide) yield { ...entry, text };
  for (const text of alone) yield { ...entry, text, isExact: true, precedence: 'always' };
}

export class Feeds {
  readonly #builder: UrlListBuilder;
  readonly #values: Values;
  readonly #terminal: Terminal;
  readonly #feeds: FeedFigures[] = [];

  constructor(builder: UrlListBuilder, values: Values, terminal: Terminal) {
    this.#builder = builder;
    this.#values = values;
    this.#terminal = terminal;
  }

  get figures(): FeedsFigures {
    const { exact = 'widen', 'public-suffixes': suffixes } = this.#values;
    const { unmet, removed } = this.#builder;
    // The expression of a host ends with a slash.
    const removedHosts = removed.map((expression) => expression.replace(/\/$/, ''));
    return {
      exact,
      publicSuffixes: suffixes === undefined ? 'not checked' : 'checked',
      exceptions: {
        removed: countAll(removedHosts),
        unmet: countAll(unmet),
      },
      feeds: this.#feeds,
    };
  }

  /** Writes the object of --json to the file of --report, if there is one. */
  async writeReport(figures: object): Promise<void> {
    const { report } = this.#values;
    if (report === undefined) return;
    await writeOutput(report, Buffer.from(`${toJson(figures, 2)}\n`));
  }

  /** Warns of excepted hosts that are still listed, and prints the report for people. */
  async printReport(name: string): Promise<void> {
    const report = this.figures;
    warnOfUnmet(report, name, this.#terminal);
    if (this.#values.json) return;
    await this.#terminal.print(describeFeeds(report, this.#terminal.look.width));
  }

  /** Adds all feeds. Returns the start of the heading, and members for --json. Throws if a feed has too few entries. */
  async addAll(paths: readonly string[]): Promise<{ from: string; more: object }> {
    const { allow } = this.#values;
    const allowed = allow === undefined ? undefined : await readAllowed(allow, this.#terminal);
    for (const [i, path] of paths.entries()) {
      const label = paths.length > 1 ? `feed ${i + 1} of ${paths.length}` : 'reading';
      await this.#add(path, label);
    }
    if (allowed) await this.#builder.addFeed(exceptionsOf(allowed));
    return { from: `${pluralize(paths.length, 'feed')}, `, more: this.figures };
  }

  async #add(path: string, label: string): Promise<void> {
    const {
      format,
      columns: column,
      landing,
      'max-line': maxLineBytes,
      exact = 'widen',
    } = this.#values;
    const stored = await openStored(path, this.#terminal);
    const skips = new Skips();
    const content = showProgress(stored.content, stored, label, this.#terminal);
    const onSkip = (skip: FeedSkip): void => skips.add(skip);
    const options = dropUndefined({ format, column, landing, maxLineBytes, onSkip });
    const feed = orUsageError(() => readFeed(content, options));
    const before = this.#builder.widened;
    let failure: unknown;
    try {
      await this.#builder.addFeed(feed, { exact, onSkip: (skip) => skips.drop(skip) });
    } catch (error) {
      // The builder refuses a feed without entries; `#check` below then reports what was skipped.
      if (codeOf(error) !== 'ERR_TAMIS_REFUSED') failure = feedError(stored.name, error);
    }
    const { exact: _, ...report } = feed.report;
    const { hosts, pages } = this.#builder.widened;
    const figures: FeedFigures = {
      feed: stored.name,
      ...report,
      entries: report.entries - skips.dropped,
      widened: { hosts: hosts - before.hosts, pages: pages - before.pages },
      skipped: skips.counts,
      first: skips.first,
    };
    this.#feeds.push(figures);
    if (failure !== undefined) throw failure;
    this.#check(figures, skips.lines);
  }

  /** Throws if too few lines of a feed were understood: it may be another kind of file. */
  #check(figures: FeedFigures, skippedLines: number): void {
    const { feed, lines, comments, entries, allowed } = figures;
    const { 'max-skipped': most = DEFAULT_MAX_SKIPPED } = this.#values;
    const details = reasonLines(figures, this.#terminal.errorLook.width - 2);
    if (entries + allowed === 0) {
      throw new CommandError(`${feed}: no line of the feed is an entry`, { details });
    }
    const counted = lines - comments;
    if (skippedLines * 100 <= most * counted) return;
    const what = `${formatCount(skippedLines)} of ${pluralize(counted, 'line')} were skipped, over ${most} %`;
    throw new CommandError(`${feed}: ${what}; --max-skipped allows more`, { details });
  }
}

const countAll = (all: readonly string[]): Counted => ({
  count: all.length,
  first: all.slice(0, MOST_SHOWN),
});

/** Counts the entries and lines of a feed that are not put on the list. */
class Skips {
  readonly counts: Partial<Record<SkipReason, number>> = {};
  readonly first: FeedSkip[] = [];
  /** The number of lines that count against --max-skipped. */
  lines = 0;
  /** The number of entries that the reader returned and the builder skipped. */
  dropped = 0;
  #lastLine = 0;

  /** Counts a skipped entry. Its line counts against --max-skipped once, and only for some reasons. */
  add(skip: FeedSkip): void {
    const { line, reason } = skip;
    const count = (this.counts[reason] ?? 0) + 1;
    this.counts[reason] = count;
    if (count <= MOST_SHOWN) this.first.push(skip);
    // A narrowed line still gives an entry, and skipping exact entries is the user's choice.
    if (reason === 'narrowed' || reason === 'exact' || line === this.#lastLine) return;
    this.#lastLine = line;
    this.lines++;
  }

  drop(skip: FeedSkip): void {
    this.add(skip);
    this.dropped++;
  }
}

/** Turns an error of the feed's reader into an error of the command line. */
function feedError(name: string, error: unknown): CommandError {
  const message = prefixError(name, error).message.replace(': readFeed: ', ': ');
  const shown = message.replace('the option format', '--format');
  return new CommandError(shown, { cause: error });
}
