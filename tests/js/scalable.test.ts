/** The scalable Bloom filter: its size, and the end of its growth. */
import { expect, test } from '@jest/globals';
import { ScalableBloomFilter } from 'tamis';

import { members } from './classes.js';
import { expectSame } from './support/bytes.js';
import { expectCode, rejection } from './support/errors.js';

test('sizeFor is the first layer', () => {
  const options = { capacity: 1000, fpr: 0.001, growth: 3 };
  expect(ScalableBloomFilter.sizeFor(options)).toBe(new ScalableBloomFilter(options).sizeBytes);
});

test('growth 1 ends after 64 layers: the keys before that are in, whatever they come in', async () => {
  const options = { capacity: 8, growth: 1, fpr: 0.1 };
  const keys = members(1000);
  const filter = new ScalableBloomFilter(options);
  const held = expectCode(() => filter.addMany(keys), 'FULL').index as number;
  expect([filter.layers, filter.count]).toEqual([64, 512]);
  const bytes = filter.toBytes();
  async function* source(): AsyncGenerator<string> {
    yield* keys;
  }
  for (const batch of [1, 100, 1024]) {
    const streamed = new ScalableBloomFilter(options);
    const error = await rejection(streamed.addFrom(source(), { batch }));
    expect([error.code, error.index]).toEqual(['ERR_TAMIS_FULL', held]);
    expectSame(streamed.toBytes(), bytes);
  }
  const single = new ScalableBloomFilter(options);
  for (const key of keys.slice(0, held)) single.add(key);
  expectSame(single.toBytes(), bytes);
  const fresh = new ScalableBloomFilter(options);
  expect(expectCode(() => fresh.addMany(new Set(keys)), 'FULL').index).toBe(held);
});
