// A list of URLs: the mirror of cpp/include/tamis/url/url_list.hpp.

import { ownedOf } from '../../core/border/lifetime.js';
import {
  bytesAddress,
  copyAnswers,
  hashesAddress,
  raw,
  read,
  readRangesAsText,
  readText,
  statusAddress,
  withMemory,
} from '../../core/border/memory.js';
import { call } from '../../core/border/runtime.js';
import { atIndex, rangeError, TamisError } from '../../core/errors.js';
import { checkIterable, isWellFormed } from '../../core/key-types.js';
import { sendKeys } from '../../core/keys/keys.js';
import { withKey } from '../../core/keys/with-key.js';
import { integer, need, type Reader, readOptions } from '../../core/options.js';
import { hexOf } from '../../core/signed/bytes.js';
import { check, errorOf } from '../../core/statuses.js';
import type { ByteSource } from '../../core/streams.js';
import {
  type Adopted,
  type Adopter,
  adopt,
  type Definition,
} from '../../core/structures/definition.js';
import {
  load,
  loadReaders,
  loadStream,
  only,
  streamReaders,
} from '../../core/structures/loading.js';
import {
  countFigure,
  derive,
  figure,
  type Loadable,
  mustBeOwn,
  prefixBytesFigure,
  Structure,
  tell,
  urlListId,
} from '../../core/structures/structure.js';
import type { Handle } from '../../wasm/core.js';
import { url } from '../../wasm/parts/url.js';
import { checkText, maxUrlBytes } from './canonicalize.js';
import { type HostRule, hostRule, nameOfRule } from './expressions.js';
import {
  indicesReader,
  type ListLoadOptions,
  type ListStreamOptions,
  type PrefixChanges,
  type PrefixOptions,
  prefixesReader,
  splitOptions,
} from './list-options.js';
import { lookUp, type UrlHit } from './lookups.js';
import { makeOfChanges, makeOfPrefixes } from './prefixes.js';
import { pageOfHost } from './readings.js';
import { UrlDelta } from './url-delta.js';

/**
 * Of a URL: certainly not on the list; perhaps on it; or none that a browser surely opens as a page of the
 * web. Only 'safe' means safe.
 */
export type ListAnswer = 'safe' | 'maybe' | 'invalid';

/** The answers of bindings/url.cpp, by their numbers, and one that is none yet. */
const answers: readonly ListAnswer[] = ['safe', 'maybe', 'invalid'];
const needsParser = 3;

/** Outside the class: one that names itself is bundled under another name, `_UrlList`. */
export const urlList: Reader<UrlList> = (value, name) => {
  if (value instanceof UrlList) return value;
  throw mustBeOwn('a UrlList', name, value);
};

/** The list of sorted prefixes, of expressions of these shapes. Throws as makeOfPrefixes. */
export const listOf = (
  prefixes: Uint8Array,
  prefixBytes: number,
  rule: HostRule,
  shapes: number,
): UrlList => adopt(UrlList, makeOfPrefixes(prefixes, prefixBytes, rule, shapes), rule);

/** What the core can make canonical of a text; '' where the parser must read it first. */
export const toEncodable = (text: string): string =>
  text.length <= maxUrlBytes && isWellFormed(text) ? text : '';

/**
 * A list of URLs that travels: the first bytes of the SHA-256 of expressions, sorted, and the rule that
 * these were made by. Takes some 2 bytes an entry, in memory and as bytes, with prefixes of 4 bytes. Two
 * expressions may share a prefix, so that its yes is a maybe: about one URL in 11,000 of 190,000 hosts.
 * Lists are never changed: a UrlDelta makes the next one.
 *
 * @example
 * import { UrlList, UrlListBuilder } from 'tamis/url';
 * const bytes = new UrlListBuilder().addHosts(['evil.example']).build().toBytes();
 * const list = UrlList.fromBytes(bytes);
 * list.check('https://user@LOGIN.evil.example:8443/%61'); // => 'maybe'
 * list.check('https://good.example/'); // => 'safe'
 * list.check('mailto:a@evil.example'); // => 'invalid'
 */
