// What a text may lead to: the one place that says for which of them 'safe' is an answer.

import {
  checkText,
  cutFragment,
  maxUrlBytes,
  navigate,
  schemeOf,
  trimText,
} from './canonicalize.js';
import { tryParse } from './hosts.js';

/** What is looked up for a text. */
export interface Readings {
  /** None: it leads to no page of the web. */
  readonly texts: readonly string[];
  /** Whether the one text is what every browser opens. Else what does not hit is not safe either. */
  readonly isSure: boolean;
}

const none: Readings = { texts: [], isSure: false };

/** The schemes of pages. */
const isWeb = (scheme: string): boolean => /^(https?|wss?|ftp):$/i.test(scheme);

/** Three bytes for each character are the most. */
const maxRawLength = Math.floor(maxUrlBytes / 3);

/**
 * What some browser may open for a text that this platform's parser refuses. One reading is the text by the rules
 * of Safe Browsing. The other is as browsers take it: a backslash is a slash, which ends the host, and the host
 * stands behind the last `@`.
 */
function rawReadings(bare: string): string[] {
  // As an encoder writes it.
  const text = bare.slice(0, maxRawLength).replace(/\p{Surrogate}/gu, '\ufffd');
  const found = /^(?:[a-z][a-z\d+.-]*:)?[\\/]*([^\\/?#]*)([^?#]*)(.*)/is.exec(text);
  const [, authority, path, rest] = found as unknown as [string, string, string, string];
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return [text, `http://${host}${path.replaceAll('\\', '/')}${rest}`];
}

export function readingsOf(url: string): Readings {
  const bare = trimText(cutFragment(checkText(url)));
  const page = navigate(bare);
  if (!isWeb(page?.protocol ?? schemeOf.exec(bare)?.[0] ?? 'http:')) return none;
  if (page === undefined) return { texts: rawReadings(bare), isSure: false };
  const text = page.href.replace(/#$/, '');
  return { texts: [text.slice(0, maxUrlBytes)], isSure: text.length <= maxUrlBytes };
}

/** A name as DNS has it. Its last label is no number, so it is no address. */
const plainName = /^(?:[\w-]{1,63}\.)*[a-z][\w-]{0,62}$/i;
const longestName = 253;

/**
 * The first page of a host, which stands for all of it. The host is a name as DNS has it, with a dot at its end or
 * without. Or it is an IP address, with brackets or without. Of what is no host, such as one with a port, a URL that is
 * no page. What is no string is left to who checks URLs.
 */
export function pageOfHost(host: string): string {
  if (typeof host !== 'string') return host;
  const bare = host.endsWith('.') ? host.slice(0, -1) : host;
  if (bare.length <= longestName && plainName.test(bare)) return `http://${bare.toLowerCase()}/`;
  const [, inside, address = inside] =
    /^(?:\[([\da-f:.]+)\]|([\da-f:.]*:[\da-f:.]*))$/i.exec(bare) ?? [];
  const isName = address === undefined;
  if (isName && /[\s\p{Cc}%/:?#@[\\\]]/u.test(bare)) return 'about:';
  const found = tryParse(isName ? `http://${bare}/` : `http://[${address}]/`);
  const { hostname = '', href = '' } = found ?? {};
  const isHost = hostname.length <= longestName && /^[^.]{1,63}(\.[^.]{1,63})*$/.test(hostname);
  return isHost ? href : 'about:';
}

/**
 * The folders of a URL as they are written, as URLs of their own, where decoding may make others of them.
 * `/bad/..%2fx` is `/x` by the rules of Safe Browsing, and below `/bad/` to most servers. Up to three, as deep as a
 * listed folder may be.
 */
export function writtenFolders(text: string): string[] {
  const [, origin = '', path = ''] = /^([^:]+:\/\/[^/?#]*)(\/[^?#]*)/.exec(text) ?? [];
  if (!/%2[5ef]/i.test(path)) return [];
  // A run of slashes is one, as in a canonical path.
  const names = path.split(/\/+/, 5).slice(1, -1);
  return names.map((_, i) => `${origin}/${names.slice(0, i + 1).join('/')}/`);
}
