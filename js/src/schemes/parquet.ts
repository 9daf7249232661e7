import { typeError } from '../core/errors.js';
import { BloomScheme, type SchemeCheck } from '../core/structures/scheme.js';
import { parquet as part } from '../wasm/parts/parquet.js';

const refuseBloom: SchemeCheck = (_options, what) => {
  throw typeError(`${what}: only BlockedBloomFilter has the scheme 'parquet'`);
};

/**
 * XXH64, the hash of Apache Parquet's split blocks. A `BlockedBloomFilter` has it if `tamis/interop` made it, or if it
 * was loaded with this value in the option `schemes`.
 */
export const parquet = /* @__PURE__ */ new BloomScheme('parquet', part, [refuseBloom]);
