// A dump of RedisBloom's BF commands, little-endian: u64 keys, u32 layers, u32 options, u32 growth. Per layer: u64
// bytes, u64 bits, u64 keys, f64 error, f64 bits per key, u32 k, u64 capacity, u8 log2 of the bits. Then all bits.

import { typeError } from '../core/errors.js';
import { flag, integer } from '../core/options.js';
import { BloomFilter } from '../filters/bloom.js';
import { redisbloom } from '../schemes/redisbloom.js';
import { adoptBits, bitsOf } from './adopt.js';
import {
  type Codec,
  type CreateOptions,
  type Creator,
  checkFilter,
  type Encoder,
  ForeignReader,
  maxBytesOf,
  refusal,
} from './codec.js';
import { ForeignFilter, makeForeign } from './foreign-filter.js';
import {
  type BloomLayer,
  bloomHeaderBytes,
  bloomLayerBytes,
  cutDump,
  DumpReader,
  hasBit,
  headerBytesOf,
  type LoadChunk,
  looksLikeCuckoo,
  looksLikeDragonfly,
  type RedisDump,
  readBloomLayer,
} from './redis-dump.js';
import { readCreate, redisHashes, redisSize } from './sizing.js';

/** The options of `redisBloom.create`. */
export interface RedisBloomOptions extends CreateOptions {
  /** True if Redis may add layers when the filter is full; false is like NONSCALING. Default true. */
  readonly scaling?: boolean;
  /** How many times larger the next layer is (EXPANSION); default 2. 0 means no scaling. */
  readonly growth?: number;
}

const format = 'redisbloom';

/** The option flags of a header. 1: bits are not rounded up; 2: sizes in keys; 4: 64-bit hashes; 8: no new layers. */
const noRound = 1;
const force64 = 4;
const noScaling = 8;
const knownOptions = 15;

/** The headers of filters that were read from a dump or made by `create`. */
const headers = /* @__PURE__ */ new WeakMap<BloomFilter, Uint8Array>();

/** Before RedisBloom 2.2.4: the bytes before the layers (the older form has no growth). Capacities have 32 bits. */
const oldHeaderBytes = [bloomHeaderBytes - 4, bloomHeaderBytes];
const oldLayerBytes = bloomLayerBytes - 4;
/** In a current header of one layer, the upper half of the capacity is here; an old header has its last byte here. */
const upperCapacityAt = 68;

/** True for an old header with layers at `layersAt`: each has 8 bits per byte, and the sizes add up to the dump. */
function isOld({ bytes, isSplit }: DumpReader, layersAt: number, layers: number): boolean {
  const headerBytes = layersAt + oldLayerBytes * layers;
  if (isSplit ? bytes.length !== headerBytes : bytes.length <= headerBytes) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  // A current joined dump of one layer that lost its last four bytes has these sizes too. Its capacity is below 2^32,
  // so the upper half is 0.
  if (!isSplit && layersAt === bloomHeaderBytes && layers === 1) {
    if (bytes.length < upperCapacityAt + 4 || view.getUint32(upperCapacityAt) === 0) return false;
  }
  let dumpBytes = BigInt(headerBytes);
  for (let at = layersAt; at < headerBytes; at += oldLayerBytes) {
    const tableBytes = view.getBigUint64(at, true);
    const tableBits = view.getBigUint64(at + 8, true);
    if (tableBits !== 8n * tableBytes) return false;
    dumpBytes += tableBytes;
  }
  return isSplit || dumpBytes === BigInt(bytes.length);
}

/** Checks the header of a layer. Throws ERR_TAMIS_CORRUPT and ERR_TAMIS_UNSUPPORTED. */
function checkLayer(dump: DumpReader, layer: BloomLayer): void {
  const { bytes, bits, error, bitsPerKey, hashes, log2Bits } = layer;
  if (bytes === 0n || bits !== 8n * bytes) {
    throw dump.corrupt(`a layer has ${bits} bits in ${bytes} bytes`);
  }
  dump.checkHashes(hashes);
  if (redisHashes(bitsPerKey) !== hashes) {
    throw dump.corrupt(`${bitsPerKey} bits per key do not give ${hashes} hashes`);
  }
  if (!(error > 0 && error < 1)) throw dump.corrupt(`the rate of a layer is ${error}`);
  if (log2Bits > 63 || 1n << BigInt(log2Bits) > bits) {
    throw dump.corrupt(`2^${log2Bits} exceeds the layer's ${bits} bits`);
  }
}

