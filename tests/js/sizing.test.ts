/** The sizing functions. No filter is ever worse than the options demand. */
import { describe, expect, test } from '@jest/globals';
import { BloomFilter, bloomRate, bloomSizing } from 'tamis';
import * as read from 'tamis/read';

import { edited } from './support/container.js';
import { expectOption } from './support/errors.js';

describe('bloomSizing', () => {
  test('a small filter gets more bits than the classic formula gives', () => {
    expect(bloomSizing({ capacity: 1, fpr: 0.01 })).toMatchObject({ bits: 11, hashes: 6 });
    expect(bloomSizing({ capacity: 10, fpr: 0.01 })).toMatchObject({ bits: 98, hashes: 6 });
    expect(bloomRate({ bits: 10, hashes: 7, count: 1 })).toBeCloseTo(0.01747, 5);
    expect(bloomRate({ bits: 96, hashes: 7, count: 10 })).toBeCloseTo(0.01089, 5);
  });

  test('given the bits, the best number of hashes', () => {
    const { bits, hashes, fpr } = bloomSizing({ bits: 1000, capacity: 100 });
    expect([bits, hashes]).toEqual([1000, 7]);
    expect(fpr).toBe(bloomRate({ bits: 1000, hashes: 7, count: 100 }));
  });

  test('wants one or the other', () => {
    for (const wrong of [
      {},
      { fpr: 0.1 },
      { bits: 9 },
      null,
      undefined,
      5,
      'a',
      { capacity: 10, fpr: 0.1, bits: 9 },
      { capacity: 10, fpr: 0.1, hash: 'fast' },
    ]) {
      expectOption(() => bloomSizing(wrong as never), TypeError);
    }
    expectOption(() => bloomSizing({ bits: 0, capacity: 5 }), RangeError);
    for (const capacity of [0, -1, 0.5, NaN, Infinity, 2 ** 53]) {
      expectOption(() => bloomSizing({ bits: 5, capacity }), RangeError);
      expectOption(() => bloomSizing({ capacity, fpr: 0.01 }), RangeError);
    }
    for (const fpr of [0, 1, -0.01, NaN, Infinity, 2 ** -48 / 1.001]) {
      expectOption(() => bloomSizing({ capacity: 10, fpr }), RangeError);
    }
  });
});

describe('bloomRate', () => {
  test('is never above 1', () => {
    for (let count = 1; count <= 39; count++) {
      expect(bloomRate({ bits: 4, hashes: 13, count })).toBeLessThanOrEqual(1);
      const made = new BloomFilter({ bits: 4, hashes: 13 }).toBytes();
      const bytes = edited(made, (view) => view.setUint8(32, count)); // the capacity
      expect(read.BloomFilter.fromBytes(bytes).fpr).toBeLessThanOrEqual(1);
    }
  });

  test('wants all three', () => {
    for (const wrong of [{}, { bits: 8, hashes: 1 }, { bits: 8, hashes: 1, count: '5' }, null, 7]) {
      expectOption(() => bloomRate(wrong as never), TypeError);
    }
    for (const wrong of [
      { bits: 0 },
      { hashes: 0 },
      { hashes: 65 },
      { count: -1 },
      { count: NaN },
    ]) {
      expectOption(() => bloomRate({ bits: 8, hashes: 1, count: 1, ...wrong }), RangeError);
    }
  });
});

describe('filters', () => {
  test('bits and hashes have the capacity at which half the bits are set', () => {
    for (const [bits, hashes] of [
      [1, 1],
      [64, 3],
      [1000, 7],
      [1 << 20, 10],
      [1 << 20, 64],
    ] as const) {
      const filter = new BloomFilter({ bits, hashes });
      const count = Math.max(1, Math.floor((bits * Math.LN2) / hashes));
      expect(filter.capacity).toBe(count);
      expect(filter.fpr).toBe(bloomRate({ bits, hashes, count }));
    }
  });

  test('one in a hundred unless something else is asked', () => {
    expect(new BloomFilter({ capacity: 777 }).toBytes()).toEqual(
      new BloomFilter({ capacity: 777, fpr: 0.01 }).toBytes(),
    );
  });
});
