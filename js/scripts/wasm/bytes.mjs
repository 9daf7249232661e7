// Numbers, names and vectors as a wasm binary has them.

/** Reads a binary from `at` on. */
export class Cursor {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  byte() {
    return this.bytes[this.at++];
  }

  /** An unsigned LEB128. */
  number() {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  /** A signed LEB128 of at most 32 bits. */
  signed() {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(BigInt.asIntN(Number(shift + 7n), value));
    }
  }

  name() {
    const size = this.number();
    this.at += size;
    return this.bytes.toString('utf8', this.at - size, this.at);
  }

  /** As many of what `read` gives as a number in front says. */
  vector(read) {
    return Array.from({ length: this.number() }, read);
  }

  expect(value, what) {
    if (this.byte() !== value) throw new Error(`wasm: ${what} expected at ${this.at - 1}`);
  }
}

export function number(value) {
  const bytes = [];
  let rest = value;
  do {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest > 0 ? low | 128 : low);
  } while (rest > 0);
  return Buffer.from(bytes);
}

export function signed(value) {
  const bytes = [];
  for (let rest = value; ; rest >>= 7) {
    const low = rest & 127;
    const isLast = rest >> 6 === 0 || rest >> 6 === -1;
    bytes.push(isLast ? low : low | 128);
    if (isLast) return Buffer.from(bytes);
  }
}

export const name = (text) => Buffer.concat([number(Buffer.byteLength(text)), Buffer.from(text)]);

export const vector = (items) => Buffer.concat([number(items.length), ...items]);

/** What has its size in front: a function's body, a section. */
export const sized = (bytes) => Buffer.concat([number(bytes.length), bytes]);

/** Writes a number where the linker left five bytes for one. */
export function patch(bytes, at, value) {
  let rest = value;
  for (let i = 0; i < 5; i++) {
    bytes[at + i] = i < 4 ? (rest & 127) | 128 : rest;
    rest >>>= 7;
  }
}
