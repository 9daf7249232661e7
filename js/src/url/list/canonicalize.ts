// The canonical form of a URL (the mirror of cpp/include/tamis/url/canonicalize.hpp), and the platform's URL parser.

import { raw, readRange, readRangesAsText } from '../../core/border/memory.js';
import { call } from '../../core/border/runtime.js';
import { mustBe, TamisError } from '../../core/errors.js';
import { capitalSharpS, parseHost } from '../../core/host-names.js';
import { isBytes, isWellFormed, pin } from '../../core/key-types.js';
import { withKey } from '../../core/keys/keys.js';
import { check, errorOf } from '../../core/statuses.js';
import { urlText } from '../../wasm/parts/url-text.js';

const maxHostLength = 4096;

/** True for a host that is not parsed: no valid name is as long, and IDNA takes quadratic time. ASCII needs no IDNA. */
const isTooLong = (host: string): boolean => host.length > maxHostLength && /[^!-$&-~]/.test(host);

/** A URL up to the end of its host. */
const upToHost = /^(?:[a-z][a-z\d+.-]*:)?[\\/]*[^\\/?#]*/i;

/** Replaces the capital sharp s in a URL's host, as browsers read it. */
export function withSharpS(text: string): string {
  if (text.search(capitalSharpS) < 0) return text;
  return text.replace(upToHost, (host) => host.replace(capitalSharpS, '\u00df'));
}

/** Parses a URL; undefined if the platform's parser refuses, or its host is too long. */
export function tryParse(text: string): URL | undefined {
  if (text.length > maxHostLength) {
    const [authority = ''] = upToHost.exec(text) ?? [];
    if (isTooLong(authority.slice(authority.lastIndexOf('@') + 1))) return undefined;
  }
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Letters and digits of Unicode 16 and 17. Newer tables of IDNA map them to ASCII. */
const laterLetter = /[\ua7f1\u{1ccd6}-\u{1ccf9}]/gu;
function asciiLetter(letter: string): string {
  if (letter === '\ua7f1') return 's';
  // 26 letters, then ten digits. Base 36 begins with the digits, hence the shift by 10.
  return (((letter.codePointAt(0) ?? 0) - 0x1ccd6 + 10) % 36).toString(36);
}

/** The label that another parser may read if the platform's refuses. */
function lenientLabel(label: string): string {
  // Newer tables of IDNA drop some of these. The suffix `.a` keeps a number from becoming an address.
  const later = label.replace(laterLetter, asciiLetter).replace(/[\p{DI}\p{Cf}\p{Cn}]/gu, '');
  const host = parseHost(`${label}.a`) ?? parseHost(`${later}.a`);
  return host?.slice(0, -2) ?? later.normalize('NFKC').replace(/[^\w-]/g, '');
}

/** The host, by the platform's parser. If that refuses: undefined or, if lenient, what another parser may read. */
function toAsciiHost(bytes: Uint8Array, isLenient: boolean): string | undefined {
  if (typeof TextDecoder === 'undefined') throw errorOf('ERR_TAMIS_UNSUPPORTED', 'no TextDecoder');
  try {
    const host = new TextDecoder('utf-8', { fatal: !isLenient, ignoreBOM: true }).decode(bytes);
    const parsed = isTooLong(host) ? undefined : parseHost(host);
    if (parsed !== undefined || !isLenient) return parsed;
    const labels = host.slice(-maxHostLength).split(/[.\u3002\uff0e\uff61]/);
    return labels.map(lenientLabel).join('.');
  } catch {
    return undefined;
  }
}

/** Longer URLs have no canonical form: Chromium's limit. The fragment is not counted. */
export const maxUrlBytes = 2 * 1024 * 1024;

/** Cuts the fragment, but keeps its `#`: blanks before a `#` are part of the URL, and must not end it. */
export function cutFragment(url: string): string {
  const at = url.indexOf('#');
  return at < 0 ? url : url.slice(0, at + 1);
}

/** A caller's URL; bytes come without their fragment. Throws TypeError for anything but a string or bytes. */
export function takeUrl(url: unknown, what: string): string | Uint8Array {
  if (typeof url === 'string') return url;
  if (!isBytes(url)) throw mustBe('a string or a Uint8Array', `${what}: the URL`, url);
  const bytes = pin(url, 'the URL', 'ERR_TAMIS_INVALID_KEY');
  const at = bytes.indexOf(0x23);
  return at < 0 ? bytes : bytes.subarray(0, at + 1);
}

/**
 * Makes a URL canonical in the core, where it stays "the URL" of bindings/url.cpp until the next call. lastCanonical
 * reads it. Returns true if the host is an IP address. `isLenient`: if the platform's parser refuses the host, it takes
 * the host that another parser might read. Throws ERR_TAMIS_INVALID_URL.
 */
export function makeCanonical(url: string | Uint8Array, isLenient = false): boolean {
  const cut = typeof url === 'string' ? cutFragment(url) : url;
  // One more for the `#`. The core counts bytes.
  if (cut.length > maxUrlBytes + 1) throw errorOf('ERR_TAMIS_INVALID_URL');
  if (typeof cut === 'string' && !isWellFormed(cut)) {
    throw new TamisError('ERR_TAMIS_INVALID_URL', 'the URL has a lone surrogate');
  }
  // The first step: withKey copies the URL into the core, which leaves the bytes of the host in range 0.
  const parse = (address: number, size: number) => raw._tamis_url_parse(address, size);
  const needsIdna = withKey(cut, parse, urlText) === 1;
  const host = needsIdna ? toAsciiHost(readRange(0), isLenient) : undefined;
  // The second step, with that host. 1: the host is an IP address.
  const finish = (address: number, size: number) => raw._tamis_url_finish(address, size);
  if (host !== undefined) return withKey(host, finish) === 1;
  // No host: the core takes the one in the URL, or refuses it if it needs IDNA.
  return check(call(() => finish(0, 0))) === 1;
}

/** Runs `act`, which makes a URL canonical; undefined if that URL has no canonical form. */
export function ifCanonical<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (Object(error).code === 'ERR_TAMIS_INVALID_URL') return undefined;
    throw error;
  }
}

