// The layout of a set of pages: parts, offsets, file names and proofs (cpp/FORMAT.md, section Pages).

import { rangeError, TamisError } from '../core/errors.js';
import { joinBytes, sha256 } from '../core/signed/bytes.js';

/** The maximum size in bytes of a part (a file of whole pages), and so of a page. */
export const mostPartBytes = 16 * 2 ** 20;
const strideStep = 64;
export const digestBytes = 32;
export const mostPages = 2 ** 31;

/** The minimum number of keys per page, unless there is one page. Smaller pages would take too many bits per key. */
const leastKeys = 4096;
/** The default number of keys per page. With 8 fingerprint bits, such a page fits into TCP's first round trip. */
const meanKeysOf8Bits = 12_000;

/** The size of a tamis file's header, and the offset of the payload's length in it. */
const headerBytes = 64;
const payloadLengthAt = 48;

/** The fields of a layout, which the manifest signs. */
export interface Layout {
  readonly pages: number;
  /** The bytes from the start of one page to the next: the page's file, zeros, and the proof. */
  readonly stride: number;
  readonly pagesPerPart: number;
  readonly parts: number;
}

/** The number of hashes in a proof: ceil(log2(pages)). */
export function depthOf(pages: number): number {
  return pages === 1 ? 0 : 32 - Math.clz32(pages - 1);
}

/** The length of a leaf in bytes: the page's file and the zeros after it, without the proof. */
export function leafBytesOf({ stride, pages }: Pick<Layout, 'stride' | 'pages'>): number {
  return stride - digestBytes * depthOf(pages);
}

/** The mean number of keys in a page, if the caller does not choose the number of pages. */
export function meanKeysOf(bitsPerKey: number): number {
  const mean = Math.floor((meanKeysOf8Bits * 8) / bitsPerKey);
  return Math.min(Math.max(mean, leastKeys), meanKeysOf8Bits);
}

/** The default number of pages for a number of distinct keys. */
export function pagesFor(keys: number, bitsPerKey: number): number {
  const wanted = Math.ceil(keys / meanKeysOf(bitsPerKey));
  return Math.max(1, Math.min(wanted, Math.floor(keys / leastKeys), mostPages));
}

/** The number of keys that a page must have room for: the mean plus eight standard deviations. */
export function mostKeysOf(keys: number, pages: number): number {
  const mean = Math.ceil(keys / pages);
  return Math.ceil(mean + 8 * Math.sqrt(mean));
}

/** The layout for page files of at most `fileBytes`. `isApart`: each page is a part. Throws RangeError if none fits. */
export function layoutOf(pages: number, fileBytes: number, isApart = false): Layout {
  const bytes = fileBytes + digestBytes * depthOf(pages);
  const stride = Math.ceil(bytes / strideStep) * strideStep;
  if (stride > mostPartBytes) {
    throw rangeError(`a page has at most ${mostPartBytes} bytes, got ${stride}; use more pages`);
  }
  const pagesPerPart = isApart ? 1 : Math.floor(mostPartBytes / stride);
  return { pages, stride, pagesPerPart, parts: Math.ceil(pages / pagesPerPart) };
}

/** Throws RangeError if the fields contradict each other. The caller has checked the range of each field. */
export function checkLayout({ pages, stride, pagesPerPart, parts }: Layout, name: string): void {
  const isRight =
    stride % strideStep === 0 &&
    leafBytesOf({ pages, stride }) >= headerBytes &&
    (pagesPerPart === 1 || pagesPerPart === Math.floor(mostPartBytes / stride)) &&
    parts === Math.ceil(pages / pagesPerPart);
  if (!isRight) throw rangeError(`${name}: not a layout of pages`);
}

/** The number of pages in a part. The last part may have fewer than the others. */
export function pagesInPart(part: number, { pages, pagesPerPart }: Layout): number {
  return Math.min(pagesPerPart, pages - part * pagesPerPart);
}

/** The name of a part's file. The file with this name never changes, because the root is a digest of all pages. */
export function partName(
  { name, root, pagesPerPart }: { name: string; root: string; pagesPerPart: number },
  part: number,
): string {
  return `${name}.${root.slice(0, 16)}.${part}.page${pagesPerPart > 1 ? 's' : ''}`;
}

/** The tamis file at the start of a leaf. Throws ERR_TAMIS_CORRUPT if anything but zeros follows it. */
export function fileInLeaf(leaf: Uint8Array): Uint8Array {
  const view = new DataView(leaf.buffer, leaf.byteOffset, leaf.length);
  const size = headerBytes + Number(view.getBigUint64(payloadLengthAt, true));
  if (size > leaf.length || leaf.subarray(size).some((byte) => byte !== 0)) {
    throw new TamisError('ERR_TAMIS_CORRUPT', 'the page contains no file');
  }
  return leaf.subarray(0, size);
}

/**
 * Computes the root from a page's leaf and its proof, which contains the siblings on the way up, the lowest first.
 * Nearby pages share nodes, so `known` keeps nodes for later calls. `hash` computes the SHA-256.
 */
export async function rootOf(
  page: number,
  leaf: Uint8Array,
  proof: Uint8Array,
  known: Record<string, Promise<Uint8Array> | Uint8Array> = {},
  hash: (bytes: Uint8Array) => Promise<Uint8Array> | Uint8Array = sha256,
): Promise<Uint8Array> {
  let node = await hash(leaf);
  for (let at = 0, place = page; at < proof.length; at += digestBytes) {
    const sibling = proof.subarray(at, at + digestBytes);
    const both = joinBytes(place % 2 === 0 ? [node, sibling] : [sibling, node]);
    // `known` is keyed by the bytes, not by the position, so that a wrong proof cannot harm other pages.
    const name = String(both);
    known[name] ??= hash(both);
    node = await known[name];
    place >>= 1;
  }
  return node;
}

/** The perfect binary Merkle tree over the leaves of all pages. The digest of a page beyond the last is all zeros. */
export class MerkleTree {
  /** The root, which the manifest signs. */
  readonly root: Uint8Array;
  /** The nodes of each level below the root, the lowest first. An odd number of nodes is padded with an empty node. */
  readonly #levels: Uint8Array[] = [];

  /** `digests`: the SHA-256 of each page's leaf, in order, for at least one page. */
  constructor(digests: Uint8Array, hash: (bytes: Uint8Array) => Uint8Array) {
    const pairBytes = 2 * digestBytes;
    let nodes = digests;
    /** The empty node, which has no pages below it, on the level of `nodes`. */
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
      empty = hash(joinBytes([empty, empty]));
    }
    this.root = nodes;
  }

  /** The proof of a page, which `rootOf` needs. */
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
