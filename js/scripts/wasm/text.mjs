// Encodes wasm as text that compresses as well as the wasm itself; js/src/wasm/text.ts decodes it.
//
// base64 mixes the bits of neighbouring bytes, so gzip finds few repetitions, and it costs 29 % in transfers. Here the
// 88 most frequent byte values are one ASCII character each, and all others are an escape and a character. So gzip
// finds the repetitions of the bytes, and the result is within 1 % of the compressed raw file.

// The printable ASCII characters that need no escape in a quoted string or a template.
const printable = Array.from({ length: 0x7f - 0x20 }, (_, i) => String.fromCharCode(0x20 + i));
const characters = printable.filter((character) => !'\'"`\\$'.includes(character));
const escapes = characters.splice(-2);

/**
 * Assigns characters to byte values, the same for all texts. The most frequent values in these files come first, and
 * then the others. Within each group the values are sorted, because they all cost the same.
 */
export function orderOf(files) {
  const counts = new Array(256).fill(0);
  for (const bytes of files) for (const byte of bytes) counts[byte]++;
  const order = [...counts.keys()].sort((a, b) => counts[b] - counts[a] || a - b);
  const sorted = (bytes) => bytes.sort((a, b) => a - b);
  return [...sorted(order.splice(0, characters.length)), ...sorted(order)];
}

/** Encodes bytes as text. */
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
