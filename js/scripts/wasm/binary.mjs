// Numbers, names and vectors, as a wasm binary has them.

/** Reads a binary from `at` on. */
export class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  byte() {
    if (this.at >= this.bytes.length) throw new Error('wasm: it ends too early');
    return this.bytes[this.at++];
  }

  /** An unsigned LEB128 of at most 32 bits: nothing here needs 64. */
  number() {
    let value = 0;
    for (let scale = 1, byte = 128; byte > 127; scale *= 128) {
      byte = this.byte();
      value += (byte & 127) * scale;
    }
    return value;
  }

  signed() {
    const from = this.at;
    const value = this.number();
    const range = 128 ** (this.at - from);
    return value < range / 2 ? value : value - range;
  }

  take(size) {
    this.at += size;
    return this.bytes.subarray(this.at - size, this.at);
  }

  name() {
    return this.take(this.number()).toString('utf8');
  }

  vector(read) {
    return Array.from({ length: this.number() }, (_, i) => read(i));
  }

  expect(byte, what) {
    if (this.byte() !== byte) throw new Error(`wasm: ${what} expected at ${this.at - 1}`);
  }

  /** `i32.const N; end`, the place of a segment. */
  offset() {
    this.expect(0x41, 'a constant');
    const value = this.signed();
    this.expect(0x0b, 'the end of a constant');
    return value;
  }
}

/** An unsigned LEB128. Throws if there is no number, since that would become 0, the first index. */
export function number(value) {
  if (!(value >= 0)) throw new Error(`wasm: ${value} is no index or size`);
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}

/** A signed LEB128 of 32 bits. */
export function signed(value) {
  const bytes = [];
  for (; value < -64 || value > 63; value >>= 7) bytes.push((value & 127) | 128);
  return Buffer.from([...bytes, value & 127]);
}

/** Writes an index into the five bytes that the linker left for it. */
export function patch(bytes, at, value) {
  const digits = number(value);
  for (let i = 0; i < 5; i++) bytes[at + i] = (digits[i] & 127) | (i < 4 ? 128 : 0);
}

/** Joins some bytes and buffers. */
export const join = (...pieces) =>
  Buffer.concat(pieces.map((piece) => (typeof piece === 'number' ? Buffer.from([piece]) : piece)));
export const sized = (bytes) => join(number(bytes.length), bytes);
export const name = (text) => sized(Buffer.from(text));
export const vector = (items) => join(number(items.length), ...items);
export const section = (id, body) => join(id, sized(body));
export const offset = (value) => join(0x41, signed(value), 0x0b);
