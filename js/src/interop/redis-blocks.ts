// Turns strings of tamis/redis into filters of `tamis`, and back. They contain the blocks of a BlockedBloomFilter.

import { isOwner } from '../core/border/lifetime.js';
import { TamisError } from '../core/errors.js';
import { mustBeOwn } from '../core/structures/structure.js';
import { BlockedBloomFilter } from '../filters/blocked-bloom.js';
import { fastHash, keyedHash } from '../wasm/figures.js';
import { adoptBlocks, bitsOf } from './adopt.js';

/** The fewest blocks that keep the rate for `capacity` keys, in one filter or in many filters of equal size. */
export function blocksFor(capacity: number, fpr: number): number {
  // If one filter is too large, the keys are split into twice as many equal parts, and again, up to 2^40.
  for (let parts = 1; ; parts *= 2) {
    try {
      const bytes = BlockedBloomFilter.sizeFor({ capacity: Math.ceil(capacity / parts), fpr });
      // Parts get slightly different numbers of keys. One more block in each part covers more than that.
      return parts === 1 ? bytes / 32 : parts * (bytes / 32 + 1);
    } catch (error) {
      if (Object(error).code !== 'ERR_TAMIS_TOO_LARGE' || parts > 2 ** 40) throw error;
    }
  }
}

/** The fields that a string does not contain. */
export interface BlocksShape {
  readonly seed: bigint;
  readonly capacity: number;
  readonly secret?: Uint8Array | undefined;
  /** The id of the secret, if the filter is keyed. */
  readonly keyCheck?: string | undefined;
}

const headerCrcAt = 60;

/** Computes the CRC-32C bit by bit: for 60 bytes, the tables of tamis/read are not worth their code size. */
function crc32c(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let i = 0; i < 8; i++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc;
}

/** Makes the filter from a shard's blocks. Its count is estimated from the set bits. Throws ERR_TAMIS_CORRUPT. */
export function filterOfBlocks(blocks: Uint8Array, shape: BlocksShape): BlockedBloomFilter {
  const { seed, capacity, secret, keyCheck } = shape;
  const seedless = adoptBlocks(blocks);
  const bytes = seedless.toBytes();
  seedless.dispose();
  // These fields of the header are still unset: hash id (at 11), seed, key id and capacity (cpp/FORMAT.md, section 2).
  const header = new DataView(bytes.buffer);
  bytes[11] = keyCheck === undefined ? fastHash : keyedHash;
  header.setBigUint64(16, seed, true);
  header.setBigUint64(24, BigInt(`0x${keyCheck ?? 0}`), true);
  header.setBigUint64(32, BigInt(capacity), true);
  header.setInt32(headerCrcAt, crc32c(bytes.subarray(0, headerCrcAt)), true);
  return BlockedBloomFilter.fromBytes(bytes, { maxBytes: bytes.length, ...(secret && { secret }) });
}

/** The blocks of a filter. Throws ERR_TAMIS_INCOMPATIBLE unless the filter has this shape. */
export function blocksOfFilter(
  filter: BlockedBloomFilter,
  { seed, keyCheck, blocks }: BlocksShape & { readonly blocks: number },
): Uint8Array<ArrayBuffer> {
  if (!isOwner(filter)) throw mustBeOwn('a BlockedBloomFilter', 'merge: filter', filter);
  const refuse = (what: string) =>
    new TamisError('ERR_TAMIS_INCOMPATIBLE', `the filter's ${what} differs from the one in Redis`);
  if (filter.scheme !== 'default') throw refuse('scheme');
  if (filter.sizeBytes !== 32 * blocks) throw refuse('number of blocks');
  if (filter.seed !== seed) throw refuse('seed');
  const bytes = filter.toBytes();
  const keyId = new DataView(bytes.buffer).getBigUint64(24, true); // in the header
  if (keyId !== BigInt(`0x${keyCheck ?? 0}`)) throw refuse('secret');
  return bitsOf(filter);
}
