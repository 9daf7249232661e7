// The wasm inside the JavaScript, for every environment that may compile bytes.

import { alphabet, escapes, order, text } from './core-text.js';

/** Undoes what js/scripts/embed-wasm.mjs did: frequent bytes are one character, the others two. */
function decode(): Uint8Array<ArrayBuffer> {
  const rankOf = new Uint8Array(128);
  for (let rank = 0; rank < alphabet.length; rank++) rankOf[alphabet.charCodeAt(rank)] = rank;
  const pageOf = new Uint8Array(128);
  for (let page = 0; page < escapes.length; page++) pageOf[escapes.charCodeAt(page)] = page + 1;

  const bytes = new Uint8Array(text.length);
  let size = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    const page = pageOf[character] as number;
    const rank = page === 0 ? rankOf[character] : rankOf[text.charCodeAt(++i)];
    bytes[size++] = order[page * alphabet.length + (rank as number)] as number;
  }
  return bytes.slice(0, size);
}

/** The compiled core. Throws what the engine throws where it refuses. */
export function loadModule(): WebAssembly.Module {
  return new WebAssembly.Module(decode());
}
