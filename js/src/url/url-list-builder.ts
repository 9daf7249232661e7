// From hosts, URLs and expressions to a list that may be published.

import { atIndex, rangeError, show, TamisError, typeError } from '../core/errors.js';
import { checkIterable } from '../core/keys.js';
import { integer, type Reader, readOptions } from '../core/options.js';
import { compareBytes } from './bytes.js';
import { canonicalize, navigationUrl } from './canonicalize.js';
import { type HostRule, hashExpression, hostRule, shapeOf } from './expressions.js';
import { checkGate, type PublishGate, publishGate } from './publish-gate.js';
import { listOf, UrlList } from './url-list.js';

/** Options of `UrlListBuilder`. */
export interface UrlListBuilderOptions {
  /** What the list is called. */
  readonly name: string;
  /** Bytes of an entry: 4 (default), 8, 16 or 32. With 4 a hit is a question to a confirm server. */
  readonly prefixBytes?: 4 | 8 | 16 | 32;
  /** Default 'labels5'. Who asks the list must have the same. */
  readonly rule?: HostRule;
}

/** Options of `UrlListBuilder.build`. */
export interface UrlListBuildOptions {
  /** The list that is published now, for the gate. */
  readonly previous?: UrlList;
  readonly gate?: PublishGate;
}

const hashBytes = 32;

const listName: Reader<string> = (value, name) => {
  if (typeof value !== 'string' || value === '') {
    throw typeError(`${name} must be a string that is not empty, got ${show(value)}`);
  }
  return value;
};
const prefixWidth: Reader<number> = (value, name) => {
  const width = integer(4, hashBytes)(value, name);
  if ([4, 8, 16, hashBytes].includes(width)) return width;
  throw rangeError(`${name} must be 4, 8, 16 or 32, got ${width}`);
};
const urlList: Reader<UrlList> = (value, name) => {
  if (value instanceof UrlList) return value;
  throw typeError(`${name} must be a UrlList, got ${show(value)}`);
};

/** The expression of the URL itself: its canonical form without scheme and empty query. */
function exactExpression(canonical: string): string {
  const expression = canonical.slice(canonical.indexOf('://') + 3);
  return expression.indexOf('?') === expression.length - 1 ? expression.slice(0, -1) : expression;
}

function invalid(what: string, entry: string, why: string): TamisError {
  const shown = entry.length > 80 ? `${entry.slice(0, 80)}...` : entry;
  return new TamisError('ERR_TAMIS_INVALID_URL', `${what}: '${shown}' ${why}`);
}

function hostExpression(host: string): string {
  const bare = host.trim();
  // White space within: the parser of URLs would drop some, and refuse the rest.
  const isMore = /[/\\?#@\s]/.test(bare);
  const expression = isMore ? '' : exactExpression(canonicalize(navigationUrl(`http://${bare}/`)));
  // What stands behind the first slash would be part of a path.
  if (expression.indexOf('/') === expression.length - 1 && expression !== '') return expression;
  throw invalid('addHosts', host, 'is no host');
}

function urlExpression(url: string): string {
  return exactExpression(canonicalize(navigationUrl(url)));
}

function checkedExpression(expression: string): string {
  const canonical = exactExpression(canonicalize(`http://${expression}`));
  if (canonical === expression) return expression;
  throw invalid('addExpressions', expression, `can match nothing; expected '${canonical}'`);
}

/**
 * Builds a UrlList from what is known to be bad. It keeps the whole hashes, which the server that confirms
 * hits needs.
 *
 * @example
 * import { UrlListBuilder } from 'tamis/url';
 * const builder = new UrlListBuilder({ name: 'phish' });
 * builder.addHosts(['evil.example']); // and all of its pages and subdomains
 * builder.addUrls(['https://good.example/~eve/login?x=1']); // this page alone
 * builder.addExpressions(['good.example/~mallory/']); // this folder, and what is below
 * const list = builder.build({ gate: { mustNotMatch: ['https://good.example/'], minEntries: 3 } });
 * list.count; // => 3
 */
export class UrlListBuilder {
  /** What the list is called. */
  readonly name: string;
  readonly prefixBytes: number;
  readonly rule: HostRule;
  /** Expressions, and their hashes. */
  readonly #entries = new Map<string, Uint8Array<ArrayBuffer>>();

  constructor(options: UrlListBuilderOptions) {
    const what = 'UrlListBuilder';
    const readers = { name: listName, prefixBytes: prefixWidth, rule: hostRule };
    const { name, prefixBytes = 4, rule = 'labels5' } = readOptions(options, readers, what);
    if (name === undefined) throw typeError(`${what}: expected the option name`);
    this.name = name;
    this.prefixBytes = prefixBytes;
    this.rule = rule;
  }

  /** Distinct expressions so far. */
  get count(): number {
    return this.#entries.size;
  }

  /**
   * Lists hosts, each with all its pages and, by the rule, its subdomains ('labels5': those of hosts of two
   * to five labels). Any spelling will do; a port is dropped. Throws INVALID_URL with the `index` of what is
   * no host; those before it are in.
   */
  addHosts(hosts: Iterable<string>): this {
    return this.#add(hosts, hostExpression);
  }

  /** Lists single pages, with their query where they have one. Throws INVALID_URL with an `index`. */
  addUrls(urls: Iterable<string>): this {
    return this.#add(urls, urlExpression);
  }

  /**
   * Lists expressions as they stand: `host/folder/`, `host/page?query`. A folder stands for all below it
   * down to the third, `host/a/b/c/`; a deeper one for its own page alone. Throws INVALID_URL with an `index`
   * for one that is not canonical, which no URL would meet.
   */
  addExpressions(expressions: Iterable<string>): this {
    return this.#add(expressions, checkedExpression);
  }

  /** All hashes in order, 32 bytes each, one after the other: what the confirm server knows. */
  get fullHashes(): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(hashBytes * this.#entries.size);
    this.#sorted().forEach((hash, i) => {
      all.set(hash, hashBytes * i);
    });
    return all;
  }

  /** The list. Throws REFUSED with `offenders` where it is not as the gate has it. */
  build(options?: UrlListBuildOptions): UrlList {
    const readers = { previous: urlList, gate: publishGate };
    const { previous, gate } = readOptions(options, readers, 'UrlListBuilder.build');
    const list = listOf(this.#prefixes(), this.prefixBytes, this.rule, this.#shapes());
    if (gate === undefined) return list;
    try {
      checkGate(gate, list, this.#entries, this.rule, previous);
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
        if (typeof entry !== 'string') throw typeError(`expected a string, got ${show(entry)}`);
        const expression = expressionOf(entry);
        if (!this.#entries.has(expression)) {
          this.#entries.set(expression, hashExpression(expression));
        }
      } catch (error) {
        throw atIndex(error as Error, index);
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

  #sorted(): Uint8Array[] {
    return [...this.#entries.values()].sort(compareBytes);
  }

  /** Sorted, and each once: two hashes may begin alike. */
  #prefixes(): Uint8Array {
    const { prefixBytes } = this;
    const all = new Uint8Array(prefixBytes * this.#entries.size);
    let size = 0;
    for (const hash of this.#sorted()) {
      const isRepeat =
        size > 0 &&
        hash.every((byte, i) => i >= prefixBytes || byte === all[size - prefixBytes + i]);
      if (isRepeat) continue;
      all.set(hash.subarray(0, prefixBytes), size);
      size += prefixBytes;
    }
    return all.subarray(0, size);
  }
}
