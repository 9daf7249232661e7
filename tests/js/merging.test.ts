/** merge of the filters that change, and the differences that keep two of them from merging. */
import { describe, expect, test } from '@jest/globals';
import {
  BlockedBloomFilter,
  BloomFilter,
  CountingBloomFilter,
  InvertibleBloomTable,
  type Structure,
} from 'tamis';

import type { MergeableFilter } from './classes.js';
import { filterCases, KEY, members, OTHER_KEY } from './classes.js';
import { budget } from './support/budget.js';
import { expectSame } from './support/bytes.js';
import { expectCode, expectOption, thrownBy } from './support/errors.js';
import { fc } from './support/fast-check.js';

const merging = filterCases.filter(({ traits }) => traits.merges);

describe.each(merging.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  const holding = (from: number, to: number): MergeableFilter => {
    const filter = one.create(400) as MergeableFilter;
    filter.addMany(members(to).slice(from));
    return filter;
  };

  test('with what is no filter, or one of another type', () => {
    const a = holding(0, 10);
    const bytes = a.toBytes();
    for (const wrong of [
      undefined,
      null,
      7,
      'filter',
      {},
      [],
      Object.create(one.Class as object),
    ]) {
      expectOption(() => a.merge(wrong as never), TypeError);
    }
    const other = filterCases.find(({ type }) => type !== one.type);
    const error = expectCode(() => a.merge(other?.create(400) as never), 'INCOMPATIBLE');
    expect(error.message).toContain(one.type);
    expect(error.message).toContain(other?.type);
    expectSame(a.toBytes(), bytes);
  });

  test('count: the sum where copies are held, else an estimate that does not count keys twice', () => {
    const counted = (mine: MergeableFilter, other: MergeableFilter) => {
      const bounds = [Math.max(mine.count, other.count), mine.count + other.count] as const;
      const { count, bitsPerKey, sizeBytes } = mine.clone().merge(other);
      if (count > 0) expect(bitsPerKey).toBe((8 * sizeBytes) / count);
      expect(count).toBe(other.clone().merge(mine).count);
      if (one.traits.copies) expect(count).toBe(bounds[1]);
      expect(count).toBeGreaterThanOrEqual(bounds[0]);
      expect(count).toBeLessThanOrEqual(bounds[1]);
      return one.traits.copies ? undefined : count;
    };
    const all = holding(0, 400);
    const exact = [
      [holding(0, 400), all],
      [holding(100, 200), all],
      [holding(0, 0), all],
      [all, all],
    ] as const;
    for (const [other, whole] of exact) {
      expect([all.count, undefined]).toContain(counted(whole, other));
    }
    expect([0, undefined]).toContain(counted(holding(0, 0), holding(0, 0)));
    const about = [
      [holding(0, 200), holding(200, 400), 400],
      [holding(0, 200), holding(100, 300), 300],
      [holding(0, 390), holding(10, 400), 400],
    ] as const;
    for (const [mine, other, keys] of about) {
      const count = counted(mine, other) ?? keys;
      expect(Math.abs(count / keys - 1)).toBeLessThan(0.05);
    }
    const [full, most] = [holding(0, 0), holding(0, 0)];
    full.addMany(members(40_000));
    most.addMany(members(30_000).slice(100));
    counted(full, most);
  });

  const part = fc.tuple(fc.nat(3000), fc.nat(3000));
  test('count of random unions lies between the larger count and the sum', () => {
    fc.assert(
      fc.property(part, part, ([from, size], [start, length]) => {
        using mine = holding(from, from + size);
        using other = holding(start, start + length);
        const [a, b] = [mine.count, other.count];
        const { count } = mine.merge(other);
        expect(count).toBeGreaterThanOrEqual(Math.max(a, b));
        expect(count).toBeLessThanOrEqual(a + b);
        mine.validate();
      }),
      { numRuns: budget(200) },
    );
  });
});

