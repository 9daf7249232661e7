// The Merkle tree of the pages: a perfect binary tree of SHA-256, with leaves of zeros behind the last page
// (cpp/FORMAT.md, section Pages).

import { sha256 } from '../core/signed/bytes.js';
import { digestBytes } from './layout.js';

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
  /** The root, which the manifest signs. */
  readonly root: Uint8Array;
  /** The nodes of each level below the root, leaves first. Behind an odd number there is a node over empty leaves. */
  readonly #levels: Uint8Array[] = [];

  /** `leaves`: the 32 bytes of each page's leaf, in order; at least one page. */
  constructor(leaves: Uint8Array, hash: (bytes: Uint8Array) => Uint8Array) {
    const pairBytes = 2 * digestBytes;
    let nodes = leaves;
    let empty: Uint8Array = new Uint8Array(digestBytes);
    while (nodes.length > digestBytes) {
      const level = new Uint8Array(Math.ceil(nodes.length / pairBytes) * pairBytes);
      level.set(nodes);
      if (level.length > nodes.length) level.set(empty, nodes.length);
      this.#levels.push(level);
      nodes = new Uint8Array(level.length / 2);
      for (let at = 0; at < nodes.length; at += digestBytes) {
        nodes.set(hash(level.subarray(2 * at, 2 * at + pairBytes)), at);
      }
      empty = hash(join(empty, empty));
    }
    this.root = nodes;
  }

  /** The proof of a page, for `rootOf`. */
  proofOf(page: number): Uint8Array {
    const proof = new Uint8Array(this.#levels.length * digestBytes);
    let node = page;
    for (const [level, nodes] of this.#levels.entries()) {
      const sibling = (node % 2 === 0 ? node + 1 : node - 1) * digestBytes;
      proof.set(nodes.subarray(sibling, sibling + digestBytes), level * digestBytes);
      node = Math.floor(node / 2);
    }
    return proof;
  }
}
