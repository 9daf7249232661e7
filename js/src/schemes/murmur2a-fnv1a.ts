import { rangeError } from '../core/errors.js';
import { BloomScheme } from '../core/structures/scheme.js';
import { murmur2aFnv1a as part } from '../wasm/parts/murmur2a-fnv1a.js';

/** MurmurHash2A and FNV-1a, 32 bits each: two positions a key, for small filters. */
export const murmur2aFnv1a = new BloomScheme('murmur2a-fnv1a', part, ({ hashes }, what) => {
  if (hashes === undefined || hashes === 2) return;
  throw rangeError(`${what}: the scheme 'murmur2a-fnv1a' has 2 hashes, got ${hashes}`);
});
