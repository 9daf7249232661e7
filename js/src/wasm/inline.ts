// The wasm inside the JavaScript, for every environment that may compile bytes.

import { alphabet, escapes, order } from './alphabet.js';
import type { Part } from './part.js';

/**
 * Undoes what js/scripts/wasm/text.mjs did: frequent bytes are one character, the others two. It runs
 * once, before the engine has compiled it, and so does as little as it can for each character.
 */
function decode(text: string): Uint8Array<ArrayBuffer> {
  const pages = escapes.length + 1;
  // For each page each character's byte; on the first, -page where the character is an escape.
  const table = new Int16Array(128 * pages);
  for (let rank = 0; rank < 256; rank++) {
    const page = Math.floor(rank / alphabet.length);
    const byte = Number.parseInt(order.slice(2 * rank, 2 * rank + 2), 16);
    table[128 * page + alphabet.charCodeAt(rank % alphabet.length)] = byte;
  }
  for (let page = 1; page < pages; page++) table[escapes.charCodeAt(page - 1)] = -page;

  const bytes = new Uint8Array(text.length);
  let size = 0;
  for (let i = 0; i < text.length; i++) {
    let byte = table[text.charCodeAt(i)] as number;
    if (byte < 0) byte = table[text.charCodeAt(++i) - 128 * byte] as number;
    bytes[size++] = byte;
  }
  return bytes.slice(0, size);
}

/** The compiled part. Throws what the engine throws where it refuses. */
export function moduleOf({ code }: Part): WebAssembly.Module {
  return new WebAssembly.Module(decode(code));
}

/** The module of other bytes than the package's own. */
export function compile(bytes: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Module> {
  return WebAssembly.compile(bytes);
}
