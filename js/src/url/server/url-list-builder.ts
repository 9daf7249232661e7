// From hosts, URLs and expressions to a list that may be published.

import { atIndex, mustBe, TamisError } from '../../core/errors.js';
import { checkIterable } from '../../core/key-types.js';
import { abortSignal, flag, oneOf, readOptions, text } from '../../core/options.js';
import { joinBytes, sortOnce } from '../../core/signed/bytes.js';
import { valuesOf } from '../../core/streams.js';
import { type FeedEntry, inBatches } from '../../feeds/report.js';
import { type HostRule, hashExpression, hostRule, shapeOf } from '../list/expressions.js';
import { listOf, type UrlList, urlList } from '../list/url-list.js';
import { prefixWidth } from '../signed/manifest-fields.js';

import { Exceptions, type FeedRules } from './exceptions.js';
import { checkExpression, shorten, toHostExpression, toUrlExpression } from './list-entries.js';
import { checkFound, checkGate, type PublishGate, publishGate } from './publish-gate.js';

/** Options of `UrlListBuilder`. */
export interface UrlListBuilderOptions {
  /** Bytes of an entry: 4 (default), 8, 16 or 32. With 4 a hit is a question to a confirm server. */
  readonly prefixBytes?: 4 | 8 | 16 | 32;
  /** Default 'labels5'. Look-ups need the same rule. */
  readonly rule?: HostRule;
  /** Skip and count what is no entry, in the place of an error: see `skipped`. Default false. */
  readonly skipInvalid?: boolean;
}

/** An entry that was skipped. */
export interface SkippedEntry {
  /** Its number, from 0, in the call that it was given to. */
  readonly index: number;
  /** As it was given; of a long one the first 80 characters, and `...`. */
  readonly entry: string;
  /** What the error would have said. */
  readonly message: string;
}

/** What `skipInvalid` and `addFeed` have skipped so far. */
export interface SkippedEntries {
  readonly count: number;
  /** At most 20. */
  readonly first: readonly SkippedEntry[];
}

/** Options of `UrlListBuilder.build`. */
export interface UrlListBuildOptions {
  /** The list that is published now, for the gate. */
  readonly previous?: UrlList;
  readonly gate?: PublishGate;
}

/** Options of `UrlListBuilder.addFeed`. */
export interface AddFeedOptions {
  /**
   * What to do with hosts that the feed means without their subdomains, as files of hosts do. A list holds a host
   * with its subdomains alone: 'widen' (default) lists it so, and 'skip' skips and counts it.
   */
  readonly exact?: 'widen' | 'skip';
  readonly signal?: AbortSignal;
}

const mostShown = 20;

