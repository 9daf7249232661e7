/**
 * The deep checks of payloads, which come after the container's rules. tamis/read is a second implementation of them,
 * so it is used here. What it does not open is checked by the rules of cpp/FORMAT.md.
 */
import * as read from 'tamis/read';

import { classesOf } from './all-classes.mjs';

import { edited, HEADER, TYPE_IDS } from './container.js';

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The schemes of libraries whose arrays consist of 64-bit words. */
const WHOLE_WORDS = [6, 8, 9, 10, 13];
const SPARK_V2 = 10;

/** Checks the limits that another library's scheme sets for a Bloom filter. */
function schemeFault(bytes: Uint8Array): boolean {
  if (bytes.length < HEADER + 16) return true;
  const view = viewOf(bytes);
  const [bits, hashes] = [view.getBigUint64(HEADER, true), view.getUint32(HEADER + 8, true)];
  const scheme = bytes[11] as number;
  if (scheme === 4) return hashes > 512 || bits ** BigInt(hashes) >= 1n << 512n;
  if (scheme === 5) return hashes !== 2;
  if (scheme === SPARK_V2 && view.getUint32(20, true) !== 0) return true;
  return WHOLE_WORDS.includes(scheme) && bits % 64n !== 0n;
}

/** Checks an iblt: sums of counts, checksums and keys must be equal in all quarters, since each has every key once. */
function tableFault(bytes: Uint8Array): boolean {
  if (bytes.length < HEADER + 8) return true;
  const view = viewOf(bytes);
  const [capacity, count] = [view.getBigUint64(32, true), view.getBigUint64(40, true)];
  const [keyBytes, zero] = [view.getUint32(HEADER, true), view.getUint32(HEADER + 4, true)];
  if (keyBytes < 4 || keyBytes > 64 || zero !== 0 || count !== 0n || capacity === 0n) return true;
  const quarter = (7n * capacity + 139n) / 20n;
  const used = 4n * quarter * BigInt(12 + keyBytes);
  const data = HEADER + 8;
  if (BigInt(bytes.length - data) !== 8n * ((used + 7n) / 8n)) return true;
  if (bytes.subarray(data + Number(used)).some((byte) => byte !== 0)) return true;
  const cells = 4 * Number(quarter);
  const sums = Array.from({ length: 4 }, (_, part) => {
    let [counts, checks] = [0, 0n];
    const keys = new Uint8Array(keyBytes);
    for (let cell = (part * cells) / 4; cell < ((part + 1) * cells) / 4; cell++) {
      counts = (counts + view.getUint32(data + 4 * cell, true)) >>> 0;
      const check = view.getBigUint64(data + 4 * cells + 8 * cell, true);
      checks = BigInt.asUintN(64, checks + check);
      const at = data + 12 * cells + keyBytes * cell;
      for (let i = 0; i < keyBytes; i++) keys[i] = (keys[i] as number) ^ (bytes[at + i] as number);
    }
    return `${counts} ${checks} ${keys.join()}`;
  });
  return new Set(sums).size > 1;
}

/** Runs the deep check of a container, for which codeExpected returned 'DEEP'. Returns true if it finds a fault. */
export function deepFault(bytes: Uint8Array, key?: Uint8Array): boolean {
  if (bytes[10] === TYPE_IDS.iblt) return tableFault(bytes);
  if (bytes[10] === TYPE_IDS.bloom && schemeFault(bytes)) return true;
  // tamis/read does not open schemes of other libraries. All other rules are the same as for the default scheme.
  const isForeign = (bytes[11] as number) > 2;
  const file = isForeign ? edited(bytes, (view) => view.setUint8(11, 1)) : bytes;
  try {
    read.fromBytesOf(classesOf(read), file, key && { secret: key });
    return false;
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_TAMIS_CORRUPT') return true;
    throw error;
  }
}
