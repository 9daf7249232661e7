// The canonical form of a URL, and the platform's parser: the counterpart of cpp/include/tamis/url/canonicalize.hpp.

import { raw, readRange, readRangesAsText } from '../../core/border/memory.js';
import { call } from '../../core/border/runtime.js';
import { mustBe, TamisError } from '../../core/errors.js';
import { capitalSharpS, parseHost } from '../../core/host-names.js';
import { isBytes, isWellFormed, pin } from '../../core/key-types.js';
import { withKey } from '../../core/keys/keys.js';
import { check, errorOf } from '../../core/statuses.js';
import { urlText } from '../../wasm/parts/url-text.js';

const maxHostLength = 4096;

/** True for a host that is too long to parse, because IDNA takes quadratic time. A host in ASCII needs no IDNA. */
const isTooLong = (host: string): boolean => host.length > maxHostLength && /[^!-$&-~]/.test(host);

/** Matches the start of a URL, up to the end of its host. */
const upToHost = /^(?:[a-z][a-z\d+.-]*:)?[\\/]*[^\\/?#]*/i;

/** Replaces the capital sharp s in a URL's host with the small one, as browsers do. */
export function withSharpS(text: string): string {
  if (text.search(capitalSharpS) < 0) return text;
  return text.replace(upToHost, (host) => host.replace(capitalSharpS, '\u00df'));
}

/** Parses a URL. Returns undefined if the platform's parser refuses it, or if its host is too long. */
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

/** Letters and digits that Unicode 16 and 17 added. Newer IDNA tables map them to ASCII. */
const laterLetter = /[\ua7f1\u{1ccd6}-\u{1ccf9}]/gu;
function asciiLetter(letter: string): string {
  if (letter === '\ua7f1') return 's';
  // The range has 26 letters, then ten digits. Base 36 begins with the digits, hence the shift by 10.
  return (((letter.codePointAt(0) ?? 0) - 0x1ccd6 + 10) % 36).toString(36);
}

/** Returns the label that another parser may read where the platform's parser refuses the host. */
function lenientLabel(label: string): string {
  // Newer IDNA tables drop some of these characters. The suffix `.a` keeps a number from becoming an address.
  const later = label.replace(laterLetter, asciiLetter).replace(/[\p{DI}\p{Cf}\p{Cn}]/gu, '');
  const host = parseHost(`${label}.a`) ?? parseHost(`${later}.a`);
  return host?.slice(0, -2) ?? later.normalize('NFKC').replace(/[^\w-]/g, '');
}

/** The host as the platform's parser reads it. If the parser refuses: undefined or, if `isLenient`, another reading. */
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

/** A longer URL has no canonical form. This is Chromium's limit; the fragment is not counted. */
export const maxUrlBytes = 2 * 1024 * 1024;

/** Cuts the fragment but keeps its `#`: parsers drop blanks at the end of a URL, but not blanks before a `#`. */
export function cutFragment(url: string): string {
  const at = url.indexOf('#');
  return at < 0 ? url : url.slice(0, at + 1);
}

/** Checks a caller's URL, and cuts the fragment of bytes. Throws TypeError for anything but a string or bytes. */
export function takeUrl(url: unknown, what: string): string | Uint8Array {
  if (typeof url === 'string') return url;
  if (!isBytes(url)) throw mustBe('a string or a Uint8Array', `${what}: the URL`, url);
  const bytes = pin(url, 'the URL', 'ERR_TAMIS_INVALID_KEY');
  const at = bytes.indexOf(0x23);
  return at < 0 ? bytes : bytes.subarray(0, at + 1);
}

/**
 * Makes a URL canonical in the core, which keeps the result for lastCanonical until the next call. Returns true if the
 * host is an IP address. If the platform's parser refuses the host and `isLenient` is true, uses the host that another
 * parser might read. Throws ERR_TAMIS_INVALID_URL.
 */
export function makeCanonical(url: string | Uint8Array, isLenient = false): boolean {
  const cut = typeof url === 'string' ? cutFragment(url) : url;
  // One more for the `#`. The core checks this limit again, in bytes.
  if (cut.length > maxUrlBytes + 1) throw errorOf('ERR_TAMIS_INVALID_URL');
  if (typeof cut === 'string' && !isWellFormed(cut)) {
    throw new TamisError('ERR_TAMIS_INVALID_URL', 'the URL has a lone surrogate');
  }
  // The first step: withKey copies the URL into the core, which parses it and leaves the bytes of the host in range 0.
  const parse = (address: number, size: number) => raw._tamis_url_parse(address, size);
  const needsIdna = withKey(cut, parse, urlText) === 1;
  const host = needsIdna ? toAsciiHost(readRange(0), isLenient) : undefined;
  // The second step: the core gets the ASCII host, and returns 1 if it is an IP address.
  const finish = (address: number, size: number) => raw._tamis_url_finish(address, size);
  if (host !== undefined) return withKey(host, finish) === 1;
  // Without an ASCII host, the core uses the host in the URL, or refuses the URL if its host needs IDNA.
  return check(call(() => finish(0, 0))) === 1;
}

/** Runs `act`, which makes a URL canonical. Returns undefined if that URL has no canonical form. */
export function ifCanonical<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (Object(error).code === 'ERR_TAMIS_INVALID_URL') return undefined;
    throw error;
  }
}