export class UrlList extends Structure<'url-list', Adopted> {
  /** The name of the rule that the list was built by. */
  readonly rule: string;
  /** Undefined where it has the name alone: then no look-up is possible. */
  readonly #rule: HostRule | undefined;

  /** Lists are made by `UrlListBuilder`, `fromBytes`, `fromStream`, `fromPrefixes`, `update` and `apply`. */
  constructor(made: Adopted, rule?: HostRule) {
    super(made);
    this.rule = readText(tell(this, (core, handle) => core.urlListRule(handle, bytesAddress)));
    if (rule !== undefined && nameOfRule(rule) !== this.rule) {
      this.dispose();
      throw new TamisError(
        'ERR_TAMIS_INCOMPATIBLE',
        `the list was built by the rule '${this.rule}', not by '${nameOfRule(rule)}'`,
      );
    }
    this.#rule = this.rule === 'labels5' ? 'labels5' : rule;
  }

  /**
   * The list in the bytes of `toBytes`; throws rather than give a wrong one, INCOMPATIBLE for another
   * rule than its own.
   */
  static override fromBytes<S extends Loadable>(
    this: Adopter<S, [rule?: HostRule | undefined]>,
    bytes: ArrayBuffer | Uint8Array,
    options?: ListLoadOptions,
  ): S {
    const [rule, rest] = splitOptions(options, loadReaders());
    return load(only(this), bytes, rest, rule);
  }

  /** fromBytes for a download; refuses as soon as the header is wrong. */
  static override async fromStream<S extends Loadable>(
    this: Adopter<S, [rule?: HostRule | undefined]>,
    stream: ByteSource,
    options?: ListStreamOptions,
  ): Promise<S> {
    const [rule, rest] = splitOptions(options, streamReaders());
    return loadStream(only(this), stream, rest, rule);
  }

  /**
   * The list of these prefixes, which stand one after the other, sorted. They are the first bytes of the SHA-256 of
   * expressions, as Safe Browsing has them. Throws RangeError where they are no whole prefixes, or do not increase
   * strictly.
   *
   * @example
   * import { hashExpression, UrlList } from 'tamis/url';
   * const prefixes = hashExpression('evil.example/').subarray(0, 4);
   * const list = UrlList.fromPrefixes(prefixes, { prefixBytes: 4 });
   * list.check('https://evil.example/'); // => 'maybe'
   */
  static fromPrefixes<S extends Loadable>(
    this: Adopter<S, [rule?: HostRule | undefined]>,
    prefixes: Uint8Array,
    options: PrefixOptions,
  ): S {
    const what = 'UrlList.fromPrefixes';
    const given = readOptions(options, { prefixBytes: integer(4, 32), rule: hostRule }, what);
    need(given, what, 'prefixBytes');
    const { prefixBytes, rule = 'labels5' } = given;
    const bytes = prefixesReader(prefixes, what);
    let made: Handle;
    try {
      made = makeOfPrefixes(bytes, prefixBytes, rule);
    } catch (error) {
      if (!/CORRUPT|INVALID_OPTION/.test((error as TamisError).code)) throw error;
      throw rangeError(`${what}: prefixes must have 4, 8, 16 or 32 bytes, and increase strictly`);
    }
    return adopt(this, made, rule);
  }

  /** @internal */
  static define(): Definition {
    return {
      type: 'url-list',
      id: urlListId,
      part: url,
      name: 'UrlList',
      shown: ['count', 'prefixBytes', 'rule'],
    };
  }

  /** Entries. */
  get count(): number {
    return figure(this, countFigure);
  }

  /** Bytes of an entry: 4, 8, 16 or 32. */
  get prefixBytes(): number {
    return figure(this, prefixBytesFigure);
  }

  /** SHA-256 of all entries one after the other, 32 bytes: what Safe Browsing calls the checksum. */
  get sha256(): Uint8Array<ArrayBuffer> {
    tell(this, (core, handle) => core.urlListChecksum(handle, hashesAddress));
    return read(hashesAddress, 32);
  }

