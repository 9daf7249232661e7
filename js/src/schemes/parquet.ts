import { typeError } from '../core/errors.js';
import { BloomScheme, type SchemeCheck } from '../core/structures/scheme.js';
import { parquet as part } from '../wasm/parts/parquet.js';

const refuseBloom: SchemeCheck = (_options, what) => {
  throw typeError(`${what}: only BlockedBloomFilter has the scheme 'parquet'`);
};

/**
 * XXH64, the hash of Apache Parquet's split blocks. A `BlockedBloomFilter` uses it if `tamis/interop` made the filter,
 * or if the filter was loaded with this value in the option `schemes`.
 */
export const parquet = /* @__PURE__ */ new BloomScheme('parquet', part, [refuseBloom]);
