// The platform's URL parser, with care for hosts that parsers read differently.

import { capitalSharpS, parseHost } from '../../core/host-names.js';
import { errorOf } from '../../core/statuses.js';

const maxHostLength = 4096;

/** True for a host that is not parsed: no valid name is longer, and IDNA takes quadratic time. */
const isTooLong = (host: string): boolean => host.length > maxHostLength && /[^!-$&-~]/.test(host);

/** A URL up to the end of its host. */
const start = /^(?:[a-z][a-z\d+.-]*:)?[\\/]*[^\\/?#]*/i;

/** Replaces the capital sharp s in a URL's host. */
export function withSharpS(text: string): string {
  if (text.search(capitalSharpS) < 0) return text;
  return text.replace(start, (host) => host.replace(capitalSharpS, '\u00df'));
}

/** Parses a URL; undefined if the platform's parser refuses, or its host is too long. */
export function tryParse(text: string): URL | undefined {
  if (text.length > maxHostLength) {
    const [authority = ''] = start.exec(text) ?? [];
    if (isTooLong(authority.slice(authority.lastIndexOf('@') + 1))) return undefined;
  }
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Letters and digits of Unicode 16 and 17. Newer tables of IDNA map them to ASCII. */
const laterLetter = /[\ua7f1\u{1ccd6}-\u{1ccf9}]/gu;
function asciiLetter(letter: string): string {
  if (letter === '\ua7f1') return 's';
  // 26 letters, then ten digits: base 36 in another order.
  return (((letter.codePointAt(0) ?? 0) - 0x1ccd6 + 10) % 36).toString(36);
}

/** The label that another parser may read if the platform's refuses. */
function lenientLabel(label: string): string {
  // Newer tables of IDNA drop some of these. The suffix keeps a number from becoming an address.
  const later = label.replace(laterLetter, asciiLetter).replace(/[\p{DI}\p{Cf}\p{Cn}]/gu, '');
  const host = parseHost(`${label}.a`) ?? parseHost(`${later}.a`);
  return host?.slice(0, -2) ?? later.normalize('NFKC').replace(/[^\w-]/g, '');
}

/**
 * The host in `bytes`, by the platform's parser. If that refuses: undefined, or, with `isLenient`, the host that
 * another parser may read, label by label. Throws ERR_TAMIS_UNSUPPORTED without TextDecoder.
 */
export function toAsciiHost(bytes: Uint8Array, isLenient: boolean): string | undefined {
  if (typeof TextDecoder === 'undefined') throw errorOf('ERR_TAMIS_UNSUPPORTED');
  try {
    const host = new TextDecoder('utf-8', { fatal: !isLenient, ignoreBOM: true }).decode(bytes);
    const known = isTooLong(host) ? undefined : parseHost(host);
    if (known !== undefined || !isLenient) return known;
    return host
      .slice(-maxHostLength)
      .split(/[.\u3002\uff0e\uff61]/)
      .map(lenientLabel)
      .join('.');
  } catch {
    return undefined;
  }
}
