// Finds the URLs that a text may lead to, and looks them up. This file alone decides which texts may be 'safe'.

import { longestName, plainName } from '../../core/host-names.js';
import {
  checkUrlText,
  cutFragment,
  ifCanonical,
  lastCanonical,
  makeCanonical,
  maxUrlBytes,
  navigate,
  schemeOf,
  trimText,
  tryParse,
  withSharpS,
} from './canonicalize.js';
import {
  allShapes,
  folderShapes,
  type HostRule,
  hashExpression,
  lastExpressions,
  prepare,
  shapeBitOf,
} from './expressions.js';

export interface Readings {
  /** The URLs to look up; none if the text leads to no web page. */
  readonly texts: readonly string[];
  /** True if every browser opens the URL in `texts`. If false, the text is not safe even if nothing hits. */
  readonly isSure: boolean;
}

const none: Readings = { texts: [], isSure: false };

const isWeb = (scheme: string): boolean => /^(https?|wss?|ftp):$/i.test(scheme);

/** The longest text that is read: each of its characters takes at most three bytes. */
const maxRawLength = Math.floor(maxUrlBytes / 3);

/**
 * Returns the URLs that a browser may open for a text that this platform's parser refuses. The first is the text as the
 * rules of Safe Browsing read it. The second is the text as browsers read it: a backslash is a slash and ends the host,
 * which follows the last `@`.
 */
function rawReadings(bare: string): string[] {
  // TextEncoder replaces lone surrogates in the same way.
  const text = bare.slice(0, maxRawLength).replace(/\p{Surrogate}/gu, '\ufffd');
  const match = /^(?:[a-z][a-z\d+.-]*:)?[\\/]*([^\\/?#]*)([^?#]*)(.*)/is.exec(text);
  const [, authority = '', path = '', rest = ''] = match ?? [];
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return [text, `http://${host}${path.replaceAll('\\', '/')}${rest}`];
}

/** The readings of a text: the URLs that browsers may open for it. Throws TypeError for anything but a string. */
export function readingsOf(url: string): Readings {
  const written = cutFragment(checkUrlText(url));
  const bare = trimText(written);
  const page = navigate(bare);
  const scheme = page?.protocol ?? schemeOf.exec(bare)?.[0] ?? 'http:';
  if (!isWeb(scheme)) return none;
  if (page === undefined) return { texts: rawReadings(bare), isSure: false };
  // Drops the `#` that cutFragment left.
  const text = page.href.replace(/#$/, '');
  // Browsers drop some invisible characters at the start of a text, and refuse the text because of others.
  const isRead = /^[!-~]/.test(written) || navigate(written) !== undefined;
  const isSure = isRead && text.length <= maxUrlBytes;
  return { texts: [text.slice(0, maxUrlBytes)], isSure };
}

/**
 * Returns the URL of a host's root page. The host is a DNS name, with or without a trailing dot, or an IP address, with
 * or without brackets. For anything else, such as a host with a port, the result is a URL that is not a page. A value
 * that is not a string is returned unchanged; the caller's check refuses it.
 */
export function pageOfHost(host: string): string {
  if (typeof host !== 'string') return host;
  const name = plainName(host);
  if (name !== undefined) return `http://${name}/`;
  const bare = host.endsWith('.') ? host.slice(0, -1) : host;
  // Matches an IPv6 address in brackets, or one without brackets, which contains a colon.
  const [, bracketed, plain] = /^(?:\[([\da-f:.]+)\]|([\da-f:.]*:[\da-f:.]*))$/i.exec(bare) ?? [];
  const address = bracketed ?? plain;
  const isName = address === undefined;
  // In a name, the parser would drop or decode these characters, or end the host at them.
  if (isName && /[\s\p{Cc}%/:?#@[\\\]]/u.test(bare)) return 'about:';
  const url = tryParse(isName ? withSharpS(`http://${bare}/`) : `http://[${address}]/`);
  const { hostname = '', href = '' } = url ?? {};
  const isHost = hostname.length <= longestName && /^[^.]{1,63}(\.[^.]{1,63})*$/.test(hostname);
  return isHost ? href : 'about:';
}

/**
 * Returns the folders of a URL as they are written, if decoding may change them. There are at most three, as in lists.
 * By the rules of Safe Browsing, `/bad/..%2fx` is `/x`, but most servers read it as a file below `/bad/`.
 */
export function writtenFolders(text: string): string[] {
  const [, origin = '', path = ''] = /^([^:]+:\/\/[^/?#]*)(\/[^?#]*)/.exec(text) ?? [];
  // Looks for an encoded '%', '.' or '/'.
  if (!/%2[5ef]/i.test(path)) return [];
  // At most five parts: '' before the first slash, three folders, and the rest. Several slashes count as one.
  const names = path.split(/\/+/, 5).slice(1, -1);
  return names.map((_, i) => `${origin}/${names.slice(0, i + 1).join('/')}/`);
}

/** An expression that a list may contain. */
export interface UrlHit {
  readonly expression: string;
  /** The SHA-256 of the expression, 32 bytes. A list stores its first bytes. */
  readonly hash: Uint8Array;
}

/**
 * For each URL that a text may lead to, makes it canonical in the core and calls `ask`, to look up its expressions.
 * `ask` gets the length of the registrable domain, and the shapes of the expressions to look up. Returns true if the
 * text is safe as long as no list contains any of these expressions.
 */
export function lookUp(
  url: string,
  rule: HostRule,
  ask: (domainLength: number, shapes: number) => void,
): boolean {
  const { texts, isSure } = readingsOf(url);
  let isSafe = isSure;
  const isLenient = !isSure;
  for (const text of texts) {
    const isCanonical = ifCanonical(() => {
      const domainLength = prepare(text, rule, isLenient);
      ask(domainLength, allShapes);
      for (const folder of writtenFolders(text)) {
        makeCanonical(folder, isLenient);
        const [, expression = ''] = lastCanonical().text.split('://');
        // Looks up this folder alone. Other turns of the loop look up its parents; the call above looked up the root.
        ask(domainLength, folderShapes & shapeBitOf(expression));
      }
      return true;
    });
    if (!isCanonical) isSafe = false;
  }
  return isSafe;
}

/** All expressions of a text, each once. `isSafe`: the text is safe as long as no list contains any of them. */
export function lookupsOf(url: string, rule: HostRule): { lookups: UrlHit[]; isSafe: boolean } {
  const all = new Set<string>();
  const isSafe = lookUp(url, rule, (domainLength, shapes) => {
    for (const expression of lastExpressions(domainLength)) {
      if (shapes & shapeBitOf(expression)) all.add(expression);
    }
  });
  const lookups = Array.from(all, (one) => ({ expression: one, hash: hashExpression(one) }));
  return { lookups, isSafe };
}
