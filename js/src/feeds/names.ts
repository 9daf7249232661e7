// Reads host names, as feeds write them.

import { parseHost, plainName } from '../core/host-names.js';
import type { Findings, More } from './report.js';

/** The longest name that is parsed. Valid names are shorter, and IDNA takes quadratic time in a label's length. */
const mostUnits = 1024;

/** Matches names and addresses of this machine. */
const localHost =
  /^(localhost\d?(\.localdomain\d?)?|local|loopback|broadcasthost|ip6-\w+|0\.0\.0\.0|127\.[\d.]+)$|\.localhost$/;

/** Returns the name in ASCII; '' if it is too long, refused by the parser, or has a `%`, which the parser decodes. */
function toAscii(name: string): string {
  return name.length <= mostUnits && !name.includes('%') ? (parseHost(name) ?? '') : '';
}

/** Returns an IPv4 address without a dot at its end; undefined for other texts, and for numbers with leading zeros. */
function plainAddress(text: string): string | undefined {
  const parts = text.replace(/\.$/, '').split('.');
  const isAddress =
    parts.length === 4 && parts.every((part) => /^(0|[1-9]\d*)$/.test(part) && +part < 256);
  return isAddress ? parts.join('.') : undefined;
}

/** Returns the host in lower case and without a trailing dot. Returns undefined if the host is skipped. */
export function readHost(name: string, findings: Findings): string | undefined {
  const ascii = /^[\w.-]+$/.test(name) ? name : toAscii(name);
  const host = plainName(ascii) ?? plainAddress(ascii);
  const isLocal = host !== undefined && localHost.test(host);
  if (host?.includes('.') && !isLocal) return host;
  const hostReason = isLocal ? 'local-name' : 'single-label';
  const reason = host === undefined ? 'not-understood' : hostReason;
  findings.skip(/^[\w.-]*\*[\w.*-]*$/.test(name) ? 'wildcard' : reason, name);
  return undefined;
}

/** Spells an address or a name uniformly: in lower case, and without a trailing dot. */
export const spell = (text: string): string => text.toLowerCase().replace(/\.$/, '');

/** Adds an entry for a host. If the name is no host, skips it. */
export function addHost(
  name: string,
  findings: Findings,
  more?: More,
  kind: 'host' | 'allow-host' = 'host',
): undefined {
  const host = readHost(name, findings);
  if (host !== undefined) findings.add(kind, host, more);
}

/** True for the null address, and for addresses of this machine. */
export const isOwnAddress = (address: string): boolean =>
  /^(0|0\.0\.0\.0|127(\.(0|[1-9]\d{0,2})){3}|::1?|(0{1,4}:){7}0{0,3}[01])$/.test(address);

/** True for an address that means "blocked": the null address, one of this machine, or one in `landing`. */
export const isSinkhole = (address: string, { landing }: Findings): boolean =>
  isOwnAddress(address) || (landing.size > 0 && landing.has(spell(address)));

/** Returns the text before a comment: a `#` at the start or after white space. A fast test is enough for most lines. */
export const cutComment = (line: string): string =>
  line.includes('#') ? line.replace(/(?<!\S)#.*/s, '') : line;

/** Adds a page. A blank in its path is part of the URL, and browsers encode it. */
export function addPage(url: string, findings: Findings, more?: More): undefined {
  // Two steps, not one pattern: adjacent patterns for the same characters would backtrack.
  const [start] = /^(?:https?|wss?|ftp):[/\\]*[^/?#\\\s]+/i.exec(url) ?? [];
  if (start === undefined) return findings.skip('not-understood', url);
  // Most URLs need no more tests: they have neither blanks nor stars, and all of their characters are visible.
  if (!/^[!-)+-~]*$/.test(url)) {
    // A blank before a `#`, or before another URL, ends the URL that the author means.
    if (/\p{Cc}|\ufffd| #| https?:\/\//u.test(url)) return findings.skip('not-understood', url);
    const isWildcard = start.includes('*') || /^[^?#]*\/\*(#|$)/.test(url);
    if (isWildcard) return findings.skip('wildcard', url);
  }
  findings.add('page', url, more);
}

/** Adds a page for a URL, otherwise a host: `x`, `.x` and `*.x` mean the same. */
export function addNameOrPage(text: string, findings: Findings): undefined {
  if (text.includes(':')) return addPage(text, findings); // a name has no colon
  addHost(text.replace(/^\*?\./, ''), findings);
}

/** Adds a path and all pages below it. A look-up goes three folders deep. */
export function addPath(
  host: string,
  path: string,
  shown: string,
  findings: Findings,
  more?: More,
): undefined {
  // A look-up normalizes its paths, so it never has a path that matches this.
  if (/[\s\p{Cc}?#*\\\ufffd]|\/\/|\/\.{1,2}(\/|$)/u.test(`/${path}`)) {
    return findings.skip('not-understood', shown);
  }
  if (path.split('/').length <= 3) return findings.add('path', `${host}/${path}`, more);
  // Pages below the path are skipped, but the page itself is added.
  findings.skip('narrowed', shown);
  findings.add('page', `https://${host}/${path}`, more);
}
