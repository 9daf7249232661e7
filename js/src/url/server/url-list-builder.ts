import { atIndex, mustBe, TamisError } from '../../core/errors.js';
import { checkIterable } from '../../core/key-types.js';
import { abortSignal, flag, oneOf, readOptions, text } from '../../core/options.js';
import { joinBytes, sortOnce } from '../../core/signed/bytes.js';
import { valuesOf } from '../../core/streams.js';
import { type FeedEntry, inBatches, shorten } from '../../feeds/report.js';
import {
  allShapes,
  type HostRule,
  hashExpression,
  hostRule,
  shapeBitOf,
} from '../list/expressions.js';
import { listOf, type UrlList, urlList } from '../list/url-list.js';
import { prefixWidth } from '../signed/manifest.js';
import { Exceptions, type FeedRules } from './exceptions.js';
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
   * The treatment of hosts that the feed lists without their subdomains, as hosts files do. A list cannot hold a host
   * alone. 'widen' (default) lists it with its subdomains; 'skip' skips and counts it.
   */
  readonly exact?: 'widen' | 'skip';
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
  readonly #exceptions = new Exceptions();
  readonly #skipInvalid: boolean;
  #skippedCount = 0;
  readonly #firstSkipped: SkippedEntry[] = [];

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

  /** The hosts that feeds except; UrlChecker takes them as `allow`. `build` removes their entries; see `addFeed`. */
  get allowed(): readonly string[] {
    return this.#exceptions.hosts();
  }

  /**
   * The hosts of `allowed` that the list still covers. One reason is a listed parent domain, because no list can leave
   * out a subdomain. The other is that the exception does not apply: only the rule is important, or only the entry
   * covers subdomains.
   */
  get unmet(): readonly string[] {
    return this.#exceptions.unmetIn(this.#kept());
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
   * Lists single pages, with their query if they have one. A URL that browsers do not open as a web page (http, https,
   * ws, wss, ftp) throws ERR_TAMIS_INVALID_URL with its `index`. So does white space; write it as `%20`.
   */
  addUrls(urls: Iterable<string>): this {
    return this.#add(urls, toUrlExpression);
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
   * entries of its host and of subdomains, whichever call added them. Pages and paths stay, because they are more
   * specific than a host. An exception below a listed host removes nothing, and is in `unmet`.
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
    const readers = { exact: oneOf(['widen', 'skip']), signal: abortSignal };
    const { exact, signal } = readOptions(options, readers, 'addFeed');
    const rules = this.#exceptions.ofFeed();
    // readFeed has its entries in arrays too, which is faster.
    const source: AsyncIterable<FeedEntry | FeedEntry[]> = Object(feed)[inBatches] ?? feed;
    let index = 0;
    /** Adds an entry, or skips it if it is invalid. */
    const add = (entry: FeedEntry) =>
      this.#attempt(entry.text, index++, true, () =>
        this.#addEntry(entry, rules, exact === 'skip'),
      );
    try {
      for await (const value of valuesOf(source, signal, 'addFeed')) {
        if (Array.isArray(value)) value.forEach(add);
        else add(value);
      }
      if (index === 0) {
        throw new TamisError('ERR_TAMIS_REFUSED', 'addFeed: the feed has no entries');
      }
      rules.apply();
    } finally {
      rules.close();
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
        this.#put(expression);
        this.#exceptions.recordEntry(expression);
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

  /** Adds an entry of a feed. `skipsExact`: refuses a host without its subdomains, so that it is skipped. */
  #addEntry(entry: FeedEntry, rules: FeedRules, skipsExact: boolean): void {
    const { kind, text, isExact } = entry;
    if (kind === 'allow-host' || kind === 'cancel-host') {
      const host = expressionOf('host', text);
      if (kind === 'allow-host') rules.allow(host, entry);
      else rules.cancel(host, entry);
      return;
    }
    if (isExact && skipsExact) {
      const why = `addFeed: '${shorten(text)}' is meant without its subdomains`;
      throw new TamisError('ERR_TAMIS_INVALID_URL', why);
    }
    const expression = expressionOf(kind, text);
    const isNew = this.#put(expression);
    rules.recordEntry(expression, isNew, entry);
    // The folder needs no record, because no exception removes it.
    if (kind === 'path') this.#put(`${expression}/`);
  }

  /** Adds an expression. Returns true if it is new. */
  #put(expression: string): boolean {
    if (this.#entries.has(expression)) return false;
    this.#entries.set(expression, hashExpression(expression));
    return true;
  }

  #kept(): ReadonlyMap<string, Uint8Array<ArrayBuffer>> {
    return this.#exceptions.applyTo(this.#entries);
  }
}

/** The expression for an entry of a feed. Throws ERR_TAMIS_INVALID_URL, and TypeError for anything but a feed entry. */
function expressionOf(kind: string, text: string): string {
  if (kind === 'host') return toHostExpression(text);
  if (kind !== 'page' && kind !== 'path') throw mustBe('a FeedEntry', 'addFeed: an entry', text);
  return toUrlExpression(kind === 'path' ? `http://${text}` : text);
}
