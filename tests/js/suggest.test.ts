/** suggestFilter: every branch, the borders between them, the sizes, and the tables that show what it suggests. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import {
  BinaryFuseFilter,
  BitArray,
  BlockedBloomFilter,
  BloomFilter,
  BloomierMap,
  CountingBloomFilter,
  CuckooFilter,
  ExactFilter,
  type FilterNeeds,
  type FilterSuggestion,
  RibbonFilter,
  ScalableBloomFilter,
  suggestFilter,
} from 'tamis';

import { expectCode, expectOption } from './support/errors.js';

const typeOf = (needs: FilterNeeds): string => suggestFilter(needs).type;

const bytesOf = (text: string): number[] =>
  [...text.matchAll(/([\d,]+) bytes/g)].map(([, digits]) => Number(digits?.replaceAll(',', '')));

const many = 100_000;
const fast = { capacity: many, fpr: 0.001 };

/** The needs, and the suggestion for them. The class is found by the suggested name. */
const cases: ReadonlyArray<[FilterNeeds, FilterSuggestion['type'], string, unknown, number]> = [
  [{ capacity: 1000 }, 'set', 'Set', undefined, 0],
  // Few keys at first are no reason for a Set if nobody knows how many will come.
  [
    { capacity: 1000, grows: true },
    'scalable-bloom',
    'ScalableBloomFilter',
    { capacity: 1000, fpr: 0.01 },
    0.01,
  ],
  [{ capacity: 1000, deletes: true }, 'set', 'Set', undefined, 0],
  [{ capacity: 1000, values: 32 }, 'map', 'Map', undefined, 0],
  [{ capacity: 100, static: true }, 'set', 'Set', undefined, 0],
  [{ capacity: 100, static: true, values: 1 }, 'map', 'Map', undefined, 0],
  [{ capacity: 100, static: true, universe: 101 }, 'set', 'Set', undefined, 0],
  [{ capacity: many, values: 8 }, 'map', 'Map', undefined, 0],
  [{ capacity: many, values: 8, static: true, fpr: 2 ** -33 }, 'map', 'Map', undefined, 0],
  [
    { capacity: many, values: 8, static: true, fpr: 2 ** -8 },
    'bloomier',
    'BloomierMap',
    { valueBits: 8, checkBits: 8 },
    2 ** -8,
  ],
  [
    { capacity: 101, values: 3, static: true },
    'bloomier',
    'BloomierMap',
    { valueBits: 3, checkBits: 7 },
    2 ** -7,
  ],
  [{ capacity: many, static: true }, 'ribbon', 'RibbonFilter', { fpr: 0.01 }, 2 ** -7],
  [
    { capacity: 101, static: true, fpr: 2 ** -32 },
    'ribbon',
    'RibbonFilter',
    { fpr: 2 ** -32 },
    2 ** -32,
  ],
  [{ capacity: many, static: true, universe: 10 ** 7 }, 'exact', 'ExactFilter', {}, 0],
  [{ capacity: many, static: true, universe: many + 10 }, 'bit-array', 'BitArray', many + 10, 0],
  [{ capacity: many, universe: 9 * many }, 'bit-array', 'BitArray', 9 * many, 0],
  [{ ...fast, grows: true }, 'scalable-bloom', 'ScalableBloomFilter', fast, 0.001],
  [{ ...fast, deletes: true }, 'cuckoo', 'CuckooFilter', fast, 0.001],
  [{ ...fast, deletes: true, grows: true }, 'cuckoo', 'CuckooFilter', fast, 0.001],
  [
    { capacity: many, fpr: 2 ** -40, deletes: true },
    'counting-bloom',
    'CountingBloomFilter',
    { capacity: many, fpr: 2 ** -40 },
    2 ** -40,
  ],
  [fast, 'bloom', 'BloomFilter', fast, 0.001],
  [
    { capacity: many, fpr: 2 ** -33, static: true },
    'bloom',
    'BloomFilter',
    { capacity: many, fpr: 2 ** -33 },
    2 ** -33,
  ],
  [
    { capacity: 3_000_000 },
    'blocked-bloom',
    'BlockedBloomFilter',
    { capacity: 3_000_000, fpr: 0.01 },
    0.01,
  ],
];

test.each(cases)('%j: %s', (needs, type, className, options, fpr) => {
  const choice = suggestFilter(needs);
  expect(choice).toEqual({
    type,
    className,
    options,
    sizeBytes: expect.any(Number),
    bitsPerKey: (8 * choice.sizeBytes) / needs.capacity,
    fpr,
    why: expect.stringMatching(/^[A-Z][ -~]{20,180}\.$/),
  });
  expect(suggestFilter({ ...needs })).toEqual(choice);
  expect(className in (['set', 'map'].includes(type) ? globalThis : tamis)).toBe(true);
});

