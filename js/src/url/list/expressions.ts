// The expressions of a URL (cpp/FORMAT.md, section 6.3): the mirror of cpp/include/tamis/url/expressions.hpp.

import { hashesAddress, raw, read, readRangesAsText } from '../../core/border/memory.js';
import { call } from '../../core/border/runtime.js';
import { mustBe, show, typeError } from '../../core/errors.js';
import { keep } from '../../core/key-types.js';
import { withKey } from '../../core/keys/keys.js';
import { type Reader, readOptions, text } from '../../core/options.js';
import { check } from '../../core/statuses.js';
import { urlText } from '../../wasm/parts/url-text.js';
import { lastCanonical, makeCanonical, takeUrl } from './canonicalize.js';

/**
 * A host rule by public suffixes, as in version 5 of Safe Browsing. The list of these suffixes changes, so install a
 * package that keeps it: `tldts` or `psl`. The name must give the package and its version, so that look-ups use the
 * suffixes of the build. Include private suffixes such as `github.io`, under which different people have sites; `tldts`
 * has an option for that.
 *
 * @example
 * import { getDomain } from 'tldts';
 * import { expressions } from 'tamis/url';
 * const rule = {
 *   name: 'tldts 7.5.4, with private suffixes',
 *   registrableDomain: (host) => getDomain(host, { allowPrivateDomains: true }),
 * };
 * expressions('https://www.example.co.uk/', { rule }); // => ['www.example.co.uk/', 'example.co.uk/']
 * expressions('https://eve.github.io/', { rule }); // => ['eve.github.io/']
 *
 * @example
 * import psl from 'psl';
 * import { expressions } from 'tamis/url';
 * const rule = { name: 'psl 1.15.0', registrableDomain: psl.get };
 * expressions('https://www.example.co.uk/', { rule }); // => ['www.example.co.uk/', 'example.co.uk/']
 */
export interface PublicSuffixRule {
  /**
   * 1 to 64 ASCII characters that name the suffix list and its date or version. A URL list refuses look-ups by a rule
   * of another name than its own.
   */
  readonly name: string;
  /**
   * The registrable domain of a canonical host (its public suffix and one label more); null if there is none. In the
   * host, any character but a letter, a digit or '-' is replaced by '0', and so is a '-' at the ends of a label. Some
   * subdomains have such characters.
   */
  registrableDomain(host: string): string | null;
}

/**
 * The rule for the hosts that a look-up tries besides the URL's own. 'parents': each parent domain of two labels or
 * more; those of six labels or more have at most 253 characters, as in DNS. 'labels5': each parent domain of two to
 * five labels.
 */
export type HostRule = 'parents' | 'labels5' | PublicSuffixRule;

/** Options of `expressions`. */
export interface ExpressionOptions {
  /** Default 'parents'. */
  readonly rule?: HostRule;
}

/** True for a rule that needs no package, or its name. */
export const isBuiltIn = (rule: HostRule | string | undefined): rule is 'parents' | 'labels5' =>
  rule === 'parents' || rule === 'labels5';

/** Passed instead of the registrable domain's length, for the rule 'parents'; one more is for 'labels5'. */
const parents = 0xfffffffe;

export const hostRule: Reader<HostRule> = (value, name) => {
  const rule = value as HostRule;
  if (isBuiltIn(rule)) return rule;
  if (typeof rule?.name !== 'string' || typeof rule.registrableDomain !== 'function') {
    throw mustBe("'parents', 'labels5' or { name, registrableDomain }", name, value);
  }
  if (!/^[ -~]{1,64}$/.test(rule.name) || isBuiltIn(rule.name)) {
    throw typeError(`${name}.name must be 1 to 64 ASCII characters, not 'parents' or 'labels5'`);
  }
  return rule;
};

export const nameOfRule = (rule: HostRule): string => (typeof rule === 'string' ? rule : rule.name);

/** The rule that a manifest must have, by the client's option. Without the option, a built-in one: `actual`, if it is. */
export const expectedRule = (option: HostRule | undefined, actual: string): string =>
  nameOfRule(option ?? (isBuiltIn(actual) ? actual : 'parents'));

