// Turns a publisher's entries into expressions. Refuses those that no look-up finds, or in another program's syntax.

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

/** Patterns of other syntaxes. They only explain a refusal, so a wrong guess does no harm. */
const syntaxes: readonly (readonly [RegExp, string])[] = [
  [/hxxp|[[({]([.:]|dot)[\])}]/i, 'defanged'],
  [/^(\d+(\.\d+){3}|[\da-f]*(:[\da-f]*){2,}(%\w+)?)\s/i, 'a line of a hosts file'],
  [/^#(?!#\S)/, 'a comment'],
  [/^(\||@@|!|\[Ad)|\^|#[@?$%]*#|\$~?[a-z]/, 'an AdGuard rule'],
  [/\*/, 'a wildcard; hosts stand for subdomains too'],
  [/^[^{]*[",;]/, 'a line of CSV'],
  [/\s/, 'several words'],
];

function fail(method: string, entry: string, why: string): never {
  throw new TamisError('ERR_TAMIS_INVALID_URL', `${method}: '${shorten(entry)}' ${why}`);
}

/** Throws. `but` says what the entry is instead, if that is known. */
function refuse(method: string, noun: string, entry: string, but?: string): never {
  const text = entry.trim();
  const known = but ?? syntaxes.find(([pattern]) => pattern.test(text))?.[1];
  fail(method, entry, `is no ${noun}${known ? `, but ${known}` : ''}`);
}

/** A URL whose look-up makes the expression. It writes a backslash as %5C, because a URL would read a slash. */
export const urlOf = (expression: string): string => `http://${expression.replaceAll('\\', '%5C')}`;

const isWeb = /^(https?|wss?|ftp):/;
/** Matches names. A name that ends in a number is invalid, and is no address either. */
const isName = /^(?!(.*\.)?(\d+|0x[\da-f]*)$)[a-z\d_.-]+$/;

/** The expression of the URL itself; undefined if no look-up makes it, or it looks like a wildcard. */
function toExactExpression(url: string): string | undefined {
  const isAddress = ifCanonical(() => makeCanonical(url));
  // The URL has no canonical form.
  if (isAddress === undefined) return undefined;
  const { text, host } = lastCanonical();
  let expression = text.slice(text.indexOf('://') + 3);
  // Look-ups drop an empty query.
  if (/^[^?]*\?$/.test(expression)) expression = expression.slice(0, -1);
  const isPage = isWeb.test(text) && (isAddress || isName.test(host));
  // A publisher means a wildcard by this ending, which the expression is not.
  const isWildcard = expression.endsWith('/*');
  // The parser may write one character as three, and look-ups have a limit of length.
  const isShort = 3 * urlOf(expression).length <= maxUrlBytes;
  return isPage && isShort && !isWildcard ? expression : undefined;
}

/** The URL that a browser opens for the text; undefined if the platform's parser refuses. */
const toHref = (text: string): string | undefined => navigate(trimText(text))?.href;

/** True for a single label, or a number, which would be an address. */
const isLabel = (text: string, expression: string): boolean =>
  /^\w+([/?#]|$)/.test(text) || !/^[^/]*[.:]/.test(expression);

/** The expression of a page; undefined if the text is no URL, with or without a scheme. */
export function toPageExpression(url: string): string | undefined {
  const text = url.trim();
  // The parser would take text before an @ for a user name, and a part of an AdGuard rule for a fragment.
  const isUrl = schemeOf.test(text) || /^(\/\/)?[^/\\?#@]+([/?]|#(?![@?$%]*#)|$)/.test(text);
  // The parser drops line breaks and tabs, and encodes blanks. A text without a scheme, a comment and a second URL have
  // blanks that are no part of a URL.
  const isSplit =
    /[\t\n\r]|\s#|\shttps?:/.test(text) || (!schemeOf.test(text) && /^[^#]*\s/.test(text));
  const href = isUrl && !isSplit ? toHref(text) : undefined;
  return href && toExactExpression(href);
}

/** The expression for an entry of addHosts. Throws ERR_TAMIS_INVALID_URL. */
export function toHostExpression(entry: string): string {
  const host = entry.trim();
  const name = plainName(host);
  // Most entries. Single labels are refused below.
  if (name?.includes('.')) return `${name}/`;
  const url = `http://${host}/`;
  // Some parsers refuse plain names that others open, so these are not parsed.
  const href = /^[\w.-]+$/.test(host) ? url : toHref(url);
  // The parser would drop these characters, or end the host there.
  const isBare = !/[/\\?#@\s]/.test(host);
  const expression = isBare && href ? toExactExpression(href) : undefined;
  if (!expression) refuse('addHosts', 'host', entry, toPageExpression(entry) && 'a URL');
  if (isLabel(host, expression)) refuse('addHosts', 'host', entry, 'a single label');
  return expression;
}

/** The expression for an entry of addUrls. Throws ERR_TAMIS_INVALID_URL. */
export function toUrlExpression(entry: string): string {
  const text = entry.trim();
  const expression = toPageExpression(entry);
  if (!expression) refuse('addUrls', 'URL', entry);
  if (!schemeOf.test(text) && isLabel(text, expression)) {
    refuse('addUrls', 'URL', entry, 'a single label');
  }
  return expression;
}

/** The entry of addExpressions itself. Throws ERR_TAMIS_INVALID_URL. */
export function checkExpression(entry: string): string {
  if (toExactExpression(`http://${entry}`) !== entry) {
    const expected = toPageExpression(entry);
    if (!expected) refuse('addExpressions', 'expression', entry);
    fail('addExpressions', entry, `can match nothing; expected '${shorten(expected)}'`);
  }
  const isFolder = /^[^?]*\/$/.test(entry);
  // The deepest folder that look-ups try, `host/a/b/c/`, has five parts.
  if (isFolder && entry.split('/').length > 5) {
    refuse('addExpressions', 'expression', entry, 'a folder below the third');
  }
  return entry;
}
