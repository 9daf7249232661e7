// SipHash-2-4 (J.-P. Aumasson and D. J. Bernstein, 2012).

import { u } from './u64.js';

/** Copies the 16 bytes of a secret into words. */
export const sipKeyOf = (bytes: Uint8Array): Int32Array =>
  new Int32Array(new Uint8Array(bytes).buffer);

/** The paper's "somepseudorandomlygeneratedbytes": four words of 64 bits, here with the lowest byte first. */
const start = 'uespemosmodnarodarenegylsetybdet';
/** The paper's v0 to v3, each with its low word first. */
const v = /* @__PURE__ */ new Int32Array(8);
const bytes = /* @__PURE__ */ new Uint8Array(v.buffer);
const word = (i: number): number => v[i] as number;

/** v[to] += v[by], then v[by] = rotateLeft(v[by], bits) ^ v[to], of 64-bit numbers with low words at these indexes. */
function addRotateXor(to: number, by: number, bits: number): void {
  const low = word(by);
  const high = word(by + 1);
  const sum = (word(to) + low) | 0;
  v[to] = sum;
  v[to + 1] = word(to + 1) + high + (sum >>> 0 < low >>> 0 ? 1 : 0);
  v[by] = ((low << bits) | (high >>> (32 - bits))) ^ sum;
  v[by + 1] = ((high << bits) | (low >>> (32 - bits))) ^ word(to + 1);
}

/** Rotates the 64-bit number at v[of] by 32 bits. */
function swapWords(of: number): void {
  const low = word(of);
  v[of] = word(of + 1);
  v[of + 1] = low;
}

function sipRounds(rounds: number): void {
  for (let i = 0; i < rounds; i++) {
    addRotateXor(0, 2, 13);
    swapWords(0);
    addRotateXor(4, 6, 16);
    addRotateXor(0, 6, 21);
    addRotateXor(4, 2, 17);
    swapWords(4);
  }
}

/** Sets u to the SipHash-2-4 of the bytes from `from` on. */
export function sipHash(secret: Int32Array, key: DataView, from: number, size: number): void {
  for (let i = 0; i < 32; i++) bytes[i] = start.charCodeAt(i);
  for (let i = 0; i < 8; i++) v[i] = word(i) ^ (secret[i & 3] as number);
  for (let i = 0; i <= size; i += 8) {
    let low = 0;
    let high = size << 24; // the last block ends with the size
    if (i + 8 <= size) {
      low = key.getInt32(from + i, true);
      high = key.getInt32(from + i + 4, true);
    } else {
      for (let j = i; j < size; j++) {
        const byte = key.getUint8(from + j) << (8 * j); // << takes 8 * j modulo 32
        if (j - i < 4) low |= byte;
        else high |= byte;
      }
    }
    v[6] = word(6) ^ low;
    v[7] = word(7) ^ high;
    sipRounds(2);
    v[0] = word(0) ^ low;
    v[1] = word(1) ^ high;
  }
  v[4] = word(4) ^ 0xff;
  sipRounds(4);
  u[0] = word(0) ^ word(2) ^ word(4) ^ word(6);
  u[1] = word(1) ^ word(3) ^ word(5) ^ word(7);
}