/** Anything but letters, digits and '-', and '-' at a label's ends. Suffix packages find no domain in such hosts. */
const noHostName = /[^a-z\d.-]|(?<=^|\.)-|-(?=\.|$)/g;

/**
 * Makes a URL canonical in the core, and asks the rule for its registrable domain. Returns that domain's length, for
 * the core: 0 if there is none, and a code for a rule without suffixes. `isLenient` is as in makeCanonical.
 */
export function prepare(url: string | Uint8Array, rule: HostRule, isLenient = false): number {
  const isAddress = makeCanonical(url, isLenient);
  if (typeof rule === 'string') return rule === 'parents' ? parents : parents + 1;
  if (isAddress) return 0;
  const host = lastCanonical().host.replace(noHostName, '0');
  // The rule may change the caller's bytes, or make another URL canonical: so a copy is made canonical again below.
  const copy = keep(url);
  const domain = rule.registrableDomain(host);
  const isSuffix = domain === host || (domain && host.endsWith(`.${domain}`));
  if (domain !== null && !isSuffix) {
    throw typeError(`registrableDomain gave ${show(domain)}, no suffix of the host`);
  }
  makeCanonical(copy, isLenient);
  return domain === null ? 0 : domain.length;
}

/** All shapes of expressions. Their bits are in cpp/include/tamis/url/expressions.hpp. */
export const allShapes = 0x3f;
/** The shapes of folders below a host. */
export const folderShapes = 0xe;

/** The greatest bit of a folder's shape: of `host/a/b/c/`. */
export const deepestFolderShape = 1 << 3;

/** The shape of an expression, as its bit: 0 to 3 for folders by their depth, 4 for a page, 5 for one with a query. */
export function shapeBitOf(expression: string): number {
  if (expression.includes('?')) return 1 << 5;
  const depth = expression.split('/').length - 2;
  // A deeper folder counts as a page, because only its own URL has this expression.
  return 1 << (expression.endsWith('/') && depth < 4 ? depth : 4);
}

/**
 * The expressions of a URL, any of which a list may contain: some hosts, each with up to six paths.
 *
 * The hosts are the URL's own and its suffixes by the rule. The paths are those with the query, without it, and the
 * folders from the root down. The first expression is the URL itself. The URL is taken as it is, as in `canonicalize`.
 * Throws ERR_TAMIS_INVALID_URL as canonicalize does.
 *
 * @example
 * import { expressions } from 'tamis/url';
 * expressions('http://evil.example/x/y?z');
 * // => ['evil.example/x/y?z', 'evil.example/x/y', 'evil.example/', 'evil.example/x/']
 */
export function expressions(url: string | Uint8Array, options?: ExpressionOptions): string[] {
  const { rule = 'parents' } = readOptions(options, { rule: hostRule }, 'expressions');
  return lastExpressions(prepare(takeUrl(url, 'expressions'), rule));
}

/** The expressions of the URL that `prepare` took last, and for which it returned `domainLength`. */
export function lastExpressions(domainLength: number): string[] {
  return readRangesAsText(check(call(() => raw._tamis_url_expressions(domainLength))));
}

/** The expression of this URL alone, and its host. `isLenient` is as in makeCanonical. */
export function placeOf(
  url: string,
  isLenient = false,
): { page: string; host: string; isAddress: boolean } {
  const isAddress = makeCanonical(url, isLenient);
  const { host } = lastCanonical();
  check(call(() => raw._tamis_url_expressions(parents)));
  // The first expression is the URL itself.
  const [page = ''] = readRangesAsText(1);
  return { page, host, isAddress };
}

/**
 * The SHA-256 of an expression, 32 bytes, synchronously (`crypto.subtle` is asynchronous).
 *
 * @example
 * import { hashExpression } from 'tamis/url';
 * [...hashExpression('foo.com/').slice(0, 4)]; // => [0xaf, 0x30, 0x01, 0x0e]
 */
export function hashExpression(expression: string): Uint8Array<ArrayBuffer> {
  withKey(
    text(expression, 'hashExpression: expression'),
    (address, size) => {
      raw._tamis_sha256(address, size);
      // It returns nothing, and writes the hash to hashesAddress. 0 is the status kOk.
      return 0;
    },
    urlText,
  );
  return read(hashesAddress, 32);
}
