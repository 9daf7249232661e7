// The canonical form of a URL: the mirror of cpp/include/tamis/url/canonicalize.hpp.

import { raw, readRange, readRangesAsText } from '../../core/border/memory.js';
import { call } from '../../core/border/runtime.js';
import { mustBe, TamisError } from '../../core/errors.js';
import { isWellFormed, pin } from '../../core/key-types.js';
import { withKey } from '../../core/keys/with-key.js';
import { addMessages, check, errorOf } from '../../core/statuses.js';
import { isBytes } from '../../core/tags.js';
import { urlText } from '../../wasm/parts/url-text.js';
import { toAsciiHost, tryParse, withSharpS } from './hosts.js';

addMessages({
  ERR_TAMIS_INVALID_URL:
    'the URL has no canonical form: no host, a scheme without `//`, or more than 2 MiB',
});

/** Longer ones have no canonical form: Chromium's limit. What stands behind a `#` is not counted. */
export const maxUrlBytes = 2 * 1024 * 1024;

/**
 * A URL with nothing behind its `#`, which stays, since blanks in front of it are part of what is opened.
 */
export function cutFragment(url: string): string {
  const at = url.indexOf('#');
  return at < 0 ? url : url.slice(0, at + 1);
}

/**
 * A URL without its fragment. Throws INVALID_URL for what no URL can be, TypeError for what is neither
 * string nor bytes.
 */
function checkUrl(url: unknown, what: string): string | Uint8Array {
  const cut = isBytes(url) ? cutBytes(url) : typeof url === 'string' ? cutFragment(url) : undefined;
  if (cut === undefined) {
    throw mustBe('a string or a Uint8Array', `${what}: the URL`, url);
  }
  // One more for the `#`; the core counts to the byte.
  if (cut.length > maxUrlBytes + 1) throw errorOf('ERR_TAMIS_INVALID_URL');
  if (typeof cut === 'string' && !isWellFormed(cut)) {
    throw new TamisError('ERR_TAMIS_INVALID_URL', 'the URL has a lone surrogate');
  }
  return cut;
}

function cutBytes(url: Uint8Array): Uint8Array {
  const bytes = pin(url, 'the URL', 'ERR_TAMIS_INVALID_KEY');
  const at = bytes.indexOf(0x23);
  return at < 0 ? bytes : bytes.subarray(0, at + 1);
}

/**
 * Makes a URL canonical on the other side, where it is "the URL" of bindings/url.cpp until the next one. Its text
 * is range 0 and its host range 1. Answers whether the host is an IP address. `isLenient`: a host that the
 * platform's parser refuses is taken for what another may take it for.
 */
export function makeCanonical(url: string | Uint8Array, what: string, isLenient = false): boolean {
  const parse = (address: number, size: number) => raw._tamis_url_parse(address, size);
  const needsIdna = withKey(checkUrl(url, what), parse, urlText);
  const host = needsIdna === 1 ? toAsciiHost(readRange(0), isLenient) : undefined;
  const finish = (address: number, size: number) => raw._tamis_url_finish(address, size);
  if (host !== undefined) return withKey(host, finish) === 1;
  const isAddress = call(() => finish(0, 0));
  check(isAddress);
  return isAddress === 1;
}

/** The text and the host of the URL that was made canonical last. */
export function readParts(): { text: string; host: string } {
  const [text, host] = readRangesAsText(2) as [string, string];
  return { text, host };
}

/**
 * The one form of a URL, by the rules of Safe Browsing. Two URLs that lead to the same page in different disguises
 * get the same text. It has no fragment, user name, password and port. A string is taken as its UTF-8 bytes, as it
 * stands: UrlListBuilder and `UrlList.check` look first at what a browser makes of it. Throws INVALID_URL where
 * there is none: no host, a scheme without `//`, above 2 MiB.
 *
 * @example
 * import { canonicalize } from 'tamis/url';
 * canonicalize('http://EVIL.example:80/a/../%62#top'); // => 'http://evil.example/b'
 * canonicalize('http://0x7f.1'); // => 'http://127.0.0.1/'
 */
export function canonicalize(url: string | Uint8Array): string {
  makeCanonical(url, 'canonicalize');
  return readParts().text;
}

/** What no reader sees in front of a URL. The parser of URLs drops some of it, and stumbles over the rest. */
const blanks = /^[\s\p{Cc}\p{Cf}\p{DI}]+/u;

/** A scheme, or what the parser of URLs takes for one: `evil.example:80/x` names no page. */
export const schemeOf = /^[a-z][a-z\d+.-]*:/i;

/** Throws TypeError for what is no string. */
export function checkText(url: unknown): string {
  if (typeof url === 'string') return url;
  throw mustBe('a string', 'a URL', url);
}

/** A text as a parser is to see it. */
export function trimText(text: string): string {
  // Most have no blanks, and are told so in a tenth of the time.
  const bare = /^[!-~]/.test(text) ? text : text.replace(blanks, '');
  // The parser drops these wherever they are.
  return withSharpS(bare.replace(/[\t\n\r]+/g, ''));
}

/** What a browser opens for such a text, without a user name; undefined where its parser refuses. */
export function navigate(bare: string): URL | undefined {
  const url = tryParse(bare) ?? (schemeOf.test(bare) ? undefined : tryParse(`http://${bare}`));
  if (url?.href.includes('@')) {
    url.username = '';
    url.password = '';
  }
  return url;
}

/**
 * What a browser would open for the text. Only of this does a canonical form say where it leads. To a browser a
 * backslash is a slash, and a slash in a user name ends no host. Where its parser of URLs refuses, the text itself.
 * UrlListBuilder, UrlList and UrlChecker look at this; `canonicalize` and `expressions` take what they are given.
 * What it gives need not be a page: `check` alone says what is safe. Throws TypeError for what is no string.
 *
 * @example
 * import { canonicalize, navigationUrl } from 'tamis/url';
 * navigationUrl('eve@evil.example\\x'); // => 'http://evil.example/x'
 * canonicalize(navigationUrl('http://evil.example\\@good.example/')); // => 'http://evil.example/@good.example/'
 */
export function navigationUrl(text: string): string {
  const bare = trimText(checkText(text));
  return navigate(bare)?.href ?? bare;
}
