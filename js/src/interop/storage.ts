// Copies the bytes of a foreign file into the core, once, to their final place.

import { destroy } from '../core/border/lifetime.js';
import {
  handleOrThrow,
  numberAddress,
  readNumber,
  withMemory,
  write,
} from '../core/border/memory.js';
import { call } from '../core/border/runtime.js';
import { check, errorOf } from '../core/statuses.js';
import type { Core, Handle } from '../wasm/core.js';
import type { Part } from '../wasm/part.js';

/** The two steps in which the core makes a filter: first room, then bytes. */
export interface Making {
  readonly part: Part;
  /** The bytes of the filter; default: those of all pieces. */
  readonly size?: number | undefined;
  /** Makes the filter with room for the bytes, and writes the address of the room to numberAddress. */
  readonly prepare: (core: Core, size: number) => Handle;
  /** Called once the bytes are in place; returns 0, or a negative status if the core refuses them. */
  readonly settle?: Settle | undefined;
}

export type Settle = (core: Core, address: number, handle: Handle) => number;

/** Calls `act` with the address of a copy, which is freed afterwards. */
export function withCopy(bytes: Uint8Array, act: (address: number) => number): number {
  return withMemory(bytes.length, (address) => {
    write(address, bytes.length, bytes);
    return act(address);
  });
}

/**
 * Makes a filter of bytes in pieces, and returns it with the address of the bytes. If the core refuses them, the filter
 * is freed. Throws ERR_TAMIS_TOO_LARGE, ERR_TAMIS_OUT_OF_MEMORY, and the core's errors.
 */
export function makeOf(pieces: readonly Uint8Array[], making: Making) {
  const { part, prepare, settle } = making;
  const { size = pieces.reduce((sum, { length }) => sum + length, 0) } = making;
  if (size > 0xffffffff) throw errorOf('ERR_TAMIS_TOO_LARGE');
  const handle = call((core) => handleOrThrow(prepare(core, size)), part);
  try {
    const address = readNumber(numberAddress);
    let left = size;
    for (const piece of pieces) {
      write(address + size - left, left, piece);
      left -= piece.length;
    }
    if (settle !== undefined) call((core) => check(settle(core, address, handle)));
    return { handle, address, size };
  } catch (cause) {
    destroy(handle);
    throw cause;
  }
}
