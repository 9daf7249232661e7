// Computes CRC-32C (FORMAT.md, section 2.2), eight bytes at a time.

/** Eight tables of 256 entries. Table n has the CRC of each byte with n zero bytes after it. */
const tables = /* @__PURE__ */ new Int32Array(2048);

function fillTables(): void {
  // A CRC is linear: the CRC of the byte i + bit is the XOR of the CRC of i and that of bit, which is `crc`.
  let crc = 1;
  for (let bit = 128; bit > 0; bit >>= 1) {
    crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
    for (let i = 0; i < 256; i += 2 * bit) tables[i + bit] = crc ^ (tables[i] as number);
  }
  for (let i = 256; i < 2048; i++) {
    const before = tables[i - 256] as number;
    tables[i] = (before >>> 8) ^ (tables[before & 0xff] as number); // the same byte with one more zero byte after it
  }
}

/** Returns what four of eight bytes add to a CRC, from the four tables at `at` (0 or 0x400). Engines inline it. */
const sliceOf = (word: number, at: number): number =>
  (tables[(at | 0x300) + (word & 0xff)] as number) ^
  (tables[(at | 0x200) + ((word >>> 8) & 0xff)] as number) ^
  (tables[(at | 0x100) + ((word >>> 16) & 0xff)] as number) ^
  (tables[at + (word >>> 24)] as number);

/** The CRC-32C of the bytes from `from` to `end`. */
export function crc32c(bytes: DataView, from: number, end: number): number {
  if (tables[1] === 0) fillTables();
  let crc = -1;
  let at = from;
  for (; at + 8 <= end; at += 8) {
    const low = crc ^ bytes.getInt32(at, true);
    const high = bytes.getInt32(at + 4, true);
    // `high` comes first, because it does not depend on the last round, so the CPU need not wait for that round.
    crc = sliceOf(high, 0) ^ sliceOf(low, 0x400);
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ (tables[(crc ^ bytes.getUint8(at)) & 0xff] as number);
  return ~crc >>> 0;
}
