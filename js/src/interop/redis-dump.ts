// Reads dumps of BF.SCANDUMP and CF.SCANDUMP: a header, then the tables in chunks of at most 16 MiB.

import { mustBe, typeError } from '../core/errors.js';
import { type Binary, ForeignReader, refusal } from './codec.js';

/** One reply of SCANDUMP, for LOADCHUNK. Node's clients may return the iterator as a decimal string. */
export type RedisChunk = readonly [iterator: number | bigint | string, data: Binary];

/** A dump: the replies of SCANDUMP in order, or their bytes joined. */
export type RedisDump = readonly RedisChunk[] | Binary;

/** A chunk for `LOADCHUNK key iterator data`. */
export type LoadChunk = [iterator: number, data: Uint8Array<ArrayBuffer>];

const mostChunkBytes = 2 ** 24;
const chunksWanted = 'an array of [iterator, bytes], or one Uint8Array of all';

function iteratorOf(value: unknown, format: string): number {
  const isText = typeof value === 'string' && /^\d{1,20}$/.test(value);
  if (isText || typeof value === 'number' || typeof value === 'bigint') return Number(value);
  throw mustBe('a whole number', `${format}: iterator`, value);
}

/** True if the bytes contain U+FFFD, which a UTF-8 decoder writes in place of invalid bytes. */
const hasReplacement = (bytes: Uint8Array): boolean =>
  bytes.some((byte, i) => byte === 0xef && bytes[i + 1] === 0xbf && bytes[i + 2] === 0xbd);

const wasText =
  'the Redis client decoded it as text; ' +
  'ask for bytes: callBuffer of ioredis, or a type mapping of node-redis';

export class DumpReader extends ForeignReader {
  /** The chunks with the tables; undefined if the dump came as joined bytes. */
  readonly #chunks: readonly Uint8Array[] | undefined;

  /** Throws TypeError, ERR_TAMIS_TOO_LARGE, ERR_TAMIS_CORRUPT if a chunk is missing, ERR_TAMIS_TRUNCATED if all are. */
  constructor(format: string, data: unknown, maxBytes?: number) {
    if (!Array.isArray(data)) {
      super(format, data, maxBytes);
      return;
    }
    const pieces: Uint8Array[] = [];
    // A chunk's iterator is 1 plus the chunk's end in the tables. The first chunk is the header, with the iterator 1.
    let end = 1;
    for (const [i, entry] of data.entries()) {
      if (!Array.isArray(entry) || entry.length !== 2) {
        throw mustBe(chunksWanted, `${format}: chunks`, entry);
      }
      const iterator = iteratorOf(entry[0], format);
      // The last reply of SCANDUMP has the iterator 0 and no bytes.
      if (iterator === 0 && i === data.length - 1 && !entry[1]?.length) break;
      if (typeof entry[1] === 'string') throw typeError(`${format}: chunk ${i}: ${wasText}`);
      const piece = new ForeignReader(format, entry[1], maxBytes).bytes;
      if (i > 0) end += piece.length;
      if (iterator !== end) {
        const why = hasReplacement(piece) ? wasText : 'a chunk is missing, or out of order';
        const detail = `chunk ${i} has the iterator ${iterator}, expected ${end}; ${why}`;
        throw refusal('ERR_TAMIS_CORRUPT', format, detail);
      }
      pieces.push(piece);
    }
    const [header, ...chunks] = pieces;
    if (header === undefined) {
      const detail = 'no chunks; SCANDUMP returns none for a missing key or empty cuckoo filter';
      throw refusal('ERR_TAMIS_TRUNCATED', format, detail);
    }
    super(format, header, maxBytes);
    this.#chunks = chunks;
    this.checkLimit(header.length + end - 1);
  }

  /** True if the header is a chunk of its own, so that its length is known. */
  get isSplit(): boolean {
    return this.#chunks !== undefined;
  }

  /** Returns the tables. Throws ERR_TAMIS_UNSUPPORTED, or the errors of `expect` if their size differs. */
  tables(size: bigint): readonly Uint8Array[] {
    if (this.#chunks === undefined) return [this.rest(size)];
    if (this.left > 0) throw this.unsupported(`its header has ${this.left} bytes too many`);
    this.checkLimit(BigInt(this.at) + size);
    const received = this.#chunks.reduce((sum, { length }) => sum + BigInt(length), 0n);
    if (received < size) throw this.truncated(`got ${received} of ${size} bytes of tables`);
    if (received > size) throw this.corrupt(`${received - size} bytes too many`);
    return this.#chunks;
  }
}

/** Splits a file into chunks of a dump: the header, then tables of these sizes. No chunk spans two tables. */
export function cutDump(
  file: Uint8Array<ArrayBuffer>,
  headerBytes: number,
  sizes: readonly (number | bigint)[],
): LoadChunk[] {
  const chunks: LoadChunk[] = [[1, file.slice(0, headerBytes)]];
  let at = headerBytes;
  for (const size of sizes) {
    const end = at + Number(size);
    while (at < end) {
      const from = at;
      at = Math.min(end, from + mostChunkBytes);
      chunks.push([1 + at - headerBytes, file.slice(from, at)]); // the iterator is 1 plus the chunk's end in the tables
    }
  }
  return chunks;
}

/** True if any bit is set. Uses a loop, because `some` takes several times as long, and a table may have megabytes. */
export function hasBit(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== 0) return true;
  return false;
}

