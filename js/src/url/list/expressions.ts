// The expressions of a URL (cpp/FORMAT.md, section 6.3): the counterpart of cpp/include/tamis/url/expressions.hpp.

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
 * A host rule that uses public suffixes, as version 5 of Safe Browsing does. The list of public suffixes changes, so
 * install a package that keeps it up to date: `tldts` or `psl`. Include the package and its version in `name`, so that
 * look-ups use the same suffixes as the build. Include private suffixes such as `github.io`, whose subdomains belong to
 * different people; `tldts` has an option for that.
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
   * 1 to 64 ASCII characters that name the suffix list and its date or version. A URL list refuses look-ups with a rule
   * of a different name.
   */
  readonly name: string;
  /**
   * Returns the registrable domain of a canonical host: its public suffix and one more label. Returns null if there is
   * none. Some subdomains contain characters other than letters, digits and '-'. In `host` each such character is
   * replaced by '0', and so is a '-' at either end of a label.
   */
  registrableDomain(host: string): string | null;
}

/**
 * The rule that decides which parent domains a look-up tries besides the URL's own host. 'parents': each parent domain
 * of two or more labels; parent domains of six or more labels must have at most 253 characters, as in DNS. 'labels5':
 * each parent domain of two to five labels.
 */
export type HostRule = 'parents' | 'labels5' | PublicSuffixRule;

/** Options of `expressions`. */
export interface ExpressionOptions {
  /** The host rule; default 'parents'. */
  readonly rule?: HostRule;
}

/** True for 'parents' and 'labels5', which need no package. */
export const isBuiltIn = (rule: HostRule | string | undefined): rule is 'parents' | 'labels5' =>
  rule === 'parents' || rule === 'labels5';

/** Stands for the rule 'parents' where the core expects a domain's length. The next number stands for 'labels5'. */
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

/** The name of the rule that a manifest must have: the option, else the manifest's rule if built in, else 'parents'. */
export const expectedRule = (option: HostRule | undefined, actual: string): string =>
  nameOfRule(option ?? (isBuiltIn(actual) ? actual : 'parents'));

/** Matches all but letters, digits, dots and inner hyphens. Suffix packages find no domain in a host with a match. */
const noHostName = /[^a-z\d.-]|(?<=^|\.)-|-(?=\.|$)/g;

/**
 * Makes a URL canonical in the core, and asks the rule for its registrable domain. Returns the length of that domain
 * for the core: 0 if there is none, and a code for a built-in rule. `isLenient` means the same as in makeCanonical.
 */
export function prepare(url: string | Uint8Array, rule: HostRule, isLenient = false): number {
  const isAddress = makeCanonical(url, isLenient);
  if (typeof rule === 'string') return rule === 'parents' ? parents : parents + 1;
  if (isAddress) return 0;
  const host = lastCanonical().host.replace(noHostName, '0');
  // The rule may change the caller's bytes, or make another URL canonical. So the copy is made canonical again below.
  const copy = keep(url);
  const domain = rule.registrableDomain(host);
  const isSuffix = domain === host || (domain && host.endsWith(`.${domain}`));
  if (domain !== null && !isSuffix) {
    throw typeError(`registrableDomain must return a suffix of the host, got ${show(domain)}`);
  }
  makeCanonical(copy, isLenient);
  return domain === null ? 0 : domain.length;
}

/** All shapes (kinds) of expressions, one bit each. cpp/include/tamis/url/expressions.hpp defines the bits. */
export const allShapes = 0x3f;
/** The shapes of folders below a host. */
export const folderShapes = 0xe;

/** The bit of the deepest folder, `host/a/b/c/`. Shallower folders have smaller bits. */
export const deepestFolderShape = 1 << 3;

/** The bit of an expression's shape: 0 to 3 for folders by their depth, 4 for a page, 5 for a page with a query. */
export function shapeBitOf(expression: string): number {
  if (expression.includes('?')) return 1 << 5;
  const depth = expression.split('/').length - 2;
  // A deeper folder counts as a page, because only its own URL has this expression.
  return 1 << (expression.endsWith('/') && depth < 4 ? depth : 4);
}

/**
 * Returns the expressions of a URL. Each is a host followed by a path, and a list may contain any of them.
 *
 * The hosts are the URL's own host and the parent domains that the rule selects. Each host is combined with up to six
 * paths: the path with its query, the path without it, and the folders from the root down. The first expression is the
 * URL itself. The URL is read unchanged, as in `canonicalize`. Throws ERR_TAMIS_INVALID_URL as `canonicalize` does.
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

/** Returns the expressions of the last URL that `prepare` made canonical. `domainLength` is the result of that call. */
export function lastExpressions(domainLength: number): string[] {
  return readRangesAsText(check(call(() => raw._tamis_url_expressions(domainLength))));
}

/** Returns the expression of the URL itself, and its host. `isLenient` means the same as in makeCanonical. */
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
 * Returns the SHA-256 of an expression, 32 bytes. It is synchronous, while `crypto.subtle` is not.
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
      // The core's function returns nothing, and writes the hash to hashesAddress. 0 is the status kOk.
      return 0;
    },
    urlText,
  );
  return read(hashesAddress, 32);
}
