import { rangeError } from '../core/errors.js';
import { BloomScheme, type SchemeCheck } from '../core/structures/scheme.js';
import { murmur2aFnv1a as part } from '../wasm/parts/murmur2a-fnv1a.js';
import { noSeed } from './rules.js';

const twoHashes: SchemeCheck = ({ hashes = 2 }, what, name) => {
  if (hashes !== 2) throw rangeError(`${what}: the scheme '${name}' has 2 hashes, got ${hashes}`);
};

/** MurmurHash2A and FNV-1a, 32 bits each: two bits per key, for small filters. */
export const murmur2aFnv1a = /* @__PURE__ */ new BloomScheme('murmur2a-fnv1a', part, [
  noSeed,
  twoHashes,
]);
