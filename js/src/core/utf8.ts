// Encodes strings as UTF-8, from their char codes.

/**
 * Writes `text.slice(i)` as UTF-8 to `to`, from offset `start` on. Returns the offset after the last byte, or -1 for a
 * lone surrogate. The caller leaves room for three bytes per UTF-16 unit.
 */
export function encodeUnits(text: string, i: number, to: Uint8Array, start: number): number {
  let at = start;
  for (; i < text.length; i++) {
    let code = text.charCodeAt(i);
    if (code < 0x80) {
      to[at++] = code;
      continue;
    }
    if (code < 0x800) {
      to[at++] = 0xc0 | (code >> 6); // the first of two bytes
    } else {
      if (code >> 11 === 0x1b) {
        // A high surrogate (below 0xdc00) and a low one form one code point. After the text, charCodeAt returns NaN.
        const low = text.charCodeAt(++i);
        if (code >= 0xdc00 || low >> 10 !== 0x37) return -1;
        code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
        to[at++] = 0xf0 | (code >> 18); // the first of four
        to[at++] = 0x80 | ((code >> 12) & 0x3f);
      } else {
        to[at++] = 0xe0 | (code >> 12); // the first of three
      }
      to[at++] = 0x80 | ((code >> 6) & 0x3f);
    }
    to[at++] = 0x80 | (code & 0x3f); // the last byte
  }
  return at;
}
