import { atIndex, mustBe, TamisError } from '../../core/errors.js';
import { checkIterable } from '../../core/key-types.js';
import { abortSignal, callable, flag, oneOf, readOptions, text } from '../../core/options.js';
import { joinBytes, sortOnce } from '../../core/signed/bytes.js';
import { valuesOf } from '../../core/streams.js';
import { type FeedEntry, type FeedSkip, inBatches, shorten } from '../../feeds/report.js';
import {
  allShapes,
  deepestFolderShape,
  type HostRule,
  hashExpression,
  hostRule,
  shapeBitOf,
} from '../list/expressions.js';
import { listOf, type UrlList, urlList } from '../list/url-list.js';
import { prefixWidth } from '../signed/manifest.js';
import { FeedRules, isHost, Source } from './feed-rules.js';
import { checkExpression, toHostExpression, toUrlExpression } from './list-entries.js';
import { checkFound, checkGate, type PublishGate, publishGate } from './publish-gate.js';

/** Options of `UrlListBuilder`. */
export interface UrlListBuilderOptions {
  /** The number of bytes of an entry: 4 (default), 8, 16 or 32. With 4, only a confirm server can confirm hits. */
  readonly prefixBytes?: 4 | 8 | 16 | 32;
  /** The host rule; default 'parents'. Look-ups use the same rule. */
  readonly rule?: HostRule;
  /** If true, invalid entries are skipped and counted, and do not throw; see `skipped`. Default false. */
  readonly skipInvalid?: boolean;
}

/** An entry that was skipped. */
export interface SkippedEntry {
  /** The index of the entry in the call, from 0. */
  readonly index: number;
  /** The entry as given; if it is long, its first 80 characters and `...`. */
  readonly entry: string;
  /** The message of the error that the entry would have thrown. */
  readonly message: string;
}

/** The entries that `skipInvalid` and `addFeed` skipped so far. */
export interface SkippedEntries {
  readonly count: number;
  /** The first skipped entries, at most 20. */
  readonly first: readonly SkippedEntry[];
}

/** Options of `UrlListBuilder.build`. */
export interface UrlListBuildOptions {
  /** The published list, which the new list will replace. The gate compares the two. */
  readonly previous?: UrlList;
  readonly gate?: PublishGate;
}

/** Options of `UrlListBuilder.addFeed`. */
export interface AddFeedOptions {
  /**
   * What to do with entries that a list covers only with more than they mean, such as hosts without subdomains; see
   * `widened`. 'widen' (default) lists them; 'skip' skips and counts them.
   */
  readonly exact?: 'widen' | 'skip';
  /** Called for each skipped entry. The reason is 'exact', or 'no-url' if no browser opens the entry. */
  readonly onSkip?: (skip: FeedSkip) => void;
  readonly signal?: AbortSignal;
}

const mostShown = 20;

/**
 * Builds a UrlList from bad hosts and URLs. It keeps the full hashes, which the confirm server needs.
 *
 * @example
 * import { UrlListBuilder } from 'tamis/url';
 * const builder = new UrlListBuilder();
 * builder.addHosts(['evil.example']); // and all of its pages and subdomains
 * builder.addUrls(['https://good.example/~eve/login?x=1']); // this page alone
 * builder.addExpressions(['good.example/~mallory/']); // this folder, and what is below
 * const list = builder.build({ gate: { mustNotMatch: ['https://good.example/'], minEntries: 3 } });
 * list.count; // => 3
 *
 * @example
 * import { UrlListBuilder } from 'tamis/url';
 * const builder = new UrlListBuilder({ skipInvalid: true });
 * builder.addHosts(['evil.example', '||evil.example^', '*']);
 * const { count, first } = builder.skipped;
 * count; // => 2
 * first[0].message; // => "addHosts: '||evil.example^' is no host, but an AdGuard rule"
 */
export class UrlListBuilder {
  readonly prefixBytes: number;
  readonly rule: HostRule;
  /** Expressions and their hashes. */
  readonly #entries = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly #rules = new FeedRules();
  /** The source of all entries that do not come from a feed. */
  readonly #calls = new Source();
  readonly #skipInvalid: boolean;
  #skippedCount = 0;
  readonly #firstSkipped: SkippedEntry[] = [];
  readonly #widened = { hosts: 0, pages: 0 };

