// Encodes and decodes Rice-Golomb deltas: the counterpart of cpp/include/tamis/url/rice.hpp.

import { raw, readRange, readValues } from '../../core/border/memory.js';
import { rangeError, show } from '../../core/errors.js';
import { pin, tagOf } from '../../core/key-types.js';
import { withKey } from '../../core/keys/keys.js';
import { integer, oneOf, readOptions } from '../../core/options.js';
import { joinBytes } from '../../core/signed/bytes.js';
import { orRefuse } from '../../core/statuses.js';
import type { Part } from '../../wasm/part.js';
import { rice } from '../../wasm/parts/rice.js';
import { riceMore } from '../../wasm/parts/rice-more.js';
import { bigEndian, uint8ArrayReader } from './prefixes.js';

/** The number of bits of an integer. */
export type RiceWidth = 32 | 64 | 128 | 256;

/** Sorted integers, encoded as Safe Browsing sends them. */
export interface RiceDeltas {
  /** The first integer, big-endian: 4, 8, 16 or 32 bytes. */
  readonly firstValue: Uint8Array;
  /** The number of low bits that each delta stores unencoded: width - 29 to width - 2; in version 4, 2 to 28. */
  readonly parameter: number;
  /** The number of deltas, which is one less than the number of integers. */
  readonly entriesCount: number;
  readonly data: Uint8Array;
}

/** The options of riceDecode. */
export interface RiceOptions {
  /** The protocol; default 'v5'. In version 4, indices and prefixes have different byte orders. */
  readonly protocol?: 'v5' | 'v4-integers' | 'v4-prefixes';
}

const protocolReader = oneOf(['v5', 'v4-integers', 'v4-prefixes']);

const uint32 = integer(0, 0xffffffff);

/**
 * Encodes strictly increasing integers for version 5, with the parameter that needs the fewest bits. `values` is a
 * Uint32Array, or big-endian integers of `width` bits, concatenated. Throws RangeError if there are no integers or they
 * do not increase, and ERR_TAMIS_TOO_LARGE or ERR_TAMIS_OUT_OF_MEMORY.
 *
 * @example
 * import { riceDecode, riceEncode } from 'tamis/url';
 * const deltas = riceEncode(Uint32Array.of(5, 1_000_000, 2_000_000), 32);
 * deltas.data.length; // => 6
 * riceDecode(deltas).length; // => 12
 */
export function riceEncode(values: Uint32Array | Uint8Array, width: RiceWidth = 32): RiceDeltas {
  const what = 'riceEncode';
  const isWords = tagOf(values) === 'Uint32Array';
  const widths = isWords ? [32] : [32, 64, 128, 256];
  if (!widths.includes(width)) {
    throw rangeError(`${what}: width must be ${widths.join(' or ')}, got ${show(width)}`);
  }
  const bytes = isWords
    ? bigEndian(pin(values as Uint32Array, what))
    : uint8ArrayReader(values, `${what}: values`);
  const size = width / 8;
  if (bytes.length === 0 || bytes.length % size !== 0) {
    throw rangeError(`${what}: expected integers of ${width} bits, got ${bytes.length} bytes`);
  }
  return orRefuse(`${what}: the integers do not increase strictly`, () => {
    // The core returns the encoded data in its first range, and two numbers. withKey copies any bytes to the core.
    withKey(bytes, (address, length) => raw._tamis_rice_encode(address, length, size), riceMore);
    const data = takeResult();
    const [parameter = 0, entriesCount = 0] = readValues(2);
    return { firstValue: new Uint8Array(bytes.subarray(0, size)), parameter, entriesCount, data };
  });
}

/** Checks the fields of `deltas`, and decodes them with `decode`, a function of `part` of the wasm. */
function decodeBy(
  deltas: RiceDeltas,
  part: Part,
  decode: typeof raw._tamis_rice_decode,
): Uint8Array<ArrayBuffer> {
  const what = 'riceDecode';
  const { firstValue, parameter, entriesCount, data }: RiceDeltas = Object(deltas);
  const first = uint8ArrayReader(firstValue, `${what}: firstValue`);
  const codes = uint8ArrayReader(data, `${what}: data`);
  const lowBits = uint32(parameter, `${what}: parameter`);
  const count = uint32(entriesCount, `${what}: entriesCount`);
  const { length } = first;
  // All other fields were checked above, so 'out of range' from the core means a wrong length of firstValue.
  return orRefuse(`${what}: firstValue must have 4, 8, 16 or 32 bytes, got ${length}`, () => {
    // withKey copies the bytes into the core's memory, although they are not a key.
    const act = (address: number, size: number) => decode(address, size, length, lowBits, count);
    withKey(joinBytes([first, codes]), act, part);
    return takeResult();
  });
}

/** Decodes version 5 only, so that bundles drop version 4. `raw` has the function once `rice` is loaded. */
export const decodeV5 = (deltas: RiceDeltas): Uint8Array<ArrayBuffer> =>
  decodeBy(deltas, rice, (...coded) => raw._tamis_rice_decode(...coded));

/**
 * Returns the integers, big-endian and concatenated. If they are hash prefixes, these are the bytes of the prefixes.
 * Throws ERR_TAMIS_CORRUPT for invalid input, before it allocates more memory than the data can fill.
 */
export function riceDecode(deltas: RiceDeltas, options?: RiceOptions): Uint8Array<ArrayBuffer> {
  const { protocol = 'v5' } = readOptions(options, { protocol: protocolReader }, 'riceDecode');
  if (protocol === 'v5') return decodeV5(deltas);
  const arePrefixes = protocol === 'v4-prefixes' ? 1 : 0;
  return decodeBy(deltas, riceMore, (...coded) => raw._tamis_rice_decode_v4(...coded, arePrefixes));
}

/** Copies the core's result, and frees it in the core. */
function takeResult(): Uint8Array<ArrayBuffer> {
  const result = readRange(0);
  raw._tamis_rice_release();
  return result;
}
