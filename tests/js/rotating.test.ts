/** The clock of the rotating Bloom filter. */
import { describe, expect, test } from '@jest/globals';
import { RotatingBloomFilter } from 'tamis';

import { members } from './classes.js';
import { expectSame } from './support/bytes.js';
import { expectOption } from './support/errors.js';

describe('advance', () => {
  const generations = 5;
  const make = (periodMs: number): RotatingBloomFilter =>
    new RotatingBloomFilter({ capacity: 100, generations, periodMs });

  test('rotates once for each whole period', () => {
    const filter = make(1000);
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
      const filter = make(7);
      filter.advance(-3);
      filter.addMany(members(20));
      expect(filter.advance(7 * periods - 3)).toBe(periods);
      expect(filter.count).toBe(0);
      expect(filter.hasMany(members(20))).toEqual(new Uint8Array(20));
      expect(filter.advance(7 * periods + 3)).toBe(0);
      expect(filter.advance(7 * periods + 4)).toBe(1);
    }
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
