import { typeError } from '../core/errors.js';
import { BloomScheme, type SchemeCheck } from '../core/structures/scheme.js';
import { parquet as part } from '../wasm/parts/parquet.js';

const refuseBloom: SchemeCheck = (_given, what) => {
  throw typeError(`${what}: the scheme 'parquet' is BlockedBloomFilter's alone`);
};

/**
 * The hash of Apache Parquet's split blocks, XXH64: of a `BlockedBloomFilter` that `tamis/interop` made, or that was
 * loaded with this in the option `schemes`.
 */
export const parquet = /* @__PURE__ */ new BloomScheme('parquet', part, [refuseBloom]);
