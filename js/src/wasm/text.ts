// Undoes what js/scripts/wasm/text.mjs did: frequent bytes are one character, the others two.

import { frequent } from './alphabet.js';

const pageSize = 128;
/** For each page each character's byte; on the first, -page where the character is an escape. */
let table: Int16Array;

function makeTable(): Int16Array {
  const made = new Int16Array(3 * pageSize);
  const isFrequent = (byte: number) =>
    (Number.parseInt(frequent[byte >> 2] as string, 16) >> (byte & 3)) & 1;
  // The frequent bytes, then the others. Not by sorting, which asks ten times as often: it is code that runs once.
  // The last two characters are the escapes.
  let page = 0;
  let character = 0x20;
  for (let i = 0; i < 512; i++) {
    const byte = i & 255;
    if (isFrequent(byte) === i >> 8) continue;
    while ('"$\'\\`'.includes(String.fromCharCode(character))) character++;
    made[pageSize * page + character++] = byte;
    if (character === 0x7d) {
      page++;
      character = 0x20;
    }
  }
  made[0x7d] = -1;
  made[0x7e] = -2;
  return made;
}

/** The bytes of a text. It runs before the engine has compiled it, and so does as little as it can for each character. */
export function decode(text: string): Uint8Array<ArrayBuffer> {
  table ??= makeTable();
  const bytes = new Uint8Array(text.length);
  let size = 0;
  for (let i = 0; i < text.length; i++) {
    let byte = table[text.charCodeAt(i)] as number;
    if (byte < 0) byte = table[text.charCodeAt(++i) - pageSize * byte] as number;
    bytes[size++] = byte;
  }
  return bytes.slice(0, size);
}
