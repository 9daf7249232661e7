// The files of FastFilter's xor_singleheader (C) and xorfilter (Go), little-endian. A file begins with a seed of 64
// bits, then words of 32 bits. In C: number of keys (older versions lack it), segment length, number of segments,
// number of slots in all but the last two segments, number of slots. In Go: segment length, segment length - 1, then as
// in C. At the end are the slots, of 1, 2 or 4 bytes each.

import { mustBe } from '../core/errors.js';
import { namesOf, oneOf, type Reader } from '../core/options.js';
import { withCopy } from './adopt.js';
import { type Binary, type Codec, type DecodeOptions, ForeignReader, readDecode } from './codec.js';
import { type ForeignFilter, type ForeignShape, makeForeign } from './foreign-filter.js';
import { fuseSegment, fuseSlotCounts } from './sizing.js';

/** The options of `binaryFuse.decode`. */
export interface BinaryFuseOptions extends DecodeOptions {
  /**
   * What wrote the file: `'serialize'`, the default, is C's `binary_fuse8_serialize` or Go's `Save`; `'pack'` is C's
   * `binary_fuse8_pack`; `'xor8'` is C's `xor8_serialize`.
   */
  readonly layout?: 'serialize' | 'pack' | 'xor8';
  /**
   * The bits of a fingerprint; by default computed from the file's size. Pass the number if you know it: no file states
   * it, and half of a file with 16 bits looks like a whole file with 8.
   */
  readonly bits?: 8 | 16 | 32;
  /**
   * How a key becomes the 64-bit number in the filter. `'uint64'`, the default: a key is that number, as 8 bytes,
   * little-endian (`encodings.int64`). `'xxh64'`: the number is the XXH64 of the key with the seed 0.
   */
  readonly keys?: 'uint64' | 'xxh64';
}

const format = 'binary-fuse';
const mostSegmentSlots = 2 ** 18;
/** With 16-bit fingerprints, C writes this many bytes more than the filter needs. */
const excess16 = 4;

const fuseBits: Reader<8 | 16 | 32> = (value, name) => {
  if (value === 8 || value === 16 || value === 32) return value;
  throw mustBe('8, 16 or 32', name, value);
};

/** The bytes of a slot, 1, 2 or 4: the width with which the size of all slots is closest to `left` bytes. */
function widthOf(slots: number, left: number): number {
  const distance = (width: number) => Math.abs(slots * width - left);
  return [1, 2, 4].reduce((best, width) => (distance(width) < distance(best) ? width : best));
}

interface Segments {
  readonly isGo: boolean;
  /** The number of slots in a segment. */
  readonly segment: number;
  readonly segments: number;
  /** The number of slots in all but the last two segments. */
  readonly firstSlots: number;
  readonly slots: number;
}

function isPossible({ segment, segments, firstSlots, slots }: Segments): boolean {
  const isPowerOfTwo = segment > 0 && (segment & (segment - 1)) === 0;
  const isSum = firstSlots === segments * segment && slots === firstSlots + 2 * segment;
  return isPowerOfTwo && segment <= mostSegmentSlots && segments > 0 && isSum;
}

/** Reads the header behind the seed. Of the three layouts, only the right one gives consistent numbers. */
function readSegments(reader: ForeignReader): Segments {
  const next = () => reader.u32le();
  const [a, b, c, d] = [next(), next(), next(), next()];
  const olderC = { isGo: false, segment: a, segments: b, firstSlots: c, slots: d };
  if (isPossible(olderC)) return olderC;
  const slots = next();
  // In Go, `b` is `a` - 1. In C, `a` is the number of keys.
  const go = { isGo: true, segment: a, segments: c, firstSlots: d, slots };
  if (b === a - 1 && isPossible(go)) return go;
  const currentC = { isGo: false, segment: b, segments: c, firstSlots: d, slots };
  if (isPossible(currentC)) return currentC;
  throw reader.corrupt(`${c} segments of ${b} do not make ${slots} slots`);
}

/** Reads the filter in a file. `common` goes into its shape. If `bits` is undefined, the file's size decides. */
type ReadFilter = (
  reader: ForeignReader,
  common: Pick<ForeignShape, 'format' | 'hashesKeys'>,
  bits: number | undefined,
) => ForeignFilter;

const readSerialized: ReadFilter = (reader, common, bits) => {
  const seed = reader.u64le();
  const { isGo, segment, firstSlots, slots } = readSegments(reader);
  // If the width is unknown, the smallest one is assumed here: a claim above the limit is refused before anything else.
  reader.checkLimit(reader.at + slots * (bits === undefined ? 1 : bits / 8));
  const width = bits === undefined ? widthOf(slots, reader.left) : bits / 8;
  // For 16-bit slots C writes more bytes than the filter needs.
  const hasExcess = !isGo && width === 2 && reader.left === slots * width + excess16;
  reader.expect(slots * width + (hasExcess ? excess16 : 0));
  const { bytes, at } = reader;
  const layers = [{ size: firstSlots, offset: at, step: segment }];
  return makeForeign({ ...common, rule: 'fuse', seed, width, layers }, [bytes]);
};