/** Returns the text and the host of the last URL that makeCanonical made canonical. */
export function lastCanonical(): { text: string; host: string } {
  const [text = '', host = ''] = readRangesAsText(2);
  return { text, host };
}

/**
 * Returns the canonical form of a URL by the rules of Safe Browsing. Different spellings of a page get the same text.
 *
 * The result has no fragment, user name, password or port. A string is read as its UTF-8 bytes, unchanged;
 * UrlListBuilder and `UrlList.check` first apply `navigationUrl`. Throws ERR_TAMIS_INVALID_URL for a URL without a
 * host, for a scheme without `//`, and above 2 MiB.
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

/** Matches invisible characters at the start of a text. The platform's parser drops some, and refuses the others. */
const blanks = /^[\s\p{Cc}\p{Cf}\p{DI}]+/u;

/** Matches a scheme as the platform's parser does: the scheme of `evil.example:80/x` is `evil.example:`. */
export const schemeOf = /^[a-z][a-z\d+.-]*:/i;

/** Returns the text. Throws TypeError for anything but a string. */
export function checkUrlText(url: unknown): string {
  if (typeof url === 'string') return url;
  throw mustBe('a string, such as url.href', 'a URL', url);
}

/** Prepares a text for the parser: drops invisible characters at its start, and tabs and line breaks anywhere. */
export function trimText(text: string): string {
  // The test is ten times as fast as the replacement, which most texts do not need.
  const bare = /^[!-~]/.test(text) ? text : text.replace(blanks, '');
  // The parser drops tabs and line breaks anywhere.
  return withSharpS(bare.replace(/[\t\n\r]+/g, ''));
}

/** Returns the URL that a browser opens for a trimmed text, without user name; undefined if the parser refuses it. */
export function navigate(bare: string): URL | undefined {
  const url = tryParse(bare) ?? (schemeOf.test(bare) ? undefined : tryParse(`http://${bare}`));
  if (url?.href.includes('@')) {
    url.username = '';
    url.password = '';
  }
  return url;
}

/**
 * Returns the URL that a browser would open for the text, or the text itself if the platform's parser refuses it.
 * Browsers read a backslash as a slash, and do not end the host at an escaped slash in a user name. UrlListBuilder,
 * UrlList and UrlChecker apply this function; `canonicalize` and `expressions` read the text unchanged. The result need
 * not be a web page: only `check` says which URLs are safe. Throws TypeError for anything but a string.
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