/** Reads and checks a header: its number of keys and its layers. Afterwards the dump is at its tables. */
function readLayers(dump: DumpReader): { readonly keys: bigint; readonly layers: BloomLayer[] } {
  const keys = dump.u64le();
  const count = dump.u32le();
  if (count === 0) throw dump.corrupt('it has no layers');
  // A header from before 2.2.4 is recognized by its sizes, since no field states the version.
  if (oldHeaderBytes.some((layersAt) => isOld(dump, layersAt, count))) {
    const advice = 'load it into Redis with a newer module, and dump it there';
    throw dump.unsupported(`RedisBloom before 2.2.4 wrote this dump; ${advice}`);
  }
  const options = dump.u32le();
  dump.u32le(); // how many times larger the next layer is
  if (options > knownOptions) throw dump.unsupported(`unknown options ${options}`);
  if ((options & force64) === 0) {
    throw dump.unsupported('its keys are hashed to 32 bits, as RedisBloom did before 2.0');
  }
  const headerBytes = headerBytesOf(count);
  dump.checkLimit(headerBytes);
  if (dump.bytes.length < headerBytes) {
    throw dump.truncated(`a header of ${count} layers needs ${headerBytes} bytes`);
  }
  const layers = Array.from({ length: count }, () => readBloomLayer(dump));
  // This comes before the checks of each layer, so that a size above the limit is reported first.
  dump.checkLimit(layers.reduce((sum, { bytes }) => sum + bytes, BigInt(headerBytes)));
  for (const layer of layers) checkLayer(dump, layer);
  const sum = layers.reduce((all, layer) => all + layer.keys, 0n);
  if (sum !== keys) throw dump.corrupt(`it states ${keys} keys, but its layers ${sum}`);
  return { keys, layers };
}

/** The number of bits that a layer uses: the power of two in the header, or all bits if it has none. */
const usedBitsOf = ({ bits, log2Bits }: BloomLayer): number =>
  log2Bits === 0 ? Number(bits) : 2 ** log2Bits;

/** The bytes from `from` up to `to` of joined pieces, as pieces that are not copied. */
function* slice(pieces: readonly Uint8Array[], from: number, to: number): Generator<Uint8Array> {
  let at = 0;
  for (const piece of pieces) {
    const part = piece.subarray(Math.max(0, from - at), Math.max(0, to - at));
    if (part.length > 0) yield part;
    at += piece.length;
  }
}

/** Makes a filter from one layer, and keeps its header for `encode`. */
function decodeOne(dump: DumpReader, layer: BloomLayer, tables: readonly Uint8Array[]) {
  const bits = usedBitsOf(layer);
  const usedBytes = Math.ceil(bits / 8);
  for (const piece of slice(tables, usedBytes, Number(layer.bytes))) {
    if (hasBit(piece)) throw dump.corrupt(`a bit after the first ${bits} is set`);
  }
  const count = Number(layer.keys);
  if (!Number.isSafeInteger(count)) throw dump.corrupt(`it has ${layer.keys} keys`);
  const about = { scheme: redisbloom, bits, hashes: layer.hashes, count, order: 'lsb' } as const;
  const filter = adoptBits(about, [...slice(tables, 0, usedBytes)]);
  headers.set(filter, dump.bytes.slice(0, headerBytesOf(1)));
  return filter;
}

/** Makes a filter from several layers that contain `count` keys. */
function decodeMany(
  dump: DumpReader,
  layers: readonly BloomLayer[],
  tables: readonly Uint8Array[],
  count: number,
) {
  const header = dump.bytes.subarray(0, headerBytesOf(layers.length));
  let end = 0;
  const places = layers.map((layer) => {
    const from = end;
    end += Number(layer.bytes);
    const isSet = [...slice(tables, from, end)].some(hasBit);
    if (isSet !== layer.keys > 0n)
      throw dump.corrupt(`a layer of ${layer.keys} keys has ${isSet ? '' : 'no '}set bits`);
    return { size: usedBitsOf(layer), offset: header.length + from, step: layer.hashes };
  });
  const shape = { format, rule: 'bloom', count, layers: places } as const;
  return makeForeign(shape, [header, ...tables]);
}

/** Makes a header of one layer for these sizes. `encode` adds the number of keys. */
function headerOf(
  bits: number,
  fields: Record<'options' | 'growth' | 'error' | 'bitsPerKey' | 'hashes' | 'capacity', number>,
): Uint8Array {
  const header = new Uint8Array(headerBytesOf(1));
  const view = new DataView(header.buffer);
  view.setUint32(8, 1, true); // the number of layers
  view.setUint32(12, fields.options, true);
  view.setUint32(16, fields.growth, true);
  view.setBigUint64(20, BigInt(bits / 8), true);
  view.setBigUint64(28, BigInt(bits), true);
  view.setFloat64(44, fields.error, true);
  view.setFloat64(52, fields.bitsPerKey, true);
  view.setUint32(60, fields.hashes, true);
  view.setBigUint64(64, BigInt(fields.capacity), true);
  return header;
}

/**
 * Makes the header of a filter that did not come from a dump. The rate and the bits per key only need to satisfy
 * `decode`: a rate between 0 and 1, and bits that give the same number of hashes. BF.LOADCHUNK checks neither.
 */
