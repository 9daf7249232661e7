// CRC-32C, as section 2.2 of the format defines it, and the place of one flipped bit by it.

const POLYNOMIAL = 0x82f63b78;

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1;
  return rest;
});

/** The checksum after one more zero byte. */
const shift = (crc: number): number => ((table[crc & 0xff] as number) ^ (crc >>> 8)) >>> 0;

export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = ((table[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8)) >>> 0;
  return ~crc >>> 0;
}

/**
 * The one bit of `length` bytes whose flip makes checksums differ by `difference`, or undefined. A CRC is linear, so
 * the difference that a bit makes depends on nothing but its distance from the end.
 */
export function findFlippedBit(
  difference: number,
  length: number,
): { readonly byte: number; readonly bit: number } | undefined {
  const made = Array.from({ length: 8 }, (_, bit) => table[1 << bit] as number);
  for (let byte = length - 1; byte >= 0; byte--) {
    const bit = made.indexOf(difference);
    if (bit >= 0) return { byte, bit };
    for (let i = 0; i < 8; i++) made[i] = shift(made[i] as number);
  }
  return undefined;
}
