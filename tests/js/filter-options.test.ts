/** Options of every class but BitArray: each one out of its range, of a wrong type, unknown or inherited. */
import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import {
  BitArray,
  BlockedBloomFilter,
  BloomierMap,
  CountingBloomFilter,
  CuckooFilter,
  DeletableBloomFilter,
  DLeftCountingFilter,
  ExactFilter,
  InvertibleBloomTable,
  RotatingBloomFilter,
  ScalableBloomFilter,
  TombstoneBloomFilter,
} from 'tamis';

import { KEY, members } from './classes.js';
import { type Range, rowOf, whole } from './rows.js';
import { classesOf } from './support/all-classes.mjs';
import { expectSame } from './support/bytes.js';
import { expectCode, expectOption } from './support/errors.js';
import { leftBehind } from './support/handles.js';

interface Made {
  dispose(): void;
  toBytes(): Uint8Array;
  clone(): Made;
}
interface Subject {
  readonly name: string;
  readonly make: (options: never) => Made;
  /** Another way to make it. */
  readonly from?: (options: never) => Made;
  readonly sizeFor: (options: never) => number;
  /** The least that it is made from. */
  readonly base: object;
  /** The numbers that the lists say, which sizeFor alone takes. */
  readonly counted: object;
}

interface OptionsClass {
  sizeFor(options: never): number;
  readonly name: string;
}

const changing = (
  Class: OptionsClass & {
    new (options: never): Made;
    from?(keys: string[], options: never): Made;
  },
  base: object = { capacity: 100 },
): Subject => ({
  name: Class.name,
  make: (options) => new Class(options),
  ...(Class.from && { from: (options) => Class.from?.(['a'], options) as Made }),
  sizeFor: (options) => Class.sizeFor(options),
  base,
  counted: {},
});

const builtOnce = <Of>(
  Class: OptionsClass & { from(of: Of, options: never): Made },
  of: Of,
  base: object = {},
  counted: object = { capacity: 100 },
): Subject => ({
  name: Class.name,
  make: (options) => Class.from(of, options),
  sizeFor: (options) => Class.sizeFor(options),
  base,
  counted,
});

const subjects: readonly Subject[] = [
  ...classesOf(tamis)
    .filter((Class) => 'addMany' in Class.prototype)
    .map((Class) => changing(Class as never)),
  changing(InvertibleBloomTable, { differences: 10, keyBytes: 8 }),
  ...classesOf(tamis)
    .filter((Class) => 'fromHashes' in Class)
    .map((Class) => builtOnce(Class as never, members(100))),
  builtOnce(
    ExactFilter,
    { include: members(10), exclude: ['a', 'b'] },
    {},
    { capacity: 100, excluded: 100 },
  ),
  builtOnce(BloomierMap, [['a', 1]], { valueBits: 8 }),
];

test.each(classesOf(tamis).filter((Class) => (Class as unknown) !== BitArray))(
  'each option of %p has its borders here',
  (Class) => {
    const { readers } = (Class as unknown as { define(): { readers: object } }).define();
    const { name, counted } = subjects.find((one) => one.name === Class.name) as Subject;
    const ranges = rowOf(name).options;
    // tests/built/options.test.ts has what takes the place of a capacity and a rate.
    const others = name === 'BloomFilter' ? ['bits', 'hashes'] : [];
    expect([...Object.keys({ ...ranges, ...counted }), ...others].sort()).toEqual(
      Object.keys(readers).sort(),
    );
  },
);

