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
  /** The number of bytes of an entry: 4 (default), 8, 16 or 32. With 4, clients need a confirm server for hits. */
  readonly prefixBytes?: 4 | 8 | 16 | 32;
  /** The host rule; default 'parents'. Look-ups use the same rule. */
  readonly rule?: HostRule;
  /** Skips and counts invalid entries instead of throwing; see `skipped`. Default false. */
  readonly skipInvalid?: boolean;
}

/** An entry that was skipped. */
export interface SkippedEntry {
  /** Its index in the call, from 0. */
  readonly index: number;
  /** The entry as given; if it is long, its first 80 characters and `...`. */
  readonly entry: string;
  /** The message of the error that was avoided. */
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
  /** The list that is published now. The gate compares with it. */
  readonly previous?: UrlList;
  readonly gate?: PublishGate;
}

/** Options of `UrlListBuilder.addFeed`. */
export interface AddFeedOptions {
  /**
   * The treatment of entries that mean less than a list can say; see `widened`. 'widen' (default) lists them; 'skip'
   * skips and counts them.
   */
  readonly exact?: 'widen' | 'skip';
  /** Called for each entry that is skipped: by 'exact', or with 'no-url' because no browser opens it. */
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
  /** The source of all entries that come from no feed. */
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

  /** The number of distinct expressions so far, including those that an exception will remove. */
  get count(): number {
    return this.#entries.size;
  }

  /** The type and the figures. The entries are not in JSON: build the list. */
  toJSON(): Record<string, unknown> {
    const { prefixBytes, rule, count } = this;
    const content = 'not in JSON: use build().toBytes()';
    return { type: 'url-list-builder', prefixBytes, rule, count, content };
  }

  /**
   * The hosts that feeds except, and that have no entry of their own, nor a page. UrlChecker takes them as `allow`.
   * `build` removes their entries; see `addFeed`.
   */
  get allowed(): readonly string[] {
    return this.#rules.allowedIn(this.#kept());
  }

  /**
   * The hosts that feeds except, but that the list still covers. One reason is a listed parent domain, because no list
   * can leave out a subdomain. The other is that the exception does not apply: only the rule is important, or only the
   * entry covers subdomains.
   */
  get unmet(): readonly string[] {
    return this.#rules.unmetIn(this.#kept());
  }

