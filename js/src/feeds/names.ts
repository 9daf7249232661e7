// Host names, as feeds write them.

import { parseHost, plainName } from '../core/host-names.js';
import type { Findings } from './report.js';

/** Longer than any valid name. IDNA takes quadratic time in a label's length. */
const mostUnits = 1024;

/** Names and addresses of this machine. */
const localHost =
  /^(localhost\d?(\.localdomain\d?)?|local|loopback|broadcasthost|ip6-\w+|0\.0\.0\.0|127\.[\d.]+)$|\.localhost$/;

/** The name in ASCII; '' if it is too long, or refused by the parser, or if it has a `%`, which the parser decodes. */
function toAscii(name: string): string {
  return name.length <= mostUnits && !name.includes('%') ? (parseHost(name) ?? '') : '';
}

/** An IPv4 address, without a dot at its end; undefined for any other text, and for numbers with leading zeros. */
function plainAddress(text: string): string | undefined {
  const parts = text.replace(/\.$/, '').split('.');
  const isAddress =
    parts.length === 4 && parts.every((part) => /^(0|[1-9]\d*)$/.test(part) && +part < 256);
  return isAddress ? parts.join('.') : undefined;
}

/** The host in lower case and without a trailing dot; undefined if it is skipped. */
export function readHost(name: string, findings: Findings): string | undefined {
  const ascii = /^[\w.-]+$/.test(name) ? name : toAscii(name);
  const host = plainName(ascii) ?? plainAddress(ascii);
  const isLocal = host !== undefined && localHost.test(host);
  if (host?.includes('.') && !isLocal) return host;
  const hostReason = isLocal ? 'local-name' : 'single-label';
  const reason = host === undefined ? 'not-understood' : hostReason;
  findings.skip(name.includes('*') ? 'wildcard' : reason, name);
  return undefined;
}

/** True for an address that resolvers give for blocked names: the null address, or this machine. */
export const isSinkhole = (address: string): boolean =>
  /^(0|0\.0\.0\.0|127(\.\d{1,3}){3}|::1?|(0{1,4}:){7}0{0,3}[01])$/.test(address);

/** The text before a comment: a `#` at the start or after white space. Most lines have none: a fast test is first. */
export const cutComment = (line: string): string =>
  line.includes('#') ? line.replace(/(?<!\S)#.*/s, '') : line;

/** Adds a page. A list cannot tell the root page of a host from the whole host, so a root page gets `isExact`. */
export function addPage(url: string, findings: Findings, more?: { tags?: string[] }): undefined {
  // Two steps, not one pattern: adjacent patterns for the same characters would backtrack.
  const [start] = /^(?:https?|wss?|ftp):\/\/[^/?#\\\s]+/i.exec(url) ?? [];
  if (start === undefined || /[\s\p{Cc}\ufffd]/u.test(url)) {
    return findings.skip('not-understood', url);
  }
  const isRoot = /^\/?\??(#|$)/.test(url.slice(start.length));
  findings.add('page', url, { ...more, ...(isRoot && { isExact: true }) });
}

/** Adds a path and what is below it. A look-up goes three folders deep. */
export function addPath(host: string, path: string, shown: string, findings: Findings): undefined {
  // A look-up normalizes its paths, so it never has such a path.
  if (/[\s\p{Cc}?#*\\\ufffd]|\/\/|\/\.{1,2}(\/|$)/u.test(`/${path}`)) {
    return findings.skip('not-understood', shown);
  }
  if (path.split('/').length <= 3) return findings.add('path', `${host}/${path}`);
  // What is below the path is skipped; the page itself is not.
  findings.skip('too-deep', shown);
  findings.add('page', `https://${host}/${path}`);
}
