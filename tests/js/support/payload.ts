/**
 * Reads the payloads of the Bloom family by the tables of cpp/FORMAT.md, and computes the exact rates of their content.
 */

const HEADER = 64;
const LANES = 8;

const popcount = (word: number): number => {
  let bits = 0;
  for (let rest = word >>> 0; rest !== 0; rest = (rest & (rest - 1)) >>> 0) bits++;
  return bits;
};

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The bytes as 32-bit words. */
function words(bytes: Uint8Array): Uint32Array {
  const view = viewOf(bytes);
  return Uint32Array.from({ length: bytes.length / 4 }, (_, i) => view.getUint32(4 * i, true));
}

const bitsSet = (all: Uint32Array): number => all.reduce((sum, word) => sum + popcount(word), 0);

/** A Bloom filter inside a payload. Split blocks have no number of hashes. */
interface Part {
  readonly bits: number;
  readonly capacity: number;
  readonly count: number;
  readonly hashes: number;
  readonly words: Uint32Array;
}

/** The offset of the parts' records, and the number of parts. */
function partsAt(bytes: Uint8Array): readonly [offset: number, parts: number] {
  const view = viewOf(bytes);
  if (bytes[10] === 4) return [HEADER, 2];
  if (bytes[10] === 6) return [HEADER + 24, view.getUint32(HEADER + 4, true)];
  return [HEADER + 32, view.getUint32(HEADER, true)];
}

/** The parts of a tombstone, scalable or rotating filter. */
function partsOf(bytes: Uint8Array): Part[] {
  const view = viewOf(bytes);
  const [records, size] = partsAt(bytes);
  const number = (at: number): number => Number(view.getBigUint64(at, true));
  let data = records + 32 * size;
  return Array.from({ length: size }, (_, i) => {
    const at = records + 32 * i;
    const bits = number(at);
    const end = data + 8 * Math.ceil(bits / 64);
    const part = {
      bits,
      capacity: number(at + 8),
      count: number(at + 16),
      hashes: view.getUint32(at + 24, true),
      words: words(bytes.subarray(data, end)),
    };
    data = end;
    return part;
  });
}

/** For each block the product of the shares of set bits in its lanes, averaged over all blocks. */
function blocksRate(lanes: Uint32Array): number {
  let sum = 0;
  for (let block = 0; block < lanes.length; block += LANES) {
    let product = 1;
    for (let lane = 0; lane < LANES; lane++) {
      product *= popcount(lanes[block + lane] as number) / 32;
    }
    sum += product;
  }
  return (sum * LANES) / lanes.length;
}

const partRate = ({ bits, hashes, words: all }: Part): number =>
  hashes === 0 ? blocksRate(all) : (bitsSet(all) / bits) ** hashes;

/** The rate of a bloom or deletable-bloom filter. */
export function bloomRate(bytes: Uint8Array): number {
  const view = viewOf(bytes);
  const bits = Number(view.getBigUint64(HEADER, true));
  const hashes = view.getUint32(HEADER + 8, true);
  const start = HEADER + (bytes[10] === 1 ? 16 : 24);
  const array = bytes.subarray(start, start + 8 * Math.ceil(bits / 64));
  return (bitsSet(words(array)) / bits) ** hashes;
}

export const splitBlockRate = (bytes: Uint8Array): number =>
  blocksRate(words(bytes.subarray(HEADER + 8)));

/** Reads `size` fields of `width` bits each, bit by bit. */
function fields(data: Uint8Array, size: number, width: number): number[] {
  return Array.from({ length: size }, (_, i) => {
    let value = 0;
    for (let bit = width - 1; bit >= 0; bit--) {
      const at = i * width + bit;
      value = 2 * value + (((data[at >> 3] as number) >> (at & 7)) & 1);
    }
    return value;
  });
}

