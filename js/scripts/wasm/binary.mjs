// Reads and writes numbers, names and vectors in the encoding of wasm binaries.

/** Reads a binary from `at` on. */
export class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  byte() {
    if (this.at >= this.bytes.length) throw new Error('wasm: the module ends too early');
    return this.bytes[this.at++];
  }

  /** Reads an unsigned LEB128 of up to 32 bits. Nothing here needs 64 bits. */
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

  /** Reads the offset of a segment, `i32.const N; end`. */
  offset() {
    this.expect(0x41, 'a constant');
    const value = this.signed();
    this.expect(0x0b, 'the end of a constant');
    return value;
  }
}

/** An unsigned LEB128. Throws if `value` is not a number, which would otherwise become 0, the first index. */
export function number(value) {
  if (!(value >= 0)) throw new Error(`wasm: ${value} is not an index or a size`);
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

/** Writes an index into the five bytes that the linker reserved for it. */
export function patch(bytes, at, value) {
  const digits = number(value);
  for (let i = 0; i < 5; i++) bytes[at + i] = (digits[i] & 127) | (i < 4 ? 128 : 0);
}

/** Joins bytes and buffers. */
export const join = (...pieces) =>
  Buffer.concat(pieces.map((piece) => (typeof piece === 'number' ? Buffer.from([piece]) : piece)));
export const sized = (bytes) => join(number(bytes.length), bytes);
export const name = (text) => sized(Buffer.from(text));
export const vector = (items) => join(number(items.length), ...items);
export const section = (id, body) => join(id, sized(body));
export const offset = (value) => join(0x41, signed(value), 0x0b);
