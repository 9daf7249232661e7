// Split blocks (FORMAT.md, section 5.2), and the subfilters of composites (section 5.4).

import { isZero, readBits } from './bits.js';
import { bitsTest, type Test } from './bloom-bits.js';
import { type Container, need, viewOf } from './container.js';
import { blockRate, bloomRate } from './rates.js';
import { highOfProduct, mixSeed, splitMix, u, type Words } from './u64.js';

const salts = [
  0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
];

/** Reads blocks of 32 bytes; returns a test if a key's eight bits are set. Throws as readBits. */
export function readBlocks(file: Container, blocks: number, count: number, seed: Words): Test {
  const bytes = readBits(file, 256 * blocks);
  const view = viewOf(bytes);
  for (let at = 0; at < bytes.length; at += 32) {
    let used = 0;
    for (let i = 0; i < 32; i += 4) if (view.getUint32(at + i, true) !== 0) used++;
    need(used % 8 === 0);
  }
  need(isZero(bytes) === (count === 0));
  return () => {
    mixSeed(seed);
    const at = highOfProduct(u[1], blocks) * 32;
    const low = u[0];
    for (let i = 0; i < 8; i++) {
      const bit = Math.imul(low, salts[i] as number) >>> 27;
      if (((view.getUint32(at + 4 * i, true) >>> bit) & 1) === 0) return false;
    }
    return true;
  };
}

/** A Bloom filter in a composite; it has split blocks if `hashes` is 0. */
export type Subfilter = Readonly<ReturnType<typeof readSubfilter>>;

/** The seed of subfilter j (FORMAT.md, section 5.4). */
function seedOf(file: Container, j: number): Words {
  const seed = file.seed();
  if (j > 0) {
    u[1] += j;
    splitMix();
    seed.set(u);
  }
  return seed;
}

function readSubfilter(file: Container, record: number, number: number) {
  const bits = file.u64(record);
  const capacity = file.u64(record + 8);
  const count = file.u64(record + 16);
  const hashes = file.u32(record + 24);
  need(bits > 0 && hashes <= 64 && capacity > 0 && capacity < 2 ** 53 && count < 2 ** 53);
  need(file.u32(record + 28) === 0 && (hashes > 0 || bits % 256 === 0));
  const seed = seedOf(file, number);
  let test: Test;
  if (hashes > 0) {
    const array = readBits(file, bits);
    need(count > 0 || isZero(array));
    test = bitsTest(array, bits, hashes, seed);
  } else {
    test = readBlocks(file, bits / 256, count, seed);
  }
  return {
    bits,
    hashes,
    capacity,
    count,
    test,
    /** The rate at capacity. */
    rate: () => (hashes > 0 ? bloomRate(bits, hashes, capacity) : blockRate(bits / 256, capacity)),
  };
}

/** Reads subfilters: their records, then their data. */
export function readSubfilters(file: Container, number: number): readonly Subfilter[] {
  const at = file.take(32 * number);
  return Array.from({ length: number }, (_, i) => readSubfilter(file, at + 32 * i, i));
}

/** True if the key with the hash h = u is in one of them. */
export function isInSome(parts: readonly Subfilter[]): boolean {
  const low = u[0];
  const high = u[1];
  return parts.some(({ test }) => {
    u[0] = low;
    u[1] = high;
    return test();
  });
}

/** The sum of the keys of all parts, at most 2^53 - 1. */
export const countOf = (parts: readonly Subfilter[]): number =>
  Math.min(
    parts.reduce((sum, { count }) => sum + count, 0),
    2 ** 53 - 1,
  );
