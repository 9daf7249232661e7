// How the bytes of a foreign file come into the core: once, to where they stay.

import { destroy } from '../core/border/lifetime.js';
import { numberAddress, own, readNumbers, withMemory, write } from '../core/border/memory.js';
import { call } from '../core/border/runtime.js';
import { check, errorOf } from '../core/statuses.js';
import type { Core, Handle } from '../wasm/core.js';
import type { Part } from '../wasm/part.js';

/** How the core makes a filter of bytes that it has not got yet. */
export interface Making {
  readonly part: Part;
  /** Makes the filter with room for the bytes; puts its address at numberAddress. */
  readonly prepare: (core: Core, size: number) => Handle;
  /** Called with the bytes in their place: 0, or a negative status where the core refuses them. */
  readonly settle?: Settle | undefined;
}

export type Settle = (core: Core, address: number, handle: Handle) => number;

/** Calls `act` with the address of a copy, which is gone afterwards. */
export function withCopy(bytes: Uint8Array, act: (address: number) => number): number {
  return withMemory(bytes.length, (address) => {
    write(address, bytes.length, bytes);
    return act(address);
  });
}

/**
 * A filter of `size` bytes, which come in pieces, and where they lie. Nothing is left of one that is refused. Throws
 * TOO_LARGE, OUT_OF_MEMORY, and what the core says of the bytes.
 */
export function makeOf(
  pieces: Iterable<Uint8Array>,
  size: number,
  { part, prepare, settle }: Making,
): { readonly handle: Handle; readonly address: number } {
  if (size > 0xffffffff) throw errorOf('ERR_TAMIS_TOO_LARGE');
  const handle = call((core) => own(prepare(core, size)), part);
  try {
    const address = readNumbers(numberAddress, 1)[0] as number;
    let left = size;
    for (const piece of pieces) {
      write(address + size - left, left, piece);
      left -= piece.length;
    }
    if (settle !== undefined) call((core) => check(settle(core, address, handle)));
    return { handle, address };
  } catch (cause) {
    destroy(handle);
    throw cause;
  }
}
