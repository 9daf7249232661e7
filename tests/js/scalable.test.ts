/** The scalable Bloom filter: grows with its keys, and keeps its rate. */
import { describe, expect, test } from '@jest/globals';
import { ScalableBloomFilter } from 'tamis';

import { members } from './classes.js';
import { binomialTails } from './support/binomial.js';
import { expectSame } from './support/bytes.js';
import { expectCode, rejection } from './support/errors.js';
import { randomStrings, urls } from './support/keys.js';
import { partRate, partsOf } from './support/payload.js';

const capacity = 100;
const variants: readonly (readonly [string, object])[] = [
  ['default', {}],
  ['growth 4', { growth: 4 }],
  ['growth 16, tightening 0.5', { growth: 16, tightening: 0.5 }],
  ['tightening 0.99', { tightening: 0.99 }],
  ['fpr 2^-10, growth 8', { fpr: 2 ** -10, growth: 8 }],
];

describe.each(variants)('%s', (_name, options) => {
  // bloom-filters' compound rate was 10.7 % for 1 %.
  test.each([1, 10, 100, 1000])('at %d times its first capacity the rate is kept', (times) => {
    using filter = new ScalableBloomFilter({ capacity, ...options });
    const keys = urls(times * capacity, 'in');
    filter.addMany(keys);
    expect(filter.hasMany(keys).indexOf(0)).toBe(-1);
    expect(filter.estimatedFpr).toBeLessThan(filter.fpr);
    const absentKeys = randomStrings(60_000, 'stranger');
    const hits = filter.hasMany(absentKeys).reduce((sum, hit) => sum + hit, 0);
    const exact =
      1 - partsOf(filter.toBytes()).reduce((none, part) => none * (1 - partRate(part)), 1);
    const tails = binomialTails(hits, absentKeys.length, exact);
    expect(Math.min(tails.lower, tails.upper)).toBeGreaterThan(1e-9);
    filter.validate();
  });

  test('layers are full but the last, and each `growth` times as large', () => {
    const filter = new ScalableBloomFilter({ capacity, ...options });
    const keys = members(20_000);
    const fresh = filter.addMany(keys);
    expect(filter.count).toBe(fresh);
    const parts = partsOf(filter.toBytes());
    expect(parts.length).toBe(filter.layers);
    for (const [i, part] of parts.entries()) {
      expect(part.capacity).toBe(capacity * filter.growth ** i);
      if (i + 1 < parts.length) expect(part.count).toBe(part.capacity);
    }
    expect(filter.capacity).toBe(capacity);
    filter.clear();
    expectSame(filter.toBytes(), new ScalableBloomFilter({ capacity, ...options }).toBytes());
    expect(filter.layers).toBe(1);
  });
});

test('a key that is positive already is not stored again', () => {
  const filter = new ScalableBloomFilter({ capacity: 10 });
  filter.addMany(members(100));
  const bytes = filter.toBytes();
  for (let i = 0; i < 3; i++) expect(filter.addMany(members(100))).toBe(0);
  expectSame(filter.toBytes(), bytes);
});

test('sizeFor is the first layer', () => {
  const options = { capacity: 1000, fpr: 0.001, growth: 3 };
  expect(ScalableBloomFilter.sizeFor(options)).toBe(new ScalableBloomFilter(options).sizeBytes);
});

describe('growth 1 ends after 64 layers', () => {
  const options = { capacity: 8, growth: 1, fpr: 0.1 };
  const keys = members(1000);
  const full = (): { filter: ScalableBloomFilter; held: number } => {
    const filter = new ScalableBloomFilter(options);
    const error = expectCode(() => filter.addMany(keys), 'FULL');
    return { filter, held: error.index as number };
  };

  test('FULL changes nothing, and is again FULL; what is in stays in', () => {
    const { filter, held } = full();
    expect([filter.layers, filter.count]).toEqual([64, 512]);
    expect(held).toBeGreaterThanOrEqual(512);
    const bytes = filter.toBytes();
    const next = keys[held] as string;
    expectCode(() => filter.add(next), 'FULL');
    expect(expectCode(() => filter.addMany([keys[0] as string, next]), 'FULL').index).toBe(1);
    expectSame(filter.toBytes(), bytes);
    expect(filter.hasMany(keys.slice(0, held)).indexOf(0)).toBe(-1);
    expect(filter.add(keys[0] as string)).toBe(false);
    expect(filter.estimatedFpr).toBeLessThan(filter.fpr);
    filter.validate();
    const loaded = ScalableBloomFilter.fromBytes(bytes);
    expectCode(() => loaded.add(next), 'FULL');
  });

  test('the keys before it are in, whatever they come in', async () => {
    const { filter, held } = full();
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
});

test('a rate that no layer can keep is FULL too', () => {
  const filter = new ScalableBloomFilter({
    capacity: 1,
    growth: 1,
    tightening: 0.5,
    fpr: 2 ** -32,
  });
  const error = expectCode(() => filter.addMany(members(64)), 'FULL');
  expect(error.index).toBe(filter.layers);
  expect(filter.layers).toBeLessThan(10);
  filter.validate();
});