  constructor(options?: UrlListBuilderOptions) {
    const readers = { prefixBytes: prefixWidth, rule: hostRule, skipInvalid: flag };
    const values = readOptions(options, readers, 'UrlListBuilder');
    const { prefixBytes = 4, rule = 'parents', skipInvalid = false } = values;
    this.prefixBytes = prefixBytes;
    this.rule = rule;
    this.#skipInvalid = skipInvalid;
  }

  /** The number of distinct expressions so far, including expressions that an exception will remove. */
  get count(): number {
    return this.#entries.size;
  }

  /** Returns the type and the figures. The entries are not included: build the list. */
  toJSON(): Record<string, unknown> {
    const { prefixBytes, rule, count } = this;
    const content = 'not in JSON: use build().toBytes()';
    return { type: 'url-list-builder', prefixBytes, rule, count, content };
  }

  /**
   * The hosts that feeds except, if the list contains neither the host nor a page of it. Pass a Set of them to
   * UrlChecker as `allow`. `build` removes the entries of excepted hosts; see `addFeed`.
   */
  get allowed(): readonly string[] {
    return this.#rules.allowedIn(this.#kept());
  }

  /**
   * The hosts that feeds except, but that the list still covers. Either a parent domain is listed, and a list cannot
   * leave out a subdomain. Or the exception does not apply: the rule is important and the exception is not, or the
   * entry covers subdomains and the exception does not.
   */
  get unmet(): readonly string[] {
    return this.#rules.unmetIn(this.#kept());
  }

