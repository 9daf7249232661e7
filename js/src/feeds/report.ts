// What a feed gave: its entries, and what was left out of it and why.

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

/** What a line of a feed, or a record of it, blocks or excepts. */
export interface FeedEntry {
  /** The line, from 1; of JSON the record. */
  readonly line: number;
  /**
   * `host`: a host with all its pages. `page`: one page. `path`: a page and the folder below it. `allow-host`: a host
   * that the feed excepts. `cancel-host`: the feed takes its own rule for this host away (`$badfilter`).
   */
  readonly kind: 'host' | 'page' | 'path' | 'allow-host' | 'cancel-host';
  /** `evil.example`, `https://a.example/x?y` of a page, `a.example/x/y` of a path. */
  readonly text: string;
  /** The feed means the host without its subdomains; of a page at the root, that page alone. */
  readonly isExact?: true;
  /** `$important`: only an exception that is important too takes it away. */
  readonly isImportant?: true;
  /** What the feed says of it: threat, tags, target; at most 32. */
  readonly tags?: readonly string[];
}

/**
 * Why something of a feed is no entry.
 *
 * - Of rules: `modifier` holds for some pages or programs alone, and `cosmetic` hides parts of a page. `regex` is a
 *   regular expression, and `path-prefix` has an open end.
 * - `wildcard`: a `*` that is more than all subdomains of a name.
 * - `too-deep`: a path below the third folder. The page is an entry all the same, and what is below it is not.
 * - `ip-trigger`: of RPZ, what asks for addresses and name servers.
 * - Of MetaMask: `hashed` is a hash that no URL has, and `fuzzy` a name that others must not be like.
 * - Of tables: `offline` is dead, and `unverified` was confirmed by nobody.
 * - `local-name`: this machine. `single-label`: a name without a dot, such as a top-level domain.
 * - `too-long`: over `maxLineBytes`. `not-understood`: all else.
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

/** Something of a feed that is no entry. */
export interface FeedSkip {
  /** The line, from 1; of JSON the record. */
  readonly line: number;
  /** The line or the name; of a long one the first 80 characters, and `...`. */
  readonly text: string;
  readonly reason: SkipReason;
}

/** What readFeed has read so far. It is whole when the last entry was given. */
export interface FeedReport {
  /** 'auto' until the first lines have told it. */
  readonly format: FeedFormat | 'auto';
  /** Lines so far; of JSON, records. */
  readonly lines: number;
  /** Entries that block. A line of several names gives several. */
  readonly entries: number;
  /** Entries of the kinds `allow-host` and `cancel-host`. */
  readonly allowed: number;
  /** Lines that name nothing: empty ones, comments, headings. */
  readonly comments: number;
  /** Of `entries`, those that are `isExact`. */
  readonly exact: number;
  /** How many were skipped, by their reason. */
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
  /** The first 20 of each reason. */
  readonly first: readonly FeedSkip[];
}

/** Where readFeed has its entries in arrays, for who takes all: a promise for each would cost more than reading it. */
export const inBatches: unique symbol = /* @__PURE__ */ Symbol.for('tamis.feeds.batches') as never;

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
/** What an entry may have beside its kind and its text. */
export type More = Partial<Pick<FeedEntry, 'line' | 'isExact' | 'isImportant' | 'tags'>>;

const mostShown = 20;

/** Where readers put what they find. */
export class Findings {
  readonly report: Mutable<FeedReport>;
  readonly #skipped: Partial<Record<SkipReason, number>> = {};
  readonly #first: FeedSkip[] = [];
  readonly #onSkip: ((skip: FeedSkip) => void) | undefined;
  #entries: FeedEntry[] = [];

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
    const entry: FeedEntry = { line: report.lines, kind, text };
    this.#entries.push(more === undefined ? entry : { ...entry, ...more });
    if (kind === 'allow-host' || kind === 'cancel-host') {
      report.allowed++;
    } else {
      report.entries++;
      if (more?.isExact) report.exact++;
    }
  }

  skip(reason: SkipReason, text: string, line = this.report.lines): undefined {
    const count = (this.#skipped[reason] ?? 0) + 1;
    this.#skipped[reason] = count;
    if (count > mostShown && !this.#onSkip) return;
    const shown = text.length > 80 ? `${text.slice(0, 80)}...` : text;
    const skip: FeedSkip = { line, text: shown, reason };
    if (count <= mostShown) this.#first.push(skip);
    this.#onSkip?.(skip);
  }

  /** The entries since the last call. */
  take(): FeedEntry[] {
    const entries = this.#entries;
    this.#entries = [];
    return entries;
  }
}

/** Reads a feed line by line; `end` is called behind the last one. */
export interface LineReader {
  read(line: string): void;
  end?(): void;
}
