/** Options of the filters that change: every one out of its range, of a wrong type, unknown or inherited. */
import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import {
  BlockedBloomFilter,
  BloomFilter,
  CountingBloomFilter,
  CuckooFilter,
  DeletableBloomFilter,
  DLeftCountingFilter,
  InvertibleBloomTable,
  RotatingBloomFilter,
  ScalableBloomFilter,
  TombstoneBloomFilter,
} from 'tamis';

import { KEY } from './classes.js';
import { classesOf } from './support/all-classes.mjs';
import { expectCode, expectOption } from './support/errors.js';

interface Subject {
  readonly Class: {
    new (options: never): { dispose(): void; toBytes(): Uint8Array };
    sizeFor(options: never): number;
    from?(keys: Iterable<string>, options?: never): { dispose(): void };
    readonly name: string;
  };
  /** The least that it is made from. */
  readonly base: Readonly<Record<string, unknown>>;
  /** Numbers at the borders, which are taken, and beyond them. */
  readonly ranges: Readonly<Record<string, readonly [taken: number[], refused: number[]]>>;
}

const whole = [NaN, Infinity, -Infinity, 1.5, -1, 2 ** 53];
const capacity = [
  [1, 2, 1000],
  [0, ...whole],
] satisfies [number[], number[]];
const lowest = (least: number): [number[], number[]] => [
  [0.999, 0.5, least],
  [0, 1, 1.1, -0.1, NaN, Infinity, 2 ** -49],
];
const fpr = lowest(2 ** -24);
const filter = { capacity: 100 };

const subjects: readonly Subject[] = [
  { Class: BlockedBloomFilter, base: filter, ranges: { capacity, fpr } },
  {
    Class: CountingBloomFilter,
    base: filter,
    ranges: {
      capacity,
      fpr,
      counterBits: [
        [2, 3, 15, 16],
        [0, 1, 17, 32, ...whole],
      ],
    },
  },
  {
    Class: TombstoneBloomFilter,
    base: filter,
    ranges: {
      capacity,
      fpr,
      deletions: [
        [1, 5000],
        [0, ...whole],
      ],
    },
  },
  {
    Class: DeletableBloomFilter,
    base: filter,
    ranges: {
      capacity,
      fpr,
      regions: [
        [1, 7, 962],
        [0, 963, 2 ** 32, 2 ** 53 - 1, ...whole],
      ],
    },
  },
  {
    Class: ScalableBloomFilter,
    base: filter,
    ranges: {
      capacity,
      fpr,
      growth: [
        [1, 2, 16],
        [0, 17, ...whole],
      ],
      tightening: [
        [0.5, 0.85, 0.99],
        [0, 0.49, 0.991, 1, -0.5, NaN, Infinity],
      ],
    },
  },
  {
    Class: RotatingBloomFilter,
    base: filter,
    ranges: {
      capacity,
      fpr,
      generations: [
        [2, 3, 64],
        [0, 1, 65, ...whole],
      ],
      periodMs: [
        [1, 1000, 2 ** 53 - 1],
        [0, ...whole],
      ],
    },
  },
  { Class: DLeftCountingFilter, base: filter, ranges: { capacity, fpr: lowest(2 ** -24) } },
  {
    Class: CuckooFilter,
    base: filter,
    ranges: {
      capacity,
      fpr: lowest(2 ** -28),
      fingerprintBits: [
        [4, 5, 31, 32],
        [0, 3, 33, ...whole],
      ],
      bucketSize: [
        [1, 2, 4, 8],
        [0, 3, 5, 6, 7, 16, ...whole],
      ],
    },
  },
  {
    Class: InvertibleBloomTable,
    base: { differences: 10, keyBytes: 8 },
    ranges: {
      differences: capacity,
      keyBytes: [
        [4, 5, 63, 64],
        [0, 3, 65, ...whole],
      ],
    },
  },
];

/** The classes that change, but for BloomFilter (tests/built/options.test.ts), and all options of each. */
const changing = classesOf(tamis).filter(
  (Class) => Class !== BloomFilter && 'emptyCopy' in Class.prototype,
);

test.each(changing.map((Class) => [Class.name, Class] as const))(
  'each option of %s has its borders here',
  (name, Class) => {
    const { readers } = (Class as unknown as { define(): { readers: object } }).define();
    const subject = subjects.find((one) => one.Class.name === name);
    expect(Object.keys(subject?.ranges ?? {}).sort()).toEqual(Object.keys(readers).sort());
  },
);