  /**
   * The entries so far that the list covers with more than they mean. `hosts`: without their subdomains, as in hosts
   * files, or the subdomains alone; the list has both. `pages`: URLs that end in a slash. The list has all pages below,
   * and for a root page the host with its subdomains.
   */
  get widened(): { readonly hosts: number; readonly pages: number } {
    return { ...this.#widened };
  }

  /** The entries that exceptions remove, as expressions: `good.example/`. */
  get removed(): readonly string[] {
    const kept = this.#kept();
    return [...this.#entries.keys()].filter((expression) => !kept.has(expression));
  }

  /** The entries that `skipInvalid` and `addFeed` skipped so far, in all calls. */
  get skipped(): SkippedEntries {
    return { count: this.#skippedCount, first: [...this.#firstSkipped] };
  }

  /**
   * Lists hosts, each with all its pages and subdomains ('labels5': with subdomains only if it has at most five
   * labels). Any spelling works; a port is dropped. Single labels such as `com` are refused. An invalid host throws
   * ERR_TAMIS_INVALID_URL with its `index`; the hosts before it are added.
   */
  addHosts(hosts: Iterable<string>): this {
    return this.#add(hosts, toHostExpression);
  }

  /**
   * Lists pages, with their query if they have one. A page without a query is listed with every query. A page that ends
   * in a slash is listed with all pages below it, and a root page is its host, as by `addHosts`; `widened` counts both.
   * Below the third folder a slash lists the page alone.
   *
   * A URL that browsers do not open as a web page (http, https, ws, wss, ftp) throws ERR_TAMIS_INVALID_URL with its
   * `index`. So do line breaks, tabs, and a blank in a text without a scheme.
   */
  addUrls(urls: Iterable<string>): this {
    return this.#add(urls, (url) => {
      const expression = toUrlExpression(url);
      if (isFolder(expression)) this.#widened.pages++;
      return expression;
    });
  }

  /**
   * Lists expressions as they are: `host/folder/`, `host/page?query`. A folder covers all below it. Look-ups go as deep
   * as `host/a/b/c/`. A deeper folder, or an expression that is not canonical, throws ERR_TAMIS_INVALID_URL with its
   * `index`.
   */
  addExpressions(expressions: Iterable<string>): this {
    return this.#add(expressions, checkExpression);
  }

  /**
   * Lists the entries of a feed. A host is listed as by `addHosts`, a page as by `addUrls`, and a path as the page and
   * the folder below it. An entry that these methods would refuse is skipped and counted in `skipped`.
   *
   * Exceptions win, in any order of feeds and calls; `build` and `fullHashes` apply them. An exception removes the
   * entries of its host and of subdomains, whichever call added them. Within one feed of a resolver, the rules of its
   * program decide; see `precedence` of FeedEntry. Pages and paths stay, because they are more specific than a host. An
   * exception below a listed host removes nothing, and is in `unmet`.
   *
   * A feed without entries, such as a "not found" page, rejects with ERR_TAMIS_REFUSED; a value that is no feed, with
   * TypeError. Rejects with the feed's own error, and with the signal's reason. Earlier entries stay added.
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
    // readFeed has its entries in arrays too, which is faster.
    const source: AsyncIterable<FeedEntry | FeedEntry[]> = Object(feed)[inBatches] ?? feed;
    let index = 0;
    const add = (entry: FeedEntry) => {
      const { line, text } = entry;
      let reason: FeedSkip['reason'] | undefined = 'no-url';
      this.#attempt(text, index++, true, () => {
        const isAdded = this.#addEntry(entry, feedSource, exact === 'skip');
        reason = isAdded ? undefined : 'exact';
        if (!isAdded) throw invalid(`addFeed: '${shorten(text)}' means less than a list can say`);
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
   * Builds the list, and looks up every entry in it. Throws ERR_TAMIS_REFUSED with `offenders` for entries that a
   * look-up misses, or if the list does not pass the gate.
   */
  build(options?: UrlListBuildOptions): UrlList {
    const readers = { previous: urlList, gate: publishGate };
    const { previous, gate } = readOptions(options, readers, 'UrlListBuilder.build');
    const kept = this.#kept();
    const hashes = [...kept.values()];
    let shapes = 0;
    for (const expression of kept.keys()) shapes |= shapeBitOf(expression);
    // The marks of long hosts: cpp/FORMAT.md, section 6.4.
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

  /** Runs `act`. If that refuses the entry as invalid and `maySkip`, counts it as skipped; else throws with `index`. */
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

  /** Adds an entry of a feed; returns false for an entry that the list would widen, if `skipsExact`. */
  #addEntry(entry: FeedEntry, source: Source, skipsExact: boolean): boolean {
    const { text, isExact, isBelow } = entry;
    const kind = entry.kind === 'cancel' ? entry.cancels : entry.kind;
    const [expression = '', folder] = expressionsOf(kind, text);
    const isFolderPage = kind === 'page' && isFolder(expression);
    // A root page is less than its host, so an exception for the host alone removes it.
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

/** True if an expression covers all below it. */
const isFolder = (expression: string): boolean => shapeBitOf(expression) <= deepestFolderShape;

/**
 * The expressions for an entry of a feed: two for a path, its page and its folder. Throws ERR_TAMIS_INVALID_URL, and
 * TypeError for anything but a feed entry.
 */
function expressionsOf(kind: FeedEntry['cancels'], text: string): string[] {
  if (kind === 'host' || kind === 'allow-host') return [toHostExpression(text)];
  if (kind === 'page') return [toUrlExpression(text)];
  if (kind !== 'path') throw mustBe('a FeedEntry', 'addFeed: an entry', text);
  const page = toUrlExpression(`http://${text}`);
  return [page, `${page}/`];
}
