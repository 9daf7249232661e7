// The strings of tamis/redis as filters of `tamis`. They are a BlockedBloomFilter's blocks, of its own hash.

import { TamisError } from '../core/errors.js';
import { BlockedBloomFilter } from '../filters/blocked-bloom.js';
import { fastHash, keyedHash } from '../wasm/figures.js';
import { adoptBlocks, bitsOf } from './adopt.js';

/** The fewest blocks that keep the rate at this number of keys, of one filter or of many equal ones together. */
export function blocksFor(capacity: number, fpr: number): number {
  for (let parts = 1; ; parts *= 2) {
    try {
      const bytes = BlockedBloomFilter.sizeFor({ capacity: Math.ceil(capacity / parts), fpr });
      // The keys of a part vary less than a fixed number of them does: a block more is more than that costs.
      return parts === 1 ? bytes / 32 : parts * (bytes / 32 + 1);
    } catch (error) {
      if ((error as TamisError).code !== 'ERR_TAMIS_TOO_LARGE' || parts > 2 ** 40) throw error;
    }
  }
}

/** What a string does not say of itself. */
export interface BlocksShape {
  readonly seed: bigint;
  readonly capacity: number;
  readonly key?: Uint8Array | undefined;
  /** Of a keyed filter: the id of its key. */
  readonly keyCheck?: string | undefined;
}

const headerCrcAt = 60;

/** CRC-32C of the few bytes of a header. */
function crc32c(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let i = 0; i < 8; i++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc;
}

/** The filter of a shard's blocks; its count is what the set bits say. Throws CORRUPT. */
export function filterOfBlocks(blocks: Uint8Array, shape: BlocksShape): BlockedBloomFilter {
  const { seed, capacity, key, keyCheck } = shape;
  const unnamed = adoptBlocks(blocks);
  const bytes = unnamed.toBytes();
  unnamed.dispose();
  // Seed, key and capacity stand in the header (cpp/FORMAT.md, section 2).
  const header = new DataView(bytes.buffer);
  bytes[11] = keyCheck === undefined ? fastHash : keyedHash;
  header.setBigUint64(16, seed, true);
  header.setBigUint64(24, BigInt(`0x${keyCheck ?? 0}`), true);
  header.setBigUint64(32, BigInt(capacity), true);
  header.setInt32(headerCrcAt, crc32c(bytes.subarray(0, headerCrcAt)), true);
  return BlockedBloomFilter.fromBytes(bytes, { maxBytes: bytes.length, ...(key && { key }) });
}

/** The blocks of a filter, which must be of this shape. Throws INCOMPATIBLE. */
export function blocksOfFilter(
  filter: BlockedBloomFilter,
  { seed, keyCheck, blocks }: BlocksShape & { readonly blocks: number },
): Uint8Array<ArrayBuffer> {
  const refuse = (what: string) =>
    new TamisError('ERR_TAMIS_INCOMPATIBLE', `the filter has another ${what} than that in Redis`);
  if (filter.scheme !== 'default') throw refuse('scheme');
  if (filter.sizeBytes !== 32 * blocks) throw refuse('number of blocks');
  if (filter.seed !== seed) throw refuse('seed');
  const bytes = filter.toBytes();
  const keyId = new DataView(bytes.buffer).getBigUint64(24, true);
  if (keyId !== BigInt(`0x${keyCheck ?? 0}`)) throw refuse('key');
  return bitsOf(filter);
}
