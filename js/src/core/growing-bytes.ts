// Collects bytes, whose number is not known beforehand, in one buffer that doubles.

import { TamisError } from './errors.js';

function allocate(size: number): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(size);
  } catch (cause) {
    throw new TamisError('ERR_TAMIS_OUT_OF_MEMORY', `no memory for ${size} bytes`, { cause });
  }
}

/** A buffer that grows at its end. It is never larger than twice the bytes added, however small the pieces are. */
export class GrowingBytes {
  /** The whole buffer, with its free part. When it is full, a larger buffer replaces it. */
  buffer: Uint8Array<ArrayBuffer>;
  length = 0;

  /** `room` is the number of bytes that will surely come. All members that allocate throw ERR_TAMIS_OUT_OF_MEMORY. */
  constructor(room = 0) {
    this.buffer = allocate(room);
  }

  /** A view of the bytes, valid until more are added. */
  get all(): Uint8Array<ArrayBuffer> {
    return this.buffer.subarray(0, this.length);
  }

  /** Appends `count` bytes for the caller to write, and returns their offset. Doubling stops at `most` bytes. */
  extend(count: number, most = Infinity): number {
    const offset = this.length;
    const length = offset + count;
    if (length > this.buffer.length) {
      const grown = allocate(Math.max(length, Math.min(2 * length, most)));
      grown.set(this.all);
      this.buffer = grown;
    }
    this.length = length;
    return offset;
  }

  /** Appends bytes, which must not be in a buffer that can shrink. Doubling stops at `most` bytes. */
  add(piece: Uint8Array, most?: number): void {
    const at = this.extend(piece.length, most);
    this.buffer.set(piece, at);
  }

  /** Returns the bytes as a view of their buffer, and starts again with an empty buffer. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.all;
    this.buffer = new Uint8Array(0);
    this.length = 0;
    return taken;
  }
}
