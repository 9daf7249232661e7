// The Merkle tree of the pages: perfect, of SHA-256, with leaves of zeros behind the last page (cpp/FORMAT.md,
// section Pages).

import { sha256 } from '../core/signed/bytes.js';
import { depthOf, digestBytes } from './layout.js';

/** SHA-256 of all these bytes. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

function join(left: Uint8Array, right: Uint8Array): Uint8Array {
  const both = new Uint8Array(2 * digestBytes);
  both.set(left);
  both.set(right, digestBytes);
  return both;
}

/** The hash of a node over two others. */
export const hashNode = (hash: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array =>
  hash(join(left, right));

/**
 * The root of the tree in which `page` has this content, by a proof: the hashes beside the way up, the leaf's
 * sibling first. Pages near each other share nodes, and `known` has those of pages that were asked about.
 */
export async function rootOf(
  page: number,
  content: Uint8Array,
  proof: Uint8Array,
  known: Record<string, Promise<Uint8Array>> = {},
): Promise<Uint8Array> {
  let node = await sha256(content);
  // Divided and not shifted: a page may have 31 bits.
  for (let at = 0, place = page; at < proof.length; at += digestBytes) {
    const sibling = proof.subarray(at, at + digestBytes);
    const both = place % 2 === 0 ? join(node, sibling) : join(sibling, node);
    // By their bytes and not by their place: a wrong proof must harm no other page.
    const name = String(both);
    known[name] ??= sha256(both);
    node = await known[name];
    place = Math.floor(place / 2);
  }
  return node;
}

/** The same root, of a page's leaf, by a hash that gives its digest at once. */
export function rootBy(
  hash: Sha256,
  page: number,
  leaf: Uint8Array,
  proof: Uint8Array,
): Uint8Array {
  let node = leaf;
  for (let at = 0, place = page; at < proof.length; at += digestBytes) {
    const sibling = proof.subarray(at, at + digestBytes);
    node = place % 2 === 0 ? hashNode(hash, node, sibling) : hashNode(hash, sibling, node);
    place = Math.floor(place / 2);
  }
  return node;
}

/** The tree over the leaves of all pages. */
export class MerkleTree {
  /** The hashes of each level one after the other, the leaves first; what is empty is left out. */
  readonly #levels: Uint8Array[];
  /** The node over nothing but empty leaves, of each level. */
  readonly #empty: Uint8Array[];

  /** `leaves` has the 32 bytes of each page's leaf, in order, of one page at least. */
  constructor(leaves: Uint8Array, hash: Sha256) {
    this.#levels = [leaves];
    this.#empty = [new Uint8Array(digestBytes)];
    const depth = depthOf(leaves.length / digestBytes);
    for (let level = 0; level < depth; level++) {
      const empty = this.#empty[level] as Uint8Array;
      const below = this.#levels[level] as Uint8Array;
      const nodes = Math.ceil(below.length / (2 * digestBytes));
      const above = new Uint8Array(nodes * digestBytes);
      for (let node = 0; node < nodes; node++) {
        const left = this.#node(level, 2 * node);
        above.set(hashNode(hash, left, this.#node(level, 2 * node + 1)), node * digestBytes);
      }
      this.#levels.push(above);
      this.#empty.push(hashNode(hash, empty, empty));
    }
  }

  #node(level: number, node: number): Uint8Array {
    const found = (this.#levels[level] as Uint8Array).subarray(
      node * digestBytes,
      (node + 1) * digestBytes,
    );
    return found.length > 0 ? found : (this.#empty[level] as Uint8Array);
  }

  /** What the manifest signs. */
  get root(): Uint8Array {
    return this.#node(this.#levels.length - 1, 0);
  }

  /** What stands behind the page, for `rootOf`. */
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
