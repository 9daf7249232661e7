// The public hash of a key.

import type { Key } from '../core/key-types.js';
import { type LoadOptions, readOptions } from './container.js';
import { hash } from './hash.js';
import { u } from './u64.js';

/**
 * Hashes a key, without a seed: XXH3-64, or SipHash-2-4 with a secret key of 16 bytes. It equals `hashKey` of `tamis`.
 * `hasHashes` takes such hashes.
 *
 * @example
 * import { hashKey } from 'tamis/read';
 * hashKey(''); // => 0x2d06800538d394c2n
 */
export function hashKey(key: Key, options?: Pick<LoadOptions, 'key'>): bigint {
  hash(key, readOptions(options).secret);
  return new DataView(u.buffer).getBigUint64(0, true);
}
