import { type FeedEntry, type FeedFormat, type FeedSkip, readFeed } from 'tamis/feeds';
import type { UrlListBuilder } from 'tamis/url';
import { writeOutput } from '../files/files.js';
import { openStored, readTextFile, showProgress } from '../files/lists.js';
import { percentOption, wordOption } from '../frame/arguments.js';
import { dropUndefined, type Options, type ValuesOf } from '../frame/command.js';
import { CommandError, codeOf, orUsageError, prefixError } from '../frame/errors.js';
import { formatCount, pluralize } from '../frame/format.js';
import type { Terminal } from '../frame/terminal.js';
import {
  type Counted,
  describeFeeds,
  type FeedFigures,
  type FeedsFigures,
  MOST_SHOWN,
  type Reason,
  reasonLines,
  type Skip,
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
] as const satisfies readonly (FeedFormat | 'auto')[];

const DEFAULT_MAX_SKIPPED = 50;

export const feedOptions = {
  format: {
    ...wordOption(
      'FORMAT',
      formats,
      'reads LIST as a feed in this format, where auto tells it by the first lines',
    ),
    heading: 'Feeds (block lists as others publish them; all of these options need --format):',
  },
  report: {
    value: 'FILE',
    help: 'writes what each feed gave, and what was skipped and why, to FILE as JSON',
  },
  exact: {
    value: 'HOW',
    words: ['widen', 'skip'],
    help: 'hosts that a feed means without their subdomains, as files of hosts do: widen lists them with these, skip does not list them (default widen)',
  },
  allow: {
    value: 'FILE',
    help: 'hosts that must not be listed, nor those below them; a line =HOST is for that host alone',
  },
  'public-suffixes': {
    value: 'FILE',
    help: 'the list of publicsuffix.org; a feed that lists one of its suffixes is refused',
  },
  'max-skipped': percentOption(
    `the highest share of a feed's lines that may be skipped, without comments (default ${DEFAULT_MAX_SKIPPED})`,
  ),
} as const satisfies Options;

type Values = ValuesOf<typeof feedOptions> & {
  readonly 'max-line': number;
  readonly json: boolean;
};

/** Reads --allow: hosts with their subdomains, and hosts alone. Throws a CommandError with a line that is no host. */
async function readAllowed(path: string, terminal: Terminal) {
  const { name, text } = await readTextFile(path, terminal);
  const lines = text.split('\n');
  const hostsOf = async (pick: (line: string) => string): Promise<string[]> => {
    const onSkip = ({ line }: FeedSkip): never => {
      const shown = (lines[line - 1] ?? '').trim();
      throw new CommandError(`${name}: line ${formatCount(line)}: '${shown}' is no host`);
    };
    const hosts: string[] = [];
    const feed = readFeed(lines.map((line) => `${pick(line)}\n`).join(''), {
      format: 'domains',
      onSkip,
    });
    for await (const entry of feed) hosts.push(entry.text);
    return hosts;
  };
  // Lines that are not picked stay as empty ones, so that line numbers are right.
  const wide = await hostsOf((line) => (line.startsWith('=') ? '' : line));
  const alone = await hostsOf((line) => (line.startsWith('=') ? line.slice(1) : ''));
  if (wide.length + alone.length === 0) {
    throw new CommandError(`${name}: an empty list: expected a host on each line`);
  }
  return { wide, alone: new Set(alone) };
}

type Allowed = Awaited<ReturnType<typeof readAllowed>>;

/** The hosts as exceptions of a feed: the builder then reports those that stay listed by a parent host. */
async function* exceptionsOf({ wide, alone }: Allowed): AsyncGenerator<FeedEntry> {
  // Important, so that they also win against important entries of feeds. Nothing reads the line.
  const entry = { line: 1, kind: 'allow-host', isImportant: true } as const;
  for (const text of wide) yield { ...entry, text };
  for (const text of alone) yield { ...entry, text, isExact: true };
}

export class Feeds {
  readonly #builder: UrlListBuilder;
  readonly #values: Values;
  readonly #terminal: Terminal;
  readonly #figures: FeedFigures[] = [];
  /** The hosts that a line `=HOST` of --allow excluded. */
  readonly #dropped = new Set<string>();

  constructor(builder: UrlListBuilder, values: Values, terminal: Terminal) {
    this.#builder = builder;
    this.#values = values;
    this.#terminal = terminal;
  }

