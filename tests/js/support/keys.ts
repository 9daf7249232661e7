/** Makes keys for tests from a seed, so that a failure can be repeated. */

/** A generator of 32-bit numbers (sfc32 by Doty-Humphrey), which depends only on the seed. */
export function random(seed: number): () => number {
  let [a, b, c, d] = [0x9e3779b9, 0x243f6a88, seed | 0, 1];
  const next = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 12; i++) next();
  return next;
}

/** `n` distinct random strings of 18 characters. Strings with different tags are different. */
export function randomStrings(n: number, tag: string, seed = 1): string[] {
  const next = random(seed);
  const hex = (): string => next().toString(16).padStart(8, '0');
  return Array.from({ length: n }, (_, i) => `${tag}${hex()}${hex()}${i.toString(36)}`);
}

/** `n` URLs that share long prefixes. */
export const urls = (n: number, host: string): string[] =>
  Array.from({ length: n }, (_, i) => `https://${host}.example/catalogue/articles/page/${i}.html`);

/** `n` consecutive 32-bit numbers as four little-endian bytes each. */
export function integers(n: number, from: number): Uint8Array[] {
  return Array.from({ length: n }, (_, i) => {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, from + i, true);
    return bytes;
  });
}

/** `n` non-ASCII strings, with characters of two, three and four bytes. */
export const foreign = (n: number, tag: string): string[] =>
  Array.from(
    { length: n },
    (_, i) => `${tag}-\u043f\u0440\u0438\u0432\u0435\u0442-\u4e16-\u{1f41d}-${i}`,
  );

export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