/** The fields of one layer in a Bloom filter's header. */
export type BloomLayer = Readonly<ReturnType<typeof readBloomLayer>>;

/** The sizes in bytes: of a Bloom filter's header before its layers, of one layer in it, and of a whole header. */
export const bloomHeaderBytes = 20;
export const bloomLayerBytes = 53;
export const headerBytesOf = (layers: number) => bloomHeaderBytes + bloomLayerBytes * layers;

export function readBloomLayer(reader: ForeignReader) {
  const layer = {
    bytes: reader.u64le(),
    bits: reader.u64le(),
    keys: reader.u64le(),
    error: reader.f64le(),
    bitsPerKey: reader.f64le(),
    hashes: reader.u32le(),
  };
  reader.take(8); // the capacity
  return { ...layer, log2Bits: reader.u8() };
}

export const cuckooHeaderBytes = 38;
export type CuckooHeader = Readonly<ReturnType<typeof readCuckooHeader>>;

export function readCuckooHeader(reader: ForeignReader) {
  const keys = reader.u64le();
  const buckets = reader.u64le();
  reader.u64le(); // the number of deleted keys
  const tables = reader.u64le();
  const bucketSize = reader.u16le();
  reader.u16le(); // the maximum number of moves in an insertion
  return { keys, buckets, tables, bucketSize, expansion: reader.u16le() };
}

const isPowerOfTwo = (n: bigint): boolean => n > 0n && (n & (n - 1n)) === 0n;

/** Describes the fault in a header; undefined if it is valid. */
export function faultOfCuckoo(header: CuckooHeader): string | undefined {
  const { buckets, tables, bucketSize, expansion } = header;
  if (!isPowerOfTwo(buckets)) return `${buckets} buckets are not a power of two`;
  // RedisBloom counts its tables in 16 bits.
  if (tables < 1n || tables > 0xffffn) return `it has ${tables} tables`;
  if (bucketSize < 1 || bucketSize > 255) return `a bucket has ${bucketSize} slots`;
  const cannotGrow = expansion === 0 && tables === 1n;
  if (!cannotGrow && !isPowerOfTwo(BigInt(expansion))) {
    return `the expansion ${expansion} is not a power of two`;
  }
  return undefined;
}

/** The size of each table in bytes. The list ends once the sum is above 2^32, which no filter exceeds. */
export function sizesOfCuckoo(header: CuckooHeader): readonly bigint[] {
  const { buckets, tables, bucketSize, expansion } = header;
  const sizes: bigint[] = [];
  let size = buckets * BigInt(bucketSize);
  for (let sum = 0n; sizes.length < tables && sum <= 2n ** 32n; size *= BigInt(expansion)) {
    sizes.push(size);
    sum += size;
  }
  return sizes;
}

/** Reads a cuckoo filter's header without moving `dump.at`; undefined if the dump does not begin with one. */
function cuckooHeaderIn({ bytes, format }: DumpReader): CuckooHeader | undefined {
  if (bytes.length < cuckooHeaderBytes) return undefined;
  const header = readCuckooHeader(new ForeignReader(format, bytes, bytes.length));
  return faultOfCuckoo(header) === undefined ? header : undefined;
}

/** True for a complete dump of CF.SCANDUMP, or its header alone. */
export function looksLikeCuckoo(dump: DumpReader): boolean {
  const { length } = dump.bytes;
  const header = cuckooHeaderIn(dump);
  if (header === undefined) return false;
  if (dump.isSplit) return length === cuckooHeaderBytes;
  const tableBytes = sizesOfCuckoo(header).reduce((sum, size) => sum + size, 0n);
  return BigInt(length - cuckooHeaderBytes) === tableBytes;
}

/** True for a complete dump of BF.SCANDUMP, or its header alone. */
export function looksLikeBloom({ bytes, isSplit, format }: DumpReader): boolean {
  if (bytes.length < headerBytesOf(1)) return false;
  const reader = new ForeignReader(format, bytes, bytes.length);
  reader.take(8); // the number of keys
  const count = reader.u32le();
  reader.take(8); // the options and the growth
  const left = bytes.length - headerBytesOf(count);
  if (isSplit) return left === 0;
  if (left <= 0) return false;
  let tableBytes = 0n;
  for (let i = 0; i < count; i++) tableBytes += readBloomLayer(reader).bytes;
  return tableBytes === BigInt(left);
}

/** True for dumps of Dragonfly. Their header, a chunk or joined to the data, has a u32 version and an f64 growth. */
export function looksLikeDragonfly(dump: DumpReader): boolean {
  const { bytes, isSplit } = dump;
  if (isSplit ? bytes.length !== 12 : bytes.length < 12) return false;
  // A cuckoo dump with one key and 2^30 buckets begins with the same bytes.
  if (cuckooHeaderIn(dump) !== undefined) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const growth = view.getFloat64(4, true);
  return view.getUint32(0, true) === 1 && growth >= 1 && growth <= 2 ** 16;
}
