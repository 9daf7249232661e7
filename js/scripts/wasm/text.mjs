// Wasm as text that compresses as well as the wasm itself; js/src/wasm/inline.ts undoes it.
//
// base64 mixes the bits of neighbouring bytes, so that gzip finds little: it costs 29 % on the wire.
// Here the 88 most frequent byte values are one ASCII character each, all others an escape and a
// character; gzip then finds the bytes' own repetitions, within 1 % of the raw file's size.

// Printable ASCII but for what a quoted string or a template would need escaped.
const printable = Array.from({ length: 0x7f - 0x20 }, (_, i) => String.fromCharCode(0x20 + i));
const characters = printable.filter((character) => !'\'"`\\$'.includes(character));
const escapes = characters.splice(-2);

/** The byte values of some files, the most frequent first: one order for all texts. */
export function orderOf(files) {
  const counts = new Array(256).fill(0);
  for (const bytes of files) for (const byte of bytes) counts[byte]++;
  return [...counts.keys()].sort((a, b) => counts[b] - counts[a] || a - b);
}

/** Some bytes as text. */
export function textOf(bytes, order) {
  const rankOf = new Array(256);
  for (const [rank, byte] of order.entries()) rankOf[byte] = rank;
  const encode = (byte) => {
    const page = Math.floor(rankOf[byte] / characters.length);
    return (page === 0 ? '' : escapes[page - 1]) + characters[rankOf[byte] % characters.length];
  };
  return Array.from(bytes, encode).join('');
}

/** The source of js/src/wasm/alphabet.ts. */
export const alphabetModule = (order) => `// Made by js/scripts/wasm/text.mjs.
export const alphabet = '${characters.join('')}';
export const escapes = '${escapes.join('')}';
export const order: string = '${Buffer.from(order).toString('hex')}';
`;
