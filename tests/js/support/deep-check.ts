/**
 * The deep checks, written a second time from cpp/FORMAT.md. They limit the content of a payload, after the
 * container's rules are satisfied.
 */

import { rate } from './bloom-rate.js';
import { HEADER, TYPE_IDS, type TypeName } from './container.js';
import { bitsSet, type Check, Fields, spareBits, wordBytes } from './fields.js';
import { cuckooTable, dLeftCells, type Part, partsOf } from './payload.js';
import { binaryFuse, bloomier, exact, ribbon } from './static-deep-check.js';

const MAX_COUNT = 2n ** 53n - 1n;
const MAX_BITS = 2n ** 32n;
const RECORD = 32n;

const isSpread = (hashes: number): boolean => hashes >= 1 && hashes <= 64;

const bitArray: Check = (bytes, { capacity, count }) => {
  const data = bytes.subarray(HEADER);
  if (BigInt(data.length) !== wordBytes(capacity)) return true;
  return spareBits(data, Number(capacity)) || count !== BigInt(bitsSet(data));
};

/** The schemes of libraries whose arrays are words of 64 bits. */
const WHOLE_WORDS = [6, 8, 9, 10, 13];
const SPARK_V2 = 10;

const bloom: Check = (bytes, { capacity, count, scheme, seed }) => {
  const fields = new Fields(bytes);
  const bits = fields.u64();
  const hashes = fields.u32();
  const data = bytes.subarray(HEADER + 16);
  if (fields.u32() !== 0 || bytes.length < HEADER + 16) return true;
  if (bits === 0n || !isSpread(hashes) || capacity === 0n) return true;
  if (BigInt(data.length) !== wordBytes(bits) || spareBits(data, Number(bits))) return true;
  if (count === 0n && bitsSet(data) > 0) return true;
  if (scheme === 4) return bits ** BigInt(hashes) >= 1n << 512n;
  if (scheme === 5) return hashes !== 2;
  if (scheme === SPARK_V2 && seed >> 32n !== 0n) return true;
  return WHOLE_WORDS.includes(scheme) && bits % 64n !== 0n;
};

/** Checks that all lanes of a block have bits, or none has. Some block has bits if, and only if, keys were counted. */
function blocksFault(data: Uint8Array, count: bigint): boolean {
  let isEmpty = true;
  for (let block = 0; block < data.length; block += 32) {
    let used = 0;
    for (let lane = block; lane < block + 32; lane += 4) {
      if (bitsSet(data.subarray(lane, lane + 4)) > 0) used++;
    }
    if (used % 8 !== 0) return true;
    if (used > 0) isEmpty = false;
  }
  return isEmpty !== (count === 0n);
}

const blocked: Check = (bytes, { capacity, count }) => {
  const blocks = new Fields(bytes).u64();
  const data = bytes.subarray(HEADER + 8);
  if (blocks === 0n || capacity === 0n || BigInt(data.length) !== 32n * blocks) return true;
  return blocksFault(data, count);
};

const counting: Check = (bytes, { capacity }) => {
  const fields = new Fields(bytes);
  const [counters, hashes, width] = [fields.u64(), fields.u32(), fields.u32()];
  const data = bytes.subarray(HEADER + 16);
  if (counters === 0n || !isSpread(hashes) || width < 2 || width > 16 || capacity === 0n)
    return true;
  const bits = counters * BigInt(width);
  return BigInt(data.length) !== wordBytes(bits) || spareBits(data, Number(bits));
};

const deletable: Check = (bytes, { capacity }) => {
  const fields = new Fields(bytes);
  const [bits, hashes, zero, regions] = [fields.u64(), fields.u32(), fields.u32(), fields.u64()];
  const data = bytes.subarray(HEADER + 24);
  if (bits === 0n || bits > MAX_BITS || !isSpread(hashes) || zero !== 0 || capacity === 0n)
    return true;
  if (regions === 0n || regions > bits) return true;
  if (BigInt(data.length) !== wordBytes(bits) + wordBytes(regions)) return true;
  const array = data.subarray(0, Number(wordBytes(bits)));
  const locks = data.subarray(array.length);
  if (spareBits(array, Number(bits)) || spareBits(locks, Number(regions))) return true;
  // A locked region without a bit: nothing could have locked it.
  const used = new Set<bigint>();
  for (let i = 0n; i < bits; i++) {
    const byte = array[Number(i >> 3n)] as number;
    if (((byte >> Number(i & 7n)) & 1) === 1) used.add((i * regions) / bits);
  }
  for (let region = 0n; region < regions; region++) {
    const byte = locks[Number(region >> 3n)] as number;
    if (((byte >> Number(region & 7n)) & 1) === 1 && !used.has(region)) return true;
  }
  return false;
};

