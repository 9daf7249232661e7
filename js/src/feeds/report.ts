// The result of reading a feed: its entries, and the skips with their reasons.

/** The formats of feeds. */
export type FeedFormat =
  | 'domains'
  | 'hosts'
  | 'adblock'
  | 'rpz'
  | 'dnsmasq'
  | 'unbound'
  | 'urls'
  | 'urlhaus-csv'
  | 'urlhaus-json'
  | 'phishtank-csv'
  | 'phishtank-json'
  | 'metamask'
  | 'csv'
  | 'json';

/** The settings of readers. */
export interface ReaderSettings {
  readonly online: boolean;
  readonly maxLineBytes: number;
  readonly column?: number | string | undefined;
}

/** An entry of a feed: something that a line or a record blocks, excepts or takes back. */
export interface FeedEntry {
  /** The line, from 1; in JSON, the record. */
  readonly line: number;
  /**
   * `host`: a host with all its pages. `page`: one page. `path`: a page and the folder below it. `allow-host`: an
   * exception for a host. `cancel`: the feed takes back its own rules of the kind `cancels`, wherever they are in the
   * feed (`$badfilter`).
   */
  readonly kind: 'host' | 'page' | 'path' | 'allow-host' | 'cancel';
  /** The host; `https://a.example/x?y` for a page, `a.example/x/y` for a path. */
  readonly text: string;
  /** A `cancel` takes back all rules of this kind that have its text, `isExact` and `variant`. */
  readonly cancels?: 'host' | 'page' | 'path' | 'allow-host';
  /** True if the feed means the host without its subdomains. */
  readonly isExact?: true;
  /** True if the feed means the subdomains of the host without the host itself. */
  readonly isBelow?: true;
  /** `$important`: only an exception that is important too overrides this rule. */
  readonly isImportant?: true;
  /**
   * The rank of a rule among the rules of its feed. An exception without a rank wins over all hosts, pages and paths
   * below it. In DNS resolvers, the rule nearest to a name decides, so their exceptions (`nearest`, `last`, `final`)
   * keep rules for subdomains. For the same name, a `nearest` exception wins only over `weak` hosts. With `last`, the
   * later rule counts. `final` is like `last`, and also wins over exact hosts. `always` removes the host from any feed,
   * even if `isImportant`, or listed with its subdomains.
   */
  readonly precedence?: 'nearest' | 'last' | 'final' | 'weak' | 'always';
  /** The spelling of a rule that is not in the plain form: `||evil.example^$document` has the variant `^$document`. */
  readonly variant?: string;
  /** The feed's threat, tags or target; at most 32. */
  readonly tags?: readonly string[];
}

/**
 * The reason for a skip.
 *
 * - Rules: `modifier` limits a rule to some pages or programs; `cosmetic` hides parts of a page. `regex` is a regular
 *   expression. `pattern` matches other parts of addresses, so no hash can stand for it.
 * - `narrowed`: the entry covers less than the line. Left out are pages below the third folder, longer queries, or
 *   names that begin in the same way.
 * - `wildcard`: a `*` that means more than all subdomains of a name.
 * - `ip-trigger`: an RPZ trigger on addresses or name servers.
 * - MetaMask: `hashed` is a hash, but not one that a list contains. `fuzzy` is a name that look-alikes imitate.
 * - Tables: `offline` is a dead URL, and `unverified` a URL that nobody has confirmed.
 * - `local-name`: this machine. `single-label`: a name without a dot, such as a top-level domain.
 * - `too-long`: over `maxLineBytes`. `no-effect`: programs for this format ignore it. `not-understood`: anything else.
 * - In `addFeed`: `exact`: a list would cover more than the entry means. `no-url`: no browser opens the entry.
 */
export type SkipReason =
  | 'modifier'
  | 'cosmetic'
  | 'regex'
  | 'wildcard'
  | 'pattern'
  | 'narrowed'
  | 'ip-trigger'
  | 'hashed'
  | 'fuzzy'
  | 'offline'
  | 'unverified'
  | 'local-name'
  | 'single-label'
  | 'too-long'
  | 'no-effect'
  | 'not-understood'
  | 'exact'
  | 'no-url';

