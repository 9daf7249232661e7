/** Checks that a filter of `create` has the size that the other library chooses. */
import { describe, expect, test } from '@jest/globals';
import { dataSketches, goBloom, guava, parquet, spark } from 'tamis/interop';

import { expectCode } from './support/errors.js';
import { textOf } from './support/interop.js';

const lines = textOf('sizing.txt').trim().split('\n');
const rowsOf = (peer: string) =>
  lines.flatMap((line) => (line.startsWith(`${peer} `) ? [line.split(' ').slice(1)] : []));

/** The rows of Guava 31.1, with those that a later one has otherwise in their place. */
function guavaRows(later: readonly string[][] = []) {
  const others = new Map(later.map((row) => [row.slice(0, 2).join(), row]));
  return rowsOf('guava').map((row) => others.get(row.slice(0, 2).join()) ?? row);
}
const guava334 = guavaRows(rowsOf('guava-33.4'));

describe.each([
  ['guava 33.3', guava, 64, guavaRows(), { guava: '33.3' }],
  ['guava 33.4', guava, 64, guava334, { guava: '33.4' }],
  ['guava', guava, 64, guava334, {}],
  ['spark', spark, 64, guavaRows(), {}],
  ['go', goBloom, 1, rowsOf('go'), {}],
] as const)('%s', (_peer, { create }, unit, rows, more) => {
  test('has the bits and the hashes of the peer', () => {
    expect(rows).toHaveLength(176);
    for (const [capacity, fpr, hashes, units] of rows) {
      const filter = create({ capacity: Number(capacity), fpr: Number(fpr), ...more });
      expect([capacity, fpr, filter.hashes, filter.bits]).toEqual([
        capacity,
        fpr,
        Number(hashes),
        unit * Number(units),
      ]);
      filter.dispose();
    }
  });
});

test('Guava and Spark refuse a filter without a bit', () => {
  for (const { create } of [guava, spark]) {
    const error = expectCode(() => create({ capacity: 1, fpr: 0.9 }), 'INVALID_OPTION');
    expect(error).toBeInstanceOf(RangeError);
  }
  expect(goBloom.create({ capacity: 1, fpr: 0.9 }).bits).toBe(1);
});

// create_by_accuracy of C++: ceil(-n ln p / (ln 2)^2) bits in whole words, and ceil(-log2 p) hashes.
test.each([
  [1, 0.5, 64, 1],
  [3000, 0.01, 28_800, 7],
  [1000, 0.125, 4352, 3],
  [100_000, 0.001, 1_437_760, 10],
  [10, 1e-9, 448, 30],
])('DataSketches: %d keys at %d', (capacity, fpr, bits, hashes) => {
  const filter = dataSketches.create({ capacity, fpr });
  expect([filter.bits, filter.hashes, filter.seed]).toEqual([bits, hashes, 0n]);
});

// Whole powers of two from 32 on; by hand from parquet-java's formula.
test.each([
  [1, 0.5, 32],
  [26, 0.01, 32],
  [27, 0.01, 64],
  [500, 0.01, 1024],
  [3000, 0.01, 4096],
  [100_000, 0.01, 131_072],
  [1_000_000, 0.001, 2_097_152],
])('Parquet: %d keys at %d', (capacity, fpr, bytes) => {
  expect(parquet.create({ capacity, fpr }).sizeBytes).toBe(bytes);
});

test('Parquet has at most 128 MiB', () => {
  const filter = parquet.create({ capacity: 1e9, fpr: 0.01 });
  expect(filter.sizeBytes).toBe(2 ** 27);
  filter.dispose();
});

describe.each([guava, spark, goBloom, dataSketches, parquet].map((codec) => [codec.name, codec]))(
  '%s',
  (_name, codec) => {
    const create = (codec as typeof guava).create as (options?: unknown) => unknown;

    test('needs a capacity and a rate', () => {
      for (const wrong of [
        undefined,
        null,
        {},
        { capacity: 10 },
        { fpr: 0.1 },
        { capacity: 0, fpr: 0.1 },
        { capacity: 1.5, fpr: 0.1 },
        { capacity: 10, fpr: 0 },
        { capacity: 10, fpr: 1 },
        { capacity: 10, fpr: Number.NaN },
        { capacity: '10', fpr: 0.1 },
        { capacity: 10, fpr: 0.1, hashes: 3 },
        { capacity: 10, fpr: 0.1, seed: '1' },
      ]) {
        expectCode(() => create(wrong), 'INVALID_OPTION');
      }
      if (codec !== parquet) {
        expectCode(() => create({ capacity: 1e12, fpr: 0.1 }), 'TOO_LARGE');
      }
    });
  },
);

test('options of one codec alone', () => {
  const size = { capacity: 10, fpr: 0.1 };
  for (const run of [
    () => guava.create({ ...size, strategy: 'mitz128' as never }),
    () => guava.create({ ...size, guava: '31.1' as never }),
    () => guava.create({ ...size, guava: 33.4 as never }),
    () => spark.create({ ...size, version: 3 as never }),
    () => spark.create({ ...size, seed: 1 }),
    () => spark.create({ ...size, version: 2, seed: 2 ** 31 }),
    () => spark.create({ ...size, version: 2, seed: 1n as never }),
    () => dataSketches.create({ ...size, seed: -1n }),
    () => dataSketches.create({ ...size, seed: -1 }),
    () => goBloom.encode(goBloom.create(size), { json: 1 } as never),
  ]) {
    expectCode(run, 'INVALID_OPTION');
  }
});
