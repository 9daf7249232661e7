// Reads Bloom filters (FORMAT.md, section 5.1), split blocks (5.2), and filters inside other filters (5.4).

import { isZero, readBits } from './bits.js';
import { type Container, need, viewOf } from './container.js';
import type { Lookup } from './filter.js';
import { blockRate, bloomRate } from './rates.js';
import { highOfProduct, mixHash, splitMix, u, type Words } from './u64.js';

/** Reads the number of bits or counters, the hashes per key, and a `last` word whose meaning depends on the type. */
export function readGeometry(file: Container) {
  const size = file.u64();
  const hashes = file.u32();
  need(size > 0 && hashes > 0 && hashes <= 64 && file.capacity > 0);
  return { size, hashes, last: file.u32() };
}

/** Returns a test, which is true if all bits of the key with the hash h are set. The scheme `mcg` chooses the bits. */
export function bitsTest(array: Uint8Array, bits: number, hashes: number, seed: Words) {
  return () => {
    mixHash(seed); // sets u to the key's hash
    let low = u[0];
    let high = u[1];
    for (let i = 0; i < hashes; i++) {
      const at = highOfProduct(high, bits);
      if ((((array[at >>> 3] as number) >>> (at & 7)) & 1) === 0) return false; // !bitAt, inlined
      // (high, low) *= 0xf1357aea_2e62a9c5: multiply() of u64.ts, inlined.
      const across = Math.imul(high, 0x2e62a9c5) + Math.imul(low, 0xf1357aea);
      high = (highOfProduct(low, 0x2e62a9c5) + across) | 0;
      low = Math.imul(low, 0x2e62a9c5);
    }
    return true;
  };
}

/** How many keys a filter was made for, and how many it contains. */
type KeyNumbers = Pick<Container, 'capacity' | 'count'>;

/** Reads the array of a Bloom filter. Throws the errors of readBits. */
export function readBloom(
  file: Container,
  bits: number,
  hashes: number,
  { capacity, count }: KeyNumbers,
  seed: Words,
): Lookup {
  const array = readBits(file, bits);
  need(count > 0 || isZero(array)); // an empty filter has no set bit
  return {
    test: bitsTest(array, bits, hashes, seed),
    rate: () => bloomRate(bits, hashes, capacity),
    figures: { bits, hashes },
  };
}

const salts = [
  0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
];

/** Reads blocks of 32 bytes. A key sets one bit in each of the eight words of its block. Throws as readBits does. */
export function readBlocks(
  file: Container,
  blocks: number,
  { capacity, count }: KeyNumbers,
  seed: Words,
): Lookup {
  const bytes = readBits(file, 256 * blocks);
  const view = viewOf(bytes);
  for (let at = 0; at < bytes.length; at += 32) {
    let usedWords = 0;
    for (let i = 0; i < 32; i += 4) if (view.getUint32(at + i, true) !== 0) usedWords++;
    need(usedWords % 8 === 0); // none or all, since a key sets a bit in each word
  }
  need(isZero(bytes) === (count === 0));
  return {
    test() {
      mixHash(seed); // sets u to the key's hash
      const at = highOfProduct(u[1], blocks) * 32; // the key's block
      const low = u[0];
      for (let i = 0; i < 8; i++) {
        const bit = Math.imul(low, salts[i] as number) >>> 27;
        if (((view.getUint32(at + 4 * i, true) >>> bit) & 1) === 0) return false;
      }
      return true;
    },
    rate: () => blockRate(blocks, capacity),
  };
}

/** A Bloom filter inside another filter. It has split blocks if `hashes` is 0. */
export type Subfilter = Readonly<ReturnType<typeof readSubfilter>>;

/** Reads subfilter j, whose record is at `at`. Subfilter 0 has the file's seed s, others splitmix64(s + j * 2^32). */
function readSubfilter(file: Container, at: number, j: number) {
  const bits = file.u64(at);
  const keys = { capacity: file.u64(at + 8), count: file.u64(at + 16) };
  const hashes = file.u32(at + 24);
  need(bits > 0 && hashes <= 64 && keys.capacity > 0 && keys.capacity < 2 ** 53);
  need(keys.count < 2 ** 53 && file.u32(at + 28) === 0 && (hashes > 0 || bits % 256 === 0));
  const seed = file.seed();
  if (j > 0) {
    u[1] += j; // seed() left the file's seed in u
    splitMix();
    seed.set(u);
  }
  const { test, rate } =
    hashes > 0
      ? readBloom(file, bits, hashes, keys, seed)
      : readBlocks(file, bits / 256, keys, seed);
  return { ...keys, bits, hashes, test, rate };
}

/** Reads subfilters: first the records of all, then the data of each. */
export function readSubfilters(file: Container, number: number): readonly Subfilter[] {
  const at = file.take(32 * number);
  return Array.from({ length: number }, (_, i) => readSubfilter(file, at + 32 * i, i));
}

/** Reads subfilters that together contain the file's keys. Returns them, and a test that is true if any has the key. */
export function readUnion(file: Container, number: number) {
  const parts = readSubfilters(file, number);
  const sum = parts.reduce((keys, { count }) => keys + count, 0);
  need(file.count === Math.min(sum, 2 ** 53 - 1)); // a file's count stops there
  const tests = parts.map(({ test }) => test);
  return { parts, test: () => tests.some((test) => test()) };
}
