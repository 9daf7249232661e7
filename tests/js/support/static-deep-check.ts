/** The deep checks of what is built once, written a second time from cpp/FORMAT.md. */

import { HEADER } from './container.js';
import { type Check, spareBits, wordBytes } from './fields.js';
import { bitsAt, fuseTable } from './static-payload.js';

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