/** A line or a part of a feed that was skipped. */
export interface FeedSkip {
  /** The line, from 1; in JSON, the record. */
  readonly line: number;
  /** The line or the name; if it is long, its first 80 characters and `...`. */
  readonly text: string;
  readonly reason: SkipReason;
}

/** The figures of a feed so far. They are complete after the last entry. */
export interface FeedReport {
  /** 'auto' until the first lines have decided the format. */
  readonly format: FeedFormat | 'auto';
  /** Lines so far; in JSON, records. */
  readonly lines: number;
  /** Entries that block. A line with several names gives several entries. */
  readonly entries: number;
  /** Entries of the kinds `allow-host` and `cancel`. */
  readonly allowed: number;
  /** Lines without a name: empty lines, comments, headings. */
  readonly comments: number;
  /** The number of `entries` that are `isExact` or `isBelow`. */
  readonly exact: number;
  /** The number of skips, by reason. */
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
  /** The first 20 skips of each reason. */
  readonly first: readonly FeedSkip[];
}

/** The key of readFeed's entries in arrays, shared by all copies of this module. A promise per entry costs too much. */
export const inBatches: unique symbol = /* @__PURE__ */ Symbol.for('tamis.feeds.batches') as never;

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
/** The fields that a reader may add to an entry's kind and text. */
export type More = Partial<Omit<FeedEntry, 'kind' | 'text' | 'line'>>;

const mostShown = 20;

/** Returns the start of a text, to show it in a report or a message. */
export const shorten = (text: string): string =>
  text.length > 80 ? `${text.slice(0, 80)}...` : text;

/** Collects the entries and skips of all readers. */
export class Findings {
  readonly report: Mutable<FeedReport>;
  readonly #skipped: Partial<Record<SkipReason, number>> = {};
  readonly #first: FeedSkip[] = [];
  readonly #onSkip: ((skip: FeedSkip) => void) | undefined;
  #untaken: FeedEntry[] = [];
  /** The first line of a record that has several lines. */
  recordLine: number | undefined;

  /** Addresses and names that stand for "blocked", in the spelling of `spell`. */
  readonly landing: ReadonlySet<string>;

  constructor(
    format: FeedFormat | 'auto',
    onSkip?: (skip: FeedSkip) => void,
    landing: ReadonlySet<string> = new Set(),
  ) {
    this.#onSkip = onSkip;
    this.landing = landing;
    this.report = {
      ...{ format, lines: 0, entries: 0, allowed: 0, comments: 0, exact: 0 },
      skipped: this.#skipped,
      first: this.#first,
    };
  }

  /** Adds an entry. If `more` has `cancels`, the feed takes back its rules of this kind. */
  add(kind: Exclude<FeedEntry['kind'], 'cancel'>, text: string, more?: More): undefined {
    const { report } = this;
    const entry: Mutable<FeedEntry> = { line: this.#line, kind, text, ...more };
    this.#untaken.push(entry);
    if (more?.cancels) {
      entry.kind = 'cancel';
      entry.cancels = kind;
      report.allowed++;
    } else if (kind === 'allow-host') {
      report.allowed++;
    } else {
      report.entries++;
      if (more?.isExact || more?.isBelow) report.exact++;
    }
  }

  /** Counts the line of the last entry as a comment, because the entry says no more than an earlier one. */
  uncount(): undefined {
    this.report.entries--;
    this.report.exact--;
    this.comment();
  }

  get #line(): number {
    return this.recordLine ?? this.report.lines;
  }

  /** Counts a line without a name. */
  comment(): undefined {
    this.report.comments++;
  }

  skip(reason: SkipReason, text: string): undefined {
    const count = (this.#skipped[reason] ?? 0) + 1;
    this.#skipped[reason] = count;
    if (count > mostShown && !this.#onSkip) return;
    const skip: FeedSkip = { line: this.#line, text: shorten(text), reason };
    if (count <= mostShown) this.#first.push(skip);
    this.#onSkip?.(skip);
  }

  /** Returns the entries since the last call, and removes them. */
  take(): FeedEntry[] {
    const entries = this.#untaken;
    this.#untaken = [];
    return entries;
  }
}

/** Reads a feed line by line. `end` is called after the last line. */
export interface LineReader {
  read(line: string): void;
  /** Called for a line that is not read, with the number of its quotes, because each may open or close a cell. */
  skip?(quotes: number): void;
  end?(): void;
}
