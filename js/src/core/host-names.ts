// Parses host names. A regular expression matches plain names, and the platform's URL parser handles all others.

/** The longest name that DNS allows, in characters. */
export const longestName = 253;

/** Matches labels of letters, digits, '_' and '-'. A number as the last label would make the name an IP address. */
const plain = /^(?:[\w-]{1,63}\.)*(?!(?:\d+|0x[\da-f]*)$)[\w-]{1,63}$/i;

/** Returns a plain name in lower case and without its trailing dot, and undefined for any other text. */
export function plainName(text: string): string | undefined {
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  return name.length <= longestName && plain.test(name) ? name.toLowerCase() : undefined;
}

/** Matches the capital sharp s. Browsers read it as a sharp s, but older IDNA tables read it as two letters. */
export const capitalSharpS = /\u1e9e|%e1%ba%9e/gi;

/**
 * Parses a host as UTS 46 says, non-transitional, without the rules of STD 3. Returns undefined if it is not a host.
 * The caller must limit the length, because IDNA takes quadratic time.
 */
export function parseHost(host: string): string | undefined {
  // The URL parser would drop these characters, or end the host at them.
  if (/[\t\n\r#/:?@\\]/.test(host)) return undefined;
  try {
    return new URL(`http://${host.replace(capitalSharpS, '\u00df')}/`).hostname;
  } catch {
    return undefined;
  }
}
