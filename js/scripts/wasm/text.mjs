// Wasm as text that compresses as well as the wasm itself; js/src/wasm/text.ts undoes it.
//
// base64 mixes the bits of neighbouring bytes, so that gzip finds little: it costs 29 % on the wire. Here the 88
// most frequent byte values are one ASCII character each, all others an escape and a character. gzip then finds the
// bytes' own repetitions, within 1 % of the raw file's size.

// Printable ASCII without the characters that a quoted string or a template must escape.
const printable = Array.from({ length: 0x7f - 0x20 }, (_, i) => String.fromCharCode(0x20 + i));
const characters = printable.filter((character) => !'\'"`\\$'.includes(character));
const escapes = characters.splice(-2);

/**
 * The byte values in the order of their characters, which all texts share. The most frequent values in some files come
 * first, and then the others. All frequent values cost the same, so they are sorted.
 */
export function orderOf(files) {
  const counts = new Array(256).fill(0);
  for (const bytes of files) for (const byte of bytes) counts[byte]++;
  const order = [...counts.keys()].sort((a, b) => counts[b] - counts[a] || a - b);
  const sorted = (bytes) => bytes.sort((a, b) => a - b);
  return [...sorted(order.splice(0, characters.length)), ...sorted(order)];
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
export function alphabetModule(order) {
  const frequent = new Set(order.slice(0, characters.length));
  const digit = (_, i) =>
    [0, 1, 2, 3].reduce((bits, k) => bits | (frequent.has(4 * i + k) ? 1 << k : 0), 0).toString(16);
  return `// Made by js/scripts/wasm/text.mjs: a bit for each byte value that is one character.
export const frequent = '${Array.from({ length: 64 }, digit).join('')}';
`;
}