/** The records of `size` parts from `at` on, checked with their data; undefined: a fault. */
function checkParts(bytes: Uint8Array, at: number, size: number): Part[] | undefined {
  const fields = new Fields(bytes, at);
  let total = BigInt(at) + RECORD * BigInt(size);
  for (let i = 0; i < size; i++) {
    const [bits, capacity, count] = [fields.u64(), fields.u64(), fields.u64()];
    const [hashes, zero] = [fields.u32(), fields.u32()];
    const isWhole = hashes === 0 ? bits % 256n === 0n : hashes <= 64;
    if (bits === 0n || bits > MAX_BITS || !isWhole || zero !== 0) return undefined;
    if (capacity === 0n || capacity > MAX_COUNT || count > MAX_COUNT) return undefined;
    total += wordBytes(bits);
  }
  if (total !== BigInt(bytes.length)) return undefined;
  const parts = partsOf(bytes);
  for (const { bits, count, hashes, words } of parts) {
    const data = new Uint8Array(words.buffer);
    if (hashes === 0 && blocksFault(data, BigInt(count))) return undefined;
    if (hashes !== 0 && spareBits(data, bits)) return undefined;
    if (hashes !== 0 && count === 0 && bitsSet(data) > 0) return undefined;
  }
  return parts;
}
const sumOf = (parts: readonly Part[]): bigint =>
  parts.reduce((sum, { count }) => {
    const total = sum + BigInt(count);
    return total < MAX_COUNT ? total : MAX_COUNT;
  }, 0n);

const tombstone: Check = (bytes, { capacity, count }) => {
  const [added, deleted] = checkParts(bytes, HEADER, 2) ?? [];
  if (added === undefined || deleted === undefined) return true;
  if (BigInt(added.capacity) !== capacity) return true;
  return count !== BigInt(Math.max(0, added.count - deleted.count));
};

/** The rate in a split block that holds this number of keys (FORMAT.md 5.2). */
const blockRate = (keys: number): number =>
  Math.min(1, (1 - (31 / 32) ** keys) ** 8 + keys / 2 ** 32);

/** The binomial mean of blockRate, from the most likely number of keys outwards. */
function blockedDesign(blocks: number, keys: number): number {
  if (keys > 4096 * blocks) return 1;
  if (blocks === 1) return blockRate(keys);
  const middle = Math.floor(keys / blocks);
  let weights = 1;
  let sum = blockRate(middle);
  let weight = 1;
  for (let i = middle; i < keys && weight > 1e-20; i++) {
    weight *= (keys - i) / ((i + 1) * (blocks - 1));
    weights += weight;
    sum += weight * blockRate(i + 1);
  }
  weight = 1;
  for (let i = middle; i > 0 && weight > 1e-20; i--) {
    weight *= (i * (blocks - 1)) / (keys - i + 1);
    weights += weight;
    sum += weight * blockRate(i - 1);
  }
  return sum / weights;
}

/** The rate that a part is designed for, at its capacity (FORMAT.md 5.1 and 5.2). */
const designedRate = ({ bits, hashes, capacity }: Part): number =>
  hashes === 0 ? blockedDesign(bits / 256, capacity) : rate(bits, hashes, capacity);

const scalable: Check = (bytes, { capacity, count }) => {
  const fields = new Fields(bytes);
  const [growth, layers, fpr, tightening] = [
    fields.u32(),
    fields.u32(),
    fields.u64(),
    fields.u64(),
  ];
  const half = 1n << 63n;
  if (growth < 1 || growth > 16 || layers < 1 || layers > 64 || fpr < 1n << 32n) return true;
  if (tightening < half || tightening > BigInt(0.99 * 2 ** 64)) return true;
  // A rate has the 53 bits of a double.
  for (const rate of [fpr, tightening]) if (BigInt(Number(rate)) !== rate) return true;
  const parts = checkParts(bytes, HEADER + 24, layers);
  if (parts === undefined || sumOf(parts) !== count) return true;
  let room = capacity;
  for (const [i, part] of parts.entries()) {
    if (BigInt(part.capacity) !== room) return true;
    const tighter = Number(tightening) / 2 ** 64;
    const asked = (Number(fpr) / 2 ** 64) * (1 - tighter) * tighter ** i;
    if (designedRate(part) > asked * (1 + 1e-9)) return true;
    const isLast = i + 1 === layers;
    if (isLast ? part.count > part.capacity : part.count !== part.capacity) return true;
    if (isLast && i > 0 && part.count === 0) return true;
    room *= BigInt(growth);
    if (room > MAX_COUNT) room = MAX_COUNT;
  }
  return false;
};

const rotating: Check = (bytes, { capacity, count }) => {
  const fields = new Fields(bytes);
  const [generations, current, period] = [fields.u32(), fields.u32(), fields.u64()];
  const [started, start] = [fields.u64(), fields.i64()];
  if (generations < 2 || generations > 64 || current >= generations || period > MAX_COUNT)
    return true;
  if (started > (period === 0n ? 0n : 1n) || (started === 0n && start !== 0n)) return true;
  if (start > MAX_COUNT || start < -MAX_COUNT) return true;
  const parts = checkParts(bytes, HEADER + 32, generations);
  if (parts === undefined || sumOf(parts) !== count) return true;
  const [first] = parts as [Part];
  return parts.some(
    (part) =>
      BigInt(part.capacity) !== capacity ||
      part.bits !== first.bits ||
      part.hashes !== first.hashes,
  );
};

