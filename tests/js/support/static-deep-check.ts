/** The deep checks of structures that are built once, written a second time from cpp/FORMAT.md. */

import { HEADER } from './container.js';
import { type Check, Fields, spareBits, wordBytes } from './fields.js';
import {
  bitsAt,
  fuseTable,
  levelBytes,
  levelRecords,
  startsOf,
  thresholdBytes,
} from './static-payload.js';

export const binaryFuse: Check = (bytes, { capacity, count }) => {
  if (bytes.length < HEADER + 8 || capacity !== count) return true;
  const { segments, segmentLog, arity, width, slots, data } = fuseTable(bytes);
  if (bytes[HEADER + 7] !== 0 || (arity !== 3 && arity !== 4)) return true;
  if (width < 1 || width > 32 || segmentLog > (segments === 0 ? 0 : 18)) return true;
  if ((segments === 0) !== (count === 0n) || slots >= 2 ** 32) return true;
  if (BigInt(data.length) !== wordBytes(BigInt(slots) * BigInt(width))) return true;
  if (spareBits(data, slots * width) || count > BigInt(slots)) return true;
  // A key takes one slot for itself, and no other is ever written.
  let used = 0;
  for (let slot = 0; slot < slots; slot++) if (bitsAt(data, slot * width, width) !== 0) used++;
  return BigInt(used) > count;
};

/** Returns the offset after a retrieval with this number of keys and bits; undefined if it has a fault. */
function retrievalEnd(
  bytes: Uint8Array,
  at: number,
  width: number,
  count: bigint,
): number | undefined {
  const levels = (bytes[at + 7] as number) + 1;
  if (bytes.length < at + 8 * levels || levels > 8 || width < 1) return undefined;
  const records = levelRecords(bytes, at);
  const [{ slots: first, attempt }] = records as [(typeof records)[0]];
  let [end, sum] = [at + 8 * levels, 0n];
  for (const [i, record] of records.entries()) {
    const { slots, following } = record;
    if (record.width !== width || following !== levels - 1 - i) return undefined;
    if ((slots === 0) !== (count === 0n) || (following > 0 && slots < 64)) return undefined;
    if (i > 0 && slots >= (records[i - 1] as typeof record).slots) return undefined;
    sum += BigInt(slots);
    const from = end;
    end += levelBytes(record);
    if (end > bytes.length) return undefined;
    // The bits behind the last threshold and the last row.
    const rows = following > 0 ? from + thresholdBytes(slots) : from;
    const used = 2 * Math.ceil(startsOf(slots) / 128);
    if (following > 0 && spareBits(bytes.subarray(from, rows), used)) return undefined;
    if (spareBits(bytes.subarray(rows, end), slots * width)) return undefined;
  }
  if (sum < count || sum > 2n * count + 64n) return undefined;
  if (count === 0n && (attempt !== 0 || levels > 1)) return undefined;
  return levels > 1 && BigInt(first) !== count - count / 16n ? undefined : end;
}

export const ribbon: Check = (bytes, { capacity, count }) => {
  if (bytes.length < HEADER + 8 || capacity !== count) return true;
  const width = bytes[HEADER + 6] as number;
  return width > 32 || retrievalEnd(bytes, HEADER, width, count) !== bytes.length;
};

export const bloomier: Check = (bytes, { capacity, count }) => {
  if (bytes.length < HEADER + 16 || capacity !== count) return true;
  const fields = new Fields(bytes);
  const [valueBits, checkBits] = [fields.u32(), fields.u32()];
  if (valueBits < 1 || valueBits > 32 || checkBits > 32) return true;
  return retrievalEnd(bytes, HEADER + 8, valueBits + checkBits, count) !== bytes.length;
};

export const exact: Check = (bytes, { capacity, count }) => {
  if (bytes.length < HEADER + 32 || capacity !== count) return true;
  const fields = new Fields(bytes);
  const [excluded, passing, bits] = [fields.u64(), fields.u64(), fields.u32()];
  if (fields.u32() !== 0 || excluded >= 1n << 53n || passing > excluded || bits > 32) return true;
  if (count === 0n ? passing !== 0n || bits !== 0 : bits === 0 && passing !== excluded) return true;
  const first = HEADER + 24;
  const second = bits === 0 ? first : retrievalEnd(bytes, first, bits, count);
  if (second === undefined || bytes.length < second + 8) return true;
  return retrievalEnd(bytes, second, 1, count + passing) !== bytes.length;
};