  /** All entries in order, one after the other. */
  prefixes(): Uint8Array<ArrayBuffer> {
    const size = this.count * this.prefixBytes;
    return withMemory(size, (address) => {
      tell(this, (core, handle) => core.urlListPrefixes(handle, address));
      return read(address, size);
    });
  }

  /** SHA-256 of the rule, the length of prefixes, the shapes of entries and `sha256`: which list it is. */
  get identity(): Uint8Array<ArrayBuffer> {
    tell(this, (core, handle) => core.urlListChecksum(handle, hashesAddress));
    return read(hashesAddress + 32, 32);
  }

  /**
   * Whether the page that a browser would open for `url` is on the list: the URL itself, its host, a folder or a
   * domain above. Only 'safe' means safe. It is the answer for URLs of http, https, ws, wss and ftp alone. Without
   * the fragment they have at most 2 MiB, and the platform's parser takes them. A text without a scheme gets
   * `http://` in front. What else hits in some reading is 'maybe', and the rest is 'invalid'. Throws INCOMPATIBLE
   * for a list whose rule was not given.
   */
  check(url: string): ListAnswer {
    const text = checkText(url);
    if (this.#ruleInForce() === 'labels5') {
      // Most URLs are such that the core can tell what a browser would open.
      const { live } = ownedOf(this);
      const check = (address: number, size: number) => raw._tamis_url_check(live, address, size);
      const answer = withKey(toEncodable(text), check);
      if (answer !== needsParser) return answers[answer] as ListAnswer;
    }
    return this.#askParsed(text);
  }

  /** The same for many, in order. An error has an `index`. */
  checkMany(urls: Iterable<string>): ListAnswer[] {
    checkIterable(urls);
    const all: string[] = [];
    for (const url of urls) {
      try {
        all.push(checkText(url));
      } catch (error) {
        throw atIndex(error as Error, all.length);
      }
    }
    if (this.#ruleInForce() !== 'labels5') return all.map((url) => this.#askParsed(url));
    const { live } = ownedOf(this);
    // What no batch answers is looked up by itself: no answer is 'safe' by being left out.
    const numbers = new Uint8Array(all.length).fill(needsParser);
    let at = 0;
    sendKeys(all.map(toEncodable), {
      many: (offset, size, count) => raw._tamis_url_check_many(live, offset, size, count),
      one: (address, size) => raw._tamis_url_check(live, address, size),
      take(count, answer) {
        if (answer === undefined) copyAnswers(numbers, at, count);
        else numbers[at] = answer;
        at += count;
      },
    });
    return all.map((url, i) => answers[numbers[i] as number] ?? this.#askParsed(url));
  }

  /**
   * Whether a host is on the list, by itself or by a domain above. Listed pages of it do not count. It is for programs
   * that know no URL: DNS, mail. It takes a name in any case, with `_`, and with a dot at its end. An IPv6 address may
   * have brackets. 'invalid' for anything else: a port, a name of more than 253 characters, a label of more than 63.
   * The text is read as browsers read it: `16909060` is 1.2.3.4, and full-width letters are plain ones. Throws INCOMPATIBLE
   * as `check`.
   *
   * @example
   * import { UrlListBuilder } from 'tamis/url';
   * const list = new UrlListBuilder().addHosts(['evil.example']).build();
   * list.checkHost('_dmarc.LOGIN.evil.example.'); // => 'maybe'
   * list.checkHost('good.example'); // => 'safe'
   * list.checkHost('good.example:443'); // => 'invalid'
   */
  checkHost(host: string): ListAnswer {
    return this.check(pageOfHost(host));
  }

  /** The same for many, in order. An error has an `index`. */
  checkHosts(hosts: Iterable<string>): ListAnswer[] {
    checkIterable(hosts);
    return this.checkMany(Array.from(hosts, pageOfHost));
  }

  /**
   * The expressions of the URL that the list may hold, with their hashes, to confirm with a server that knows the
   * whole hashes. Empty where `check` says 'safe'. Throws INVALID_URL where it says 'invalid'.
   */
  hits(url: string): UrlHit[] {
    const found = new Map<string, UrlHit>();
    const isSafe = this.#look(checkText(url), (count) => {
      const hashes = read(hashesAddress, 32 * count);
      readRangesAsText(count).forEach((expression, i) => {
        found.set(expression, { expression, hash: hashes.slice(32 * i, 32 * i + 32) });
      });
    });
    if (found.size === 0 && !isSafe) throw errorOf('ERR_TAMIS_INVALID_URL');
    return [...found.values()];
  }

