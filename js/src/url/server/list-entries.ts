// Turns a publisher's entries into expressions. Refuses other programs' syntax, and entries that no look-up finds.

import { TamisError } from '../../core/errors.js';
import { plainName } from '../../core/host-names.js';
import { shorten } from '../../feeds/report.js';
import {
  ifCanonical,
  lastCanonical,
  makeCanonical,
  maxUrlBytes,
  navigate,
  schemeOf,
  trimText,
} from '../list/canonicalize.js';

/** Patterns of other syntaxes. They only explain why an entry is refused, so a wrong guess does no harm. */
const syntaxes: readonly (readonly [RegExp, string])[] = [
  [/hxxp|[[({]([.:]|dot)[\])}]/i, 'a defanged one'],
  [/^(\d+(\.\d+){3}|[\da-f]*(:[\da-f]*){2,}(%\w+)?)\s/i, 'a line of a hosts file'],
  [/^#(?!#\S)/, 'a comment'],
  [/^(\||@@|!|\[Ad)|\^|#[@?$%]*#|\$~?[a-z]/, 'an AdGuard rule'],
  [/\*/, 'a wildcard; hosts cover subdomains too'],
  [/^[^{]*[",;]/, 'a line of CSV'],
  [/\s/, 'several words'],
];

function fail(method: string, entry: string, why: string): never {
  throw new TamisError('ERR_TAMIS_INVALID_URL', `${method}: '${shorten(entry)}' ${why}`);
}

/** Throws an error about an entry. `but` says what the entry is instead; default: the first syntax that matches. */
function refuse(method: string, noun: string, entry: string, but?: string): never {
  const text = entry.trim();
  const known = but ?? syntaxes.find(([pattern]) => pattern.test(text))?.[1];
  fail(method, entry, `is no ${noun}${known ? `, but ${known}` : ''}`);
}

/** Returns a URL with this expression. A backslash becomes %5C, because a parser would read it as a slash. */
export const urlOf = (expression: string): string => `http://${expression.replaceAll('\\', '%5C')}`;

const isWeb = /^(https?|wss?|ftp):/;
/** Matches host names. A name that ends in a number is invalid, and is no address either. */
const isName = /^(?!(.*\.)?(\d+|0x[\da-f]*)$)[a-z\d_.-]+$/;

/** Returns the expression of the URL itself; undefined if no look-up produces it, or if it looks like a wildcard. */
function toExactExpression(url: string): string | undefined {
  const isAddress = ifCanonical(() => makeCanonical(url));
  // The URL has no canonical form.
  if (isAddress === undefined) return undefined;
  const { text, host } = lastCanonical();
  let expression = text.slice(text.indexOf('://') + 3);
  // Look-ups drop an empty query.
  if (/^[^?]*\?$/.test(expression)) expression = expression.slice(0, -1);
  const isPage = isWeb.test(text) && (isAddress || isName.test(host));
  // A publisher who writes this ending means a wildcard, but the expression would not be one.
  const isWildcard = expression.endsWith('/*');
  // The parser may write one character as three, and look-ups limit the length of a URL.
  const isShort = 3 * urlOf(expression).length <= maxUrlBytes;
  return isPage && isShort && !isWildcard ? expression : undefined;
}

/** Returns the URL that a browser opens for the text; undefined if the platform's parser refuses it. */
const toHref = (text: string): string | undefined => navigate(trimText(text))?.href;

/** True for a single label, and for a number, which a browser would read as an address. */
const isLabel = (text: string, expression: string): boolean =>
  /^\w+([/?#]|$)/.test(text) || !/^[^/]*[.:]/.test(expression);

/** Returns the expression of a page; undefined if the text is not a URL. The URL may lack its scheme. */
export function toPageExpression(url: string): string | undefined {
  const text = url.trim();
  // The parser would read text before an @ as a user name, and a part of an AdGuard rule as a fragment.
  const isUrl = schemeOf.test(text) || /^(\/\/)?[^/\\?#@]+([/?]|#(?![@?$%]*#)|$)/.test(text);
  // The parser drops line breaks and tabs, and encodes blanks. But in a text without a scheme, and before a comment or
  // a second URL, a blank is not part of the URL.
  const isSplit =
    /[\t\n\r]|\s#|\shttps?:/.test(text) || (!schemeOf.test(text) && /^[^#]*\s/.test(text));
  const href = isUrl && !isSplit ? toHref(text) : undefined;
  return href && toExactExpression(href);
}

/** Returns the expression for an entry of addHosts. Throws ERR_TAMIS_INVALID_URL. */
export function toHostExpression(entry: string): string {
  const host = entry.trim();
  const name = plainName(host);
  // Most entries end here. Single labels are refused below.
  if (name?.includes('.')) return `${name}/`;
  const url = `http://${host}/`;
  // Some parsers refuse plain names that other parsers accept, so plain names are not parsed.
  const href = /^[\w.-]+$/.test(host) ? url : toHref(url);
  // The parser would drop these characters, or end the host at them.
  const isBare = !/[/\\?#@\s]/.test(host);
  const expression = isBare && href ? toExactExpression(href) : undefined;
  if (!expression) refuse('addHosts', 'host', entry, toPageExpression(entry) && 'a URL');
  if (isLabel(host, expression)) refuse('addHosts', 'host', entry, 'a single label');
  return expression;
}

/** Returns the expression for an entry of addUrls. Throws ERR_TAMIS_INVALID_URL. */
export function toUrlExpression(entry: string): string {
  const text = entry.trim();
  const expression = toPageExpression(entry);
  if (!expression) refuse('addUrls', 'URL', entry);
  if (!schemeOf.test(text) && isLabel(text, expression)) {
    refuse('addUrls', 'URL', entry, 'a single label');
  }
  return expression;
}

/** Returns an entry of addExpressions unchanged. Throws ERR_TAMIS_INVALID_URL if no look-up can match it. */
export function checkExpression(entry: string): string {
  if (toExactExpression(`http://${entry}`) !== entry) {
    const expected = toPageExpression(entry);
    if (!expected) refuse('addExpressions', 'expression', entry);
    fail('addExpressions', entry, `can match nothing; expected '${shorten(expected)}'`);
  }
  const isFolder = /^[^?]*\/$/.test(entry);
  // The deepest folder that look-ups try, `host/a/b/c/`, splits into five parts.
  if (isFolder && entry.split('/').length > 5) {
    refuse('addExpressions', 'expression', entry, 'a folder deeper than three');
  }
  return entry;
}