/** The counters of a counting filter. */
export function countersOf(bytes: Uint8Array): number[] {
  const view = viewOf(bytes);
  const size = Number(view.getBigUint64(HEADER, true));
  return fields(bytes.subarray(HEADER + 16), size, view.getUint32(HEADER + 12, true));
}

/** The cells of a d-left filter in buckets of eight. A cell is two bits of counter above a remainder. */
function dLeftCells(bytes: Uint8Array): { counter: number; remainder: number }[] {
  const view = viewOf(bytes);
  const cells = 32 * Number(view.getBigUint64(HEADER, true));
  const bits = view.getUint32(HEADER + 8, true);
  return fields(bytes.subarray(HEADER + 16), cells, bits + 2).map((cell) => ({
    counter: Math.floor(cell / 2 ** bits),
    remainder: cell % 2 ** bits,
  }));
}

/** The share of all fingerprints (bucket and remainder) that the filter contains. */
export function dLeftRate(bytes: Uint8Array): number {
  const cells = dLeftCells(bytes);
  const used = cells.filter(({ counter }) => counter > 0).length;
  const bits = viewOf(bytes).getUint32(HEADER + 8, true);
  return used / ((cells.length / 32) * 2 ** bits);
}

export interface CuckooTable {
  readonly buckets: number;
  readonly bucketSize: number;
  readonly fingerprintBits: number;
  /** The fingerprints of all slots; 0 for an empty slot. */
  readonly slots: readonly number[];
}

export function cuckooTable(bytes: Uint8Array): CuckooTable {
  const view = viewOf(bytes);
  const [buckets, bucketSize, fingerprintBits] = [0, 4, 8].map((at) =>
    view.getUint32(HEADER + at, true),
  ) as [number, number, number];
  const slots = fields(bytes.subarray(HEADER + 16), buckets * bucketSize, fingerprintBits);
  return { buckets, bucketSize, fingerprintBits, slots };
}

/** The other bucket of a fingerprint: r - bucket modulo the number of buckets, where r is odd and depends on it. */
function cuckooPartner(table: CuckooTable, bucket: number, fingerprint: number): number {
  const word = (value: bigint): bigint => BigInt.asUintN(64, value);
  let noise = word(BigInt(fingerprint) * 0x94d049bb133111ebn);
  noise = word((noise ^ (noise >> 32n)) * 0xc4ceb9fe1a85ec53n);
  const spread = ((BigInt(fingerprint) << 32n) | (noise >> 32n)) >> BigInt(table.fingerprintBits);
  const odd = 2n * ((spread * BigInt(table.buckets / 2)) >> 32n) + 1n;
  return (Number(odd) - bucket + table.buckets) % table.buckets;
}

/** The share of all combinations of fingerprint and pair of buckets that the filter contains. */
export function cuckooRate(bytes: Uint8Array): number {
  const table = cuckooTable(bytes);
  const held = new Set<number>();
  for (const [i, fingerprint] of table.slots.entries()) {
    if (fingerprint === 0) continue;
    const bucket = Math.floor(i / table.bucketSize);
    const other = cuckooPartner(table, bucket, fingerprint);
    held.add(fingerprint * table.buckets + Math.min(bucket, other));
  }
  return (2 * held.size) / (table.buckets * (2 ** table.fingerprintBits - 1));
}

export function countersRate(bytes: Uint8Array): number {
  const counters = countersOf(bytes);
  const used = counters.reduce((sum, counter) => sum + (counter === 0 ? 0 : 1), 0);
  return (used / counters.length) ** viewOf(bytes).getUint32(HEADER + 8, true);
}

/** The rate of a composite with different keys in its parts: 1 - (1 - p) (1 - q) ..., or p (1 - q) for tombstones. */
export function partsRate(bytes: Uint8Array): number {
  const rates = partsOf(bytes).map(partRate);
  if (bytes[10] === 4) return (rates[0] as number) * (1 - (rates[1] as number));
  return 1 - rates.reduce((none, rate) => none * (1 - rate), 1);
}
