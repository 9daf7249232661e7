// The bits of a Bloom filter (FORMAT.md, section 5.1).

import { type Container, need } from './container.js';
import { highOfProduct, mixSeed, u, type Words } from './u64.js';

/** True if the key with the hash h = u is in the filter. It changes u. */
export type Test = () => boolean;

/** The record at the start of Bloom filters: the number of bits, the positions per key, and a last word. */
export function readGeometry(file: Container) {
  const at = file.take(16);
  const size = file.u64(at);
  const hashes = file.u32(at + 8);
  need(size > 0 && hashes > 0 && hashes <= 64 && file.capacity > 0);
  return { size, hashes, last: file.u32(at + 12) };
}

/** Tests if all positions of a key are set, by the scheme `mcg`. */
export function bitsTest(array: Uint8Array, bits: number, hashes: number, seed: Words): Test {
  return () => {
    mixSeed(seed);
    let low = u[0];
    let high = u[1];
    for (let i = 0; i < hashes; i++) {
      const at = highOfProduct(high, bits);
      if ((((array[at >>> 3] as number) >>> (at & 7)) & 1) === 0) return false;
      const across = Math.imul(high, 0x2e62a9c5) + Math.imul(low, 0xf1357aea);
      high = (highOfProduct(low, 0x2e62a9c5) + across) | 0;
      low = Math.imul(low, 0x2e62a9c5);
    }
    return true;
  };
}
