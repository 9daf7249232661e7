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
import { expectSame } from './support/bytes.js';
import { expectCode, expectOption, thrownBy } from './support/errors.js';

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
});

/** Unlike structures, and the word that the message must have. */
type Unlike = readonly [field: string, make: () => Structure];

function expectUnlike(base: () => Structure, action: string, unlike: readonly Unlike[]): void {
  for (const [field, make] of unlike) {
    const mine = base() as unknown as Record<string, (other: Structure) => unknown>;
    const before = base().toBytes();
    const error = expectCode(() => mine[action]?.(make()), 'INCOMPATIBLE');
    const [detail] = error.message.split('`emptyCopy`: ').slice(-1);
    expect(detail).toMatch(new RegExp(`\\b${field}\\b`));
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
    expectUnlike(make(keyed), 'merge', [['keys', make({ ...keyed, secret: OTHER_KEY })]]);
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
    expectUnlike(make(keyed), 'merge', [['keys', make({ ...keyed, secret: OTHER_KEY })]]);
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
    expectUnlike(make(keyed), 'subtract', [['keys', make({ ...keyed, secret: OTHER_KEY })]]);
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
  expect(message).toMatch(/with one `capacity` or by `emptyCopy`: bits is \d+ here and \d+ there$/);
  const copy = mine.emptyCopy();
  copy.addMany(['bee', 'cat']);
  for (const other of [copy, BloomFilter.from(['bee', 'cat'], { capacity: 100 })]) {
    expect(mine.clone().merge(other).hasMany(['ant', 'bee', 'cat'])).toEqual(
      Uint8Array.of(1, 1, 1),
    );
  }
});
