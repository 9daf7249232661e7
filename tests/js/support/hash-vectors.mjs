// @ts-check
// The published vectors of the hashes, from tests/vectors.

import { readFileSync } from 'node:fs';

/**
 * The lines of a file, without comments.
 * @param {string} name
 */
const published = (name) =>
  readFileSync(new URL(`../../vectors/${name}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

/** The bytes of XXH3's sanity test: the highest bytes of a generator's numbers. */
const sanityBytes = new Uint8Array(5000);
let state = 2654435761n;
for (let i = 0; i < sanityBytes.length; i++) {
  sanityBytes[i] = Number(state >> 56n);
  state = (state * 11400714785074694797n) & ((1n << 64n) - 1n);
}

/** XXH3-64 vectors: bytes, seed and hash. */
export const xxh3Vectors = published('xxh3-64.txt').map((line) => {
  const [length, seed, hash] = line.split(' ');
  return {
    bytes: sanityBytes.subarray(0, Number(length)),
    seed: BigInt(`0x${seed}`),
    hash: BigInt(`0x${hash}`),
  };
});

/** @param {number} n */
const counting = (n) => Uint8Array.from({ length: n }, (_, i) => i);

/** SipHash-2-4 vectors: bytes, secret key and hash. */
export const sipVectors = published('siphash-2-4.txt').map((line, n) => ({
  bytes: counting(n),
  key: counting(16),
  hash: Buffer.from(line, 'hex').readBigUInt64LE(),
}));

/** @param {Uint8Array} bytes */
const hexOf = (bytes) => Buffer.from(bytes).toString('hex');

/**
 * The vectors for hashes of keys, in the form that read-golden.mjs expects.
 * @type {import('./read-golden.mjs').HashVector[]}
 */
export const keyVectors = [...xxh3Vectors.filter(({ seed }) => seed === 0n), ...sipVectors].map(
  ({ bytes, hash, ...more }) => ({
    bytes: hexOf(bytes),
    ...('key' in more ? { key: hexOf(more.key) } : {}),
    hash: hash.toString(16).padStart(16, '0'),
  }),
);