/** The text and the host of the URL that makeCanonical took last. */
export function lastCanonical(): { text: string; host: string } {
  const [text = '', host = ''] = readRangesAsText(2);
  return { text, host };
}

/**
 * The canonical form of a URL, by the rules of Safe Browsing. Different spellings of the same page get the same text.
 *
 * It has no fragment, user name, password or port. A string is taken as its UTF-8 bytes, as it is; UrlListBuilder and
 * `UrlList.check` first apply `navigationUrl`. Throws ERR_TAMIS_INVALID_URL for a URL without a host, with a scheme
 * without `//`, or above 2 MiB.
 *
 * @example
 * import { canonicalize } from 'tamis/url';
 * canonicalize('http://EVIL.example:80/a/../%62#top'); // => 'http://evil.example/b'
 * canonicalize('http://0x7f.1'); // => 'http://127.0.0.1/'
 */
export function canonicalize(url: string | Uint8Array): string {
  makeCanonical(takeUrl(url, 'canonicalize'));
  return lastCanonical().text;
}

/** Characters that are invisible before a URL. The platform's parser drops some, and fails on the others. */
const blanks = /^[\s\p{Cc}\p{Cf}\p{DI}]+/u;

/** A scheme, as the platform's parser sees it: `evil.example:80/x` has one, so it names no page. */
export const schemeOf = /^[a-z][a-z\d+.-]*:/i;

/** Throws TypeError for anything but a string. */
export function checkUrlText(url: unknown): string {
  if (typeof url === 'string') return url;
  throw mustBe('a string, such as url.href', 'a URL', url);
}

/** The text as a parser should see it. */
export function trimText(text: string): string {
  // This test is ten times as fast as the replacement, and most texts need none.
  const bare = /^[!-~]/.test(text) ? text : text.replace(blanks, '');
  // The parser drops these anywhere.
  return withSharpS(bare.replace(/[\t\n\r]+/g, ''));
}

/** The URL that a browser opens for a trimmed text, without a user name; undefined if the platform's parser refuses. */
export function navigate(bare: string): URL | undefined {
  const url = tryParse(bare) ?? (schemeOf.test(bare) ? undefined : tryParse(`http://${bare}`));
  if (url?.href.includes('@')) {
    url.username = '';
    url.password = '';
  }
  return url;
}

/**
 * The URL that a browser would open for the text; the text itself, if the platform's parser refuses. To a browser a
 * backslash is a slash, and a slash in a user name ends no host. UrlListBuilder, UrlList and UrlChecker apply this;
 * `canonicalize` and `expressions` take the text as it is. The result need not be a web page: only `check` says what is
 * safe. Throws TypeError for anything but a string.
 *
 * @example
 * import { canonicalize, navigationUrl } from 'tamis/url';
 * navigationUrl('eve@evil.example\\x'); // => 'http://evil.example/x'
 * canonicalize(navigationUrl('http://evil.example\\@good.example/')); // => 'http://evil.example/@good.example/'
 */
export function navigationUrl(text: string): string {
  const bare = trimText(checkUrlText(text));
  return navigate(bare)?.href ?? bare;
}
