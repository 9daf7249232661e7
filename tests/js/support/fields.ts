/** Readers of fields and bits for the deep checks. */

import { HEADER } from './container.js';
import { popcount } from './payload.js';

/** Reads fields one after the other. Past the end it reads zeros, and records a fault. */
export class Fields {
  readonly #view: DataView;
  #at: number;

  constructor(bytes: Uint8Array, at = HEADER) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = at;
  }
  u32(): number {
    this.#at += 4;
    return this.#at > this.#view.byteLength ? 0 : this.#view.getUint32(this.#at - 4, true);
  }
  u64(): bigint {
    return BigInt(this.u32()) + (BigInt(this.u32()) << 32n);
  }
  i64(): bigint {
    return BigInt.asIntN(64, this.u64());
  }
}

export const bitsSet = (bytes: Uint8Array): number =>
  bytes.reduce((sum, byte) => sum + popcount(byte), 0);

/** Tests if a bit at `length` or beyond is set. */
export function spareBits(bytes: Uint8Array, length: number): boolean {
  for (let i = length; i < 8 * bytes.length; i++) {
    if ((((bytes[i >> 3] as number) >> (i & 7)) & 1) === 1) return true;
  }
  return false;
}
export const wordBytes = (bits: bigint): bigint => 8n * ((bits + 63n) / 64n);

export interface Head {
  readonly scheme: number;
  readonly seed: bigint;
  readonly capacity: bigint;
  readonly count: bigint;
}
/** Returns true if there is a fault. */
export type Check = (bytes: Uint8Array, head: Head) => boolean;
