// The canonical form of a URL: the mirror of cpp/include/tamis/url/canonicalize.hpp.

import { check, show, TamisError, typeError } from '../core/errors.js';
import { isBytes, isWellFormed, lengthOfBytes } from '../core/key-types.js';
import {
  keyAddress,
  putKey,
  raw,
  readRange,
  readRangesAsText,
  releaseKey,
} from '../core/memory.js';
import { call, core } from '../core/runtime.js';

/** Longer ones have no canonical form. */
export const maxUrlBytes = 256 * 1024;

/** Calls `act` with a string or bytes where wasm can read them; its status, which is none of failure. */
export function withBytes(
  bytes: string | Uint8Array,
  act: (address: number, size: number) => number,
): number {
  core();
  const size = putKey(bytes);
  const answer = call(() => act(keyAddress, size));
  releaseKey();
  check(answer);
  return answer;
}

/** Throws INVALID_URL for a string that no URL can be, TypeError for what is neither string nor bytes. */
export function checkUrl(url: unknown, what: string): asserts url is string | Uint8Array {
  if (typeof url !== 'string' && !isBytes(url)) {
    throw typeError(`${what}: expected a URL as a string or a Uint8Array, got ${show(url)}`);
  }
  const length = typeof url === 'string' ? url.length : lengthOfBytes(url);
  if (length > maxUrlBytes) throw new TamisError('ERR_TAMIS_INVALID_URL');
  if (typeof url === 'string' && !isWellFormed(url)) {
    throw new TamisError('ERR_TAMIS_INVALID_URL', 'the URL has a lone surrogate');
  }
}

/**
 * What the platform's parser of URLs makes of a host that is not ASCII: UTS 46, not transitional,
 * without the rules of STD 3. Undefined where the bytes are no UTF-8, or no host.
 */
function asciiHost(bytes: Uint8Array): string | undefined {
  try {
    const host = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    // The parser would drop these, or end the host there.
    return /[\t\n\r#/:?@\\]/.test(host) ? undefined : new URL(`http://${host}/`).hostname;
  } catch {
    return undefined;
  }
}

/**
 * Makes a URL canonical on the other side, where it is "the URL" of bindings/url.cpp until the next one;
 * its text is range 0 and its host range 1. Whether the host is an IP address.
 */
export function makeCanonical(url: string | Uint8Array, what: string): boolean {
  checkUrl(url, what);
  const needsIdna = withBytes(url, (address, size) => raw._tamis_url_parse(address, size));
  const host = needsIdna === 1 ? asciiHost(readRange(0)) : undefined;
  const finish = (address: number, size: number) => raw._tamis_url_finish(address, size);
  if (host !== undefined) return withBytes(host, finish) === 1;
  const isAddress = call(() => finish(0, 0));
  check(isAddress);
  return isAddress === 1;
}

/** The text and the host of the URL that was made canonical last. */
export function canonicalParts(): { text: string; host: string } {
  const [text, host] = readRangesAsText(2) as [string, string];
  return { text, host };
}

/**
 * The one form of a URL, by the rules of Safe Browsing: two URLs that lead to the same page in different
 * disguises get the same text. It has no fragment, user name, password and port. A string is taken as its
 * UTF-8 bytes, as it stands: UrlListBuilder and `UrlList.check` look first at what a browser makes of it.
 * Throws INVALID_URL where there is none: no host, a scheme without `//`, above 256 KiB.
 *
 * @example
 * import { canonicalize } from 'tamis/url';
 * canonicalize('http://EVIL.example:80/a/../%62#top'); // => 'http://evil.example/b'
 * canonicalize('http://0x7f.1'); // => 'http://127.0.0.1/'
 */
export function canonicalize(url: string | Uint8Array): string {
  makeCanonical(url, 'canonicalize');
  return canonicalParts().text;
}

/** What no reader sees in front of a URL. The parser of URLs drops some of it, and stumbles over the rest. */
const blanks = /^[\s\p{Cc}\p{Cf}]+/u;

/** A scheme, or what the parser of URLs takes for one: `evil.example:80/x` names no page. */
const hasScheme = /^[a-z][a-z\d+.-]*:/i;

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Throws TypeError for what is no string. */
export function checkedText(url: unknown): string {
  if (typeof url === 'string') return url;
  throw typeError(`expected a URL as a string, got ${show(url)}`);
}

/**
 * What a browser would open for the text, of which alone a canonical form says where it leads: a
 * backslash is a slash to it, and a slash in a user name ends no host. Where its parser of URLs refuses,
 * the text itself. UrlListBuilder, UrlList and UrlChecker look at this; `canonicalize` and `expressions`
 * take what they are given. Throws TypeError for what is no string.
 *
 * @example
 * import { canonicalize, navigationUrl } from 'tamis/url';
 * navigationUrl('eve@evil.example\\x'); // => 'http://evil.example/x'
 * canonicalize(navigationUrl('http://evil.example\\@good.example/')); // => 'http://evil.example/@good.example/'
 */
export function navigationUrl(text: string): string {
  checkedText(text);
  // Most have no blanks, and are told so in a tenth of the time.
  const bare = /^[!-~]/.test(text) ? text : text.replace(blanks, '');
  const url = parsed(bare) ?? (hasScheme.test(bare) ? undefined : parsed(`http://${bare}`));
  if (url === undefined) return bare;
  const { href } = url;
  if (!href.includes('@')) return href;
  url.username = '';
  url.password = '';
  return url.href;
}
