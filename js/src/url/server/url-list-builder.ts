// From hosts, URLs and expressions to a list that may be published.

import { atIndex, type TamisError } from '../../core/errors.js';
import { checkIterable } from '../../core/key-types.js';
import { flag, readOptions, text } from '../../core/options.js';
import { joinBytes, sortOnce } from '../../core/signed/bytes.js';
import { buildList } from '../list/build-list.js';
import { type HostRule, hashExpression, hostRule, shapeOf } from '../list/expressions.js';
import { type UrlList, urlList } from '../list/url-list.js';
import { prefixWidth } from '../signed/manifest-fields.js';

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

/** What `skipInvalid` has skipped so far. */
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

  /** Distinct expressions so far. */
  get count(): number {
    return this.#entries.size;
  }

  /** The entries that `skipInvalid` has skipped so far, in all calls. */
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

  /** All hashes in order, 32 bytes each, one after the other: what the confirm server knows. */
  get fullHashes(): Uint8Array<ArrayBuffer> {
    return joinBytes(sortOnce([...this.#entries.values()]));
  }

  /**
   * The list, in which every entry was looked up. Throws REFUSED with `offenders` for entries that a
   * look-up misses, and where it is not as the gate has it.
   */
  build(options?: UrlListBuildOptions): UrlList {
    const readers = { previous: urlList, gate: publishGate };
    const { previous, gate } = readOptions(options, readers, 'UrlListBuilder.build');
    const list = buildList(this.#prefixes(), this.prefixBytes, this.rule, this.#shapes());
    try {
      checkFound(list, this.#entries);
      if (gate !== undefined) checkGate(gate, list, this.#entries, this.rule, previous);
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
      try {
        const expression = expressionOf(text(entry, 'an entry'));
        if (!this.#entries.has(expression)) {
          this.#entries.set(expression, hashExpression(expression));
        }
      } catch (error) {
        const { code, message } = error as TamisError;
        const isSkipped = this.#skipInvalid && code === 'ERR_TAMIS_INVALID_URL';
        if (!isSkipped) throw atIndex(error as Error, index);
        if (this.#skippedCount++ < mostShown) {
          this.#firstSkipped.push({ index, entry: shorten(entry), message });
        }
      }
      index++;
    }
    return this;
  }

  #shapes(): number {
    let shapes = 0;
    for (const expression of this.#entries.keys()) shapes |= shapeOf(expression);
    return shapes;
  }

  /** Two hashes may begin alike. */
  #prefixes(): Uint8Array {
    const prefixes = Array.from(this.#entries.values(), (hash) =>
      hash.subarray(0, this.prefixBytes),
    );
    return joinBytes(sortOnce(prefixes));
  }
}
