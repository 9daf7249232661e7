/** False-positive rates after a long life of adds and deletes: exact binomial tails, three families of keys. */
import { describe, expect, test } from '@jest/globals';
import type { RotatingBloomFilter, TombstoneBloomFilter } from 'tamis';

import type { DeletableFilter, MutableFilter } from './classes.js';
import { filterCases } from './classes.js';
import { binomialTails } from './support/binomial.js';
import { integers, random, randomStrings, urls } from './support/keys.js';

const ALPHA = 1e-9;
const CAPACITY = 4000;
const ABSENT_KEYS = 60_000;

type Source = readonly (string | Uint8Array)[];
/** Keys to live with, and absent keys of the same shape. */
const families: readonly (readonly [string, Source, Source])[] = [
  ['random strings', randomStrings(3 * CAPACITY, 'a', 7), randomStrings(ABSENT_KEYS, 'b', 8)],
  ['URLs', urls(3 * CAPACITY, 'in'), urls(ABSENT_KEYS, 'out')],
  ['consecutive numbers', integers(3 * CAPACITY, 0), integers(ABSENT_KEYS, 3 * CAPACITY)],
];

const sum = (answers: Uint8Array): number => answers.reduce((total, answer) => total + answer, 0);

function expectRate(filter: MutableFilter, absentKeys: Source, rate: number): void {
  const { lower, upper } = binomialTails(sum(filter.hasMany(absentKeys)), absentKeys.length, rate);
  expect(lower).toBeGreaterThan(ALPHA);
  expect(upper).toBeGreaterThan(ALPHA);
}

const subjects = filterCases.filter(
  ({ label, key }) => key === undefined && !/seed|, bits/.test(label),
);
const deleting = subjects.filter(({ traits }) => traits.deletes);

describe.each(deleting.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  test.each(families)(
    '%s: after two thirds of all keys were replaced',
    (_name, keys, absentKeys) => {
      const filter = one.create(CAPACITY) as DeletableFilter;
      const next = random(11);
      // Nine tenths of the capacity, each replaced twice or so; those that cannot go stay.
      const held = keys.slice(0, 0.9 * CAPACITY);
      const stuck: (string | Uint8Array)[] = [];
      filter.addMany(held);
      for (const key of keys.slice(held.length)) {
        const at = next() % held.length;
        try {
          if (filter.delete(held[at] as string)) {
            filter.add(key);
            held[at] = key;
          }
        } catch (error) {
          const { code } = error as { code: string };
          if (code === 'ERR_TAMIS_TOMBSTONED') held[at] = held[0] as string;
          else expect(code).toBe('ERR_TAMIS_NOT_DELETABLE');
          stuck.push(key);
        }
      }
      const rate = one.rate(filter);
      expectRate(filter, absentKeys, rate);
      // The filter reports the same rate.
      if (one.traits.estimates) expect(filter.estimatedFpr / rate).toBeCloseTo(1, 1);
      else expect(filter.estimatedFpr).toBeCloseTo(rate, 12);
      const lost = held.length - sum(filter.hasMany(held));
      if (!one.traits.tombstones) {
        expect(lost).toBe(0);
      } else {
        const { falseNegativeRate } = filter as unknown as TombstoneBloomFilter;
        expect(lost).toBeLessThanOrEqual(held.length * falseNegativeRate * 2 + 20);
      }
      // Many counters of 2 bits stick, and their keys stay.
      if (one.traits.copies && one.label !== 'counting-bloom, 2 bits') {
        // It holds as many keys as before. Its rate is no worse than that of a fresh filter with as many keys.
        expect(filter.count).toBe(held.length);
        expect(stuck).toEqual([]);
        const fresh = one.create(CAPACITY);
        fresh.addMany(held);
        expect(rate / one.rate(fresh)).toBeLessThan(1.05);
      }
      filter.validate();
    },
  );
});

describe.each(
  subjects.filter(({ traits }) => traits.forgets).map((one) => [one.label, one] as const),
)('%s', (_label, one) => {
  test.each(families)('%s: after many rotations', (_name, keys, absentKeys) => {
    const filter = one.create(1000) as unknown as RotatingBloomFilter & MutableFilter;
    for (let period = 0; period < 12; period++) {
      filter.rotate();
      // Half of each period's keys are those of the last one.
      filter.addMany(keys.slice(500 * period, 500 * period + 1000));
    }
    expectRate(filter, absentKeys, one.rate(filter));
    expect(filter.estimatedFpr).toBeLessThan(1.15 * filter.fpr);
  });
});

const bounded = subjects.filter(({ traits }) => traits.bounded);
test.each(bounded.map((one) => [one.label, one] as const))(
  '%s, full to the last place',
  (_label, one) => {
    const filter = one.create(CAPACITY);
    expect(() => filter.addMany(randomStrings(3 * CAPACITY, 'a', 7))).toThrow();
    for (const [, , absentKeys] of families) expectRate(filter, absentKeys, one.rate(filter));
  },
);
