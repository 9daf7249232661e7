// seiflotfy/cuckoofilter of Go: buckets of four bytes, a fingerprint each, and nothing else. ScalableCuckooFilter: the
// same of each layer, in a message of encoding/gob.

import { flag, oneOf, readOptions } from '../core/options.js';
import {
  type Binary,
  type Codec,
  type DecodeOptions,
  decodeReaders,
  ForeignReader,
} from './codec.js';
import { type ForeignFilter, type ForeignLayer, makeForeign } from './foreign-filter.js';

/** Options of `goCuckoo.decode`. */
export interface GoCuckooOptions extends DecodeOptions {
  /**
   * The month from which on the module's version made such filters: `'2020-10'`, the default, or `'2018-01'` for those
   * before it. The bytes do not tell: read by the wrong rule 97 % of the members are missed.
   */
  readonly since?: '2020-10' | '2018-01';
  /** Whether the bytes are of `ScalableCuckooFilter`; default false. */
  readonly scalable?: boolean;
}

const format = 'go-cuckoo';
const bucketSlots = 4;

/** The layer of a table. Throws CORRUPT where the number of its buckets is no power of two. */
function layerOf(reader: ForeignReader, offset: number, bytes: number): ForeignLayer {
  const size = bytes / bucketSlots;
  if (!Number.isInteger(size) || (size & (size - 1)) !== 0 || size === 0) {
    throw reader.corrupt(`a table of ${bytes} bytes is no power of two of buckets`);
  }
  return { size, offset, step: bucketSlots };
}

/** An unsigned number of encoding/gob: below 128 a byte, else how many bytes it has, negated, and these bytes. */
function readUint(reader: ForeignReader): number {
  const first = reader.u8();
  if (first < 128) return first;
  const size = 256 - first;
  if (size > 8) throw reader.corrupt(`a number has ${size} bytes`);
  let value = 0n;
  for (const byte of reader.take(size)) value = (value << 8n) | BigInt(byte);
  // What is larger is over every limit.
  return Number(value);
}

/** The tables of the one value in a stream of encoding/gob, whose definitions of types are skipped. */
function readGob(reader: ForeignReader): ForeignLayer[] {
  for (;;) {
    const length = readUint(reader);
    reader.checkLimit(reader.at + length);
    const end = reader.at + length;
    if (length > reader.left) throw reader.truncated(`a message has ${length} bytes`);
    // A signed number: its lowest bit says whether it is negative, which a definition is.
    if (readUint(reader) % 2 === 1) {
      reader.take(Math.max(0, end - reader.at));
      continue;
    }
    const layers: ForeignLayer[] = [];
    for (let field = 0; ; ) {
      const step = readUint(reader);
      if (step === 0) break;
      field += step;
      if (field === 1) {
        for (let left = readUint(reader); left > 0; left--) {
          const bytes = readUint(reader);
          reader.checkLimit(reader.at + bytes);
          layers.push(layerOf(reader, reader.at, bytes));
          reader.take(bytes);
        }
      } else if (field === 2) {
        readUint(reader); // how full a layer may be
      } else {
        throw reader.unsupported(`the value has a field ${field}; two are known here`);
      }
    }
    if (reader.at !== end) throw reader.corrupt('a message is not as long as it says');
    reader.expect(0);
    if (layers.length === 0) throw reader.corrupt('it has no table');
    return layers;
  }
}

/**
 * What `Encode()` of Go's seiflotfy/cuckoofilter gives. Bytes are keys as they are, and strings as their UTF-8. The
 * bytes say nothing of themselves: a file that was cut to half is a filter too, and so is one of another hash. Look up
 * a key that must be in.
 *
 * @example
 * import { goCuckoo } from 'tamis/interop';
 * // Four buckets; Go put the key 'hello' into the last.
 * const bytes = new Uint8Array(16).fill(132, 12);
 * goCuckoo.decode(bytes).has('hello'); // => true
 * goCuckoo.decode(bytes, { since: '2018-01' }).has('hello'); // => false
 */
export const goCuckoo: Codec<Binary, ForeignFilter, GoCuckooOptions> =
  /* @__PURE__ */ Object.freeze({
    name: format,

    decode(data: Binary, options?: GoCuckooOptions): ForeignFilter {
      const since = oneOf(['2020-10', '2018-01'] as const);
      const readers = { ...decodeReaders(), since, scalable: flag };
      const given = readOptions(options, readers, `${format}.decode`);
      const reader = new ForeignReader(format, data, given.maxBytes);
      const { bytes } = reader;
      if (bytes.length === 0) throw reader.truncated('there is no byte');
      const layers = given.scalable ? readGob(reader) : [layerOf(reader, 0, bytes.length)];
      const rule = given.since === '2018-01' ? 'go-cuckoo-2018' : 'go-cuckoo';
      return makeForeign({ format, rule, layers }, bytes.length, [bytes]);
    },
  });
