// Sorted prefixes, of which lists are made: all of them, or what an update changes.

import { destroy } from '../../core/border/lifetime.js';
import { own, statusAddress, withMemory, write } from '../../core/border/memory.js';
import { call } from '../../core/border/runtime.js';
import { withKey } from '../../core/keys/with-key.js';
import type { Core, Handle } from '../../wasm/core.js';
import { url } from '../../wasm/parts/url.js';
import { allShapes, type HostRule, nameOfRule } from './expressions.js';
import type { PrefixChanges } from './list-options.js';

/** Each as 4 bytes, the most significant first. */
export function bigEndian(values: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(4 * values.length);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => {
    view.setUint32(4 * i, value);
  });
  return bytes;
}

/**
 * The next version of a list, whose entries that come have these shapes. Throws CORRUPT where the changes are none of
 * this list.
 */
export function makeOfChanges(
  list: Handle,
  { removals = new Uint32Array(), additions = new Uint8Array() }: PrefixChanges,
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
    return own(call(make));
  });
}

/**
 * The list of sorted prefixes of `prefixBytes` each, of expressions of these shapes. Throws CORRUPT where they do not
 * increase, INVALID_OPTION for another length.
 */
export function makeOfPrefixes(
  additions: Uint8Array,
  prefixBytes: number,
  rule: HostRule,
  shapes: number = allShapes,
): Handle {
  const make = (address: number, size: number, core: Core) =>
    core.urlListEmpty(prefixBytes, address, size, statusAddress);
  const empty = own(withKey(nameOfRule(rule), make, url));
  try {
    // Named too: what is not would be taken from Object.prototype.
    return makeOfChanges(empty, { removals: new Uint32Array(), additions }, shapes);
  } finally {
    destroy(empty);
  }
}
