// Makes URL lists from sorted prefixes: whole lists, or updates of a list. Also reads prefixes from options.

import { destroy } from '../../core/border/lifetime.js';
import { handleOrThrow, statusAddress, withMemory, write } from '../../core/border/memory.js';
import { call } from '../../core/border/runtime.js';
import { mustBe } from '../../core/errors.js';
import { pin, tagOf } from '../../core/key-types.js';
import { withKey } from '../../core/keys/keys.js';
import type { Reader } from '../../core/options.js';
import type { Core, Handle } from '../../wasm/core.js';
import { url } from '../../wasm/parts/url.js';
import { allShapes, type HostRule, nameOfRule } from './expressions.js';

/** Options of `UrlList.fromPrefixes`. */
export interface PrefixOptions {
  /** The number of bytes of a prefix. */
  readonly prefixBytes: 4 | 8 | 16 | 32;
  /** The host rule by which the expressions were made; default 'parents'. */
  readonly rule?: HostRule;
}

/** The changes of `UrlList.update`. */
export interface PrefixChanges {
  /** Indices of the removed entries, in increasing order. */
  readonly removals?: Uint32Array;
  /** The added prefixes, concatenated, in increasing order. */
  readonly additions?: Uint8Array;
  /** The SHA-256 that the next list must have, 32 bytes. */
  readonly sha256?: Uint8Array;
}

const arrayReader =
  <A extends Uint8Array | Uint32Array>(type: string): Reader<A> =>
  (value, name) => {
    if (tagOf(value) === type) return pin(value as A, name);
    throw mustBe(`a ${type}`, name, value);
  };

export const uint8ArrayReader = /* @__PURE__ */ arrayReader<Uint8Array>('Uint8Array');
export const uint32ArrayReader = /* @__PURE__ */ arrayReader<Uint32Array>('Uint32Array');

/** Encodes each value as 4 bytes, big-endian. */
export function bigEndian(values: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(4 * values.length);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => {
    view.setUint32(4 * i, value);
  });
  return bytes;
}

/** Makes the next version of a list. `removals` are indices of entries. Throws ERR_TAMIS_CORRUPT for wrong changes. */
export function makeOfChanges(
  list: Handle,
  removals: Uint32Array = new Uint32Array(),
  additions: Uint8Array = new Uint8Array(),
  addedShapes: number = allShapes,
): Handle {
  const indices = bigEndian(removals);
  return withMemory(indices.length + additions.length, (address) => {
    write(address, indices.length, indices);
    write(address + indices.length, additions.length, additions);
    const { length } = additions;
    const make = (core: Core) =>
      core.urlListUpdate(list, address, indices.length, length, addedShapes, statusAddress);
    return handleOrThrow(call(make));
  });
}

/** Makes a list of sorted prefixes. Throws ERR_TAMIS_CORRUPT for a wrong order, _INVALID_OPTION for a wrong length. */
export function makeOfPrefixes(
  additions: Uint8Array,
  prefixBytes: number,
  rule: HostRule,
  shapes: number = allShapes,
): Handle {
  // withKey copies the rule's name into the core's memory, as it copies a key.
  const make = (address: number, size: number, core: Core) =>
    core.urlListEmpty(prefixBytes, address, size, statusAddress);
  const empty = handleOrThrow(withKey(nameOfRule(rule), make, url));
  try {
    return makeOfChanges(empty, undefined, additions, shapes);
  } finally {
    destroy(empty);
  }
}