test('every type that it knows is met above', () => {
  expect([...new Set(cases.map(([, type]) => type))].sort()).toEqual([
    'bit-array',
    'blocked-bloom',
    'bloom',
    'bloomier',
    'counting-bloom',
    'cuckoo',
    'exact',
    'map',
    'ribbon',
    'scalable-bloom',
    'set',
  ]);
});

/** Makes the suggested structure, as a user would. */
function made(choice: FilterSuggestion, keys: readonly string[], others: readonly string[]) {
  switch (choice.type) {
    case 'set':
    case 'map':
      throw new Error('made by JavaScript');
    case 'bit-array':
      return new BitArray(choice.options);
    case 'exact':
      return ExactFilter.from({ include: keys, exclude: others }, choice.options);
    case 'ribbon':
      return RibbonFilter.from(keys, choice.options);
    case 'bloomier':
      return BloomierMap.from(
        keys.map((key, i) => [key, i % 8] as const),
        choice.options,
      );
    case 'bloom':
      return new BloomFilter(choice.options);
    case 'blocked-bloom':
      return new BlockedBloomFilter(choice.options);
    case 'counting-bloom':
      return new CountingBloomFilter(choice.options);
    case 'cuckoo':
      return new CuckooFilter(choice.options);
    case 'scalable-bloom':
      return new ScalableBloomFilter(choice.options);
  }
}

const listed = (count: number, what: string): string[] =>
  Array.from({ length: count }, (_, i) => `${what}-${i}`);

describe('sizes are those of what is built', () => {
  const filters = cases.filter(([, type]) => type !== 'set' && type !== 'map');
  test.each(filters)('%j', (needs) => {
    const choice = suggestFilter(needs);
    const { capacity, universe = capacity } = needs;
    const excluded = choice.type === 'exact' ? Math.min(universe - capacity, 900_000) : 0;
    // A smaller list of excluded keys shows the same: one of ten millions would take long.
    const smaller =
      choice.type === 'exact' ? suggestFilter({ ...needs, universe: capacity + excluded }) : choice;
    expect(smaller.type).toBe(choice.type);
    const isBuilt = ['exact', 'ribbon', 'bloomier'].includes(choice.type);
    const keys = isBuilt ? listed(capacity, 'key') : [];
    using filter = made(smaller, keys, listed(excluded, 'other'));
    const difference = Math.abs(filter.sizeBytes - smaller.sizeBytes);
    expect(difference).toBeLessThanOrEqual(isBuilt ? Math.max(16, 0.02 * filter.sizeBytes) : 0);
    if ('fpr' in filter && choice.type !== 'exact') {
      expect(filter.fpr).toBeLessThanOrEqual(choice.fpr);
      expect(choice.fpr).toBeLessThanOrEqual(needs.fpr ?? 0.01);
    }
  });

  test.each([101, 500, 2000, 10_000, 40_000])('of %d keys, built once', (capacity) => {
    const keys = listed(capacity, 'key');
    for (const needs of [{}, { fpr: 2 ** -16 }, { values: 5 }, { universe: 9 * capacity }]) {
      const choice = suggestFilter({ capacity, static: true, ...needs });
      using filter = made(choice, keys, listed(8 * capacity, 'other'));
      const difference = Math.abs(filter.sizeBytes - choice.sizeBytes);
      expect(difference).toBeLessThanOrEqual(Math.max(16, 0.02 * filter.sizeBytes));
    }
  });
});

test('the bytes of others in `why` are those of their sizeFor', () => {
  const bytes = (needs: FilterNeeds) => bytesOf(suggestFilter(needs).why);
  expect(bytes({ capacity: many, static: true })).toEqual([
    BinaryFuseFilter.sizeFor({ capacity: many }),
  ]);
  expect(bytes({ capacity: many, deletes: true })).toEqual([
    CountingBloomFilter.sizeFor({ capacity: many }),
  ]);
  expect(bytes({ capacity: 3_000_000 })).toEqual([BloomFilter.sizeFor({ capacity: 3_000_000 })]);
  expect(bytes({ capacity: many, universe: 9 * many })).toEqual([
    BloomFilter.sizeFor({ capacity: many }),
  ]);
  expect(bytes({ capacity: many, static: true, universe: 10 ** 8 })).toEqual([
    BitArray.sizeFor(10 ** 8),
    RibbonFilter.sizeFor({ capacity: many }),
  ]);
  expect(bytes({ capacity: many, static: true, values: 8 })).toEqual([78 * many]);
});