describe.each(subjects.map((one) => [one.name, one] as const))('%s', (name, one) => {
  const { base, counted } = one;
  const ranges = rowOf(name).options;
  const make = (options: unknown) => () => one.make(options as never);
  const sizeFor = (options: object) => () =>
    one.sizeFor({ ...base, ...counted, ...options } as never);
  const names = Object.keys(ranges);

  test.each(names)('%s: its borders are taken, and beyond is a RangeError', async (option) => {
    const [taken, refused] = ranges[option] as Range;
    for (const value of taken) {
      const made = make({ ...base, [option]: value })();
      expect(JSON.parse(JSON.stringify(made))).toHaveProperty('type');
      made.dispose();
      expect(sizeFor({ [option]: value })()).toBeGreaterThan(0);
    }
    const left = await leftBehind(() => {
      for (const value of refused) {
        const error = expectOption(make({ ...base, [option]: value }), RangeError);
        expect(error.message).toContain(option);
        expect(error.message).toContain(name);
        expect(expectOption(sizeFor({ [option]: value }), RangeError).message).toContain('sizeFor');
        const { from } = one;
        if (from) expectOption(() => from({ [option]: value } as never), RangeError);
      }
    });
    expect(left).toBe(0);
  });

  test.each(names)('%s: what is no number is a TypeError', async (option) => {
    const left = await leftBehind(() => {
      for (const value of ['2', '', 2n, true, null, [2], {}, { valueOf: () => 2 }, Symbol('2')]) {
        const error = expectOption(make({ ...base, [option]: value }), TypeError);
        expect(error.message).toContain(option);
      }
    });
    expect(left).toBe(0);
  });

  test('what it cannot do without', () => {
    for (const option of Object.keys(base)) {
      const rest = { ...base, [option]: undefined };
      expect(expectOption(make(rest), TypeError).message).toContain(option);
      expectOption(make(Object.fromEntries(Object.entries(rest).filter(([, v]) => v))), TypeError);
    }
    for (const nothing of [null, 5, 'capacity', [100], () => 100]) {
      expectOption(make(nothing), TypeError);
    }
    if (Object.keys(base).length > 0) expectOption(make(undefined), TypeError);
    for (const nothing of [undefined, {}])
      expectOption(() => one.sizeFor(nothing as never), TypeError);
  });

  test('what the lists say is counted, and not given', () => {
    for (const option of Object.keys(counted)) {
      const { message } = expectOption(make({ ...base, [option]: 100 }), TypeError);
      expect(message).toContain(option);
      for (const value of whole) expectOption(sizeFor({ [option]: value }), RangeError);
    }
  });

  test('unknown names are named, with those that it knows', () => {
    const unknown = [
      'Capacity',
      'fpr ',
      'errorRate',
      'batch',
      'signal',
      'counterBits ',
      '__proto__',
    ];
    unknown.push('constructor', 'toString');
    if (name !== 'BloomFilter') unknown.push('scheme', 'hashes');
    for (const option of unknown) {
      const options = Object.defineProperty({ ...base }, option, { value: 1, enumerable: true });
      const { message } = expectOption(make(options), TypeError);
      expect(message).toContain(option);
      for (const known of names) expect(message).toContain(known);
    }
  });

  test('what is inherited is an error, and what is undefined as if absent', () => {
    if (Object.keys(base).length > 0) expectOption(make(Object.create(base)), TypeError);
    for (const option of names) {
      const heir = Object.assign(Object.create({ [option]: 2 }) as object, base);
      if (option in base) continue;
      expect(expectOption(make(heir), TypeError).message).toContain(option);
    }
    const bare = Object.assign(Object.create(null) as object, base);
    const absent = Object.fromEntries(names.map((option) => [option, undefined]));
    const unset = { ...absent, seed: undefined, secret: undefined, ...base };
    for (const options of [bare, Object.freeze({ ...base }), unset]) {
      expectSame(make(options)().toBytes(), make(base)().toBytes());
    }
  });

  test('hashing options are those of every filter', () => {
    const refuse = (options: object, kind: typeof TypeError | typeof RangeError) =>
      expectOption(make({ ...base, ...options }), kind);
    for (const hash of ['keyed', 'fast']) refuse({ hash, secret: KEY }, TypeError);
    for (const size of [0, 15, 17, 32]) {
      refuse({ secret: new Uint8Array(size) }, RangeError);
    }
    for (const secret of ['0123456789abcdef', [...KEY], KEY.buffer, null, {}]) {
      refuse({ secret }, TypeError);
    }
    for (const seed of [-1n, 1n << 64n, -1, 0.5, 2 ** 53, Number.NaN]) refuse({ seed }, RangeError);
    for (const seed of ['1', null, true, {}]) refuse({ seed }, TypeError);
    expectSame(make({ ...base, seed: 7 })().toBytes(), make({ ...base, seed: 7n })().toBytes());
    const secret = KEY.slice();
    const keyed = make({ ...base, secret, seed: (1n << 64n) - 1n })();
    expect(keyed).toMatchObject({ hash: 'keyed' });
    // The secret is copied.
    secret.fill(0);
    const again = make({ ...base, secret: KEY, seed: (1n << 64n) - 1n })();
    expectSame(keyed.clone().toBytes(), again.toBytes());
  });

  test('what is far too large is told', () => {
    const [size] = Object.keys({ ...counted, ...base }) as [string];
    const bytesEach = (sizeFor({ [size]: 2 ** 22 })() as number) / 2 ** 22;
    for (const huge of [2 ** 33, 2 ** 40, 2 ** 53 - 1]) {
      const { message } = expectCode(sizeFor({ [size]: huge }), 'TOO_LARGE');
      const [, bytes] =
        /^\w+\.sizeFor: needs about (\d+) bytes; the limit is 512 MiB; /.exec(message) ?? [];
      expect(Math.abs(Number(bytes) / (huge * bytesEach) - 1)).toBeLessThan(0.05);
      if (size in base) {
        const refused = expectCode(make({ ...base, [size]: huge }), 'TOO_LARGE');
        expect(refused.message.split(': about')[1]).toBe(message.split(': about')[1]);
      }
    }
  });

  test('sizeFor tells sizeBytes without building', () => {
    // A build may need more slots than are expected: static-contract.test.ts bounds that.
    if (Object.keys(counted).length > 0) return;
    for (const option of names) {
      for (const value of (ranges[option] as Range)[0]) {
        const made = make({ ...base, [option]: value })() as Made & { readonly sizeBytes: number };
        expect(sizeFor({ [option]: value })()).toBe(made.sizeBytes);
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
