/** The rotating Bloom filter: the keys that it remembers, their time, and its clock. */
import { describe, expect, test } from '@jest/globals';
import { fromBytes, RotatingBloomFilter } from 'tamis';

import { members } from './classes.js';
import { expectSame } from './support/bytes.js';
import { expectOption } from './support/errors.js';
import { partsOf } from './support/payload.js';

const ones = (n: number): Uint8Array => new Uint8Array(n).fill(1);
const keysOf = (period: number, n = 100): string[] =>
  Array.from({ length: n }, (_, i) => `period-${period}-key-${i}`);
const found = (filter: RotatingBloomFilter, keys: readonly string[]): number =>
  filter.hasMany(keys).reduce((sum, answer) => sum + answer, 0);

describe.each([2, 3, 5, 64])('%d generations', (generations) => {
  const make = (more: object = {}): RotatingBloomFilter =>
    new RotatingBloomFilter({ capacity: 100, fpr: 0.01, generations, ...more });

  test('keys of the current and the last n - 1 periods are found, older ones forgotten', () => {
    const filter = make();
    for (let period = 0; period < generations + 5; period++) {
      filter.addMany(keysOf(period));
      const first = Math.max(0, period - generations + 1);
      for (let old = first; old <= period; old++) {
        expect(filter.hasMany(keysOf(old))).toEqual(ones(100));
      }
      // Some of 100 forgotten keys are false positives. At 1 % they are fewer than 15.
      if (first > 0) expect(found(filter, keysOf(first - 1))).toBeLessThan(15);
      filter.rotate();
    }
  });

  test('a repeat prolongs the life of a key', () => {
    const filter = make();
    expect(filter.add('again')).toBe(true);
    for (let period = 0; period < 3 * generations; period++) {
      filter.rotate();
      expect(filter.add('again')).toBe(false);
    }
    for (let period = 1; period < generations; period++) {
      filter.rotate();
      expect(filter.has('again')).toBe(true);
    }
    filter.rotate();
    expect(filter.has('again')).toBe(false);
  });

  test('count is the sum over the generations of the keys new to each', () => {
    const filter = make();
    filter.addMany(['a', 'b']);
    filter.rotate();
    filter.addMany(['b', 'c', 'c']);
    expect(filter.count).toBe(4);
    expect(partsOf(filter.toBytes()).reduce((sum, part) => sum + part.count, 0)).toBe(4);
    for (let i = 2; i < generations; i++) filter.rotate();
    filter.rotate();
    expect(filter.count).toBe(2);
    filter.rotate();
    expect(filter.count).toBe(0);
  });

  test('rotates once for each whole period', () => {
    const filter = make({ periodMs: 1000 });
    expect(filter.advance(5000)).toBe(0);
    filter.add('a');
    expect(filter.advance(5000)).toBe(0);
    expect(filter.advance(5999)).toBe(0);
    expect(filter.advance(6000)).toBe(1);
    expect(filter.advance(6999.9)).toBe(0);
    expect(filter.advance(7000 + 1000 * (generations - 3))).toBe(generations - 2);
    expect(filter.has('a')).toBe(true);
    expect(filter.advance(5000 + 1000 * generations)).toBe(1);
    expect(filter.has('a')).toBe(false);
  });

  test('many periods clear all, and are all told', () => {
    for (const periods of [generations, generations + 1, 1000, 2 ** 31, 2 ** 45]) {
      const filter = make({ periodMs: 7 });
      filter.advance(-3);
      filter.addMany(members(20));
      expect(filter.advance(7 * periods - 3)).toBe(periods);
      expect(filter.count).toBe(0);
      expect(filter.hasMany(members(20))).toEqual(new Uint8Array(20));
      expect(filter.advance(7 * periods + 3)).toBe(0);
      expect(filter.advance(7 * periods + 4)).toBe(1);
    }
  });

  test('what is left of the time is kept: no period is lost to rounding', () => {
    const filter = make({ periodMs: 10 });
    filter.advance(0);
    let passed = 0;
    for (let now = 0; now <= 1000; now += 3) passed += filter.advance(now);
    expect(passed).toBe(99);
  });

  test('an earlier time changes nothing', () => {
    const filter = make({ periodMs: 100 });
    filter.advance(1000);
    filter.addMany(members(10));
    const bytes = filter.toBytes();
    for (const earlier of [999, 0, -(2 ** 40), 1000, Number.MIN_SAFE_INTEGER]) {
      expect(filter.advance(earlier)).toBe(0);
      expectSame(filter.toBytes(), bytes);
    }
    expect(filter.advance(1099)).toBe(0);
    expect(filter.advance(1100)).toBe(1);
  });

  test('a loaded, a copied, an emptied and a cleared one', () => {
    const filter = make({ periodMs: 100 });
    filter.advance(1000);
    filter.addMany(members(50));
    filter.advance(1130);
    filter.addMany(members(80).slice(40));
    const loaded = fromBytes(filter.toBytes()) as RotatingBloomFilter;
    const copy = filter.clone();
    for (const one of [loaded, copy]) {
      expect([one.generations, one.periodMs, one.capacity]).toEqual([generations, 100, 100]);
      expect(one.advance(1199)).toBe(0);
      expect(one.advance(1200)).toBe(1);
    }
    expectSame(loaded.toBytes(), copy.toBytes());
    // There is no content and no start. The first call sets the start.
    for (const fresh of [filter.emptyCopy(), filter]) {
      if (fresh === filter) filter.clear();
      expectSame(fresh.toBytes(), make({ periodMs: 100 }).toBytes());
      expect(fresh.advance(77)).toBe(0);
      expect(fresh.advance(177)).toBe(1);
    }
  });

  test('the designed rate is that of the whole answer, every generation at capacity', () => {
    const filter = make({ capacity: 5000, fpr: 0.02 });
    expect(filter.fpr).toBeLessThanOrEqual(0.02);
    expect(filter.fpr).toBeGreaterThan(0.017);
    for (let period = 0; period < generations; period++) {
      if (period > 0) filter.rotate();
      filter.addMany(keysOf(period, 5000));
    }
    expect(filter.estimatedFpr / filter.fpr).toBeGreaterThan(0.85);
    expect(filter.estimatedFpr / filter.fpr).toBeLessThan(1.15);
  });
});