/**
 * Builds a UrlList from what is known to be bad. It keeps the whole hashes, which the server that confirms
 * hits needs.
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
  /** Expressions, and their hashes. */
  readonly #entries = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly #exceptions = new Exceptions();
  readonly #skipInvalid: boolean;
  #skippedCount = 0;
  readonly #firstSkipped: SkippedEntry[] = [];

  constructor(options?: UrlListBuilderOptions) {
    const readers = { prefixBytes: prefixWidth, rule: hostRule, skipInvalid: flag };
    const values = readOptions(options, readers, 'UrlListBuilder');
    const { prefixBytes = 4, rule = 'labels5', skipInvalid = false } = values;
    this.prefixBytes = prefixBytes;
    this.rule = rule;
    this.#skipInvalid = skipInvalid;
  }

  /** Distinct expressions so far, also those that an exception will take away. */
  get count(): number {
    return this.#entries.size;
  }

  /**
   * The hosts that feeds except. `build` takes their entries away; see `addFeed`. `UrlChecker` takes such hosts as
   * its option `allow`.
   */
  get allowed(): readonly string[] {
    return this.#exceptions.hosts();
  }

  /**
   * Of `allowed`, the hosts that the list has all the same. A parent of the host is listed, and no list can leave
   * out one subdomain. Or the host is listed with its subdomains, and the exception is not for these, or the rule is
   * important and the exception is not.
   */
  get unmet(): readonly string[] {
    return this.#exceptions.unmetIn(this.#kept());
  }

  /** The entries that exceptions take away, as expressions: `good.example/`. */
  get removed(): readonly string[] {
    const kept = this.#kept();
    return [...this.#entries.keys()].filter((expression) => !kept.has(expression));
  }

  /** The entries that `skipInvalid` and `addFeed` have skipped so far, in all calls. */
  get skipped(): SkippedEntries {
    return { count: this.#skippedCount, first: [...this.#firstSkipped] };
  }

  /**
   * Lists hosts, each with all its pages and, by the rule, its subdomains ('labels5': those of hosts of two
   * to five labels). Any spelling will do; a port is dropped. `com` and other single labels are refused.
   * Throws INVALID_URL with the `index` of what is no host; those before it are in.
   */
  addHosts(hosts: Iterable<string>): this {
    return this.#add(hosts, toHostExpression);
  }

  /**
   * Lists single pages, with their query where they have one. Throws INVALID_URL with the `index` of what
   * no browser opens, by http, https, ws, wss or ftp. White space is refused too; in a URL it is `%20`.
   */
  addUrls(urls: Iterable<string>): this {
    return this.#add(urls, toUrlExpression);
  }

  /**
   * Lists expressions as they stand: `host/folder/`, `host/page?query`. A folder stands for all below it;
   * `host/a/b/c/` is as deep as look-ups go. Throws INVALID_URL with the `index` of a deeper one, and of
   * one that is not canonical, which no URL would meet.
   */
  addExpressions(expressions: Iterable<string>): this {
    return this.#add(expressions, checkExpression);
  }

  /**
   * Lists what a feed blocks. A host is listed as by `addHosts`, a page as by `addUrls`, and a path as the page and the
   * folder below it. An entry that these methods would refuse is skipped and counted in `skipped`.
   *
   * Exceptions win, whatever the order of feeds and calls: addFeed removes nothing, `build` and `fullHashes` do. An
   * exception takes away the entry of its host and those of hosts below it, by whatever call they came. Pages and paths
   * stay, since they say more than a host. An exception below a listed host takes nothing away, and stands in `unmet`.
   *
   * Rejects with REFUSED for a feed without entries, such as a page that says "not found", and with TypeError for what
   * is no feed. It rejects with the feed's own error, and with the signal's reason. What came before is in.
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
    const own = this.#exceptions.ofFeed();
    const source: AsyncIterable<FeedEntry | FeedEntry[]> = Object(feed)[inBatches] ?? feed;
    let index = 0;
    const add = (entry: FeedEntry) =>
      this.#attempt(entry.text, index++, true, () => this.#addEntry(entry, own, exact === 'skip'));
    try {
      for await (const given of valuesOf(source, signal, 'addFeed')) {
        if (Array.isArray(given)) given.forEach(add);
        else add(given);
      }
      if (index === 0) {
        throw new TamisError('ERR_TAMIS_REFUSED', 'addFeed: the feed has no entries');
      }
      own.apply();
    } finally {
      own.close();
    }
    return this;
  }

  /** All hashes in order, 32 bytes each, one after the other: what the confirm server knows. */
  get fullHashes(): Uint8Array<ArrayBuffer> {
    return joinBytes(sortOnce([...this.#kept().values()]));
  }

  /**
   * The list, in which every entry was looked up. Throws REFUSED with `offenders` for entries that a
   * look-up misses, and where it is not as the gate has it.
   */
  build(options?: UrlListBuildOptions): UrlList {
    const readers = { previous: urlList, gate: publishGate };
    const { previous, gate } = readOptions(options, readers, 'UrlListBuilder.build');
    const kept = this.#kept();
    const list = listOf(this.#prefixes(kept), this.prefixBytes, this.rule, shapesOf(kept));
    try {
      checkFound(list, kept);
      if (gate !== undefined) checkGate(gate, list, kept, this.rule, previous);
    } catch (error) {
      list.dispose();
      throw error;
    }
    return list;
  }

  #add(entries: Iterable<string>, expressionOf: (entry: string) => string): this {
    checkIterable(entries);
    let index = 0;
    for (const entry of entries) {
      this.#attempt(entry, index++, this.#skipInvalid, (given) => {
        const expression = expressionOf(given);
        this.#put(expression);
        this.#exceptions.list(expression);
      });
    }
    return this;
  }

  /** Does what there is to do with an entry, or skips it. */
  #attempt(entry: string, index: number, maySkip: boolean, act: (given: string) => void): void {
    try {
      act(text(entry, 'an entry'));
    } catch (error) {
      const { code, message } = error as TamisError;
      if (!maySkip || code !== 'ERR_TAMIS_INVALID_URL') throw atIndex(error as Error, index);
      if (this.#skippedCount++ < mostShown) {
        this.#firstSkipped.push({ index, entry: shorten(entry), message });
      }
    }
  }

  #addEntry(entry: FeedEntry, own: FeedRules, skipsExact: boolean): void {
    const { kind, text: given, isExact } = entry;
    if (kind === 'allow-host' || kind === 'cancel-host') {
      own[kind === 'allow-host' ? 'allow' : 'cancel'](expressionOf('host', given), entry);
      return;
    }
    if (isExact && skipsExact) {
      const why = `addFeed: '${shorten(given)}' is meant without its subdomains`;
      throw new TamisError('ERR_TAMIS_INVALID_URL', why);
    }
    const expression = expressionOf(kind, given);
    own.list(expression, this.#put(expression), entry);
    if (kind === 'path') this.#put(`${expression}/`);
  }

  /** Whether the expression is new. */
  #put(expression: string): boolean {
    if (this.#entries.has(expression)) return false;
    this.#entries.set(expression, hashExpression(expression));
    return true;
  }

  /** What exceptions leave. */
  #kept(): ReadonlyMap<string, Uint8Array<ArrayBuffer>> {
    return this.#exceptions.applyTo(this.#entries);
  }

  /** Two hashes may begin alike. */
  #prefixes(kept: ReadonlyMap<string, Uint8Array>): Uint8Array {
    const prefixes = Array.from(kept.values(), (hash) => hash.subarray(0, this.prefixBytes));
    return joinBytes(sortOnce(prefixes));
  }
}

/** A name whose expression is itself and a slash: readers of feeds give hosts in that form. */
const plainHost = /^(?!.*xn--)(?:[a-z\d_-]{1,63}\.)+[a-z]{2,63}$/;

/** What an entry of a feed lists. Throws INVALID_URL, and TypeError for what is no such entry. */
function expressionOf(kind: string, given: string): string {
  if (kind === 'host') return plainHost.test(given) ? `${given}/` : toHostExpression(given);
  if (kind !== 'page' && kind !== 'path') throw mustBe('a FeedEntry', 'addFeed: an entry', given);
  return toUrlExpression(kind === 'path' ? `http://${given}` : given);
}

function shapesOf(kept: ReadonlyMap<string, unknown>): number {
  let shapes = 0;
  for (const expression of kept.keys()) shapes |= shapeOf(expression);
  return shapes;
}
