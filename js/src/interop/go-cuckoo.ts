// The file of Go's seiflotfy/cuckoofilter: buckets of four fingerprints, one byte each, and nothing else. A file of
// ScalableCuckooFilter is a message of encoding/gob with such buckets for each layer.

import { flag, oneOf } from '../core/options.js';
import { type Binary, type Codec, type DecodeOptions, ForeignReader, readDecode } from './codec.js';
import { type ForeignFilter, type ForeignLayer, makeForeign } from './foreign-filter.js';

/** The options of `goCuckoo.decode`. */
export interface GoCuckooOptions extends DecodeOptions {
  /**
   * Which version of the module wrote the file: `'2020-10'`, the default, for versions from October 2020 on, or
   * `'2018-01'` for older ones. The bytes do not show it. With the wrong value, 97 % of the keys are not found.
   */
  readonly since?: '2020-10' | '2018-01';
  /** True if a `ScalableCuckooFilter` wrote the bytes; default false. */
  readonly scalable?: boolean;
}

const format = 'go-cuckoo';
const bucketSlots = 4;

/** Describes a table of `bytes` bytes. Throws ERR_TAMIS_CORRUPT unless the number of its buckets is a power of two. */
function layerOf(reader: ForeignReader, offset: number, bytes: number): ForeignLayer {
  const buckets = bytes / bucketSlots; // a slot has one byte
  if (!Number.isInteger(buckets) || (buckets & (buckets - 1)) !== 0 || buckets === 0) {
    throw reader.corrupt(`a table has ${bytes} bytes, not 4 times a power of two`);
  }
  return { size: buckets, offset, step: bucketSlots };
}

/** Reads an unsigned number of encoding/gob: one byte below 128, or the negated number of bytes and then the bytes. */
function readUint(reader: ForeignReader): number {
  const first = reader.u8();
  if (first < 128) return first;
  const size = 256 - first;
  if (size > 8) throw reader.corrupt(`a number has ${size} bytes`);
  let value = 0n;
  for (const byte of reader.take(size)) value = (value << 8n) | BigInt(byte);
  // From 2^53 on the number is rounded, which does no harm: it still exceeds every limit.
  return Number(value);
}

/** Skips the type definitions of a gob stream, and the value's type id. Returns the end of the value. */
function skipTypes(reader: ForeignReader): number {
  for (;;) {
    const length = readUint(reader);
    const end = reader.at + length;
    reader.checkLimit(end);
    if (length > reader.left) throw reader.truncated(`a message has ${length} bytes`);
    // The lowest bit of an id is its sign. Type definitions have negative ids.
    if (readUint(reader) % 2 === 0) return end;
    reader.take(Math.max(0, end - reader.at));
  }
}

/** Reads the tables in a gob stream of one struct. A field begins with its number less the previous one; 0 ends. */
function readGob(reader: ForeignReader): ForeignLayer[] {
  const end = skipTypes(reader);
  const layers: ForeignLayer[] = [];
  let field = 0;
  for (let step = readUint(reader); step !== 0; step = readUint(reader)) {
    field += step;
    if (field > 2) throw reader.unsupported(`unknown field ${field} in the value`);
    const value = readUint(reader); // in field 1 the number of tables, in field 2 the highest load of a layer
    if (field === 2) continue;
    for (let table = 0; table < value; table++) {
      const bytes = readUint(reader);
      reader.checkLimit(reader.at + bytes);
      layers.push(layerOf(reader, reader.at, bytes));
      reader.take(bytes);
    }
  }
  if (reader.at !== end) throw reader.corrupt('a message has another length than it states');
  reader.expect(0);
  if (layers.length === 0) throw reader.corrupt('it has no tables');
  return layers;
}

/**
 * Reads files that `Encode()` of Go's seiflotfy/cuckoofilter wrote. Keys are bytes, unchanged, and strings as UTF-8.
 *
 * A file has no checksum and no header. So half of a file is a valid filter too, and so is a file written with another
 * hash. After decoding, look up a key that you know is in the filter.
 *
 * @example
 * import { goCuckoo } from 'tamis/interop';
 * // There are four buckets; the last one is full of the fingerprint of 'hello'.
 * const bytes = new Uint8Array(16).fill(132, 12);
 * goCuckoo.decode(bytes).has('hello'); // => true
 * goCuckoo.decode(bytes, { since: '2018-01' }).has('hello'); // => false
 */
export const goCuckoo: Codec<Binary, ForeignFilter, GoCuckooOptions> =
  /* @__PURE__ */ Object.freeze({
    name: format,

    decode(data: Binary, options?: GoCuckooOptions): ForeignFilter {
      const since = oneOf(['2020-10', '2018-01'] as const);
      const checked = readDecode(format, options, { since, scalable: flag });
      const reader = new ForeignReader(format, data, checked.maxBytes);
      const { bytes } = reader;
      if (bytes.length === 0) throw reader.truncated('it has 0 bytes');
      const layers = checked.scalable ? readGob(reader) : [layerOf(reader, 0, bytes.length)];
      const rule = checked.since === '2018-01' ? 'go-cuckoo-2018' : 'go-cuckoo';
      return makeForeign({ format, rule, layers }, [bytes]);
    },
  });
