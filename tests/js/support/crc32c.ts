const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ ((crc & 1) * 0x82f63b78);
  return crc;
});

/** CRC-32C (Castagnoli, reflected polynomial 0x82F63B78). */
export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) {
    crc = (crc >>> 8) ^ (table[(crc ^ (bytes[i] as number)) & 255] as number);
  }
  return ~crc >>> 0;
}
