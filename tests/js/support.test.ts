/** The oracles of these tests, held to what was published about them. */
import { expect, test } from '@jest/globals';
import { BitArray, BloomFilter } from 'tamis';

import { binomialTails, logGamma } from './support/binomial.js';
import { crc32c } from './support/crc32c.js';
import { leftBehind } from './support/handles.js';
import { utf8 } from './support/keys.js';

test('CRC-32C has its check value', () => {
  expect(crc32c(utf8('123456789'))).toBe(0xe3069283);
  expect(crc32c(new Uint8Array(0))).toBe(0);
});

test('the binomial tails are those of small numbers added up', () => {
  const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k);
  for (const [n, p] of [
    [10, 0.3],
    [20, 0.5],
    [15, 0.01],
  ] as const) {
    const mass = Array.from(
      { length: n + 1 },
      (_, k) => choose(n, k) * p ** k * (1 - p) ** (n - k),
    );
    for (let x = 0; x <= n; x++) {
      const { lower, upper } = binomialTails(x, n, p);
      expect(lower).toBeCloseTo(
        mass.slice(0, x + 1).reduce((a, b) => a + b),
        12,
      );
      expect(upper).toBeCloseTo(
        mass.slice(x).reduce((a, b) => a + b),
        12,
      );
    }
  }
});

test('the binomial tails cross 1e-9 where they should', () => {
  for (const [p, n, low, high] of [
    [0.01, 1e6, 9408, 10_603],
    [2 ** -8, 1e6, 3537, 4287],
  ] as const) {
    expect(binomialTails(low, n, p).lower).toBeLessThan(1e-9);
    expect(binomialTails(low + 1, n, p).lower).toBeGreaterThan(1e-9);
    expect(binomialTails(high, n, p).upper).toBeLessThan(1e-9);
    expect(binomialTails(high - 1, n, p).upper).toBeGreaterThan(1e-9);
  }
});

test("logGamma is the factorial's logarithm", () => {
  let sum = 0;
  for (let n = 1; n < 200; n++) {
    sum += Math.log(n);
    expect(logGamma(n + 1)).toBeCloseTo(sum, 8);
  }
});

test('what is left alive is counted, and what was disposed of is not', async () => {
  const kept: BitArray[] = [];
  expect(await leftBehind(() => kept.push(new BitArray(5), new BitArray(6)))).toBe(2);
  expect(await leftBehind(() => BloomFilter.from(['a']).dispose())).toBe(0);
  expect(await leftBehind(async () => kept.pop()?.dispose())).toBe(0);
  expect(kept.length).toBe(1);
});
