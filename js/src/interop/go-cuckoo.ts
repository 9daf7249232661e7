// seiflotfy/cuckoofilter of Go: buckets of four bytes, each a fingerprint, and nothing else. ScalableCuckooFilter has
// these buckets of each layer in a message of encoding/gob.

import { flag, oneOf } from '../core/options.js';
import { type Binary, type Codec, type DecodeOptions, ForeignReader, readDecode } from './codec.js';
import { type ForeignFilter, type ForeignLayer, makeForeign } from './foreign-filter.js';

/** The options of `goCuckoo.decode`. */
export interface GoCuckooOptions extends DecodeOptions {
  /**
   * The first version of the module that made such filters, by its date: `'2020-10'`, the default, or `'2018-01'` for
   * older ones. The bytes do not tell. With the wrong rule, 97 % of the keys are not found.
   */
  readonly since?: '2020-10' | '2018-01';
  /** True if the bytes are of `ScalableCuckooFilter`; default false. */
  readonly scalable?: boolean;
}

const format = 'go-cuckoo';
const bucketSlots = 4;

/** The layer of a table of some bytes. Throws ERR_TAMIS_CORRUPT unless the number of its buckets is a power of two. */
function layerOf(reader: ForeignReader, offset: number, bytes: number): ForeignLayer {
  const buckets = bytes / bucketSlots; // a slot has one byte
  if (!Number.isInteger(buckets) || (buckets & (buckets - 1)) !== 0 || buckets === 0) {
    throw reader.corrupt(`a table of ${bytes} bytes is no power of two of buckets`);
  }
  return { size: buckets, offset, step: bucketSlots };
}

/** Reads an unsigned number of encoding/gob: a byte below 128, or else the negated number of bytes, and these bytes. */
function readUint(reader: ForeignReader): number {
  const first = reader.u8();
  if (first < 128) return first;
  const size = 256 - first;
  if (size > 8) throw reader.corrupt(`a number has ${size} bytes`);
  let value = 0n;
  for (const byte of reader.take(size)) value = (value << 8n) | BigInt(byte);
  // From 2^53 on the number is rounded, but still above every limit.
  return Number(value);
}

/** Skips the type definitions in a stream of encoding/gob, and the value's type id. Returns the value's end. */
function skipTypes(reader: ForeignReader): number {
  for (;;) {
    const length = readUint(reader);
    const end = reader.at + length;
    reader.checkLimit(end);
    if (length > reader.left) throw reader.truncated(`a message has ${length} bytes`);
    // The id is a signed number, whose lowest bit is the sign. Definitions of types have negative ids.
    if (readUint(reader) % 2 === 0) return end;
    reader.take(Math.max(0, end - reader.at));
  }
}

/** Reads the tables in a gob stream of one struct. A field begins with its number less the last one; 0 is the end. */
function readGob(reader: ForeignReader): ForeignLayer[] {
  const end = skipTypes(reader);
  const layers: ForeignLayer[] = [];
  let field = 0;
  for (let step = readUint(reader); step !== 0; step = readUint(reader)) {
    field += step;
    if (field > 2) throw reader.unsupported(`the value has a field ${field}; two are known here`);
    const value = readUint(reader); // of field 1: the number of tables; of field 2: the highest load of a layer
    if (field === 2) continue;
    for (let table = 0; table < value; table++) {
      const bytes = readUint(reader);
      reader.checkLimit(reader.at + bytes);
      layers.push(layerOf(reader, reader.at, bytes));
      reader.take(bytes);
    }
  }
  if (reader.at !== end) throw reader.corrupt('a message is not as long as it says');
  reader.expect(0);
  if (layers.length === 0) throw reader.corrupt('it has no table');
  return layers;
}

/**
 * Files of `Encode()` of Go's seiflotfy/cuckoofilter. Bytes are keys as they are, and strings as their UTF-8.
 *
 * The bytes have no checksum and no header: a file cut to half is a valid filter too, and so is one of another hash.
 * So look up a key that must be in.
 *
 * @example
 * import { goCuckoo } from 'tamis/interop';
 * // There are four buckets; Go put the key 'hello' into the last.
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
      if (bytes.length === 0) throw reader.truncated('there is no byte');
      const layers = checked.scalable ? readGob(reader) : [layerOf(reader, 0, bytes.length)];
      const rule = checked.since === '2018-01' ? 'go-cuckoo-2018' : 'go-cuckoo';
      return makeForeign({ format, rule, layers }, [bytes]);
    },
  });