  get #report(): FeedsFigures {
    const { exact = 'widen', 'public-suffixes': suffixes } = this.#values;
    const { allowed, unmet, removed } = this.#builder;
    // The expression of a host ends with a slash.
    const removedHosts = removed.map((expression) => expression.slice(0, -1));
    return {
      exact,
      publicSuffixes: suffixes === undefined ? 'not checked' : 'checked',
      exceptions: {
        hosts: allowed.length,
        removed: countAll([...this.#dropped, ...removedHosts]),
        unmet: countAll(unmet),
      },
      feeds: this.#figures,
    };
  }

  /** Writes the file of --report, if it is wanted; `list` has its first members. */
  async writeReport(list: object): Promise<void> {
    const { report } = this.#values;
    if (report === undefined) return;
    const text = JSON.stringify({ ...list, ...this.#report }, null, 2);
    await writeOutput(report, Buffer.from(`${text}\n`));
  }

  /** Warns of excluded hosts that are still listed, and prints the report for people. */
  async printReport(name: string): Promise<void> {
    const report = this.#report;
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
      await this.#add(path, label, allowed?.alone ?? new Set());
    }
    if (allowed) await this.#builder.addFeed(exceptionsOf(allowed));
    return { from: `${pluralize(paths.length, 'feed')}, `, more: this.#report };
  }

  async #add(path: string, label: string, alone: ReadonlySet<string>): Promise<void> {
    const { format, 'max-line': maxLineBytes, exact = 'widen' } = this.#values;
    const stored = await openStored(path, this.#terminal);
    const skips = new Skips();
    const content = showProgress(stored.content, stored, label, this.#terminal);
    const onSkip = (skip: FeedSkip): void => skips.add(skip);
    const options = dropUndefined({ format, maxLineBytes, onSkip });
    const feed = orUsageError(() => readFeed(content, options));
    try {
      const entries = this.#pick(feed, skips, exact, alone);
      await this.#builder.addFeed(entries, { exact });
    } catch (error) {
      // The builder refuses a feed without entries; the check below then says what was skipped.
      if (codeOf(error) !== 'ERR_TAMIS_REFUSED') throw feedError(stored.name, error);
    }
    const { report } = feed;
    const figures: FeedFigures = {
      feed: stored.name,
      ...report,
      entries: report.entries - skips.dropped,
      exact: report.exact - skips.exact,
      skipped: skips.counts,
      first: skips.first,
    };
    this.#figures.push(figures);
    this.#check(figures, skips.lines);
  }

  /** The entries, without exact ones if --exact skips them, and without hosts that a line =HOST excludes (`alone`). */
  async *#pick(
    feed: AsyncIterable<FeedEntry>,
    skips: Skips,
    exact: 'widen' | 'skip',
    alone: ReadonlySet<string>,
  ): AsyncGenerator<FeedEntry> {
    const builder = this.#builder;
    for await (const entry of feed) {
      const { line, kind, text, isExact } = entry;
      const isListed = kind !== 'allow-host' && kind !== 'cancel-host';
      const host = hostOf(entry);
      if (isListed && isExact && exact === 'skip') {
        skips.drop({ line, text, reason: 'exact' });
      } else if (host !== undefined && alone.has(host)) {
        this.#dropped.add(host);
      } else {
        const skippedBefore = builder.skipped.count;
        // The builder adds or skips the entry before it asks for the next one.
        yield entry;
        if (builder.skipped.count === skippedBefore) continue;
        const skip = { line, text, reason: 'no-url' } as const;
        if (isListed) skips.drop(skip);
        else skips.add(skip); // an exception is no entry of the report
      }
    }
  }

  /** Throws if too little of a feed was understood: it may be another kind of file. */
  #check(figures: FeedFigures, skippedLines: number): void {
    const { feed, lines, comments, entries, allowed } = figures;
    const { 'max-skipped': most = DEFAULT_MAX_SKIPPED } = this.#values;
    const details = reasonLines(figures, this.#terminal.errorLook.width - 2);
    if (entries + allowed === 0) {
      throw new CommandError(`${feed}: no line of the feed is an entry`, { details });
    }
    const counted = lines - comments;
    if (skippedLines * 100 <= most * counted) return;
    const what = `${formatCount(skippedLines)} of ${pluralize(counted, 'line')} are skipped, over ${most} %`;
    throw new CommandError(`${feed}: ${what}; --max-skipped allows more`, { details });
  }
}

/** The host that an entry lists as a whole, by its name or by its root page; undefined if it lists less. */
function hostOf({ kind, text, isExact }: FeedEntry): string | undefined {
  if (kind === 'host') return text;
  if (kind !== 'page' || !isExact) return undefined; // of pages only root pages are exact
  return URL.canParse(text) ? new URL(text).hostname.replace(/\.$/, '') : undefined;
}

const countAll = (all: readonly string[]): Counted => ({
  count: all.length,
  first: all.slice(0, MOST_SHOWN),
});

/** The entries and lines of a feed that are not on the list. */
class Skips {
  readonly counts: Partial<Record<Reason, number>> = {};
  readonly first: Skip[] = [];
  /** The lines that count against --max-skipped. */
  lines = 0;
  /** The entries that do not go on the list, and those of them that `--exact skip` leaves out. */
  dropped = 0;
  exact = 0;
  #lastLine = 0;

  /** Counts an entry, or a line without one. Lines count once, and only for some reasons. */
  add(skip: Skip): void {
    const { line, reason } = skip;
    const count = (this.counts[reason] ?? 0) + 1;
    this.counts[reason] = count;
    if (count <= MOST_SHOWN) this.first.push(skip);
    // A path that is too deep still gives a page, and to skip exact entries is the user's choice.
    if (reason === 'too-deep' || reason === 'exact' || line === this.#lastLine) return;
    this.#lastLine = line;
    this.lines++;
  }

  /** Counts an entry that the feed's reader gave, but that does not go on the list. */
  drop(skip: Skip): void {
    this.add(skip);
    this.dropped++;
    if (skip.reason === 'exact') this.exact++;
  }
}

/** Turns an error of the feed's reader into one of the command line. */
function feedError(name: string, error: unknown): CommandError {
  const message = prefixError(name, error).message.replace(': readFeed: ', ': ');
  const shown = message.replace('the option format', '--format');
  return new CommandError(shown, { cause: error });
}