describe('borders', () => {
  test('few keys', () => {
    expect(typeOf({ capacity: 1 })).toBe('set');
    expect(typeOf({ capacity: 1001 })).toBe('bloom');
    expect(typeOf({ capacity: 1001, values: 1 })).toBe('map');
    expect(typeOf({ capacity: 101, static: true })).toBe('ribbon');
    expect(typeOf({ capacity: 101, static: true, values: 1 })).toBe('bloomier');
  });

  test('a Set and a Map take what was measured', () => {
    expect(suggestFilter({ capacity: 1000 }).sizeBytes).toBe(67_000);
    expect(suggestFilter({ capacity: 1000, values: 1 }).sizeBytes).toBe(78_000);
  });

  test('a cache full', () => {
    let [most, above] = [1_000_000, 3_000_000];
    while (above - most > 1) {
      const capacity = Math.floor((most + above) / 2);
      if (BloomFilter.sizeFor({ capacity }) <= 2 ** 21) most = capacity;
      else above = capacity;
    }
    expect(typeOf({ capacity: most })).toBe('bloom');
    expect(typeOf({ capacity: above })).toBe('blocked-bloom');
    expect(typeOf({ capacity: above, fpr: 2 ** -12 })).toBe('blocked-bloom');
    expect(typeOf({ capacity: above, fpr: 2 ** -12.01 })).toBe('bloom');
  });

  test('rates', () => {
    expect(typeOf({ capacity: many, static: true, fpr: 2 ** -32.01 })).toBe('bloom');
    expect(typeOf({ capacity: many, static: true, values: 1, fpr: 2 ** -32 })).toBe('bloomier');
    expect(suggestFilter({ capacity: many, static: true, fpr: 0.9 }).fpr).toBe(0.5);
    const bits = (fpr: number) => {
      const choice = suggestFilter({ capacity: many, static: true, values: 9, fpr });
      return choice.type === 'bloomier' ? choice.options.checkBits : undefined;
    };
    expect([0.9, 0.5, 0.49, 0.01, 2 ** -8, 2 ** -8.01, 2 ** -32].map(bits)).toEqual([
      1, 1, 2, 7, 8, 9, 32,
    ]);
    let least = 2 ** -20;
    while (typeOf({ capacity: many, deletes: true, fpr: least / 1.01 }) === 'cuckoo') least /= 1.01;
    expect(Math.log2(least)).toBeGreaterThan(-30);
    expect(Math.log2(least)).toBeLessThan(-28);
    expect(() => CuckooFilter.sizeFor({ capacity: many, fpr: least / 1.01 })).toThrow(RangeError);
    expect(typeOf({ capacity: many, deletes: true, fpr: least / 1.01 })).toBe('counting-bloom');
  });

  test('a universe of a bit for each byte of a Bloom filter', () => {
    const bytes = BloomFilter.sizeFor({ capacity: many });
    expect(typeOf({ capacity: many, universe: 8 * bytes })).toBe('bit-array');
    expect(typeOf({ capacity: many, universe: 8 * bytes + 1 })).toBe('bloom');
    expect(typeOf({ capacity: many, universe: many })).toBe('bit-array');
  });

  test('of what is exact on a universe the smaller one', () => {
    const types = new Set<string>();
    for (const factor of [1, 1.5, 2, 3, 4, 5, 8, 20, 100, 1000, 2600]) {
      const universe = factor * many;
      const choice = suggestFilter({ capacity: many, static: true, universe, fpr: 2 ** -16 });
      const array = BitArray.sizeFor(universe);
      const exact = ExactFilter.sizeFor({ capacity: many, excluded: universe - many });
      expect([choice.type, choice.sizeBytes]).toEqual(
        array <= exact ? ['bit-array', array] : ['exact', exact],
      );
      types.add(choice.type);
    }
    expect(types.size).toBe(2);
  });

  test('a universe that nobody can list, nor number in 2^32 bits, is as good as none', () => {
    for (const universe of [2 ** 40, Number.MAX_SAFE_INTEGER]) {
      expect(typeOf({ capacity: many, universe, static: true })).toBe('ribbon');
      expect(typeOf({ capacity: many, universe })).toBe('bloom');
    }
  });

  test('a bit array where no filter is large or exact enough', () => {
    expect(typeOf({ capacity: 1e9, universe: 2e9 })).toBe('bit-array');
    expect(typeOf({ capacity: many, universe: 1e9, grows: true, fpr: 2 ** -40 })).toBe('bit-array');
  });
});