/** Counts, checksums and keys, each summed over a quarter of the cells: every key is once in each. */
const iblt: Check = (bytes, { capacity, count }) => {
  const fields = new Fields(bytes);
  const [keyBytes, zero] = [fields.u32(), fields.u32()];
  if (keyBytes < 4 || keyBytes > 64 || zero !== 0 || count !== 0n || capacity === 0n) return true;
  const quarter = (7n * capacity + 139n) / 20n;
  const length = wordBytes(8n * 4n * quarter * BigInt(12 + keyBytes));
  const data = bytes.subarray(HEADER + 8);
  if (BigInt(data.length) !== length) return true;
  const cells = 4 * Number(quarter);
  if (spareBits(data, 8 * cells * (12 + keyBytes))) return true;
  const sums = Array.from({ length: 4 }, (_, part) => {
    let [counts, checks] = [0, 0n];
    const keys = new Uint8Array(keyBytes);
    for (let cell = (part * cells) / 4; cell < ((part + 1) * cells) / 4; cell++) {
      counts = (counts + new Fields(data, 4 * cell).u32()) >>> 0;
      checks = BigInt.asUintN(64, checks + new Fields(data, 4 * cells + 8 * cell).u64());
      const at = 12 * cells + keyBytes * cell;
      for (let i = 0; i < keyBytes; i++) keys[i] = (keys[i] as number) ^ (data[at + i] as number);
    }
    return `${counts} ${checks} ${keys.join()}`;
  });
  return new Set(sums).size > 1;
};

const cuckoo: Check = (bytes, { capacity, count }) => {
  const fields = new Fields(bytes);
  const [buckets, bucketSize, width, zero] = [
    fields.u32(),
    fields.u32(),
    fields.u32(),
    fields.u32(),
  ];
  if (buckets === 0 || buckets % 2 !== 0 || zero !== 0 || width < 4 || width > 32) return true;
  if (![1, 2, 4, 8].includes(bucketSize)) return true;
  const slots = BigInt(buckets) * BigInt(bucketSize);
  const data = bytes.subarray(HEADER + 16);
  if (BigInt(data.length) !== wordBytes(slots * BigInt(width))) return true;
  if (spareBits(data, Number(slots) * width) || capacity === 0n || capacity > slots) return true;
  return count !== BigInt(cuckooTable(bytes).slots.filter((slot) => slot !== 0).length);
};

const dLeft: Check = (bytes, { capacity, count }) => {
  const fields = new Fields(bytes);
  const [buckets, width, zero] = [fields.u64(), fields.u32(), fields.u32()];
  if (buckets === 0n || buckets >= 1n << 27n || width < 5 || width > 30 || zero !== 0) return true;
  const data = bytes.subarray(HEADER + 16);
  const bits = 32n * buckets * BigInt(width + 2);
  if (BigInt(data.length) !== wordBytes(bits) || spareBits(data, Number(bits))) return true;
  if (capacity === 0n || capacity > 32n * buckets) return true;
  const cells = dLeftCells(bytes);
  for (let bucket = 0; bucket < cells.length; bucket += 8) {
    const used = cells.slice(bucket, bucket + 8).filter((cell) => cell.counter > 0);
    if (new Set(used.map((cell) => cell.remainder)).size < used.length) return true;
  }
  if (cells.some((cell) => cell.counter === 0 && cell.remainder > 0)) return true;
  const sum = cells.reduce((total, cell) => total + cell.counter, 0);
  return !cells.some((cell) => cell.counter === 3) && count !== BigInt(sum);
};

const checks: Readonly<Record<TypeName, Check>> = {
  bloom,
  'blocked-bloom': blocked,
  'counting-bloom': counting,
  'tombstone-bloom': tombstone,
  'deletable-bloom': deletable,
  'scalable-bloom': scalable,
  'rotating-bloom': rotating,
  'd-left-counting': dLeft,
  cuckoo,
  'binary-fuse': binaryFuse,
  ribbon,
  exact,
  bloomier,
  iblt,
  'bit-array': bitArray,
};

/** Runs the deep check of a container, for which codeExpected returned 'DEEP'. Returns true if it finds a fault. */
export function deepFault(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const type = (Object.keys(TYPE_IDS) as TypeName[]).find((name) => TYPE_IDS[name] === bytes[10]);
  return checks[type as TypeName](bytes, {
    scheme: bytes[11] as number,
    seed: view.getBigUint64(16, true),
    capacity: view.getBigUint64(32, true),
    count: view.getBigUint64(40, true),
  });
}
