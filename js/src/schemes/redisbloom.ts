import { BloomScheme } from '../core/structures/scheme.js';
import { redisbloom as part } from '../wasm/parts/redisbloom.js';
import { noSeed } from './rules.js';

/** The bit positions of one layer of RedisBloom's `BF` commands. */
export const redisbloom = /* @__PURE__ */ new BloomScheme('redisbloom', part, [noSeed]);
