// A URL list: the counterpart of cpp/include/tamis/url/url_list.hpp.

import { ownedOf } from '../../core/border/lifetime.js';
import {
  asciiOf,
  bytesAddress,
  copyAnswers,
  hashesAddress,
  raw,
  read,
  readRangesAsText,
  statusAddress,
  withMemory,
} from '../../core/border/memory.js';
import { call } from '../../core/border/runtime.js';
import { mapEach, rangeError, TamisError } from '../../core/errors.js';
import { checkIterable, isWellFormed } from '../../core/key-types.js';
import { sendKeys, withKey } from '../../core/keys/keys.js';
import { integer, need, type Reader, readOptions } from '../../core/options.js';
import { hexOf } from '../../core/signed/bytes.js';
import { check, errorOf } from '../../core/statuses.js';
import type { ByteSource } from '../../core/streams.js';
import {
  adopt,
  type ClassOf,
  type Definition,
  type Use,
} from '../../core/structures/definition.js';
import {
  type LoadOptions,
  load,
  loadReaders,
  loadStream,
  only,
  type StreamLoadOptions,
  streamReaders,
} from '../../core/structures/loading.js';
import {
  callOrThrow,
  countFigure,
  derive,
  figure,
  mustBeOwn,
  prefixBytesFigure,
  Structure,
  urlListId,
} from '../../core/structures/structure.js';
import type { Handle } from '../../wasm/core.js';
import { url } from '../../wasm/parts/url.js';
import { checkUrlText, maxUrlBytes } from './canonicalize.js';
import { type HostRule, hostRule, isBuiltIn, nameOfRule } from './expressions.js';
import { lookUp, pageOfHost, type UrlHit } from './lookups.js';
import {
  makeOfChanges,
  makeOfPrefixes,
  type PrefixChanges,
  type PrefixOptions,
  uint8ArrayReader,
  uint32ArrayReader,
} from './prefixes.js';
import { UrlDelta } from './url-delta.js';

/**
 * The answer for a URL. 'safe': certainly not on the list. 'maybe': perhaps on the list. 'invalid': browsers may not
 * open it as a web page, or may open different pages. Only 'safe' means safe.
 */
export type ListAnswer = 'safe' | 'maybe' | 'invalid';

interface RuleOption {
  /** The host rule with which the list was built, under the same name; required if it is a PublicSuffixRule. */
  readonly rule?: HostRule | undefined;
}

/** Options of `UrlList.fromBytes`. */
export interface ListLoadOptions extends Omit<LoadOptions, 'secret' | 'schemes'>, RuleOption {}

/** Options of `UrlList.fromStream`. */
export interface ListStreamOptions
  extends Omit<StreamLoadOptions, 'secret' | 'schemes'>,
    RuleOption {}

/** The answers of bindings/url.cpp, by number. `needsParser`: the platform's parser must read the URL first. */
const answers: readonly ListAnswer[] = ['safe', 'maybe', 'invalid'];
const needsParser = 3;

/** Outside the class, because bundlers rename a class that refers to itself, here to `_UrlList`. */
export const urlList: Reader<UrlList> = (value, name) => {
  if (value instanceof UrlList) return value;
  throw mustBeOwn('a UrlList', name, value);
};

/** Makes a list of sorted prefixes, whose expressions have these shapes. Throws the errors of makeOfPrefixes. */
export const listOf = (
  prefixes: Uint8Array,
  prefixBytes: number,
  rule: HostRule,
  shapes: number,
): UrlList => adopt(UrlList, makeOfPrefixes(prefixes, prefixBytes, rule, shapes), rule);

/** Returns the text if the core can read it; otherwise '', to which the core answers `needsParser`. */
export const toEncodable = (text: string): string =>
  text.length <= maxUrlBytes && isWellFormed(text) ? text : '';

/** The messages for an older list or a delta that does not fit this list. */
const otherOptions = {
  ERR_TAMIS_INCOMPATIBLE:
    'the older list has another `rule` or `prefixBytes`; use the same for both',
};
const otherList = { ERR_TAMIS_INCOMPATIBLE: 'the delta is for another list' };

