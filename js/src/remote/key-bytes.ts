// Keys one by one, as bytes: a request costs far more than a call for each key.

import { allocate, raw, readHashes, readValue, release, write } from '../core/border/memory.js';
import { routes } from '../core/border/parts.js';
import { call, coreWith } from '../core/border/runtime.js';
import { atIndex, check, mustBe } from '../core/errors.js';
import { withSipKey } from '../core/keys/hashing.js';
import { invalidKey, isBytes, isWellFormed, type Key, pin } from '../core/keys/key-types.js';

/** A copy of a key's bytes, whose owner may change them while a page is on its way. Throws TypeError for no key. */
function bytesOf(key: Key): Uint8Array {
  if (isBytes(key)) return new Uint8Array(pin(key, 'a key', 'ERR_TAMIS_INVALID_KEY'));
  if (typeof key !== 'string' || !isWellFormed(key)) throw invalidKey(key);
  return new TextEncoder().encode(key);
}

/** The bytes of each key. Throws TypeError for one key and for no keys; an error of a key names its index. */
export function keysOf(keys: Iterable<Key>): readonly Uint8Array[] {
  if (typeof keys === 'string' || isBytes(keys) || !(Symbol.iterator in Object(keys))) {
    throw mustBe('an iterable of keys', 'many keys', keys, 'ERR_TAMIS_INVALID_KEY');
  }
  return Array.from(keys, (key, index) => {
    try {
      return bytesOf(key);
    } catch (error) {
      throw atIndex(error as Error, index);
    }
  });
}

/** Calls wasm with the address and size of a key's bytes, and gives its answer. */
export function withBytes(
  bytes: Uint8Array,
  act: (address: number, size: number) => number,
): number {
  const size = bytes.length;
  const address = allocate(size);
  try {
    write(address, size, bytes);
    const answer = call(() => act(address, size));
    check(answer);
    return answer;
  } finally {
    release(address);
  }
}

/** The page of a key, of so many. */
export function pageOf(
  bytes: Uint8Array,
  sipKey: Uint8Array | undefined,
  seed: bigint,
  pages: number,
): number {
  coreWith(routes);
  withBytes(bytes, (address, size) => {
    withSipKey(sipKey, (at) => raw._tamis_hash(at, address, size));
    // Of the hash where the last call left it.
    return raw._tamis_route(seed, 0, pages, 1);
  });
  return readValue();
}

/** The id of a secret key, as files have it (cpp/FORMAT.md, section 4.3). */
export function keyIdOf(sipKey: Uint8Array): string {
  pageOf(bytesOf('tamis-key-id'), sipKey, 0n, 1);
  return (readHashes(1)[0] as bigint).toString(16).padStart(16, '0');
}
