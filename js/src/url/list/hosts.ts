// What parsers of URLs make of a text, and of its host.

import { errorOf } from '../../core/statuses.js';

/**
 * A longer host that is not ASCII is given to no parser. No name is as long, and IDNA takes time in proportion to
 * the square of a label's length.
 */
const maxHostLength = 4096;

/** A URL up to the end of its host. */
const start = /^(?:[a-z][a-z\d+.-]*:)?[\\/]*[^\\/?#]*/i;

/** A sharp s to browsers of today, and two letters to older tables of IDNA. */
const capitalSharpS = /\u1e9e|%e1%ba%9e/gi;

/** A URL with a sharp s where its host has a capital one. */
export function withSharpS(text: string): string {
  if (text.search(capitalSharpS) < 0) return text;
  return text.replace(start, (host) => host.replace(capitalSharpS, '\u00df'));
}

/** Undefined where the platform's parser refuses. */
export function tryParse(text: string): URL | undefined {
  if (text.length > maxHostLength) {
    const [authority] = start.exec(text) as RegExpExecArray;
    const host = authority.slice(authority.lastIndexOf('@') + 1);
    if (host.length > maxHostLength && /[^!-$&-~]/.test(host)) return undefined;
  }
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** UTS 46, not transitional, without the rules of STD 3. Undefined for what is no host. */
function tryParseHost(host: string): string | undefined {
  // The parser would drop these, or end the host there.
  return /[\t\n\r#/:?@\\]/.test(host)
    ? undefined
    : tryParse(withSharpS(`http://${host}/`))?.hostname;
}

/** The letters and digits that came with Unicode 16 and 17, which tables of IDNA make ASCII. */
const laterLetter = /[\ua7f1\u{1ccd6}-\u{1ccf9}]/gu;
function asciiLetter(letter: string): string {
  if (letter === '\ua7f1') return 's';
  // 26 letters, then ten digits: those of the base 36 in another order.
  return (((letter.codePointAt(0) as number) - 0x1ccd6 + 10) % 36).toString(36);
}

/** What some parser may make of a label that the platform's refuses. */
function lenientLabel(label: string): string {
  // Newer tables of IDNA drop some of these. Below a name, so that a number is no address.
  const later = label.replace(laterLetter, asciiLetter).replace(/[\p{DI}\p{Cf}\p{Cn}]/gu, '');
  const host = tryParseHost(`${label}.a`) ?? tryParseHost(`${later}.a`);
  return host?.slice(0, -2) ?? later.normalize('NFKC').replace(/[^\w-]/g, '');
}

/**
 * The host that `bytes` are to the platform's parser. Where they are none it is undefined, or, where
 * `isLenient`, what another parser may take them for, label by label. Throws UNSUPPORTED without TextDecoder.
 */
export function toAsciiHost(bytes: Uint8Array, isLenient: boolean): string | undefined {
  if (typeof TextDecoder === 'undefined') throw errorOf('ERR_TAMIS_UNSUPPORTED');
  try {
    const host = new TextDecoder('utf-8', { fatal: !isLenient, ignoreBOM: true }).decode(bytes);
    const known = tryParseHost(host);
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