function defaultHeader(filter: BloomFilter): Uint8Array {
  const { bits, hashes, capacity, fpr } = filter;
  if (bits % 8 !== 0) {
    const detail = `expected a multiple of 8 bits, got ${bits}`;
    throw refusal('ERR_TAMIS_INCOMPATIBLE', format, detail);
  }
  return headerOf(bits, {
    options: noRound | force64 | noScaling,
    growth: 2,
    error: Math.min(Math.max(fpr, 2 ** -1022), 1 - 2 ** -53),
    bitsPerKey: (hashes - 0.5) / Math.LN2,
    hashes,
    capacity,
  });
}

/** Cuts the dump of a filter of several layers into chunks. */
function encodeForeign(filter: ForeignFilter): LoadChunk[] {
  const bytes = filter.toBytes();
  const reader = new ForeignReader(format, bytes, bytes.length);
  reader.take(8); // the number of keys
  const count = reader.u32le();
  reader.take(8); // the options and the growth
  const sizes = Array.from({ length: count }, () => readBloomLayer(reader).bytes);
  return cutDump(bytes, reader.at, sizes);
}

/**
 * Reads and writes dumps of `BF.SCANDUMP` for `BF.LOADCHUNK`, of RedisBloom from 2.2.4 on and of Redis 8. A dump is an
 * array of `[iterator, bytes]`, or all bytes joined; the client must return bytes, not strings. One layer becomes a
 * `BloomFilter`, several a read-only `ForeignFilter`. For integer keys use `encodings.decimal`. `create` chooses the
 * size of `BF.RESERVE`.
 *
 * @example
 * import { redisBloom } from 'tamis/interop';
 * const filter = redisBloom.create({ capacity: 1000, fpr: 0.01 });
 * filter.add('alice');
 * const chunks = redisBloom.encode(filter);
 * chunks.map(([iterator, bytes]) => [iterator, bytes.length]); // => [[1, 73], [1385, 1384]]
 * redisBloom.decode(chunks).has('alice'); // => true
 */
export const redisBloom: Codec<RedisDump, BloomFilter | ForeignFilter> &
  Encoder<BloomFilter | ForeignFilter, LoadChunk[]> &
  Creator<RedisBloomOptions, BloomFilter> = /* @__PURE__ */ Object.freeze({
  name: format,

  decode(data: RedisDump, options?: object): BloomFilter | ForeignFilter {
    const dump = new DumpReader(format, data, maxBytesOf(options, format));
    if (looksLikeDragonfly(dump)) {
      throw dump.unsupported('Dragonfly wrote this dump, with its own header and hashes');
    }
    if (looksLikeCuckoo(dump)) {
      throw dump.unsupported('this is a cuckoo filter of CF.SCANDUMP; use redisCuckoo');
    }
    const { keys, layers } = readLayers(dump);
    const tables = dump.tables(layers.reduce((sum, { bytes }) => sum + bytes, 0n));
    const [first] = layers;
    return layers.length === 1
      ? decodeOne(dump, first as BloomLayer, tables)
      : decodeMany(dump, layers, tables, Number(keys));
  },

  encode(filter: BloomFilter | ForeignFilter): LoadChunk[] {
    if (filter instanceof ForeignFilter && filter.format === format) return encodeForeign(filter);
    checkFilter(format, filter, 'bloom', ['redisbloom']);
    const bloom = filter as BloomFilter;
    const header = headers.get(bloom) ?? defaultHeader(bloom);
    const layerBytes = Number(new DataView(header.buffer).getBigUint64(20, true));
    const file = new Uint8Array(header.length + layerBytes);
    file.set(header);
    file.set(bitsOf(bloom).subarray(0, layerBytes), header.length);
    const view = new DataView(file.buffer);
    view.setBigUint64(0, BigInt(bloom.count), true); // the number of keys of the filter
    view.setBigUint64(36, BigInt(bloom.count), true); // the number of keys of its layer
    return cutDump(file, header.length, [layerBytes]);
  },

  create(options: RedisBloomOptions): BloomFilter {
    const readers = { scaling: flag, growth: integer(0, 32768) };
    const { capacity, fpr, scaling = true, growth = 2 } = readCreate(format, options, readers);
    if (!scaling && options.growth !== undefined) {
      throw typeError(`${format}.create: the option growth needs scaling`);
    }
    const isScaling = scaling && growth > 0;
    // If layers may follow, RedisBloom gives the first layer half of the rate, the next half of that, and so on.
    const error = isScaling ? fpr / 2 : fpr;
    const { bits, hashes, bitsPerKey } = redisSize(capacity, error);
    const filter = new BloomFilter({ bits, hashes, scheme: redisbloom });
    const flags = noRound | force64 | (isScaling ? 0 : noScaling);
    const fields = { options: flags, growth, error, bitsPerKey, hashes, capacity };
    headers.set(filter, headerOf(bits, fields));
    return filter;
  },
});