test('1,000 keys twice are 1,000 keys, and half of them are 500', () => {
  const keys = members(1000);
  for (const make of [() => BloomFilter.from(keys), () => BlockedBloomFilter.from(keys)]) {
    const mine: MergeableFilter = make();
    const { count, bitsPerKey } = mine;
    expect(Math.abs(count / 1000 - 1)).toBeLessThan(0.01);
    expect(mine.merge(make()).count).toBe(count);
    expect(mine.bitsPerKey).toBe(bitsPerKey);
  }
  const left = BloomFilter.from(keys);
  const right = BloomFilter.from(members(1500).slice(500));
  expect(left.clone().intersect(left).count).toBe(left.count);
  const union = left.clone().merge(right).count;
  expect(left.clone().intersect(right).count).toBe(left.count + right.count - union);
  left.intersect(right);
  expect(Math.abs(left.count / 500 - 1)).toBeLessThan(0.1);
  expect(left.intersect(left.emptyCopy()).count).toBe(0);
});

/** Unlike structures, and the word that the message must have. */
type Unlike = readonly [field: string, make: () => Structure];

function expectUnlike(base: () => Structure, action: string, unlike: readonly Unlike[]): void {
  for (const [field, make] of unlike) {
    const mine = base() as unknown as Record<string, (other: Structure) => unknown>;
    const before = base().toBytes();
    const error = expectCode(() => mine[action]?.(make()), 'INCOMPATIBLE');
    expect(error.message).toMatch(new RegExp(`^the two have different .*\\b${field}\\b`));
    expectSame((mine as unknown as Structure).toBytes(), before);
  }
}
const keyed = { secret: KEY } as const;

describe('unlike ones are told apart, by the field that differs', () => {
  test('blocked-bloom', () => {
    const options = { capacity: 1000 };
    const make = (more: object) => () => new BlockedBloomFilter({ ...options, ...more });
    expectUnlike(make({}), 'merge', [
      ['hash', make(keyed)],
      ['seed', make({ seed: 1n })],
      ['sizeBytes', make({ capacity: 2000 })],
      ['sizeBytes', make({ fpr: 0.001 })],
      ['type', () => new BloomFilter(options)],
    ]);
    expectUnlike(make(keyed), 'merge', [['secrets', make({ ...keyed, secret: OTHER_KEY })]]);
  });

  test('counting-bloom', () => {
    const options = { capacity: 1000 };
    const make = (more: object) => () => new CountingBloomFilter({ ...options, ...more });
    expectUnlike(make({}), 'merge', [
      ['hash', make(keyed)],
      ['seed', make({ seed: 1n })],
      ['counters', make({ capacity: 2000 })],
      ['counterBits', make({ counterBits: 5 })],
      ['type', () => new BloomFilter(options)],
    ]);
    expectUnlike(make(keyed), 'merge', [['secrets', make({ ...keyed, secret: OTHER_KEY })]]);
  });

  test('iblt', () => {
    const options = { differences: 10, keyBytes: 8 };
    const make = (more: object) => () => new InvertibleBloomTable({ ...options, ...more });
    expectUnlike(make({}), 'subtract', [
      ['hash', make(keyed)],
      ['seed', make({ seed: 1n })],
      ['keyBytes', make({ keyBytes: 9 })],
      ['differences', make({ differences: 100 })],
      ['type', () => new BloomFilter({ capacity: 10 })],
    ]);
    expectUnlike(make(keyed), 'subtract', [['secrets', make({ ...keyed, secret: OTHER_KEY })]]);
    for (const wrong of [undefined, null, 5, {}, 'table']) {
      expectOption(() => make({})().subtract(wrong as never), TypeError);
    }
  });
});

test('those that cannot merge have no such member', () => {
  for (const one of filterCases.filter(({ traits }) => !traits.merges)) {
    expect('merge' in one.create(5)).toBe(false);
  }
  expect(thrownBy(() => new BlockedBloomFilter({ capacity: 5 }).merge({} as never))).toBeInstanceOf(
    TypeError,
  );
});

test('filters of two capacities: the error names the ways out, and both lead there', () => {
  const mine = BloomFilter.from(['ant'], { capacity: 100 });
  const theirs = BloomFilter.from(['bee', 'cat'], { capacity: 200 });
  const { message } = expectCode(() => mine.merge(theirs), 'INCOMPATIBLE');
  expect(message).toMatch(
    /different options: bits is \d+ here and \d+ there; make one with `other\.emptyCopy\(\)`$/,
  );
  const copy = mine.emptyCopy();
  copy.addMany(['bee', 'cat']);
  for (const other of [copy, BloomFilter.from(['bee', 'cat'], { capacity: 100 })]) {
    expect(mine.clone().merge(other).hasMany(['ant', 'bee', 'cat'])).toEqual(
      Uint8Array.of(1, 1, 1),
    );
  }
});