  /**
   * The number of entries so far for which the list covers more than they mean. `hosts`: hosts without their
   * subdomains, as in hosts files, or subdomains without their host; the list covers both. `pages`: URLs that end in a
   * slash. The list covers all pages below them, and for a root page the host with its subdomains.
   */
  get widened(): { readonly hosts: number; readonly pages: number } {
    return { ...this.#widened };
  }

  /** The entries that exceptions remove, as expressions, such as `good.example/`. */
  get removed(): readonly string[] {
    const kept = this.#kept();
    return [...this.#entries.keys()].filter((expression) => !kept.has(expression));
  }

  /** The entries that `skipInvalid` and `addFeed` skipped so far, in all calls. */
  get skipped(): SkippedEntries {
    return { count: this.#skippedCount, first: [...this.#firstSkipped] };
  }

  /**
   * Lists hosts, each with all its pages and subdomains. (With the rule 'labels5', a host of more than five labels is
   * listed without subdomains.) Any spelling works; a port is dropped. Single labels such as `com` are refused. An
   * invalid host throws ERR_TAMIS_INVALID_URL with its `index`; the hosts before it are added.
   */
  addHosts(hosts: Iterable<string>): this {
    return this.#add(hosts, toHostExpression);
  }

  /**
   * Lists pages. A page with a query is listed with that query alone; a page without a query, with every query. A page
   * that ends in a slash is listed with all pages below it, and a root page is listed as its host, as in `addHosts`;
   * `widened` counts both. A page that ends in a slash deeper than three folders is listed alone.
   *
   * A URL that browsers do not open as a web page (http, https, ws, wss, ftp) throws ERR_TAMIS_INVALID_URL with its
   * `index`. So does a text with line breaks or tabs, and a text without a scheme that contains a blank.
   */
  addUrls(urls: Iterable<string>): this {
    return this.#add(urls, (url) => {
      const expression = toUrlExpression(url);
      if (isFolder(expression)) this.#widened.pages++;
      return expression;
    });
  }

  /**
   * Lists expressions as they are: `host/folder/`, `host/page?query`. A folder covers all pages below it. Look-ups go
   * as deep as `host/a/b/c/`. A deeper folder, or an expression that is not canonical, throws ERR_TAMIS_INVALID_URL
   * with its `index`.
   */
  addExpressions(expressions: Iterable<string>): this {
    return this.#add(expressions, checkExpression);
  }

  /**
   * Lists the entries of a feed: a host as in `addHosts`, a page as in `addUrls`, a path as the page and the folder
   * below it. Entries that these methods would refuse are counted in `skipped`.
   *
   * Exceptions win over entries, in any order of feeds and calls; `build` and `fullHashes` apply them. An exception
   * removes the entries of its host and the host's subdomains, whichever call added them. Pages and paths of other
   * feeds and calls stay, because they are more specific than a host. An exception below a listed host removes nothing,
   * and is in `unmet`. In a feed for a DNS resolver, the resolver's own order of precedence decides; see `precedence`
   * of FeedEntry.
   *
   * Rejects with ERR_TAMIS_REFUSED if the feed has no entries, like a "not found" page, and with TypeError if the value
   * is not a feed. Rejects with the feed's own error, and with the signal's reason. Earlier entries stay added.
   *
   * @example
   * import { readFeed } from 'tamis/feeds';
   * import { UrlListBuilder } from 'tamis/url';
   * const builder = new UrlListBuilder();
   * await builder.addFeed(readFeed('0.0.0.0 evil.example\n0.0.0.0 good.example\n'));
   * await builder.addFeed(readFeed('@@||good.example^\n@@||www.evil.example^\n'));
   * builder.build().count; // => 1
   * builder.removed; // => ['good.example/']
   * builder.unmet; // => ['www.evil.example']
   */
  async addFeed(feed: AsyncIterable<FeedEntry>, options?: AddFeedOptions): Promise<this> {
    const readers = {
      exact: oneOf(['widen', 'skip']),
      onSkip: callable<(skip: FeedSkip) => void>(),
      signal: abortSignal,
    };
    const { exact, onSkip, signal } = readOptions(options, readers, 'addFeed');
    const feedSource = new Source();
    // readFeed can also yield its entries in arrays, which is faster.
    const source: AsyncIterable<FeedEntry | FeedEntry[]> = Object(feed)[inBatches] ?? feed;
    let index = 0;
    const add = (entry: FeedEntry) => {
      const { line, text } = entry;
      let reason: FeedSkip['reason'] | undefined = 'no-url';
      this.#attempt(text, index++, true, () => {
        const isAdded = this.#addEntry(entry, feedSource, exact === 'skip');
        reason = isAdded ? undefined : 'exact';
        if (!isAdded) throw invalid(`addFeed: '${shorten(text)}' would cover more than meant`);
      });
      if (reason !== undefined) onSkip?.({ line, text: shorten(text), reason });
    };
    for await (const value of valuesOf(source, signal, 'addFeed')) {
      if (Array.isArray(value)) value.forEach(add);
      else add(value);
    }
    if (index === 0) {
      throw new TamisError('ERR_TAMIS_REFUSED', 'addFeed: the feed has no entries');
    }
    return this;
  }

  /** All hashes in order, 32 bytes each, concatenated, for the confirm server. */
  get fullHashes(): Uint8Array<ArrayBuffer> {
    return joinBytes(sortOnce([...this.#kept().values()]));
  }

  /**
   * Builds the list, and looks up every entry in it. Throws ERR_TAMIS_REFUSED with `offenders` if a look-up does not
   * find its entry, or if the list does not pass the gate.
   */
  build(options?: UrlListBuildOptions): UrlList {
    const readers = { previous: urlList, gate: publishGate };
    const { previous, gate } = readOptions(options, readers, 'UrlListBuilder.build');
    const kept = this.#kept();
    const hashes = [...kept.values()];
    let shapes = 0;
    for (const expression of kept.keys()) shapes |= shapeBitOf(expression);
    // Adds the marks of long hosts: cpp/FORMAT.md, section 6.4.
    if (this.rule === 'parents' && shapes !== allShapes) {
      const marks = new Set<string>();
      for (const expression of kept.keys()) {
        const labels = expression.slice(0, expression.indexOf('/')).split('.');
        if (labels.length > 5) marks.add(`.${labels.slice(-3).join('.')}/`);
      }
      for (const mark of marks) hashes.push(hashExpression(mark));
    }
    const prefixes = hashes.map((hash) => hash.subarray(0, this.prefixBytes));
    // sortOnce drops duplicates, because two hashes may share a prefix.
    const list = listOf(joinBytes(sortOnce(prefixes)), this.prefixBytes, this.rule, shapes);
    try {
      checkFound(list, kept);
      if (gate !== undefined) checkGate(gate, list, kept, this.rule, previous);
    } catch (error) {
      list.dispose();
      throw error;
    }
    return list;
  }

  #add(entries: Iterable<string>, toExpression: (entry: string) => string): this {
    checkIterable(entries, 'entries');
    let index = 0;
    for (const entry of entries) {
      this.#attempt(entry, index++, this.#skipInvalid, () => {
        const expression = toExpression(entry);
        this.#put(expression, { kind: 'host' }, this.#calls);
      });
    }
    return this;
  }

  /** Runs `act`. If it refuses the entry and `maySkip`, the entry counts as skipped; otherwise throws with `index`. */
  #attempt(entry: string, index: number, maySkip: boolean, act: () => void): void {
    try {
      text(entry, 'an entry');
      act();
    } catch (error) {
      const { code, message } = Object(error);
      if (!maySkip || code !== 'ERR_TAMIS_INVALID_URL') throw atIndex(error as Error, index);
      if (this.#skippedCount++ < mostShown) {
        this.#firstSkipped.push({ index, entry: shorten(entry), message });
      }
    }
  }

  /** Adds an entry of a feed. If `skipsExact`, returns false for an entry that the list would widen. */
  #addEntry(entry: FeedEntry, source: Source, skipsExact: boolean): boolean {
    const { text, isExact, isBelow } = entry;
    const kind = entry.kind === 'cancel' ? entry.cancels : entry.kind;
    const [expression = '', folder] = expressionsOf(kind, text);
    const isFolderPage = kind === 'page' && isFolder(expression);
    // A root page covers less than its host, so an exception for the host alone removes it.
    const isRoot = isFolderPage && isHost(expression);
    const terms = isRoot ? { ...entry, isExact: true as const } : entry;
    if (entry.kind === 'cancel') {
      this.#rules.cancel(expression, terms, source);
      if (folder !== undefined) this.#rules.cancel(folder, terms, source);
    } else if (kind === 'allow-host') {
      this.#rules.except(expression, terms, source);
    } else {
      const isPart = kind === 'host' && (isExact || isBelow);
      const isHostPart = isPart && !this.#rules.isListed(expression, source);
      if (skipsExact && (isFolderPage || isHostPart)) return false;
      if (isFolderPage) this.#widened.pages++;
      if (isHostPart) this.#widened.hosts++;
      this.#put(expression, terms, source);
      if (folder !== undefined) this.#put(folder, terms, source);
    }
    return true;
  }

  #put(expression: string, terms: Omit<FeedEntry, 'line' | 'text'>, source: Source): void {
    if (!this.#entries.has(expression)) {
      this.#entries.set(expression, hashExpression(expression));
    }
    this.#rules.list(expression, terms, source);
  }

  #kept(): ReadonlyMap<string, Uint8Array<ArrayBuffer>> {
    return this.#rules.applyTo(this.#entries);
  }
}

const invalid = (message: string) => new TamisError('ERR_TAMIS_INVALID_URL', message);

/** True if an expression covers all pages below it. */
const isFolder = (expression: string): boolean => shapeBitOf(expression) <= deepestFolderShape;

/**
 * Returns the expressions for an entry of a feed. A path has two: its page and its folder. Throws
 * ERR_TAMIS_INVALID_URL, and TypeError for anything but a feed entry.
 */
function expressionsOf(kind: FeedEntry['cancels'], text: string): string[] {
  if (kind === 'host' || kind === 'allow-host') return [toHostExpression(text)];
  if (kind === 'page') return [toUrlExpression(text)];
  if (kind !== 'path') throw mustBe('a FeedEntry', 'addFeed: an entry', text);
  const page = toUrlExpression(`http://${text}`);
  return [page, `${page}/`];
}
