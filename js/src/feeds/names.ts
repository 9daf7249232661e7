// Host names, as feeds write them.

import type { Findings, SkipReason } from './report.js';

/** Longer than any valid name. IDNA takes quadratic time in a label's length. */
const mostUnits = 1024;

const localName =
  /^(localhost\d?(\.localdomain\d?)?|local|loopback|broadcasthost|ip6-\w+)$|\.localhost$/;
const hostName = /^(?:[a-z\d_-]{1,63}\.)*[a-z\d_-]{1,63}$/;

/** The A-labels of a name that is not ASCII; empty if the platform's parser refuses the name. */
function toAscii(name: string): string {
  if (name.length > mostUnits || /[\s\p{Cc}"#%/:<>?@[\\\]^`{|}\ufffd]/u.test(name)) return '';
  try {
    return new URL(`http://${name}/`).hostname;
  } catch {
    return '';
  }
}

/** True for four numbers without leading zeros, the canonical form of an IPv4 address. */
const isAddress = (name: string): boolean => {
  const parts = name.split('.');
  return parts.length === 4 && parts.every((part) => +part < 256 && `${+part}` === part);
};

/** The reason to skip a canonical host; undefined if the host is fine. */
function whyNot(host: string): SkipReason | undefined {
  if (host.length > 253 || !hostName.test(host)) return 'not-understood';
  const last = host.slice(host.lastIndexOf('.') + 1);
  if (/^(\d+|0x[\da-f]*)$/.test(last)) {
    if (!isAddress(host)) return 'not-understood';
    return /^(0\.0\.0\.0|127\..*)$/.test(host) ? 'local-name' : undefined;
  }
  if (localName.test(host)) return 'local-name';
  return last === host ? 'single-label' : undefined;
}

/** The host in lower case and without a trailing dot; undefined if it is skipped. */
export function readHost(name: string, findings: Findings): string | undefined {
  const ascii = /^[\w.-]+$/.test(name) ? name.toLowerCase() : toAscii(name);
  const host = ascii.endsWith('.') ? ascii.slice(0, -1) : ascii;
  const reason = whyNot(host);
  if (reason === undefined) return host;
  findings.skip(name.includes('*') ? 'wildcard' : reason, name);
  return undefined;
}

/** True for an address that resolvers give for blocked names: the null address, or this machine. */
export const isSinkhole = (address: string): boolean =>
  /^(0|0\.0\.0\.0|127(\.\d{1,3}){3}|::1?|(0{1,4}:){7}0{0,3}[01])$/.test(address);

/** The text before a comment: a `#` at the start or after white space. */
export const cutComment = (line: string): string => {
  const at = line.indexOf('#') < 0 ? -1 : line.search(/(?<!\S)#/);
  return at < 0 ? line : line.slice(0, at);
};

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
  // Paths that no look-up would meet, or only in another form.
  if (/[\s\p{Cc}?#*\\\ufffd]|\/\/|\/\.{1,2}(\/|$)/u.test(`/${path}`)) {
    return findings.skip('not-understood', shown);
  }
  if (path.split('/').length < 4) return findings.add('path', `${host}/${path}`);
  findings.skip('too-deep', shown);
  findings.add('page', `https://${host}/${path}`);
}
