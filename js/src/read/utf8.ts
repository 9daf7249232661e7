// Texts as UTF-8, by their char codes. A TextEncoder takes 200 ns a call in browsers, as long as this for 200 units.

import { keyStart, memory, memoryWords } from './xxh3.js';

/** Writes the UTF-8 of a text; gives where it ends. -1 where the text has a lone surrogate. */
export function encode(text: string, to: Uint8Array, start: number): number {
  let at = start;
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i);
    if (code < 0x80) {
      to[at++] = code;
      continue;
    }
    if (code < 0x800) {
      to[at++] = 0xc0 | (code >> 6);
    } else {
      if (code >> 11 === 0x1b) {
        const next = text.charCodeAt(++i);
        if (code >= 0xdc00 || next >> 10 !== 0x37) return -1;
        code = 0x10000 + ((code & 0x3ff) << 10) + (next & 0x3ff);
        to[at++] = 0xf0 | (code >> 18);
        to[at++] = 0x80 | ((code >> 12) & 0x3f);
      } else {
        to[at++] = 0xe0 | (code >> 12);
      }
      to[at++] = 0x80 | ((code >> 6) & 0x3f);
    }
    to[at++] = 0x80 | (code & 0x3f);
  }
  return at;
}

/**
 * Writes the UTF-8 of a text of at most `longestText` units into the memory of short keys; gives where it ends. -1 as
 * above. Four units a time are taken for ASCII until one is not.
 */
export function encodeShort(text: string): number {
  const { length } = text;
  let all = 0;
  let i = 0;
  for (; i + 4 <= length; i += 4) {
    const first = text.charCodeAt(i);
    const second = text.charCodeAt(i + 1);
    const third = text.charCodeAt(i + 2);
    const fourth = text.charCodeAt(i + 3);
    all |= first | second | third | fourth;
    memoryWords[(keyStart + i) >> 2] = first | (second << 8) | (third << 16) | (fourth << 24);
  }
  for (; i < length; i++) {
    const code = text.charCodeAt(i);
    all |= code;
    memory[keyStart + i] = code;
  }
  return all < 0x80 ? keyStart + length : encode(text, memory, keyStart);
}
