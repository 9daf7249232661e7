// The positions of Bloom's filter, by the scheme `mcg` (FORMAT.md, section 5.1).

import { highOfProduct, u } from './u64.js';

/** Whether all positions of the g in `u` are set, of `hashes` among `bits`. */
export function hasEveryBit(array: Uint8Array, bits: number, hashes: number): boolean {
  let low = u[0];
  let high = u[1];
  for (let i = 0; i < hashes; i++) {
    const at = highOfProduct(high, bits);
    if ((((array[at >>> 3] as number) >>> (at & 7)) & 1) === 0) return false;
    high =
      (highOfProduct(low, 0x2e62a9c5) + Math.imul(high, 0x2e62a9c5) + Math.imul(low, 0xf1357aea)) |
      0;
    low = Math.imul(low, 0x2e62a9c5);
  }
  return true;
}
