// Writes js/src/wasm/core-text.ts: the wasm as text that compresses as well as the wasm itself.
//
// base64 mixes the bits of neighbouring bytes, so that gzip finds little: it costs 29 % on the wire.
// Here the 88 most frequent byte values are one ASCII character each, all others an escape and a
// character; gzip then finds the bytes' own repetitions, within 1 % of the raw file's size.

import { readFileSync, writeFileSync } from 'node:fs';

/** The source of core-text.ts for the bytes of a wasm file. */
export function textModule(bytes) {
  const counts = new Array(256).fill(0);
  for (const byte of bytes) counts[byte]++;
  const order = [...counts.keys()].sort((a, b) => counts[b] - counts[a] || a - b);

  // Printable ASCII but for what a quoted string or a template would need escaped.
  const printable = [];
  for (let code = 0x20; code < 0x7f; code++) {
    const character = String.fromCharCode(code);
    if (!'\'"`\\$'.includes(character)) printable.push(character);
  }
  const escapes = printable.splice(-2);
  const rankOf = new Array(256);
  for (const [rank, byte] of order.entries()) rankOf[byte] = rank;
  const encode = (byte) => {
    const page = Math.floor(rankOf[byte] / printable.length);
    return (page === 0 ? '' : escapes[page - 1]) + printable[rankOf[byte] % printable.length];
  };

  return `// Made by js/scripts/embed-wasm.mjs.
export const alphabet = '${printable.join('')}';
export const escapes = '${escapes.join('')}';
export const order: string = '${Buffer.from(order).toString('hex')}';
export const text: string =
  '${Array.from(bytes, encode).join('')}';
`;
}

/** Reads a wasm file and writes its text module. */
export function embedWasm(wasmPath, modulePath) {
  writeFileSync(modulePath, textModule(readFileSync(wasmPath)));
}
