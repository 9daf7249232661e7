// Derives from a key's hash its page, its shard, or its bits in a block (cpp/FORMAT.md, "Pages" and "Redis").

import { routes } from '../../wasm/parts/routes.js';
import { batchBytes, batchKeys, bytesAddress, raw, read, readValues } from '../border/memory.js';
import { coreWith } from '../border/runtime.js';
import { sendHashes } from './hashing.js';

/** The number of values that blocksOf returns per key: its block, and its eight bits in the block. */
export const blockNumbers = 9;

/** Returns the page or the shard of each hash. `places` is the number of pages or shards. */
function routesOf(hashes: BigUint64Array, seed: bigint, isShard: boolean, places: number) {
  coreWith(routes);
  const result = new Uint32Array(hashes.length);
  sendHashes(
    hashes,
    (count) => raw._tamis_route(seed, Number(isShard), places, count),
    (at, count) => result.set(readValues(count), at),
  );
  return result;
}

/** Returns the page of each hash. There may be 1 to 2^31 pages. */
export function pagesOf(
  hashes: BigUint64Array,
  { seed, pages }: { readonly seed: bigint; readonly pages: number },
): Uint32Array<ArrayBuffer> {
  return routesOf(hashes, seed, false, pages);
}

/** Returns the shard of each hash. There may be 1 to 2^31 shards. A key's shard is independent of its page. */
export function shardsOf(
  hashes: BigUint64Array,
  { seed, shards }: { readonly seed: bigint; readonly shards: number },
): Uint32Array<ArrayBuffer> {
  return routesOf(hashes, seed, true, shards);
}

/**
 * Returns nine numbers for each hash: its block, and its eight bits in the block. Each bit is 0 to 255, and each is in
 * a different 32-bit word. A BlockedBloomFilter with this number of blocks and this seed sets the same bits.
 */
export function blocksOf(
  hashes: BigUint64Array,
  { seed, blocks }: { readonly seed: bigint; readonly blocks: number },
): Uint32Array<ArrayBuffer> {
  coreWith(routes);
  const result = new Uint32Array(blockNumbers * hashes.length);
  const bytesPerHash = 4 * blockNumbers;
  const bytes = new Uint8Array(result.buffer);
  sendHashes(
    hashes,
    (count) => raw._tamis_route_blocks(seed, blocks, count),
    (at, count) => bytes.set(read(bytesAddress, bytesPerHash * count), bytesPerHash * at),
    Math.min(batchKeys, Math.floor(batchBytes / bytesPerHash)),
  );
  return result;
}