const ruleError = (rule: string, more: string) =>
  new TamisError('ERR_TAMIS_INCOMPATIBLE', `the list was built with the rule '${rule}'${more}`);

/**
 * A compact list of URLs: the first bytes of the SHA-256 of each expression, sorted, and the name of the host rule.
 *
 * With 4-byte prefixes, entries are compressed to about 2 bytes, in memory and in the file. Two expressions may share a
 * prefix, so a hit is only a 'maybe': with 190,000 hosts, about one unlisted URL in 11,000 hits. Lists are immutable: a
 * UrlDelta makes the next version.
 *
 * @example
 * import { UrlList, UrlListBuilder } from 'tamis/url';
 * const bytes = new UrlListBuilder().addHosts(['evil.example']).build().toBytes();
 * const list = UrlList.fromBytes(bytes);
 * list.check('https://user@LOGIN.evil.example:8443/%61'); // => 'maybe'
 * list.check('https://good.example/'); // => 'safe'
 * list.check('mailto:a@evil.example'); // => 'invalid'
 */
export class UrlList extends Structure<'url-list', Use<'new UrlListBuilder().build()'>> {
  /** The name of the host rule by which the list was built. */
  readonly rule: string;
  /** The host rule. If only its name is known, it is undefined and look-ups throw. */
  readonly #rule: HostRule | undefined;

  constructor(adopted: Use<'new UrlListBuilder().build()'>, rule?: HostRule) {
    super(adopted);
    const size = callOrThrow(this, (core, handle) => core.urlListRule(handle, bytesAddress));
    this.rule = asciiOf(read(bytesAddress, size));
    if (rule !== undefined && nameOfRule(rule) !== this.rule) {
      this.dispose();
      throw ruleError(this.rule, `, not with '${nameOfRule(rule)}'`);
    }
    this.#rule = isBuiltIn(this.rule) ? this.rule : rule;
  }

  /** Reads bytes of `toBytes`. Throws for other bytes, and ERR_TAMIS_INCOMPATIBLE if `rule` is not the list's rule. */
  static override fromBytes(bytes: ArrayBuffer | Uint8Array, options?: ListLoadOptions): UrlList {
    const { rule, ...rest } = readOptions(options, { ...loadReaders(), rule: hostRule }, 'UrlList');
    return load(only<UrlList, [HostRule?]>(this), bytes, rest, rule);
  }

  /** Reads a stream, such as a download, as fromBytes does. It stops as soon as the header turns out to be wrong. */
  static override async fromStream(
    stream: ByteSource,
    options?: ListStreamOptions,
  ): Promise<UrlList> {
    const readers = { ...streamReaders(), rule: hostRule };
    const { rule, ...rest } = readOptions(options, readers, 'UrlList');
    return loadStream(only<UrlList, [HostRule?]>(this), stream, rest, rule);
  }

