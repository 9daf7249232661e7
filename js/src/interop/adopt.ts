// Copies the bytes of a foreign file into wasm memory, once, where the filter then uses them. Turns the bit arrays of
// foreign files into filters of tamis, and back.

import { destroy } from '../core/border/lifetime.js';
import {
  handleOrThrow,
  numberAddress,
  readNumber,
  statusAddress,
  withMemory,
  write,
} from '../core/border/memory.js';
import { call, coreWith } from '../core/border/runtime.js';
import { check, errorOf } from '../core/statuses.js';
import { adopt, definitionOf } from '../core/structures/definition.js';
import type { BloomScheme } from '../core/structures/scheme.js';
import { BlockedBloomFilter } from '../filters/blocked-bloom.js';
import { BloomFilter } from '../filters/bloom.js';
import type { Core, Handle } from '../wasm/core.js';
import { fastHash } from '../wasm/figures.js';
import type { Part } from '../wasm/part.js';
import { interopBlockedBloom } from '../wasm/parts/interop-blocked-bloom.js';
import { interopBloom } from '../wasm/parts/interop-bloom.js';

/** The two steps in which the core makes a filter: it reserves memory, and then accepts the bytes in it. */
export interface Making {
  readonly part: Part;
  /** The number of bytes of the filter; default: the length of all pieces together. */
  readonly size?: number;
  /** Makes the filter with memory for the bytes, and writes the address of that memory to numberAddress. */
  readonly prepare: (core: Core, size: number) => Handle;
  /** Called once the bytes are in place; returns 0, or a negative status if the core refuses them. */
  readonly settle?: (core: Core, address: number, handle: Handle) => number;
}

/** Calls `act` with the address of a copy of the bytes, and frees the copy afterwards. */
export function withCopy(bytes: Uint8Array, act: (address: number) => number): number {
  return withMemory(bytes.length, (address) => {
    write(address, bytes.length, bytes);
    return act(address);
  });
}

/** Makes a filter from pieces; returns handle, address and size. Throws ERR_TAMIS_TOO_LARGE and the core's errors. */
export function makeOf(pieces: readonly Uint8Array[], making: Making) {
  const piecesSize = pieces.reduce((sum, { length }) => sum + length, 0);
  const { part, prepare, settle, size = piecesSize } = making;
  if (size > 0xffffffff) throw errorOf('ERR_TAMIS_TOO_LARGE');
  const handle = call((core) => handleOrThrow(prepare(core, size)), part);
  try {
    const address = readNumber(numberAddress); // the address of the filter's memory, which prepare wrote there
    let at = 0;
    for (const piece of pieces) {
      write(address + at, size - at, piece); // size - at bytes of memory are left
      at += piece.length;
    }
    if (settle !== undefined) call((core) => check(settle(core, address, handle)));
    return { handle, address, size };
  } catch (cause) {
    destroy(handle);
    throw cause;
  }
}

/** A count of -1 asks the core to estimate the count from the set bits. */
const toEstimate = -1;

/** The orders of the bits in an array; the indexes are those of the core's BitOrder. */
const orders = ['lsb', 'words', 'msb'] as const;

/** What a foreign file says about its bit array. `bits` and `hashes` are numbers of bits and hashes. */
interface ForeignBits {
  /** The scheme that maps a key to bits; default: tamis' own. */
  readonly scheme?: BloomScheme | undefined;
  readonly bits: number;
  readonly hashes: number;
  readonly seed?: bigint | undefined;
  /** The number of keys added; default: the estimate from the set bits. */
  readonly count?: number;
  readonly order: (typeof orders)[number];
}

/** Makes a filter from a bit array or its pieces. Throws ERR_TAMIS_CORRUPT unless all bits past the end are 0. */
export function adoptBits(
  about: ForeignBits,
  array: Uint8Array | readonly Uint8Array[],
): BloomFilter {
  const { scheme, bits, hashes, seed = 0n, count = toEstimate, order } = about;
  coreWith(definitionOf(BloomFilter).part); // loads the part
  if (scheme !== undefined) coreWith(scheme.part);
  const { handle } = makeOf([array].flat(), {
    part: interopBloom,
    prepare: (core, size) =>
      core._tamis_prepare_bits(
        size,
        bits,
        hashes,
        scheme?.id ?? fastHash,
        Number(seed & 0xffffffffn),
        Number(seed >> 32n),
        numberAddress,
        statusAddress,
      ),
    settle: (core, _address, prepared) =>
      core._tamis_adopt_bits(prepared, orders.indexOf(order), count),
  });
  return adopt(BloomFilter, handle);
}

/** Makes a filter from blocks of 32 bytes; its count is estimated from the set bits. Throws ERR_TAMIS_CORRUPT. */
export function adoptBlocks(blocks: Uint8Array, scheme?: BloomScheme): BlockedBloomFilter {
  coreWith(definitionOf(BlockedBloomFilter).part); // loads the part
  if (scheme !== undefined) coreWith(scheme.part);
  const { handle } = makeOf([blocks], {
    part: interopBlockedBloom,
    prepare: (core, size) =>
      core._tamis_prepare_blocks(size, scheme?.id ?? fastHash, numberAddress, statusAddress),
    settle: (core, _address, prepared) => core._tamis_adopt_blocks(prepared, toEstimate),
  });
  return adopt(BlockedBloomFilter, handle);
}

/** The bit array of a filter: bit p is in byte p / 8, at mask 1 << p % 8. A Bloom filter's array has whole words. */
export function bitsOf(filter: BloomFilter | BlockedBloomFilter): Uint8Array<ArrayBuffer> {
  // In a file, a header of 64 bytes and a record come first. The record has 16 bytes, or 8 for a blocked filter.
  return filter.toBytes().subarray(filter.type === 'bloom' ? 80 : 72);
}
