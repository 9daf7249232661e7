// Computes hashes of keys, and the page of each hash (cpp/FORMAT.md, section 10.1).

import type { Key } from '../core/key-types.js';
import { hashKey, mapKeys } from '../read/filter.js';
import { hash } from '../read/hash.js';
import { sipKeyOf } from '../read/siphash.js';
import { h, highOfProduct, mixHash, splitMix, u, type Words } from '../read/u64.js';

/** The hashes of keys, in order. Throws TypeError if `keys` is itself a key, and for a wrong key, with its `index`. */
export function hashesOfKeys(
  keys: Iterable<Key>,
  secret: Uint8Array | undefined,
): readonly Words[] {
  const words = secret && sipKeyOf(secret);
  return mapKeys(keys, (key) => {
    hash(key, words); // writes to `h`
    return h.slice();
  });
}

/** Makes the function that returns the page of a hash, among 1 to 2^31 pages. */
export function pagesBy(seed: bigint, pages: number): (hash: Words) => number {
  // The low and the high word of the seed, mixed with the constant PAGE of FORMAT.md.
  u[0] = Number(seed & 0xffffffffn) ^ 0x944b7272;
  u[1] = Number(seed >> 32n) ^ 0x822a5403;
  splitMix(); // mixes `u` in place
  const mixedSeed = u.slice();
  return (hash) => {
    h.set(hash);
    mixHash(mixedSeed); // writes the mix of `h` and the seed to `u`
    // `u` times `pages` has three words, and the top one is the page. The middle word may carry into it.
    const middle = highOfProduct(u[0], pages) + (Math.imul(u[1], pages) >>> 0);
    return highOfProduct(u[1], pages) + (middle >= 2 ** 32 ? 1 : 0);
  };
}

/**
 * The group of a page: `size` pages or more, each of which has this same group. A host that sees only whole groups
 * cannot tell which page was wanted, even after many look-ups. All pages are cut into `size` equal slices, and a group
 * is the pages at one place of every slice. Thus a key's group changes little if the number of pages does.
 */
export function groupOf(page: number, pages: number, size: number): number[] {
  const count = Math.min(size, pages); // the number of slices
  const starts = Array.from({ length: count }, (_, i) => Math.floor((i * pages) / count));
  const shortest = Math.floor(pages / count);
  const slice = starts.filter((start) => start <= page).length - 1;
  // Some slices have one page more. That page joins the group of the page before it.
  const place = Math.min(page - (starts[slice] ?? 0), shortest - 1);
  const group = starts.map((start) => start + place);
  if (place < shortest - 1) return group;
  const ends = [...starts.slice(1), pages];
  return group.flatMap((member, i) =>
    member + 1 < (ends[i] ?? 0) ? [member, member + 1] : [member],
  );
}

/** The id of a secret, as it is stored in files (cpp/FORMAT.md, section 4.3). */
export function keyCheckOf(secret: Uint8Array): string {
  return hashKey('tamis-key-id', { secret }).toString(16).padStart(16, '0');
}
