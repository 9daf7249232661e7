// Where keys belong, by their hashes: a page, a shard, the bits of a block (cpp/FORMAT.md, "Pages" and "Redis").

import { routes } from '../../wasm/parts/routes.js';
import { batchBytes, batchKeys, bytesAddress, raw, read, readValues } from '../border/memory.js';
import { coreWith } from '../border/runtime.js';
import { sendHashes } from './hashing.js';

/** Numbers that blocksOf gives for a key: its block, and its eight bits in it. */
export const blockNumbers = 9;

function placesOf(
  hashes: BigUint64Array,
  seed: bigint,
  isShard: number,
  places: number,
): Uint32Array<ArrayBuffer> {
  coreWith(routes);
  const found = new Uint32Array(hashes.length);
  sendHashes(
    hashes,
    (count) => raw._tamis_route(seed, isShard, places, count),
    (at, count) => found.set(readValues(count), at),
  );
  return found;
}

/** The page of each hash, of 1 to 2^31 pages. */
export function pagesOf(
  hashes: BigUint64Array,
  { seed, pages }: { readonly seed: bigint; readonly pages: number },
): Uint32Array<ArrayBuffer> {
  return placesOf(hashes, seed, 0, pages);
}

/** The shard of each hash, of 1 to 2^31 shards: a route that says nothing of the page. */
export function shardsOf(
  hashes: BigUint64Array,
  { seed, shards }: { readonly seed: bigint; readonly shards: number },
): Uint32Array<ArrayBuffer> {
  return placesOf(hashes, seed, 1, shards);
}

/**
 * Nine numbers for each hash: its block, and its eight bits there, 0 to 255, each of another word of 32 bits. They
 * are the bits that a BlockedBloomFilter of so many blocks and this seed sets.
 */
export function blocksOf(
  hashes: BigUint64Array,
  { seed, blocks }: { readonly seed: bigint; readonly blocks: number },
): Uint32Array<ArrayBuffer> {
  coreWith(routes);
  const found = new Uint32Array(blockNumbers * hashes.length);
  const size = 4 * blockNumbers;
  const bytes = new Uint8Array(found.buffer);
  sendHashes(
    hashes,
    (count) => raw._tamis_route_blocks(seed, blocks, count),
    (at, count) => bytes.set(read(bytesAddress, size * count), size * at),
    Math.min(batchKeys, Math.floor(batchBytes / size)),
  );
  return found;
}
