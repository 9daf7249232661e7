/** The sizing functions. No filter is ever worse than the options demand. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BloomFilter, bloomRate, bloomSizing } from 'tamis';

import { byOccupancy, bySecondOrder, rate, SUMMED } from './support/bloom-rate.js';
import { expectOption } from './support/errors.js';
import { schemeNames, schemeOption } from './support/schemes.js';

/** Tests if the geometry keeps the rate; undefined if the rounding of the two formulas decides. */
function keeps(bits: number, hashes: number, n: number, fpr: number): boolean | undefined {
  const rounding = 1e-9;
  const rates = [bySecondOrder(bits, hashes, hashes * n)];
  if (hashes * n <= SUMMED && (rates[0] as number) <= fpr * (1 + rounding)) {
    rates.push(byOccupancy(bits, hashes, hashes * n));
  }
  const most = Math.max(...rates);
  return Math.abs(most / fpr - 1) < rounding ? undefined : most < fpr;
}

const capacities = fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 10 ** 9 }));
const rates = fc.double({ min: -48, max: -0.001, noNaN: true }).map((log) => 2 ** log);

describe('bloomSizing', () => {
  test('property: the smallest geometry that keeps the rate', () => {
    fc.assert(
      fc.property(capacities, rates, (capacity, fpr) => {
        const { bits, hashes, ...sized } = bloomSizing({ capacity, fpr });
        expect(keeps(bits, hashes, capacity, fpr)).not.toBe(false);
        expect(sized.fpr).toBeLessThanOrEqual(fpr);
        expect(sized.fpr / rate(bits, hashes, capacity)).toBeCloseTo(1, 9);
        expect(sized.bitsPerKey).toBeCloseTo(bits / capacity, 9);
        expect(bloomRate({ bits, hashes, count: capacity })).toBe(sized.fpr);
        // Fewer bits do not keep the rate for any number of hashes. The same bits do not keep it for fewer
        // hashes. In a huge array the effect of one bit is smaller than the rounding.
        for (let other = 1; other <= 64; other++) {
          const fewer = other < hashes ? bits : bits - 1;
          if (fewer > 0) expect(keeps(fewer, other, capacity, fpr)).not.toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('a small filter gets more bits than the classic formula gives', () => {
    expect(bloomSizing({ capacity: 1, fpr: 0.01 })).toMatchObject({ bits: 11, hashes: 6 });
    expect(bloomSizing({ capacity: 10, fpr: 0.01 })).toMatchObject({ bits: 98, hashes: 6 });
    expect(bloomRate({ bits: 10, hashes: 7, count: 1 })).toBeCloseTo(0.01747, 5);
    expect(bloomRate({ bits: 96, hashes: 7, count: 10 })).toBeCloseTo(0.01089, 5);
  });

  test('property: given the bits, the best number of hashes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 7 }), capacities, (bits, capacity) => {
        const rates = Array.from({ length: 64 }, (_, i) =>
          bloomRate({ bits, hashes: i + 1, count: capacity }),
        );
        const sized = bloomSizing({ bits, capacity });
        expect(sized.bits).toBe(bits);
        // One function computes all these rates, so that they have the same rounding.
        expect(sized.fpr).toBe(Math.min(...rates));
        expect(sized.hashes).toBe(1 + rates.indexOf(sized.fpr));
        // Below 2^-1022 a number has units of 2^-1074. Either formula loses at most two units for each position.
        const near = rates.map((each, i) => {
          const wanted = rate(bits, i + 1, capacity);
          const units = 4 * (i + 1) * capacity;
          return Math.abs(each - wanted) <= 1e-9 * wanted + units * Number.MIN_VALUE;
        });
        expect(near).not.toContain(false);
      }),
      { numRuns: 200, examples: [[5_764_686, 1]] },
    );
  });

  // Next to a rate of 1, a single bit moves the rate by less than a double can show.
  test('ends for the rate next to 1', () => {
    const fpr = 0.9999999999999999;
    for (const capacity of [1, 1000, 1e12]) {
      const sized = bloomSizing({ capacity, fpr });
      expect(sized.fpr).toBeLessThanOrEqual(fpr);
      expect(sized.bits).toBeLessThanOrEqual(Math.max(2, capacity));
    }
  });

  test('keeps the rate for more keys than any filter holds', () => {
    for (const fpr of [2 ** -48, 0.01, 0.5, 0.9999999999999999]) {
      const sized = bloomSizing({ capacity: Number.MAX_SAFE_INTEGER, fpr });
      expect(sized.fpr).toBeLessThanOrEqual(fpr);
    }
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
    expectOption(() => bloomSizing({ bits: 5, capacity: 0.5 }), RangeError);
  });
});

describe('bloomRate', () => {
  test('is the rate of that many keys', () => {
    for (const [bits, hashes, count] of [
      [1000, 7, 100],
      [8192, 2, 3],
      [64, 1, 64],
      [1e9, 10, 1e8],
    ]) {
      const options = { bits: bits as number, hashes: hashes as number, count: count as number };
      expect(bloomRate(options) / rate(options.bits, options.hashes, options.count)).toBeCloseTo(
        1,
        9,
      );
    }
    expect(bloomRate({ bits: 100, hashes: 3, count: 0 })).toBe(0);
    expect(bloomRate({ bits: 8, hashes: 3, count: 1e9 })).toBe(1);
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

/** Schemes of libraries whose arrays are words of 64 bits. */
const wholeWords = new Set([
  'guava64',
  'guava-32',
  'spark-v1',
  'spark-v2',
  'redisbloom',
  'datasketches',
]);

describe('filters', () => {
  test('property: the designed rate is never above what was asked', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20_000 }),
        fc.double({ min: -18, max: -0.01, noNaN: true }).map((log) => 2 ** log),
        fc.constantFrom(...schemeNames),
        (capacity, fpr, scheme) => {
          const options = { capacity, fpr, ...schemeOption(scheme) };
          using filter = new BloomFilter(options);
          expect(filter.fpr).toBeLessThanOrEqual(fpr);
          expect(filter.capacity).toBe(capacity);
          expect(filter.fpr / rate(filter.bits, filter.hashes, capacity)).toBeCloseTo(1, 9);
          expect(filter.sizeBytes).toBe(8 * Math.ceil(filter.bits / 64));
          expect(BloomFilter.sizeFor(options)).toBe(filter.sizeBytes);
          const sized = bloomSizing({ capacity, fpr });
          if (scheme === 'murmur2a-fnv1a') {
            const bits = Math.ceil((-2 * capacity) / Math.log1p(-Math.sqrt(fpr)));
            expect(Math.abs(filter.bits - bits)).toBeLessThanOrEqual(1);
          } else if (wholeWords.has(scheme)) {
            expect(filter.bits).toBe(64 * Math.ceil(sized.bits / 64));
            expect(filter.hashes).toBe(sized.hashes);
          } else {
            expect([filter.bits, filter.hashes]).toEqual([sized.bits, sized.hashes]);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test('bits and hashes have the capacity at which half the bits are set', () => {
    for (const [bits, hashes] of [
      [1, 1],
      [64, 3],
      [1000, 7],
      [1 << 20, 10],
      [1 << 20, 64],
    ]) {
      const filter = new BloomFilter({ bits: bits as number, hashes: hashes as number });
      const capacity = Math.max(1, Math.floor((filter.bits * Math.LN2) / filter.hashes));
      expect(filter.capacity).toBe(capacity);
      expect(filter.fpr).toBeCloseTo(rate(filter.bits, filter.hashes, capacity), 12);
    }
  });

  test('one in a hundred unless something else is asked', () => {
    expect(new BloomFilter({ capacity: 777 }).toBytes()).toEqual(
      new BloomFilter({ capacity: 777, fpr: 0.01 }).toBytes(),
    );
  });
});
