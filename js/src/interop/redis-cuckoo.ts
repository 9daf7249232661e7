// A dump of RedisBloom's CF commands, little-endian: u64 keys, u64 buckets, u64 deleted, u64 tables, u16 slots per
// bucket, u16 most moves, u16 expansion. Then the tables, a byte per slot, each `expansion` times as large as the last.

import { mustBe } from '../core/errors.js';
import { type Codec, type Encoder, ForeignReader, maxBytesOf, refusal } from './codec.js';
import { ForeignFilter, makeForeign } from './foreign-filter.js';
import {
  cuckooHeaderBytes,
  cutDump,
  DumpReader,
  faultOfCuckoo,
  hasBit,
  type LoadChunk,
  looksLikeBloom,
  looksLikeDragonfly,
  type RedisDump,
  readCuckooHeader,
  sizesOfCuckoo,
} from './redis-dump.js';

const format = 'redis-cuckoo';

/**
 * Reads and writes dumps of `CF.SCANDUMP` for `CF.LOADCHUNK`, of RedisBloom and of Redis 8: an array of `[iterator,
 * bytes]`, or all bytes joined. An empty filter has no chunks. `encode` returns the same chunks.
 *
 * @example
 * import { redisCuckoo } from 'tamis/interop';
 * const header = new Uint8Array(38);
 * header.set([1], 0); // a key
 * header.set([2], 8); // two buckets
 * header.set([1], 24); // one table
 * header.set([2, 0, 20, 0, 1, 0], 32); // two slots per bucket
 * const filter = redisCuckoo.decode([[1, header], [5, Uint8Array.of(0, 0, 7, 0)]]);
 * filter.toBytes().length; // => 42
 */
export const redisCuckoo: Codec<RedisDump, ForeignFilter> & Encoder<ForeignFilter, LoadChunk[]> =
  /* @__PURE__ */ Object.freeze({
    name: format,

    decode(data: RedisDump, options?: object): ForeignFilter {
      const dump = new DumpReader(format, data, maxBytesOf(options, format));
      if (looksLikeDragonfly(dump)) throw dump.unsupported('Dragonfly wrote this dump');
      if (looksLikeBloom(dump)) {
        throw dump.unsupported('this is a Bloom filter of BF.SCANDUMP; use redisBloom');
      }
      const header = readCuckooHeader(dump);
      const fault = faultOfCuckoo(header);
      if (fault !== undefined) throw dump.corrupt(fault);
      const sizes = sizesOfCuckoo(header);
      const tables = dump.tables(sizes.reduce((sum, size) => sum + size, 0n));
      const isFilled = tables.some(hasBit);
      const { keys, bucketSize } = header;
      if (isFilled !== keys > 0n) {
        const table = isFilled ? 'not empty' : 'empty';
        throw dump.corrupt(`the header says ${keys} keys, but the table is ${table}`);
      }
      let offset = cuckooHeaderBytes;
      const layers = sizes.map((bytes) => {
        const from = offset;
        offset += Number(bytes);
        return { size: Number(bytes) / bucketSize, offset: from, step: bucketSize };
      });
      const head = dump.bytes.subarray(0, cuckooHeaderBytes);
      const shape = { format, rule: 'redis-cuckoo', count: Number(keys), layers } as const;
      return makeForeign(shape, [head, ...tables]);
    },

    encode(filter: ForeignFilter): LoadChunk[] {
      if (!(filter instanceof ForeignFilter)) {
        throw mustBe('a ForeignFilter of redisCuckoo', `${format}: filter`, filter);
      }
      if (filter.format !== format) {
        const detail = `expected a filter of the format '${format}', got '${filter.format}'`;
        throw refusal('ERR_TAMIS_INCOMPATIBLE', format, detail);
      }
      const bytes = filter.toBytes();
      const reader = new ForeignReader(format, bytes, bytes.length);
      return cutDump(bytes, cuckooHeaderBytes, sizesOfCuckoo(readCuckooHeader(reader)));
    },
  });
