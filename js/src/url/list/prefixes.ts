// Makes lists from sorted prefixes: whole lists, or updates.

import { destroy } from '../../core/border/lifetime.js';
import { handleOrThrow, statusAddress, withMemory, write } from '../../core/border/memory.js';
import { call } from '../../core/border/runtime.js';
import { withKey } from '../../core/keys/keys.js';
import type { Core, Handle } from '../../wasm/core.js';
import { url } from '../../wasm/parts/url.js';
import { allShapes, type HostRule, nameOfRule } from './expressions.js';

/** The values as 4 bytes each, big-endian. */
export function bigEndian(values: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(4 * values.length);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => {
    view.setUint32(4 * i, value);
  });
  return bytes;
}

/**
 * Makes the next version of a list. The added entries have these shapes. Throws ERR_TAMIS_CORRUPT if the changes do not
 * fit the list.
 */
export function makeOfChanges(
  list: Handle,
  removals: Uint32Array = new Uint32Array(),
  additions: Uint8Array = new Uint8Array(),
  shapes: number = allShapes,
): Handle {
  const indices = bigEndian(removals);
  const { length } = indices;
  const added = additions.length;
  return withMemory(length + added, (address) => {
    write(address, length, indices);
    write(address + length, added, additions);
    const make = (core: Core) =>
      core.urlListUpdate(list, address, length, added, shapes, statusAddress);
    return handleOrThrow(call(make));
  });
}

/**
 * Makes a list of sorted prefixes of `prefixBytes` each, from expressions of these shapes. Throws ERR_TAMIS_CORRUPT if
 * they do not increase, and ERR_TAMIS_INVALID_OPTION for another length.
 */
export function makeOfPrefixes(
  additions: Uint8Array,
  prefixBytes: number,
  rule: HostRule,
  shapes: number = allShapes,
): Handle {
  const make = (address: number, size: number, core: Core) =>
    core.urlListEmpty(prefixBytes, address, size, statusAddress);
  const empty = handleOrThrow(withKey(nameOfRule(rule), make, url));
  try {
    return makeOfChanges(empty, undefined, additions, shapes);
  } finally {
    destroy(empty);
  }
}
