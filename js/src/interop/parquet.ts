// Parquet's split-block Bloom filter: BloomFilterHeader in Thrift's compact protocol, then the blocks.

import { joinBytes } from '../core/signed/bytes.js';
import type { BlockedBloomFilter } from '../filters/blocked-bloom.js';
import { parquet as scheme } from '../schemes/parquet.js';
import { adoptBlocks, bitsOf } from './adopt.js';
import {
  type Binary,
  type Codec,
  type CreateOptions,
  type Creator,
  checkFilter,
  type Encoder,
  ForeignReader,
  maxBytesOf,
} from './codec.js';
import { parquetSize, readCreate } from './sizing.js';

const format = 'parquet';

/** The type numbers of Thrift's compact protocol. */
const i32Type = 5;
const structType = 12;

/** The names of a header's fields, by id; no field has the id 0. All but the size are choices (Thrift's unions). */
const fieldNames = ['', 'size', 'algorithm', 'hash', 'compression'];

/** The headers that differ from the usual form, by filter. */
const headers = /* @__PURE__ */ new WeakMap<BlockedBloomFilter, Uint8Array<ArrayBuffer>>();

/** Reads a zigzag varint of at most 32 bits: 7 bits per byte, the lowest first. The number's lowest bit is its sign. */
function readSigned(reader: ForeignReader): number {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = reader.u8();
    value += (byte & 127) * 2 ** shift;
    if (byte >= 128) continue; // another byte follows
    if (value >= 2 ** 32) break;
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
  throw reader.corrupt('a number in its header has more than 32 bits');
}

/** Reads the id and type of the next field; `last` is the previous id. Returns undefined at the end of a struct. */
function readField(reader: ForeignReader, last: number): { id: number; type: number } | undefined {
  const byte = reader.u8();
  if (byte === 0) return undefined;
  const delta = byte >> 4; // the distance from the last id; 0 if the id itself follows
  return { id: delta === 0 ? readSigned(reader) : last + delta, type: byte & 15 };
}

/** Checks a choice (a union of structs). It must be the struct with id 1, the only one so far, which has no fields. */
function checkChoice(reader: ForeignReader, name: string): void {
  const member = readField(reader, 0);
  if (member?.type !== structType) throw reader.corrupt(`its ${name} is not a union`);
  if (member.id !== 1) throw reader.unsupported(`its ${name} is unknown`);
  // The first 0 ends the member, and the second ends the choice.
  if (reader.u8() !== 0 || reader.u8() !== 0) throw reader.corrupt(`its ${name} has two values`);
}

/** Reads the header, and returns the number of bytes behind it. */
function readHeader(reader: ForeignReader): number {
  const seen = new Set<number>();
  let size = 0;
  for (let field = readField(reader, 0); field; field = readField(reader, field.id)) {
    const { id, type } = field;
    const name = fieldNames[id];
    if (name === undefined) throw reader.unsupported(`its header has an unknown field ${id}`);
    if (id === 0 || seen.has(id) || type !== (id === 1 ? i32Type : structType)) {
      throw reader.corrupt(`its header has a wrong field ${id} of type ${type}`);
    }
    if (id === 1) size = readSigned(reader);
    else checkChoice(reader, name);
    seen.add(id);
  }
  if (seen.size < 4) throw reader.corrupt('its header lacks a field');
  return size;
}

/** The header as every current program writes it. */
function headerOf(size: number): Uint8Array<ArrayBuffer> {
  // The first byte of a field is the difference between its id and the previous one, here 1, and its type.
  const bytes = [0x10 | i32Type];
  let value = 2 * size; // in a zigzag varint the lowest bit is the sign
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  const choice = [0x10 | structType, 0x10 | structType, 0, 0]; // the first 0 ends the member, the second the choice
  return Uint8Array.of(...bytes, value, ...choice, ...choice, ...choice, 0);
}

/** True for the header that parquet-mr wrote before the format was final: u32le size, u32 0 (murmur3), u32 0. */
function isWithdrawn({ bytes }: ForeignReader): boolean {
  if (bytes.length < 12) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const [size = 0, hash, algorithm] = [0, 4, 8].map((at) => view.getUint32(at, true));
  return size !== 0 && size % 32 === 0 && hash === 0 && algorithm === 0;
}

/**
 * Reads and writes the Bloom filter of a column chunk of Apache Parquet, with its header.
 *
 * Pass the `bloom_filter_length` bytes that begin at `bloom_filter_offset`. A key is the plain encoding of a value
 * without its length; for numbers see `encodings`. `create` chooses the size of parquet-java.
 *
 * @example
 * import { withFunnel } from 'tamis';
 * import { encodings, parquet } from 'tamis/interop';
 * const filter = parquet.create({ capacity: 1000, fpr: 0.01 });
 * withFunnel(filter, encodings.INT32).add(7);
 * const bytes = parquet.encode(filter);
 * bytes.length; // => 2064
 * withFunnel(parquet.decode(bytes), encodings.INT32).has(7); // => true
 */
export const parquet: Codec<Binary, BlockedBloomFilter> &
  Encoder<BlockedBloomFilter, Uint8Array<ArrayBuffer>> &
  Creator<CreateOptions, BlockedBloomFilter> = /* @__PURE__ */ Object.freeze({
  name: format,

  decode(data: Binary, options?: object): BlockedBloomFilter {
    const reader = new ForeignReader(format, data, maxBytesOf(options, format));
    if (isWithdrawn(reader)) {
      throw reader.unsupported(
        'its header has a withdrawn format, with another hash; write the file again',
      );
    }
    const size = readHeader(reader);
    if (size <= 0 || size % 32 !== 0) throw reader.corrupt(`wrong size of blocks: ${size} bytes`);
    const header = reader.bytes.slice(0, reader.at);
    const filter = adoptBlocks(reader.rest(size), scheme);
    if (header.join() !== headerOf(size).join()) headers.set(filter, header); // for `encode`
    return filter;
  },

  encode(filter: BlockedBloomFilter): Uint8Array<ArrayBuffer> {
    checkFilter(format, filter, 'blocked-bloom', ['parquet']);
    const blocks = bitsOf(filter);
    return joinBytes([headers.get(filter) ?? headerOf(blocks.length), blocks]);
  },

  create(options: CreateOptions): BlockedBloomFilter {
    const { capacity, fpr } = readCreate(format, options, {});
    return adoptBlocks(new Uint8Array(parquetSize(capacity, fpr)), scheme);
  },
});
