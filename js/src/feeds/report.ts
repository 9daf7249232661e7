// The result of a feed: its entries, and what was skipped and why.

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
  | 'metamask';

/** An entry of a feed: something that a line or a record blocks or excepts. */
export interface FeedEntry {
  /** The line, from 1; in JSON, the record. */
  readonly line: number;
  /**
   * `host`: a host with all its pages. `page`: one page. `path`: a page and the folder below it. `allow-host`: an
   * exception for a host. `cancel-host`: the feed withdraws its own rule for this host (`$badfilter`).
   */
  readonly kind: 'host' | 'page' | 'path' | 'allow-host' | 'cancel-host';
  /** The host; `https://a.example/x?y` for a page, `a.example/x/y` for a path. */
  readonly text: string;
  /** The feed means the host without its subdomains. For a page at the root: that page alone. */
  readonly isExact?: true;
  /** `$important`: only an exception that is important too overrides this rule. */
  readonly isImportant?: true;
  /** The feed's threat, tags or target; at most 32. */
  readonly tags?: readonly string[];
}

/**
 * The reason for a skip.
 *
 * - Rules: `modifier` limits a rule to some pages or programs; `cosmetic` hides parts of a page. `regex` is a regular
 *   expression, and `path-prefix` has an open end.
 * - `wildcard`: a `*` that means more than all subdomains of a name.
 * - `too-deep`: a path below the third folder. The page is an entry; what lies below it is not.
 * - `ip-trigger`: an RPZ trigger on addresses or name servers.
 * - MetaMask: `hashed` is a hash of something that is no URL. `fuzzy` is a name that look-alikes imitate.
 * - Tables: `offline` is dead, and `unverified` is not confirmed.
 * - `local-name`: this machine. `single-label`: a name without a dot, such as a top-level domain.
 * - `too-long`: over `maxLineBytes`. `not-understood`: anything else.
 */
export type SkipReason =
  | 'modifier'
  | 'cosmetic'
  | 'regex'
  | 'wildcard'
  | 'path-prefix'
  | 'too-deep'
  | 'ip-trigger'
  | 'hashed'
  | 'fuzzy'
  | 'offline'
  | 'unverified'
  | 'local-name'
  | 'single-label'
  | 'too-long'
  | 'not-understood';

/** Something of a feed that is skipped. */
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
  /** Entries of the kinds `allow-host` and `cancel-host`. */
  readonly allowed: number;
  /** Lines without a name: empty lines, comments, headings. */
  readonly comments: number;
  /** The number of `entries` that are `isExact`. */
  readonly exact: number;
  /** The number of skips, by reason. */
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
  /** The first 20 skips of each reason. */
  readonly first: readonly FeedSkip[];
}

/** The key of readFeed's entries in arrays, in all copies of this module: a promise per entry would cost too much. */
export const inBatches: unique symbol = /* @__PURE__ */ Symbol.for('tamis.feeds.batches') as never;

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
/** What a reader may add to an entry's kind and text. */
export type More = Partial<Pick<FeedEntry, 'line' | 'isExact' | 'isImportant' | 'tags'>>;

const mostShown = 20;

/** The start of a text that a report or a message shows. */
export const shorten = (text: string): string =>
  text.length > 80 ? `${text.slice(0, 80)}...` : text;

/** Collects the entries and skips of all readers. */
export class Findings {
  readonly report: Mutable<FeedReport>;
  readonly #skipped: Partial<Record<SkipReason, number>> = {};
  readonly #first: FeedSkip[] = [];
  readonly #onSkip: ((skip: FeedSkip) => void) | undefined;
  #untaken: FeedEntry[] = [];

  constructor(format: FeedFormat | 'auto', onSkip?: (skip: FeedSkip) => void) {
    this.#onSkip = onSkip;
    this.report = {
      ...{ format, lines: 0, entries: 0, allowed: 0, comments: 0, exact: 0 },
      skipped: this.#skipped,
      first: this.#first,
    };
  }

  add(kind: FeedEntry['kind'], text: string, more?: More): undefined {
    const { report } = this;
    this.#untaken.push({ line: report.lines, kind, text, ...more });
    if (kind === 'allow-host' || kind === 'cancel-host') {
      report.allowed++;
    } else {
      report.entries++;
      if (more?.isExact) report.exact++;
    }
  }

  /** Counts a line without a name. */
  comment(): undefined {
    this.report.comments++;
  }

  skip(reason: SkipReason, text: string, line = this.report.lines): undefined {
    const count = (this.#skipped[reason] ?? 0) + 1;
    this.#skipped[reason] = count;
    if (count > mostShown && !this.#onSkip) return;
    const skip: FeedSkip = { line, text: shorten(text), reason };
    if (count <= mostShown) this.#first.push(skip);
    this.#onSkip?.(skip);
  }

  /** Returns the entries since the last call, and forgets them. */
  take(): FeedEntry[] {
    const entries = this.#untaken;
    this.#untaken = [];
    return entries;
  }
}

/** Reads a feed line by line. `end` is called after the last line. */
export interface LineReader {
  read(line: string): void;
  end?(): void;
}