test('what grows and deletes is told that nothing does', () => {
  expect(suggestFilter({ ...fast, deletes: true, grows: true }).why).toMatch(/No filter .* grow/);
  expect(suggestFilter({ ...fast, deletes: true }).why).not.toMatch(/grow/);
});

describe('errors', () => {
  const wrongTypes: readonly unknown[] = [
    undefined,
    null,
    7,
    {},
    { fpr: 0.01 },
    { universe: 100 },
    { capacity: '5' },
    { capacity: 5, deletes: 1 },
    { capacity: 5, grows: 'yes' },
    { capacity: 5, static: null },
    { capacity: 5, values: true },
    { capacity: 5, fpr: '0.01' },
    { capacity: 5, merges: true },
    { capacity: 5, static: true, deletes: true },
    { capacity: 5, static: true, grows: true },
    Object.create({ capacity: 5 }),
  ];
  test.each(wrongTypes.map((needs) => [needs]))('TypeError: %j', (needs) => {
    const error = expectOption(() => suggestFilter(needs as never), TypeError);
    expect(error.message).toMatch(/^suggestFilter: /);
  });

  const outside: readonly FilterNeeds[] = [
    { capacity: 0 },
    { capacity: 1.5 },
    { capacity: 2 ** 53 },
    { capacity: Number.NaN },
    { capacity: 5, fpr: 0 },
    { capacity: 5, fpr: 1 },
    { capacity: 5, fpr: 2 ** -49 },
    { capacity: 5, values: 0 },
    { capacity: 5, values: 33 },
    { capacity: 5, universe: 0 },
    { capacity: 5, universe: 4 },
    { capacity: many, universe: many - 1, values: 7 },
  ];
  test.each(outside.map((needs) => [needs]))('RangeError: %j', (needs) => {
    const error = expectOption(() => suggestFilter(needs), RangeError);
    expect(error.message).toMatch(/^suggestFilter: /);
  });

  test('where nothing is large enough, or low enough', () => {
    for (const needs of [
      {},
      { deletes: true },
      { grows: true },
      { static: true },
      { universe: 1e14 },
    ]) {
      expectCode(() => suggestFilter({ capacity: 1e13, ...needs }), 'TOO_LARGE');
    }
    expectOption(() => suggestFilter({ capacity: many, grows: true, fpr: 2 ** -33 }), RangeError);
  });

  test('undefined is as good as absent', () => {
    const needs = { capacity: many, fpr: undefined, static: undefined, universe: undefined };
    expect(suggestFilter(needs as never)).toEqual(suggestFilter({ capacity: many }));
  });
});

/** The rows of the table of a document whose first column is what the reader has, without links. */
function rowsOf(file: string): string[][] {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  const [, lines = ''] = /^\| You have \|.*\n.*\n((?:\|.*\n)+)/m.exec(text) ?? [];
  const plain = lines.trim().replaceAll(/\[(`\w+`)\]\([^)]+\)/g, '$1');
  return plain.split('\n').map((line) => line.slice(2, -2).split(' | '));
}

/** Needs as the table writes them. */
const needsOf = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/(\w+): (\w+)/g)].map(([, name, value = '']) => [
      name,
      value === 'true' || Number(value.replaceAll('_', '')),
    ]),
  );

describe('the tables of README and the guide', () => {
  const rows = rowsOf('docs/guide/choose.md');

  test.each(rows)('%s: %s', (_what, needs = '', ...cells) => {
    const { className, type, bitsPerKey, fpr } = suggestFilter({
      capacity: 1_000_000,
      ...needsOf(needs),
    });
    const bits = bitsPerKey.toFixed(bitsPerKey < 100 ? 1 : 0);
    const more =
      type === 'scalable-bloom' ? ' at first, up to 48 as it grows' : fpr === 0 ? ' (exact)' : '';
    const members = (tamis as Record<string, { prototype?: object }>)[className]?.prototype;
    const can = (...names: string[]): string => {
      if (members === undefined) return names.includes('merge') ? '-' : 'yes';
      if (!('add' in members || 'set' in members)) return 'no (built once)';
      return names.some((name) => name in members) ? 'yes' : 'no';
    };
    const expected = [`\`${className}\``, bits + more, can('delete', 'toggle'), can('merge')];
    expect(cells).toEqual(expected);
  });

  test('agree', () => {
    const few = rows.map(([what, , Class, bits, deletes]) => [what, Class, bits, deletes]);
    const shown = rowsOf('README.md');
    expect(shown.length).toBeGreaterThan(4);
    for (const row of shown) expect(few).toContainEqual(row);
  });
});
