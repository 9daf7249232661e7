// Turns parsed arrays of other libraries into filters, and back.

import { numberAddress, statusAddress } from '../core/border/memory.js';
import { coreWith } from '../core/border/runtime.js';
import { adopt, definitionOf } from '../core/structures/definition.js';
import type { BloomScheme } from '../core/structures/scheme.js';
import { BlockedBloomFilter } from '../filters/blocked-bloom.js';
import { BloomFilter } from '../filters/bloom.js';
import { fastHash } from '../wasm/figures.js';
import { interopBlockedBloom } from '../wasm/parts/interop-blocked-bloom.js';
import { interopBloom } from '../wasm/parts/interop-bloom.js';
import { makeOf } from './storage.js';

/** The order of bits in an array, as in the core's BitOrder. */
const orders = ['lsb', 'words', 'msb'] as const;

/** The fields of a container about its array. */
interface ForeignBits {
  /** The order of bits; default: that of tamis. */
  readonly scheme?: BloomScheme | undefined;
  readonly bits: number;
  readonly hashes: number;
  readonly seed?: bigint | undefined;
  /** The number of keys added; default: estimated from the set bits. */
  readonly count?: number;
  readonly order: (typeof orders)[number];
}

/**
 * Makes a filter of the bits in an array, or in its pieces; bits past the end are 0. Throws ERR_TAMIS_CORRUPT if the
 * bits contradict the fields.
 */
export function adoptBits(
  about: ForeignBits,
  array: Uint8Array | readonly Uint8Array[],
): BloomFilter {
  const { scheme, bits, hashes, seed = 0n, count = -1, order } = about;
  coreWith(definitionOf(BloomFilter).part);
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

/** Makes a filter of blocks of 32 bytes; its count is estimated from the set bits. Throws ERR_TAMIS_CORRUPT. */
export function adoptBlocks(blocks: Uint8Array, scheme?: BloomScheme): BlockedBloomFilter {
  coreWith(definitionOf(BlockedBloomFilter).part);
  if (scheme !== undefined) coreWith(scheme.part);
  const { handle } = makeOf([blocks], {
    part: interopBlockedBloom,
    prepare: (core, size) =>
      core._tamis_prepare_blocks(size, scheme?.id ?? fastHash, numberAddress, statusAddress),
    settle: (core, _address, prepared) => core._tamis_adopt_blocks(prepared, -1),
  });
  return adopt(BlockedBloomFilter, handle);
}

/** The array of a filter: bit p lies in byte p / 8, at mask 1 << p % 8. The array of a Bloom filter has whole words. */
export function bitsOf(filter: BloomFilter | BlockedBloomFilter): Uint8Array<ArrayBuffer> {
  // The array lies behind the header and the record of the type.
  return filter.toBytes().subarray(filter.type === 'bloom' ? 80 : 72);
}