  /**
   * Makes a list of sorted, concatenated prefixes. Each is the start of the SHA-256 of an expression, as in Safe
   * Browsing. Throws RangeError if the last prefix is incomplete, or if the prefixes are not strictly increasing.
   *
   * @example
   * import { hashExpression, UrlList } from 'tamis/url';
   * const prefixes = hashExpression('evil.example/').subarray(0, 4);
   * const list = UrlList.fromPrefixes(prefixes, { prefixBytes: 4 });
   * list.check('https://evil.example/'); // => 'maybe'
   */
  static fromPrefixes(prefixes: Uint8Array, options: PrefixOptions): UrlList {
    const what = 'UrlList.fromPrefixes';
    const values = readOptions(options, { prefixBytes: integer(4, 32), rule: hostRule }, what);
    need(values, what, 'prefixBytes');
    const { prefixBytes, rule = 'parents' } = values;
    const bytes = uint8ArrayReader(prefixes, what);
    let handle: Handle;
    try {
      handle = makeOfPrefixes(bytes, prefixBytes, rule);
    } catch (error) {
      if (!/CORRUPT|INVALID_OPTION/.test(Object(error).code)) throw error;
      const length = 'a length that is a multiple of prefixBytes (4, 8, 16 or 32)';
      throw rangeError(`${what}: prefixes must have ${length}, and be strictly increasing`);
    }
    return adopt<UrlList, [HostRule?]>(this as never, handle, rule);
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

  /** The number of entries. With the rule 'parents' it includes marks: see the guide, "Which domains count". */
  get count(): number {
    return figure(this, countFigure);
  }

  /** The number of bytes of an entry: 4, 8, 16 or 32. */
  get prefixBytes(): number {
    return figure(this, prefixBytesFigure);
  }

  /** The SHA-256 of all entries, concatenated, 32 bytes. Safe Browsing calls it the checksum. */
  get sha256(): Uint8Array<ArrayBuffer> {
    return this.#digests().slice(0, 32);
  }

  /** Returns all entries in order, concatenated. */
  prefixes(): Uint8Array<ArrayBuffer> {
    const size = this.count * this.prefixBytes;
    return withMemory(size, (address) => {
      callOrThrow(this, (core, handle) => core.urlListPrefixes(handle, address));
      return read(address, size);
    });
  }

  /** Identifies the list: the SHA-256 of its rule, prefix length, shapes of entries and `sha256`. */
  get identity(): Uint8Array<ArrayBuffer> {
    return this.#digests().slice(32);
  }

  /** Returns `sha256` and `identity`, concatenated. */
  #digests(): Uint8Array<ArrayBuffer> {
    callOrThrow(this, (core, handle) => core.urlListChecksum(handle, hashesAddress));
    return read(hashesAddress, 64);
  }

  /**
   * Checks whether the page that a browser would open for `url` may be listed: the URL itself, its host, a folder or a
   * parent domain. Only 'safe' means safe. A URL can be 'safe' only if its scheme is http, https, ws, wss or ftp, the
   * platform's parser accepts it, and it has at most 2 MiB without the fragment. A text without a scheme gets
   * `http://`. Any other text is 'maybe' if one of the URLs that it may lead to hits, otherwise 'invalid'. Throws
   * ERR_TAMIS_INCOMPATIBLE if the list needs a rule that was not passed.
   */
  check(url: string): ListAnswer {
    const text = checkUrlText(url);
    if (typeof this.#ruleInForce() === 'string') {
      // For most URLs, the core needs no other parser to find the URL that a browser opens.
      const { live } = ownedOf(this);
      const ask = (address: number, size: number) => raw._tamis_url_check(live, address, size);
      const answer = withKey(toEncodable(text), ask);
      if (answer !== needsParser) return answers[answer] as ListAnswer;
    }
    return this.#checkReadings(text);
  }

  /** Checks many URLs, in order. An error has the `index` of its URL. */
  checkMany(urls: Iterable<string>): ListAnswer[] {
    checkIterable(urls, 'URLs');
    const all = mapEach(urls, checkUrlText);
    if (typeof this.#ruleInForce() !== 'string') return all.map((url) => this.#checkReadings(url));
    const { live } = ownedOf(this);
    // A URL without an answer from the batch is looked up alone, so it never becomes 'safe' by omission.
    const numbers = new Uint8Array(all.length).fill(needsParser);
    let at = 0;
    // `take` gets the answer for one URL, or undefined after a batch, whose answers are in the core's memory.
    sendKeys(all.map(toEncodable), {
      many: (offset, size, count) => raw._tamis_url_check_many(live, offset, size, count),
      one: (address, size) => raw._tamis_url_check(live, address, size),
      take(count, answer) {
        if (answer === undefined) copyAnswers(numbers, at, count);
        else numbers[at] = answer;
        at += count;
      },
    });
    return all.map((url, i) => answers[numbers[i] as number] ?? this.#checkReadings(url));
  }

  /**
   * Checks whether a host or one of its parent domains may be listed. Listed pages of the host do not count. Use it in
   * DNS and mail programs, which have no URLs. A name may be in any case, contain `_` and end with a dot; an IPv6
   * address may have brackets. Anything else is 'invalid': a port, a name of more than 253 characters, a label of more
   * than 63. The text is read as browsers read it: `16909060` is 1.2.3.4, and full-width letters are plain letters.
   * Throws ERR_TAMIS_INCOMPATIBLE as `check` does.
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

  /** Checks many hosts, in order. An error has the `index` of its host. */
  checkHosts(hosts: Iterable<string>): ListAnswer[] {
    checkIterable(hosts, 'hosts');
    return this.checkMany(Array.from(hosts, pageOfHost));
  }

  /**
   * Returns the expressions of the URL that the list may contain, with their hashes, for a server that can confirm
   * them. The result is empty if `check` says 'safe'. Throws ERR_TAMIS_INVALID_URL if `check` says 'invalid'.
   */
  hits(url: string): UrlHit[] {
    const hits = new Map<string, UrlHit>();
    const isSafe = this.#lookUp(checkUrlText(url), (count) => {
      // The core has put the hashes of the hits at hashesAddress, and their texts in its ranges.
      const hashes = read(hashesAddress, 32 * count);
      readRangesAsText(count).forEach((expression, i) => {
        hits.set(expression, { expression, hash: hashes.slice(32 * i, 32 * i + 32) });
      });
    });
    if (hits.size === 0 && !isSafe) throw errorOf('ERR_TAMIS_INVALID_URL');
    return [...hits.values()];
  }

