/** The routes of cpp/FORMAT.md, implemented independently with BigInt, to check routes.test.ts. */

import { createHash } from 'node:crypto';

import { fmix64, splitmix64 } from './mixing.js';

const MASK = (1n << 64n) - 1n;

const constantOf = (name: string): bigint =>
  createHash('sha256').update(name).digest().readBigUInt64BE();

/** The page of a hash if `name` is 'tamis pages', or its shard if `name` is 'tamis shards'. */
export function placeOf(name: string, hash: bigint, seed: bigint, places: number): number {
  const mixed = fmix64((hash + splitmix64(seed ^ constantOf(name))) & MASK);
  return Number((mixed * BigInt(places)) >> 64n);
}

const salt = [
  0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
];

/** The block of a hash, and its eight bits there. Needs blocks <= 2^32. */
export function blockOf(hash: bigint, seed: bigint, blocks: number): number[] {
  const g = fmix64((hash + seed) & MASK);
  const bits = salt.map((factor, lane) => {
    const product = (g * BigInt(factor)) & 0xffffffffn;
    return 32 * lane + Number(product >> 27n);
  });
  return [Number(((g >> 32n) * BigInt(blocks)) >> 32n), ...bits];
}
