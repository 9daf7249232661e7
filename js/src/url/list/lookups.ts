// The URLs that a text may lead to, and the look-ups for them. This file alone decides which texts may be 'safe'.

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
  /** True if every browser opens this one URL. If false, a text without a hit is not safe either. */
  readonly isSure: boolean;
}

const none: Readings = { texts: [], isSure: false };

const isWeb = (scheme: string): boolean => /^(https?|wss?|ftp):$/i.test(scheme);

/** A character takes at most three bytes. */
const maxRawLength = Math.floor(maxUrlBytes / 3);

/**
 * The URLs that some browser may open for a text that this platform's parser refuses. The first reads the text by the
 * rules of Safe Browsing. The second reads it as browsers do: a backslash is a slash and ends the host, which follows
 * the last `@`.
 */
function rawReadings(bare: string): string[] {
  // TextEncoder replaces lone surrogates in the same way.
  const text = bare.slice(0, maxRawLength).replace(/\p{Surrogate}/gu, '\ufffd');
  const match = /^(?:[a-z][a-z\d+.-]*:)?[\\/]*([^\\/?#]*)([^?#]*)(.*)/is.exec(text);
  const [, authority = '', path = '', rest = ''] = match ?? [];
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return [text, `http://${host}${path.replaceAll('\\', '/')}${rest}`];
}

/** The readings of a text. Throws TypeError for anything but a string. */
export function readingsOf(url: string): Readings {
  const written = cutFragment(checkUrlText(url));
  const bare = trimText(written);
  const page = navigate(bare);
  const scheme = page?.protocol ?? schemeOf.exec(bare)?.[0] ?? 'http:';
  if (!isWeb(scheme)) return none;
  if (page === undefined) return { texts: rawReadings(bare), isSure: false };
  // cutFragment kept a `#`.
  const text = page.href.replace(/#$/, '');
  // Browsers drop some characters before a URL, and refuse others.
  const isRead = /^[!-~]/.test(written) || navigate(written) !== undefined;
  const isSure = isRead && text.length <= maxUrlBytes;
  return { texts: [text.slice(0, maxUrlBytes)], isSure };
}

/**
 * The root page of a host. The host is a DNS name, with or without a trailing dot, or an IP address, with or without
 * brackets. For anything else, such as a host with a port, it gives a URL that is no page. A value that is no string is
 * returned as it is; the caller's check refuses it.
 */
export function pageOfHost(host: string): string {
  if (typeof host !== 'string') return host;
  const name = plainName(host);
  if (name !== undefined) return `http://${name}/`;
  const bare = host.endsWith('.') ? host.slice(0, -1) : host;
  // An IPv6 address in brackets, or one without, which has a colon.
  const [, bracketed, plain] = /^(?:\[([\da-f:.]+)\]|([\da-f:.]*:[\da-f:.]*))$/i.exec(bare) ?? [];
  const address = bracketed ?? plain;
  const isName = address === undefined;
  // In a name, the parser would drop these characters, decode them, or end the host there.
  if (isName && /[\s\p{Cc}%/:?#@[\\\]]/u.test(bare)) return 'about:';
  const url = tryParse(isName ? withSharpS(`http://${bare}/`) : `http://[${address}]/`);
  const { hostname = '', href = '' } = url ?? {};
  const isHost = hostname.length <= longestName && /^[^.]{1,63}(\.[^.]{1,63})*$/.test(hostname);
  return isHost ? href : 'about:';
}

/**
 * The folders of a URL before decoding, as URLs, if decoding may change them. By the rules of Safe Browsing,
 * `/bad/..%2fx` is `/x`; most servers read it as a file below `/bad/`. At most three, the depth of listed folders.
 */
export function writtenFolders(text: string): string[] {
  const [, origin = '', path = ''] = /^([^:]+:\/\/[^/?#]*)(\/[^?#]*)/.exec(text) ?? [];
  // An encoded '%', '.' or '/'.
  if (!/%2[5ef]/i.test(path)) return [];
  // At most five parts: '' before the first slash, three folders, and the rest. Several slashes count as one.
  const names = path.split(/\/+/, 5).slice(1, -1);
  return names.map((_, i) => `${origin}/${names.slice(0, i + 1).join('/')}/`);
}

/** An expression that a list may contain. */
export interface UrlHit {
  readonly expression: string;
  /** Its SHA-256, 32 bytes. A list stores the first bytes. */
  readonly hash: Uint8Array;
}

/**
 * Makes each URL that a text may lead to canonical in the core, and calls `ask`, which looks up its expressions there.
 * `ask` gets the length of the registrable domain, and the shapes of the expressions to look up. Returns true if the
 * text is safe when no list has any of these expressions.
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
        // Looks up this folder alone. Its parents come in other turns of the loop, and the root came with the text.
        ask(domainLength, folderShapes & shapeBitOf(expression));
      }
      return true;
    });
    if (!isCanonical) isSafe = false;
  }
  return isSafe;
}

/** All expressions of a text, each once. `isSafe` is true if the text is safe when no list has them. */
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