  /** What makes this list of an older one. Throws INCOMPATIBLE for another rule or prefix length. */
  diff(older: UrlList): UrlDelta {
    const from = ownedOf(urlList(older, 'older')).live;
    return adopt(
      UrlDelta,
      derive(this, (core, handle) => core.urlListDiff(from, handle, statusAddress)),
    );
  }

  /**
   * The next version; this one stays as it is. Throws INCOMPATIBLE for a delta of another list, CORRUPT
   * where the result is not what the delta was made of.
   */
  apply(delta: UrlDelta): this {
    if (!(delta instanceof UrlDelta)) throw mustBeOwn('a UrlDelta', 'delta', delta);
    const change = ownedOf(delta).live;
    return this.#next(
      derive(this, (core, handle) => core.urlListApply(handle, change, statusAddress)),
    );
  }

  /**
   * The next version, by a partial update of Safe Browsing. It lacks the entries at the indices `removals` of this list,
   * and has `additions`. This list stays as it is. Throws CORRUPT for an update of another list. Then an index is not in
   * this one, an addition is, they do not increase, or the result has another `sha256`.
   *
   * @example
   * import { hashExpression, UrlList } from 'tamis/url';
   * const prefixes = hashExpression('evil.example/').subarray(0, 4);
   * const list = UrlList.fromPrefixes(prefixes, { prefixBytes: 4 });
   * const additions = hashExpression('bad.example/').subarray(0, 4);
   * const next = list.update({ removals: Uint32Array.of(0), additions });
   * next.check('https://bad.example/'); // => 'maybe'
   * next.check('https://evil.example/'); // => 'safe'
   */
  update(changes: PrefixChanges): this {
    const readers = {
      removals: indicesReader,
      additions: prefixesReader,
      sha256: prefixesReader,
    };
    const given = readOptions(changes, readers, 'UrlList.update');
    const next = this.#next(makeOfChanges(ownedOf(this).live, given));
    if (given.sha256 === undefined || hexOf(next.sha256) === hexOf(given.sha256)) return next;
    next.dispose();
    throw errorOf('ERR_TAMIS_CORRUPT');
  }

  override clone(): this {
    return this.#next(derive(this, (core, handle) => core.copy(handle, statusAddress)));
  }

  #next(handle: number): this {
    return adopt(this.constructor as Adopter<this, [HostRule?]>, handle, this.#rule);
  }

  #ruleInForce(): HostRule {
    if (this.#rule !== undefined) return this.#rule;
    throw new TamisError(
      'ERR_TAMIS_INCOMPATIBLE',
      `the list was built by the rule '${this.rule}'; give it as the option \`rule\``,
    );
  }

  /**
   * Looks up all that a text may lead to. `take` is told of hits while their ranges and hashes are there;
   * the answer is whether the URL is safe without any.
   */
  #look(url: string, take: (count: number) => void): boolean {
    const { live } = ownedOf(this);
    const rule = this.#ruleInForce();
    return lookUp(url, rule, 'UrlList', (registrable, shapes) => {
      const count = call(() => raw._tamis_url_hits(live, registrable, shapes));
      check(count);
      take(count);
    });
  }

  #askParsed(url: string): ListAnswer {
    let hits = 0;
    const isSafe = this.#look(url, (count) => {
      hits += count;
    });
    if (hits > 0) return 'maybe';
    return isSafe ? 'safe' : 'invalid';
  }
}