test('advance wants a time in whole, finite milliseconds', () => {
  const filter = new RotatingBloomFilter({ capacity: 10, periodMs: 5 });
  const bytes = filter.toBytes();
  for (const wrong of [NaN, Infinity, -Infinity, 2 ** 53, -(2 ** 53), 1e300]) {
    expectOption(() => filter.advance(wrong), RangeError);
  }
  for (const wrong of [undefined, null, '5', 5n, new Date(5), {}]) {
    expectOption(() => filter.advance(wrong as number), TypeError);
  }
  expectSame(filter.toBytes(), bytes);
  expect(filter.advance(Number.MIN_SAFE_INTEGER)).toBe(0);
  expect(filter.advance(Number.MAX_SAFE_INTEGER)).toBeGreaterThan(2 ** 51);
  expect(filter.advance(Number.MAX_SAFE_INTEGER)).toBe(0);
  const halves = new RotatingBloomFilter({ capacity: 10, periodMs: 1 });
  expect([halves.advance(-0.5), halves.advance(-0.1), halves.advance(0.9)]).toEqual([0, 0, 1]);
});

test('advance without periodMs is a TypeError that names it', () => {
  const filter = new RotatingBloomFilter({ capacity: 10 });
  expect(expectOption(() => filter.advance(5), TypeError).message).toContain('periodMs');
  expect(filter.periodMs).toBeUndefined();
  expect(JSON.parse(JSON.stringify(filter))).toMatchObject({ generations: 2, periodMs: null });
  filter.add('a');
  filter.rotate();
  expect(filter.has('a')).toBe(true);
});
