// Decodes the text that js/scripts/wasm/text.mjs makes. A frequent byte is one character, and any other is two.

import { frequent } from './alphabet.js';

const pageSize = 128;
let table: Int16Array;

/**
 * Makes the table of decode(), of three pages. Entry `page * pageSize + code` is the byte of the character `code`. Page
 * 0 has the frequent bytes, whose characters stand alone. Characters of pages 1 and 2 follow an escape character, whose
 * entry on page 0 is -page.
 */
function makeTable(): Int16Array {
  const bytesOfCharacters = new Int16Array(3 * pageSize);
  let at = 0x20;
  for (const isFrequent of [1, 0]) {
    for (let byte = 0; byte < 256; byte++) {
      // A hexadecimal digit of `frequent` has one bit for each of four bytes.
      const bits = Number.parseInt(frequent[byte >> 2] as string, 16);
      if (((bits >> (byte & 3)) & 1) !== isFrequent) continue;
      while (/["$'\\`]/.test(String.fromCharCode(at & 0x7f))) at++; // a literal would have to escape these
      bytesOfCharacters[at++] = byte;
      // The characters of a page are 0x20 to 0x7c. The next two, 0x7d and 0x7e, are the escapes.
      if ((at & 0x7f) === 0x7d) at += pageSize - 0x7d + 0x20;
    }
  }
  bytesOfCharacters[0x7d] = -1;
  bytesOfCharacters[0x7e] = -2;
  return bytesOfCharacters;
}

/** Decodes bytes from text. It does little per character, because it runs before the engine has optimized it. */
export function decode(text: string): Uint8Array<ArrayBuffer> {
  table ??= makeTable();
  const bytes = new Uint8Array(text.length);
  let size = 0;
  for (let i = 0; i < text.length; i++) {
    let byte = table[text.charCodeAt(i)] as number;
    // This is an escape, whose entry is the negative page of the next character.
    if (byte < 0) byte = table[text.charCodeAt(++i) - pageSize * byte] as number;
    bytes[size++] = byte;
  }
  return bytes.slice(0, size);
}