const readXor8: ReadFilter = (reader, common, bits) => {
  if (bits !== undefined && bits !== 8) throw reader.unsupported('the layout xor8 has only 8 bits');
  const seed = reader.u64le();
  const third = reader.u64le(); // a third of the slots; a slot has one byte
  if (third === 0n) throw reader.corrupt('it has no slots');
  reader.expect(3n * third);
  const { bytes, at } = reader;
  const layers = [{ size: Number(third), offset: at, step: 1 }];
  return makeForeign({ ...common, rule: 'xor', seed, layers }, [bytes]);
};

const packedHeader = 12; // the bytes of the seed and the number of keys

/** Packs a header and all slots: the header, a bitmap with a 1 for each slot that is not 0, and those slots. */
function pack(unpacked: Uint8Array<ArrayBuffer>, width: number): Uint8Array<ArrayBuffer> {
  const slots = (unpacked.length - packedHeader) / width;
  const mapBytes = Math.ceil(slots / 8);
  const bytes = new Uint8Array(unpacked.length + mapBytes);
  bytes.set(unpacked.subarray(0, packedHeader));
  let to = packedHeader + mapBytes;
  for (let i = 0, at = packedHeader; i < slots; i++) {
    let allBits = 0;
    // An empty slot's zeros are written too, but `to` does not advance, so the next slot overwrites them.
    for (let byte = 0; byte < width; byte++) {
      const value = unpacked[at++] ?? 0;
      bytes[to + byte] = value;
      allBits |= value;
    }
    if (allBits === 0) continue;
    const mapAt = packedHeader + (i >> 3);
    bytes[mapAt] = (bytes[mapAt] ?? 0) | (1 << (i & 7));
    to += width;
  }
  return bytes.slice(0, to);
}

function countBits(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) for (let left = byte; left > 0; left &= left - 1) count++; // clears the lowest 1
  return count;
}

/** Reads the form that `pack` writes: a header, a bitmap with a 1 for each slot that is not 0, and those slots. */
const readPacked: ReadFilter = (reader, common, bits) => {
  const seed = reader.u64le();
  const keys = reader.u32le();
  const segment = fuseSegment(keys);
  // The number of slots depends on a logarithm, which engines round differently. So several are tried on the file.
  const candidates = fuseSlotCounts(keys).map((slots) => {
    const mapBytes = Math.ceil(slots / 8);
    const map = reader.bytes.subarray(packedHeader, packedHeader + mapBytes);
    const hasExtraBit = slots % 8 > 0 && (map.at(-1) ?? 0) >> (slots % 8) > 0; // after the last slot
    const isMapRight = map.length === mapBytes && !hasExtraBit;
    const used = countBits(map);
    const left = reader.left - mapBytes;
    const width = bits === undefined ? widthOf(used, left) : bits / 8;
    return { slots, mapBytes, map, isMapRight, width, size: mapBytes + used * width };
  });
  const fitting = candidates.find(({ isMapRight, size }) => isMapRight && size === reader.left);
  const { slots, mapBytes, map, isMapRight, width, size } =
    fitting ?? (candidates[0] as (typeof candidates)[0]); // if none fits, the errors below describe the most likely one
  reader.checkLimit(packedHeader + slots * width);
  if (map.length < mapBytes)
    throw reader.truncated(`the map of ${slots} slots needs ${mapBytes} bytes`);
  if (!isMapRight) throw reader.corrupt('a bit after the last slot is set');
  reader.expect(size);
  const { bytes } = reader;
  const packed = bytes.subarray(packedHeader + mapBytes);
  const slotBytes = slots * width;
  const layers = [{ size: slots - 2 * segment, offset: packedHeader, step: segment }];
  const restore = (unpacked: Uint8Array<ArrayBuffer>) => pack(unpacked, width);
  const shape = { ...common, rule: 'fuse', seed, width, layers, restore } as const;
  return makeForeign(shape, [bytes.subarray(0, packedHeader), packed], {
    size: packedHeader + slotBytes,
    settle: (core, address) =>
      withCopy(map, (mapAt) =>
        core._tamis_unpack(address + packedHeader, slotBytes, packed.length, mapAt, width),
      ),
  });
};

const layouts = { serialize: readSerialized, pack: readPacked, xor8: readXor8 };

/**
 * Reads binary fuse and xor filters of C's xor_singleheader and Go's xorfilter, and those of Rust's xorf if your
 * program writes their fields as Go does.
 *
 * Such filters contain 64-bit numbers, and each program has its own way to hash text to numbers. With `keys: 'xxh64'`
 * the hash is XXH64 of the UTF-8.
 *
 * @example
 * import { binaryFuse, encodings } from 'tamis/interop';
 * // C writes a filter without keys as 12 slots of 0.
 * const bytes = new Uint8Array(40);
 * bytes.set([4, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 12], 12);
 * binaryFuse.decode(bytes).has(encodings.int64(7n)); // => false
 */
export const binaryFuse: Codec<Binary, ForeignFilter, BinaryFuseOptions> =
  /* @__PURE__ */ Object.freeze({
    name: format,

    decode(data: Binary, options?: BinaryFuseOptions): ForeignFilter {
      const checked = readDecode(format, options, {
        layout: oneOf(namesOf(layouts)),
        bits: fuseBits,
        keys: oneOf(['uint64', 'xxh64'] as const),
      });
      const reader = new ForeignReader(format, data, checked.maxBytes);
      const common = { format, hashesKeys: checked.keys === 'xxh64' };
      return layouts[checked.layout ?? 'serialize'](reader, common, checked.bits);
    },
  });
