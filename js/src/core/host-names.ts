// Host names: the plain ones, and the platform's parser for all others.

/** DNS has no longer names. */
export const longestName = 253;

/** Labels of letters, digits, '_' and '-'. The last one is no number, so the name is no address. */
const plain = /^(?:[\w-]{1,63}\.)*(?!(?:\d+|0x[\da-f]*)$)[\w-]{1,63}$/i;

/** A plain name in lower case and without a trailing dot; undefined for any other text. */
export function plainName(text: string): string | undefined {
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  return name.length <= longestName && plain.test(name) ? name.toLowerCase() : undefined;
}

/** The capital sharp s. Browsers read it as a sharp s, older tables of IDNA as two letters. */
export const capitalSharpS = /\u1e9e|%e1%ba%9e/gi;

/**
 * Parses a host by UTS 46, non-transitional, without the rules of STD 3. Undefined if it is no host. IDNA takes
 * quadratic time, so the caller limits the length.
 */
export function parseHost(host: string): string | undefined {
  // The parser would drop these characters, or end the host at them.
  if (/[\t\n\r#/:?@\\]/.test(host)) return undefined;
  try {
    return new URL(`http://${host.replace(capitalSharpS, '\u00df')}/`).hostname;
  } catch {
    return undefined;
  }
}