describe.each(subjects.map((one) => [one.Class.name, one] as const))('%s', (name, one) => {
  const { Class, base, ranges } = one;
  const make = (options: unknown) => () => new Class(options as never);
  const names = Object.keys(ranges);

  test.each(names)('%s: its borders are taken, and beyond is a RangeError', (option) => {
    const [taken, refused] = ranges[option] as [number[], number[]];
    for (const value of taken) {
      const made = make({ ...base, [option]: value })();
      expect(JSON.parse(JSON.stringify(made))).toHaveProperty('type');
      made.dispose();
      expect(Class.sizeFor({ ...base, [option]: value } as never)).toBeGreaterThan(0);
    }
    for (const value of refused) {
      const error = expectOption(make({ ...base, [option]: value }), RangeError);
      expect(error.message).toContain(option);
      expect(error.message).toContain(name);
      const size = () => Class.sizeFor({ ...base, [option]: value } as never);
      expect(expectOption(size, RangeError).message).toContain('sizeFor');
      const { from } = Class;
      if (from === undefined) continue;
      expectOption(() => from.call(Class, ['a'], { [option]: value } as never), RangeError);
    }
  });

  test.each(names)('%s: what is no number is a TypeError', (option) => {
    for (const value of ['2', '', 2n, true, null, [2], {}, { valueOf: () => 2 }, Symbol('2')]) {
      const error = expectOption(make({ ...base, [option]: value }), TypeError);
      expect(error.message).toContain(option);
    }
  });

  test('what it cannot do without', () => {
    for (const option of Object.keys(base)) {
      const { [option]: _, ...rest } = base;
      expect(expectOption(make(rest), TypeError).message).toContain(option);
      expectOption(make({ ...base, [option]: undefined }), TypeError);
    }
    for (const nothing of [undefined, null, 5, 'capacity', [100], () => 100]) {
      expectOption(make(nothing), TypeError);
    }
  });

  test('unknown names are named, with those that it knows', () => {
    for (const unknown of [
      'Capacity',
      'errorRate',
      'scheme',
      'hashes',
      '__proto__',
      'constructor',
    ]) {
      const options = Object.defineProperty({ ...base }, unknown, { value: 1, enumerable: true });
      const { message } = expectOption(make(options), TypeError);
      expect(message).toContain(unknown);
      for (const known of names) expect(message).toContain(known);
    }
  });

  test('what is inherited is an error, and what is undefined as if absent', () => {
    expectOption(make(Object.create(base)), TypeError);
    for (const option of names) {
      const heir = Object.assign(Object.create({ [option]: 2 }) as object, base);
      if (option in base) continue;
      expect(expectOption(make(heir), TypeError).message).toContain(option);
    }
    const absent = Object.fromEntries(names.map((option) => [option, undefined]));
    expect(
      make({ ...absent, seed: undefined, hash: undefined, key: undefined, ...base })().toBytes(),
    ).toEqual(make(base)().toBytes());
  });

  test('hashing options are those of every filter', () => {
    expectOption(make({ ...base, hash: 'keyed' }), TypeError);
    expectOption(make({ ...base, key: KEY }), TypeError);
    expectOption(make({ ...base, hash: 'keyed', key: new Uint8Array(15) }), RangeError);
    expectOption(make({ ...base, hash: 'seeds' }), RangeError);
    expectOption(make({ ...base, seed: 1 }), TypeError);
    expectOption(make({ ...base, seed: 1n << 64n }), RangeError);
    const keyed = make({ ...base, hash: 'keyed', key: KEY, seed: (1n << 64n) - 1n })();
    expect(keyed).toMatchObject({ hash: 'keyed', seed: (1n << 64n) - 1n });
  });

  test('what is far too large is told', () => {
    const [size] = Object.keys(base) as [string];
    for (const huge of [2 ** 33, 2 ** 40, 2 ** 53 - 1]) {
      expectCode(make({ ...base, [size]: huge }), 'TOO_LARGE');
      expectCode(() => Class.sizeFor({ ...base, [size]: huge } as never), 'TOO_LARGE');
    }
  });

  test('sizeFor tells sizeBytes without building', () => {
    for (const option of names) {
      for (const value of (ranges[option] as [number[], number[]])[0]) {
        const options = { ...base, [option]: value };
        const made = make(options)() as unknown as { sizeBytes: number; dispose(): void };
        expect(Class.sizeFor(options as never)).toBe(made.sizeBytes);
        made.dispose();
      }
    }
  });
});

