// Hashes a key to h (FORMAT.md, section 4.1).

import { typeError } from '../core/errors.js';
import { type Key, tagOf } from '../core/key-types.js';
import { encodeUnits } from '../core/utf8.js';
import { sipHash } from './siphash.js';
import { h, u } from './u64.js';
import { encodeToMemory } from './utf8.js';
import {
  hashLong,
  hashShort,
  keyStart,
  longestText,
  memory,
  memoryView,
  mostShortBytes,
} from './xxh3.js';

function invalidKey(key: unknown): TypeError {
  const got = typeof key === 'string' ? 'a lone surrogate' : typeof key;
  return typeError(`a key must be a string or a Uint8Array, got ${got}`, 'ERR_TAMIS_INVALID_KEY');
}

/** Returns a copy of a key's bytes. It calls none of the key's methods, which may be overridden. Throws TypeError. */
function copyOf(key: Uint8Array): Uint8Array<ArrayBuffer> {
  try {
    if (tagOf(key) === 'Uint8Array') return new Uint8Array(key);
  } catch {
    // The buffer is detached.
  }
  throw invalidKey(key);
}

/** Writes the hash of a key to h and u: XXH3-64, or SipHash-2-4 with a secret. Throws TypeError for a wrong key. */
export function hash(key: Key, secret: Int32Array | undefined): void {
  let view = memoryView;
  let start = keyStart;
  let size: number;
  const isText = typeof key === 'string';
  if (isText && key.length <= longestText) {
    size = encodeToMemory(key) - start; // `memory` has 3 bytes for each unit of a text up to longestText
  } else {
    // A unit takes at most 3 bytes in UTF-8.
    const bytes = isText ? new Uint8Array(3 * key.length) : copyOf(key);
    size = isText ? encodeUnits(key, 0, bytes, 0) : bytes.length;
    if (size > mostShortBytes) {
      view = new DataView(bytes.buffer); // hashLong reads any view
      start = 0;
    } else if (size > 0) {
      memory.set(bytes, start); // hashShort reads only `memory`
    }
  }
  if (size < 0) throw invalidKey(key); // the encoders return -1 for a lone surrogate
  if (secret) sipHash(secret, view, start, size);
  else if (size > mostShortBytes) hashLong(view, start, size);
  else hashShort(size);
  h[0] = u[0];
  h[1] = u[1];
}
