/**
 * Files of Guava, Spark, Go, Parquet, DataSketches and Redis, changed at random and by list. Each case is refused with
 * a code, or becomes a filter that answers.
 */

import { describe, expect, test } from '@jest/globals';
import { BloomFilter } from 'tamis';
import { dataSketches, goBloom, guava, parquet, redisBitmap, spark } from 'tamis/interop';
import { bytesOf } from './support/interop.js';
import { type Mutated, mutationCount, runMutations } from './support/mutations.js';

const small = { capacity: 20, fpr: 0.05 };
const utf8 = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** A filter with some keys. */
function filled<F extends { addMany(keys: string[]): number }>(filter: F): F {
  filter.addMany(['a', 'b', 'c']);
  return filter;
}

const goText = goBloom.encode(filled(goBloom.create(small)), { json: true });
const bitmap = { bits: 1000, hashes: 7 };

const codecs: Record<string, Mutated> = {
  guava: {
    files: [
      guava.encode(filled(guava.create(small))),
      guava.encode(filled(guava.create({ ...small, strategy: 'mitz32' }))),
      bytesOf('guava/strings-utf8.mitz64.bin'),
    ],
    headerBytes: 6,
    lengths: [{ at: 2, bytes: 4, isBig: true }],
    decode: (bytes, maxBytes) => guava.decode(bytes, { maxBytes }),
  },
  spark: {
    files: [
      spark.encode(filled(spark.create(small))),
      spark.encode(filled(spark.create({ ...small, version: 2, seed: -7 }))),
      bytesOf('spark/strings.v2.bin'),
    ],
    headerBytes: 16,
    lengths: [4, 8, 12].map((at) => ({ at, bytes: 4, isBig: true })),
    decode: (bytes, maxBytes) => spark.decode(bytes, { maxBytes }),
  },
  go: {
    files: [goBloom.encode(filled(goBloom.create(small))), bytesOf('go/strings.bin')],
    headerBytes: 24,
    lengths: [0, 8, 16].map((at) => ({ at, bytes: 8, isBig: true })),
    decode: (bytes, maxBytes) => goBloom.decode(bytes, { maxBytes }),
  },
  'go, as text': {
    files: [new TextEncoder().encode(goText)],
    headerBytes: goText.length,
    lengths: [],
    decode: (bytes, maxBytes) => goBloom.decode(utf8(bytes), { maxBytes }),
  },
  parquet: {
    files: [
      parquet.encode(filled(parquet.create(small))),
      bytesOf('parquet/duckdb-strings.sbbf.bin'),
    ],
    headerBytes: 16,
    lengths: [
      { at: 0, bytes: 4 },
      { at: 1, bytes: 1 },
      { at: 1, bytes: 2 },
    ],
    decode: (bytes, maxBytes) => parquet.decode(bytes, { maxBytes }),
  },
  datasketches: {
    files: [
      dataSketches.encode(filled(dataSketches.create(small))),
      bytesOf('data-sketches/empty.bin'),
      bytesOf('data-sketches/strings.bin'),
    ],
    headerBytes: 32,
    lengths: [
      { at: 4, bytes: 2 },
      { at: 16, bytes: 4 },
      { at: 24, bytes: 8 },
    ],
    decode: (bytes, maxBytes) => dataSketches.decode(bytes, { maxBytes }),
  },
  'a Redis bitmap': {
    files: [redisBitmap.encode(filled(new BloomFilter(bitmap))), new Uint8Array(125).fill(0xff)],
    headerBytes: 125,
    lengths: [],
    decode: (bytes, maxBytes) => redisBitmap.decode(bytes, { ...bitmap, maxBytes }),
  },
};

describe.each(Object.entries(codecs))('%s', (name, mutated) => {
  test(`${mutationCount} changed files`, () => {
    const { cases, taken, codes } = runMutations(mutated);
    expect(cases).toBeGreaterThanOrEqual(mutationCount);
    expect(taken).toBeGreaterThan(0);
    const seen = [...codes.keys()];
    expect(seen).toContain('ERR_TAMIS_CORRUPT');
    if (name !== 'a Redis bitmap') expect(seen).toContain('ERR_TAMIS_TRUNCATED');
    const own = ['TOO_LARGE', 'TRUNCATED', 'CORRUPT', 'UNSUPPORTED'].map(
      (code) => `ERR_TAMIS_${code}`,
    );
    expect(seen.filter((code) => !own.includes(code))).toEqual([]);
  });
});
