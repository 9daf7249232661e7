// From what a publisher writes to the expression that a look-up makes. What no look-up can meet is refused, and so
// is what is plainly written for another program.

import { TamisError } from '../../core/errors.js';
import {
  makeCanonical,
  maxUrlBytes,
  navigate,
  readParts,
  schemeOf,
  trimText,
} from '../list/canonicalize.js';

/** What the other syntaxes look like. Only what was refused is asked, so that a guess costs nothing. */
const syntaxes: readonly (readonly [RegExp, string])[] = [
  [/hxxp|[[({]([.:]|dot)[\])}]/i, 'defanged'],
  [/^(\d+(\.\d+){3}|[\da-f]*(:[\da-f]*){2,}(%\w+)?)\s/i, 'a line of a hosts file'],
  [/^#(?!#\S)/, 'a comment'],
  [/^(\||@@|!|\[Ad)|\^|#[@?$%]*#|\$~?[a-z]/, 'an AdGuard rule'],
  [/\*/, 'a wildcard; hosts stand for subdomains too'],
  [/^[^{]*[",;]/, 'a line of CSV'],
  [/\s/, 'several words'],
];

/** The part of an entry that a message shows. */
export function shorten(entry: string): string {
  return entry.length > 80 ? `${entry.slice(0, 80)}...` : entry;
}

function fail(method: string, entry: string, why: string): never {
  throw new TamisError('ERR_TAMIS_INVALID_URL', `${method}: '${shorten(entry)}' ${why}`);
}

/** `but` says what the entry is instead, where that is known. */
function refuse(method: string, noun: string, entry: string, but?: string): never {
  const text = entry.trim();
  const known = but ?? syntaxes.find(([pattern]) => pattern.test(text))?.[1];
  fail(method, entry, `is no ${noun}${known ? `, but ${known}` : ''}`);
}

/** A URL that is looked up by an expression: the canonical path may hold what is a slash in a URL. */
export function urlOf(expression: string): string {
  return `http://${expression.replaceAll('\\', '%5C')}`;
}

const isWeb = /^(https?|wss?|ftp):/;
/** Of names; one that ends in a number is none, and no address either. */
const isName = /^(?!(.*\.)?(\d+|0x[\da-f]*)$)[a-z\d_.-]+$/;

/** The expression of the URL itself; undefined where no look-up makes it. */
function toExactExpression(url: string): string | undefined {
  try {
    const isAddress = makeCanonical(url, 'UrlListBuilder');
    const { text, host } = readParts();
    let expression = text.slice(text.indexOf('://') + 3);
    if (expression.indexOf('?') === expression.length - 1) expression = expression.slice(0, -1);
    const isMade = isWeb.test(text) && (isAddress || isName.test(host));
    // Parsers write some letters as three, and a look-up takes at most that.
    const isTaken = !expression.endsWith('/*') && 3 * urlOf(expression).length <= maxUrlBytes;
    return isMade && isTaken ? expression : undefined;
  } catch (error) {
    if ((error as Partial<TamisError>).code === 'ERR_TAMIS_INVALID_URL') return undefined;
    throw error;
  }
}

/** What a browser opens for the text; undefined where the platform's parser refuses. */
const toHref = (text: string): string | undefined => navigate(trimText(text))?.href;

/** One label, or a number, which would be an address. */
const isLabel = (text: string, expression: string): boolean =>
  /^\w+([/?#]|$)/.test(text) || !/^[^/]*[.:]/.test(expression);

/** The expression of a page; undefined for what is no URL, with a scheme or without. */
export function toPageExpression(url: string): string | undefined {
  const text = url.trim();
  // The parser would drop line breaks, and take what stands before an @ for a user's name, and what an
  // AdGuard rule hides for a fragment.
  const isUrl = schemeOf.test(text) || /^(\/\/)?[^/\\?#@]+([/?]|#(?![@?$%]*#)|$)/.test(text);
  const href = isUrl && !/^[^#]*\s|[\t\n\r]/.test(text) ? toHref(text) : undefined;
  return href && toExactExpression(href);
}

/** What addHosts lists. Throws INVALID_URL. */
export function toHostExpression(entry: string): string {
  const host = entry.trim();
  // What the parser would end the host at, or drop. Some parsers refuse names that others open.
  const url = /[/\\?#@\s]/.test(host) ? undefined : `http://${host}/`;
  const href = url && (/^[\w.-]+$/.test(host) ? url : toHref(url));
  const expression = href && toExactExpression(href);
  if (!expression) refuse('addHosts', 'host', entry, toPageExpression(entry) && 'a URL');
  if (isLabel(host, expression)) refuse('addHosts', 'host', entry, 'a single label');
  return expression;
}

/** What addUrls lists. Throws INVALID_URL. */
export function toUrlExpression(entry: string): string {
  const text = entry.trim();
  const expression = toPageExpression(entry);
  if (!expression) refuse('addUrls', 'URL', entry);
  if (!schemeOf.test(text) && isLabel(text, expression)) {
    refuse('addUrls', 'URL', entry, 'a single label');
  }
  return expression;
}

/** What addExpressions lists: the expression itself. Throws INVALID_URL. */
export function checkExpression(entry: string): string {
  if (toExactExpression(`http://${entry}`) !== entry) {
    const expected = toPageExpression(entry);
    if (!expected) refuse('addExpressions', 'expression', entry);
    fail('addExpressions', entry, `can match nothing; expected '${shorten(expected)}'`);
  }
  if (/^[^?]*\/$/.test(entry) && entry.split('/').length > 5) {
    refuse('addExpressions', 'expression', entry, 'a folder below the third');
  }
  return entry;
}
