// The Merkle tree of the pages: a perfect binary tree of SHA-256, with leaves of zeros behind the last page
// (cpp/FORMAT.md, section Pages).

import { sha256 } from '../core/signed/bytes.js';
import { depthOf, digestBytes } from './layout.js';

function join(left: Uint8Array, right: Uint8Array): Uint8Array {
  const both = new Uint8Array(2 * digestBytes);
  both.set(left);
  both.set(right, digestBytes);
  return both;
}

/**
 * Computes the root from a page's content and its proof: the siblings on the way up, that of the leaf first. Nearby
 * pages share nodes, so `known` keeps nodes for later calls. `hash` computes the SHA-256.
 */
export async function rootOf(
  page: number,
  content: Uint8Array,
  proof: Uint8Array,
  known: Record<string, Promise<Uint8Array> | Uint8Array> = {},
  hash: (bytes: Uint8Array) => Promise<Uint8Array> | Uint8Array = sha256,
): Promise<Uint8Array> {
  let node = await hash(content);
  // It divides and does not shift, since a page may have 31 bits.
  for (let at = 0, place = page; at < proof.length; at += digestBytes) {
    const sibling = proof.subarray(at, at + digestBytes);
    const both = place % 2 === 0 ? join(node, sibling) : join(sibling, node);
    // The cache is keyed by the bytes and not by the position: a wrong proof must not harm other pages.
    const name = String(both);
    known[name] ??= hash(both);
    node = await known[name];
    place = Math.floor(place / 2);
  }
  return node;
}

/** The tree over the leaves of all pages. */
export class MerkleTree {
  /** The hashes of each level in order, leaves first, without those of empty leaves only. */
  readonly #levels: Uint8Array[];
  /** For each level, the node over empty leaves only. */
  readonly #empty: Uint8Array[];

  /** `leaves`: the 32 bytes of each page's leaf, in order; at least one page. */
  constructor(leaves: Uint8Array, hash: (bytes: Uint8Array) => Uint8Array) {
    let below = leaves;
    let empty: Uint8Array = new Uint8Array(digestBytes);
    this.#levels = [below];
    this.#empty = [empty];
    const depth = depthOf(leaves.length / digestBytes);
    for (let level = 0; level < depth; level++) {
      const above = new Uint8Array(Math.ceil(below.length / (2 * digestBytes)) * digestBytes);
      for (let node = 0; node < above.length / digestBytes; node++) {
        const [left, right] = [this.#node(level, 2 * node), this.#node(level, 2 * node + 1)];
        above.set(hash(join(left, right)), node * digestBytes);
      }
      empty = hash(join(empty, empty));
      below = above;
      this.#levels.push(below);
      this.#empty.push(empty);
    }
  }

  #node(level: number, node: number): Uint8Array {
    const start = node * digestBytes;
    const digest = this.#levels[level]?.subarray(start, start + digestBytes);
    return digest?.length ? digest : (this.#empty[level] as Uint8Array);
  }

  /** The root, which the manifest signs. */
  get root(): Uint8Array {
    return this.#node(this.#levels.length - 1, 0);
  }

  /** The proof of a page, for `rootOf`. */
  proofOf(page: number): Uint8Array {
    const depth = this.#levels.length - 1;
    const proof = new Uint8Array(depth * digestBytes);
    for (let level = 0, node = page; level < depth; level++) {
      proof.set(this.#node(level, node % 2 === 0 ? node + 1 : node - 1), level * digestBytes);
      node = Math.floor(node / 2);
    }
    return proof;
  }
}