describe('rates that a type cannot reach', () => {
  test('split blocks end at 2^-24', () => {
    expect(new BlockedBloomFilter({ capacity: 5, fpr: 2 ** -24 }).fpr).toBeLessThanOrEqual(
      2 ** -24,
    );
    const error = expectOption(
      () => new BlockedBloomFilter({ capacity: 5, fpr: 2 ** -24 / 1.001 }),
      RangeError,
    );
    expect(error.message).toMatch(/2\^-24.*BloomFilter/);
  });

  test.each([CountingBloomFilter, DeletableBloomFilter])('%p reaches 2^-48', (Class) => {
    using made = new Class({ capacity: 5, fpr: 2 ** -48 });
    expect(made.fpr).toBeLessThanOrEqual(2 ** -48);
    made.add('a');
    expect(made.has('a')).toBe(true);
  });

  test.each([TombstoneBloomFilter, RotatingBloomFilter, ScalableBloomFilter])(
    '%p ends at 2^-32',
    (Class) => {
      using made = new Class({ capacity: 5, fpr: 2 ** -32 });
      expect(made.fpr).toBeLessThanOrEqual(2 ** -32);
      made.add('a');
      expect(made.has('a')).toBe(true);
      const error = expectOption(
        () => new Class({ capacity: 5, fpr: 2 ** -32 / 1.001 }),
        RangeError,
      );
      expect(error.message).toMatch(/2\^-32/);
    },
  );

  test('fingerprints have at most 32 bits, remainders 30', () => {
    const cuckoo = () => new CuckooFilter({ capacity: 1000, fpr: 2 ** -30 });
    expect(expectOption(cuckoo, RangeError).message).toMatch(/fpr/);
    const dLeft = () => new DLeftCountingFilter({ capacity: 1000, fpr: 2 ** -27 });
    expect(expectOption(dLeft, RangeError).message).toMatch(/fpr/);
  });
});

test('figures are what was asked, and cannot be assigned', () => {
  const made: readonly [object, Record<string, unknown>][] = [
    [new CountingBloomFilter({ capacity: 9, counterBits: 5 }), { counterBits: 5, capacity: 9 }],
    [
      new TombstoneBloomFilter({ capacity: 9, deletions: 4 }),
      { deletions: 4, falseNegativeRate: 0 },
    ],
    [new TombstoneBloomFilter({ capacity: 9 }), { deletions: 9 }],
    [new DeletableBloomFilter({ capacity: 9, regions: 4 }), { regions: 4, deletableRatio: 1 }],
    [
      new ScalableBloomFilter({ capacity: 9, growth: 4, tightening: 0.75 }),
      { growth: 4, tightening: 0.75, layers: 1, fpr: 0.01 },
    ],
    [new ScalableBloomFilter({ capacity: 9 }), { growth: 2, layers: 1 }],
    [new RotatingBloomFilter({ capacity: 9 }), { generations: 2, periodMs: undefined }],
    [
      new RotatingBloomFilter({ capacity: 9, generations: 7, periodMs: 50 }),
      { generations: 7, periodMs: 50, capacity: 9 },
    ],
    [new InvertibleBloomTable({ differences: 9, keyBytes: 6 }), { differences: 9, keyBytes: 6 }],
  ];
  for (const [structure, figures] of made) {
    const fields = structure as Record<string, unknown>;
    for (const [name, value] of Object.entries(figures)) {
      expect(fields[name]).toBe(value);
      expect(() => {
        fields[name] = 5;
      }).toThrow(TypeError);
    }
  }
  const plain = new DeletableBloomFilter({ capacity: 1000 });
  expect(plain.regions).toBe(Math.ceil(plain.bits / 8));
  const counting = new CountingBloomFilter({ capacity: 1000 });
  expect([counting.counterBits, counting.counters, counting.hashes]).toEqual([
    4,
    plain.bits,
    plain.hashes,
  ]);
  expect(new ScalableBloomFilter({ capacity: 9 }).tightening).toBeCloseTo(0.85, 15);
});
