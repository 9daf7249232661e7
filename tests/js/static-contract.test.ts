/** Promises of every structure that is built once about its keys, over the class list. */
import { describe, expect, test } from '@jest/globals';
import { type Filter, hashKeys, type Key } from 'tamis';

import type { Built } from './classes.js';
import { awkward, members, staticCases, staticFilters } from './classes.js';
import { binomialTails } from './support/binomial.js';
import { expectSame } from './support/bytes.js';
import { expectCode } from './support/errors.js';
import { leftBehind } from './support/handles.js';
import { random, randomStrings, utf8 } from './support/keys.js';

const ALPHA = 1e-9;
const ones = (n: number): Uint8Array => new Uint8Array(n).fill(1);
const sum = (answers: Uint8Array): number => answers.reduce((total, answer) => total + answer, 0);

function expectRate(built: Built, asked: Key[], rate: number): void {
  const tails = binomialTails(sum(built.hasMany(asked)), asked.length, rate);
  expect(tails.lower).toBeGreaterThan(ALPHA);
  expect(tails.upper).toBeGreaterThan(ALPHA);
}

const absentKeys = randomStrings(20_000, 'stranger');

/** Another order of the same. */
function shuffled<T>(values: readonly T[], seed: number): T[] {
  const next = random(seed);
  const order = values.map((value) => [next(), value] as const).sort(([a], [b]) => a - b);
  return order.map(([, value]) => value);
}

describe.each(staticCases.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  describe.each([0, 1, 2, 3, 7, 40, 100, 5000])('with %d keys', (n) => {
    const built = one.make(n);
    const keys = members(n);

    test('has no false negative, one by one or in a batch', () => {
      expect(keys.filter((key) => !built.has(key))).toEqual([]);
      expect(built.hasMany(keys)).toEqual(ones(n));
    });

    test('counts the distinct keys', () => {
      expect(built.count).toBe(n);
      const { capacity = n, bitsPerKey = Number.NaN } = built as unknown as Partial<Filter>;
      expect(capacity).toBe(n);
      if (n === 0) expect(bitsPerKey).toBeNaN();
    });

    test('absent keys are taken for keys at its rate, or never when it is empty', () => {
      expectRate(built, absentKeys, one.rate(built));
    });
  });

  test('keys that come again change nothing', () => {
    const once = one.make(300).toBytes();
    const keys = members(300);
    expectSame(one.from([...keys, ...keys]).toBytes(), once);
    expectSame(one.from([...keys, ...keys.map(utf8)]).toBytes(), once);
    expectSame(one.from(keys.flatMap((key) => [key, key, key])).toBytes(), once);
    const often = [...keys, ...new Array<string>(69).fill(keys[7] as string)];
    expectSame(one.from(often).toBytes(), once);
    const alone = one.from(new Array<string>(5000).fill('a'));
    expect(alone.count).toBe(1);
    expectSame(alone.toBytes(), one.from(['a']).toBytes());
  });

  test('the order of the keys changes nothing, and every build is the same', () => {
    for (const n of [2, 50, 3000]) {
      const bytes = one.make(n).toBytes();
      expectSame(one.from(members(n).reverse()).toBytes(), bytes);
      expectSame(one.from(shuffled(members(n), n)).toBytes(), bytes);
      expectSame(one.make(n).toBytes(), bytes);
    }
  });

  test('another seed or key makes other bytes', () => {
    const built = one.make(100);
    for (const other of staticCases) {
      if (other.type !== one.type || other === one) continue;
      expect(Buffer.compare(other.make(100).toBytes(), built.toBytes())).not.toBe(0);
    }
  });

  test('sizeFor expects what a build takes', () => {
    for (const n of [1, 10, 100, 1000, 20_000]) {
      const expected = one.sizeFor(n);
      const { sizeBytes } = one.make(n);
      // Small structures have few slots, and a build may need some more of them.
      expect(Math.abs(expected - sizeBytes)).toBeLessThanOrEqual(0.02 * sizeBytes + 16);
    }
  });
});

describe.each(staticFilters.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  test('hasHashes agrees with hasMany', () => {
    const options = one.secret === undefined ? {} : { secret: one.secret };
    const filter = one.make(200);
    const probes = [...members(220), ...awkward, ...randomStrings(5000, 'h')];
    expect(filter.hasHashes(hashKeys(probes, options))).toEqual(filter.hasMany(probes));
    expect(filter.hasHashes(new BigUint64Array(0))).toEqual(new Uint8Array(0));
  });

  test('its figures agree with one another', () => {
    const filter = one.make(1000);
    expect(filter.bitsPerKey).toBe((8 * filter.sizeBytes) / 1000);
    expect(filter.fpr).toBe(one.rate(filter));
    expect(filter.estimatedFpr).toBe(filter.fpr);
    const empty = one.make(0);
    expect(empty).toMatchObject({ count: 0, capacity: 0, estimatedFpr: 0 });
    // No key passes an exact filter without included keys. The other types report the rate that they are made for.
    if (one.type === 'exact') expect(empty.fpr).toBe(0);
    else expect(empty.fpr).toBeGreaterThan(0);
    expect(JSON.parse(JSON.stringify(empty))).toMatchObject({ bitsPerKey: null });
  });

  test('what is no key, or no keys, is told and leaves nothing', async () => {
    const wrong: readonly [unknown, number | undefined][] = [
      [['a', 5], 1],
      [[...members(600), '\ud800'], 600],
      [new Set(['a', 'b', null]), 2],
      ['abc', undefined],
      [utf8('abc'), undefined],
      [5, undefined],
      [{}, undefined],
    ];
    const left = await leftBehind(() => {
      for (const [keys, index] of wrong) {
        expect(expectCode(() => one.from(keys as string[]), 'INVALID_KEY').index).toBe(index);
      }
    });
    expect(left).toBe(0);
  });

  test('takes no more keys', () => {
    const filter = one.make(3) as unknown as Record<string, unknown>;
    for (const name of ['add', 'addMany', 'addFrom', 'addHashes', 'clear', 'emptyCopy', 'delete']) {
      expect(filter[name]).toBeUndefined();
    }
  });
});
