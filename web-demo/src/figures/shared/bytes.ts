// Readers for the bytes that toBytes returns, by the format's description (FORMAT.md). The figures draw their results.

/** The byte at which the payload begins, after the header. */
const HEADER_BYTES = 64;

/** The payload of a structure's bytes. */
export function payloadOf(bytes: Uint8Array): DataView {
  return new DataView(
    bytes.buffer,
    bytes.byteOffset + HEADER_BYTES,
    bytes.byteLength - HEADER_BYTES,
  );
}

/** A u64 that is a safe integer. */
export function readU64(view: DataView, offset: number): number {
  return Number(view.getBigUint64(offset, true));
}

/** Bit i of the array that begins at an offset. */
export function readBit(view: DataView, offset: number, i: number): boolean {
  return ((view.getUint8(offset + (i >> 3)) >> (i & 7)) & 1) === 1;
}

/** Field i of the array that begins at an offset. A field has `width` bits, at most 32, the lowest bit first. */
export function readField(view: DataView, offset: number, i: number, width: number): number {
  let value = 0;
  for (let bit = 0; bit < width; bit++) {
    if (readBit(view, offset, i * width + bit)) value += 2 ** bit;
  }
  return value;
}

/** The first bits of an array. */
export function readBits(view: DataView, offset: number, count: number): boolean[] {
  return Array.from({ length: count }, (_, i) => readBit(view, offset, i));
}
