// Bytes that come nobody knows how many: one buffer, which doubles.

import { TamisError } from './errors.js';

function allocate(size: number): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(size);
  } catch (cause) {
    throw new TamisError('ERR_TAMIS_OUT_OF_MEMORY', `no memory for ${size} bytes`, { cause });
  }
}

/** A buffer that grows at its end: however small the pieces, no more is kept than twice their sum. */
export class GrowingBytes {
  /** The whole buffer, also what is not taken of it, until it grows. */
  buffer: Uint8Array<ArrayBuffer>;
  length = 0;

  /** `room` is how many bytes will surely come. Throws OUT_OF_MEMORY, as all that needs more room. */
  constructor(room = 0) {
    this.buffer = allocate(room);
  }

  /** A view of the bytes, until the next come. */
  get all(): Uint8Array<ArrayBuffer> {
    return this.buffer.subarray(0, this.length);
  }

  /** Makes room for `count` more bytes, and says where in `buffer` it begins; `expected` as `add` has it. */
  extend(count: number, expected = Infinity): number {
    const at = this.length;
    const length = at + count;
    if (length > this.buffer.length) {
      const grown = allocate(Math.max(length, Math.min(2 * length, expected)));
      grown.set(this.all);
      this.buffer = grown;
    }
    this.length = length;
    return at;
  }

  /** Puts fixed bytes behind those that are there; `expected` is how many there will be, if that is known. */
  add(piece: Uint8Array, expected?: number): void {
    const at = this.extend(piece.length, expected);
    this.buffer.set(piece, at);
  }

  /** Gives them away, with their buffer. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.all;
    this.buffer = new Uint8Array(0);
    this.length = 0;
    return taken;
  }
}