  /** Makes the delta from an older list. Throws ERR_TAMIS_INCOMPATIBLE if the rules or prefix lengths differ. */
  diff(older: UrlList): UrlDelta {
    const from = ownedOf(urlList(older, 'older')).live;
    const diff = derive(
      this,
      (core, handle) => core.urlListDiff(from, handle, statusAddress),
      otherOptions,
    );
    return adopt(UrlDelta, diff);
  }

  /**
   * Makes the next version of the list; this list does not change. Throws ERR_TAMIS_INCOMPATIBLE if the delta was made
   * from another list, and ERR_TAMIS_CORRUPT if the result is not the list that the delta leads to.
   */
  apply(delta: UrlDelta): this {
    if (!(delta instanceof UrlDelta)) throw mustBeOwn('a UrlDelta', 'delta', delta);
    const change = ownedOf(delta).live;
    const next = derive(
      this,
      (core, handle) => core.urlListApply(handle, change, statusAddress),
      otherList,
    );
    return this.#adopt(next);
  }

  /**
   * Makes the next version of the list from a partial update of Safe Browsing; this list does not change. `removals`
   * are indices into this list. Throws ERR_TAMIS_CORRUPT if an index is too large, an addition is already listed, the
   * order is wrong, or the result does not have the SHA-256 in `sha256`.
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
    const bytes = uint8ArrayReader;
    const readers = { removals: uint32ArrayReader, additions: bytes, sha256: bytes };
    const { sha256, removals, additions } = readOptions(changes, readers, 'UrlList.update');
    const next = this.#adopt(makeOfChanges(ownedOf(this).live, removals, additions));
    if (sha256 === undefined || hexOf(next.sha256) === hexOf(sha256)) return next;
    next.dispose();
    throw errorOf('ERR_TAMIS_CORRUPT');
  }

  override clone(): this {
    return this.#adopt(derive(this, (core, handle) => core.copy(handle, statusAddress)));
  }

  /** Wraps a list of the core in an object with the class and the rule of this list. */
  #adopt(handle: number): this {
    return adopt(this.constructor as ClassOf<this, [HostRule?]>, handle, this.#rule);
  }

  #ruleInForce(): HostRule {
    if (this.#rule !== undefined) return this.#rule;
    throw ruleError(this.rule, '; pass that rule in the option `rule`');
  }

  /** Looks up each URL that the text may mean; `take` gets its number of hits. True: the text is safe if none hits. */
  #lookUp(url: string, take: (count: number) => void): boolean {
    const { live } = ownedOf(this);
    return lookUp(url, this.#ruleInForce(), (domainLength, shapes) => {
      take(check(call(() => raw._tamis_url_hits(live, domainLength, shapes))));
    });
  }

  /** Checks a text with the platform's parser: looks up all URLs that it may mean. */
  #checkReadings(url: string): ListAnswer {
    let hits = 0;
    const isSafe = this.#lookUp(url, (count) => {
      hits += count;
    });
    if (hits > 0) return 'maybe';
    return isSafe ? 'safe' : 'invalid';
  }
}
