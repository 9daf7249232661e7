/** ExactFilter: no error on either side, conflicts counted, and the rate outside both sets. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ExactFilter, fromBytes, hashKeys, type Key, keysFromLines, missingFrom } from 'tamis';

import { KEY, members, OTHER_KEY } from './classes.js';
import { binomialTails } from './support/binomial.js';
import { expectSame } from './support/bytes.js';
import { expectCode, expectOption } from './support/errors.js';
import { leftBehind } from './support/handles.js';
import { randomStrings, utf8 } from './support/keys.js';
import { answersOf } from './support/static-payload.js';

const ALPHA = 1e-9;
const sum = (answers: Uint8Array): number => answers.reduce((total, answer) => total + answer, 0);
const plausible = (hits: number, asked: number, rate: number): boolean => {
  const { lower, upper } = binomialTails(hits, asked, rate);
  return lower > ALPHA && upper > ALPHA;
};
const absentKeys = randomStrings(30_000, 'stranger');

describe.each([0, 1, 2, 10, 40, 100, 1000])('%d included', (r) => {
  test.each([0, 1, 10, 1000, 20_000])('and %d excluded', (n) => {
    const include = randomStrings(r, 'in', r + 1);
    const exclude = randomStrings(n, 'out', n + 1);
    const filter = ExactFilter.from({ include, exclude });
    expect(filter).toMatchObject({ type: 'exact', count: r, capacity: r, excluded: n });
    expect(sum(filter.hasMany(include))).toBe(r);
    expect(sum(filter.hasMany(exclude))).toBe(0);
    expect(include.every((key) => filter.has(key))).toBe(true);
    expect(exclude.slice(0, 500).some((key) => filter.has(key))).toBe(false);
    expect(sum(filter.hasHashes(hashKeys(exclude)))).toBe(0);
    const hits = sum(filter.hasMany(absentKeys));
    expect(filter.fprOutside).toBe(filter.fpr);
    expect(plausible(hits, absentKeys.length, r === 0 ? 0 : filter.fprOutside)).toBe(true);
    const loaded = fromBytes(filter.toBytes());
    expectSame(loaded.toBytes(), filter.toBytes());
    expect(loaded.toJSON()).toEqual(filter.toJSON());
    const answers = answersOf(filter.toBytes());
    for (const key of [
      ...include.slice(0, 50),
      ...exclude.slice(0, 50),
      ...absentKeys.slice(0, 50),
    ]) {
      expect(filter.has(key)).toBe(answers?.has(utf8(key)));
    }
    if (r === 0) return;
    const expected = ExactFilter.sizeFor({ capacity: r, excluded: n });
    // The number of keys that pass the first level depends on chance.
    const spread = (5 * Math.sqrt(r)) / 8;
    expect(Math.abs(expected - filter.sizeBytes)).toBeLessThan(
      0.02 * filter.sizeBytes + 16 + 1.1 * spread,
    );
  });
});

const keySets = fc
  .uniqueArray(fc.oneof(fc.string({ unit: 'binary' }), fc.nat().map(String)), { maxLength: 400 })
  .chain((keys) => fc.tuple(fc.constant(keys), fc.nat(keys.length)));

test('property: exact on both sides, whatever the sets', () => {
  fc.assert(
    fc.property(keySets, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), ([keys, at], seed) => {
      const [include, exclude] = [keys.slice(0, at), keys.slice(at)];
      using filter = ExactFilter.from({ include, exclude }, { seed });
      expect([...filter.hasMany(keys)]).toEqual(keys.map((_, i) => (i < at ? 1 : 0)));
      expect(filter).toMatchObject({ count: at, excluded: keys.length - at, seed });
    }),
    { numRuns: 300 },
  );
});

test('lists of every kind, in any order, with keys that come again', () => {
  const [include, exclude] = [members(300), randomStrings(3000, 'out')];
  const expected = ExactFilter.from({ include, exclude }).toBytes();
  function* generator(keys: readonly string[]): Generator<Key> {
    for (const [i, key] of keys.entries()) yield i % 2 === 0 ? key : utf8(key);
  }
  const packed = (keys: readonly string[]) => keysFromLines(utf8(keys.join('\n')));
  for (const of of [
    (keys: readonly string[]) => new Set(keys),
    generator,
    packed,
    (keys: readonly string[]) => [...keys].reverse(),
    (keys: readonly string[]) => [...keys, ...keys, keys[0] as string],
  ]) {
    const filter = ExactFilter.from({ include: of(include), exclude: of(exclude) });
    expectSame(filter.toBytes(), expected);
  }
});

test('a key in both sets is a conflict, and each such key counts once', async () => {
  const [include, exclude] = [members(1000), randomStrings(5000, 'out')];
  const left = await leftBehind(() => {
    for (const [more, count] of [
      [['member-0'], 1],
      [['member-0', 'member-0', utf8('member-0')], 1],
      [members(7), 7],
      [members(1000), 1000],
    ] as [Key[], number][]) {
      const lists = { include, exclude: [...exclude, ...more] };
      expect(expectCode(() => ExactFilter.from(lists), 'CONFLICT').count).toBe(count);
      const few = { include: more, exclude: [...include] };
      expect(expectCode(() => ExactFilter.from(few), 'CONFLICT').count).toBe(count);
      const other = { include: [...exclude, ...more], exclude: include };
      expect(expectCode(() => ExactFilter.from(other), 'CONFLICT').count).toBe(count);
    }
  });
  expect(left).toBe(0);
});

test('a rate for keys outside of both sets', () => {
  const [include, exclude] = [members(500), randomStrings(200, 'out')];
  for (const fpr of [0.5, 0.1, 0.01, 2 ** -9, 2 ** -20]) {
    const filter = ExactFilter.from({ include, exclude }, { fpr });
    expect(filter.fprOutside).toBeLessThanOrEqual(fpr);
    expect(filter.fprOutside).toBeGreaterThan(fpr / 2 - 1e-12);
    expect(plausible(sum(filter.hasMany(absentKeys)), absentKeys.length, filter.fpr)).toBe(true);
    expect(sum(filter.hasMany(include)) + sum(filter.hasMany(exclude))).toBe(500);
    const expected = ExactFilter.sizeFor({ capacity: 500, excluded: 200, fpr });
    expect(Math.abs(expected / filter.sizeBytes - 1)).toBeLessThan(0.05);
  }
  // The smallest filter may have a lower one.
  const many = { include: members(10), exclude: randomStrings(20_000, 'out') };
  expectSame(ExactFilter.from(many, { fpr: 0.5 }).toBytes(), ExactFilter.from(many).toBytes());
  expect(ExactFilter.from(many, { fpr: 2 ** -33 }).fpr).toBe(2 ** -33);
  const error = expectOption(() => ExactFilter.from(many, { fpr: 2 ** -33 / 1.001 }), RangeError);
  expect(error.message).toMatch(/2\^-33/);
  for (const fpr of [0, 1, NaN, -1, 2 ** -49]) {
    expectOption(() => ExactFilter.from(many, { fpr }), RangeError);
  }
  expectOption(() => ExactFilter.from(many, { fpr: '0.1' as unknown as number }), TypeError);
});

test('a keyed one is of its own key', () => {
  const lists = { include: members(100), exclude: randomStrings(1000, 'out') };
  const filter = ExactFilter.from(lists, { hash: 'keyed', key: KEY, seed: 9n });
  expect([filter.hash, filter.seed]).toEqual(['keyed', 9n]);
  expect([sum(filter.hasMany(lists.include)), sum(filter.hasMany(lists.exclude))]).toEqual([
    100, 0,
  ]);
  expectCode(() => ExactFilter.fromBytes(filter.toBytes(), { key: OTHER_KEY }), 'WRONG_KEY');
  expectSame(ExactFilter.fromBytes(filter.toBytes(), { key: KEY }).toBytes(), filter.toBytes());
});

test('what are no lists, or no options', async () => {
  const from = (lists: unknown, options?: unknown) => () =>
    ExactFilter.from(lists as never, options as never);
  const keys = ['a'];
  const left = await leftBehind(() => {
    for (const wrong of [
      undefined,
      null,
      5,
      'ab',
      ['a'],
      {},
      { include: keys },
      { exclude: keys },
    ]) {
      expectOption(from(wrong), TypeError);
    }
    expectOption(from({ include: keys, exclude: undefined }), TypeError);
    const extra = expectOption(from({ include: keys, exclude: [], others: [] }), TypeError);
    expect(extra.message).toContain('others');
    expectOption(from(Object.create({ include: keys, exclude: [] })), TypeError);
    for (const wrong of ['a', 5, null, {}, utf8('a')]) {
      for (const lists of [
        { include: wrong, exclude: [] },
        { include: [], exclude: wrong },
      ]) {
        const list = lists.include === wrong ? 'include' : 'exclude';
        const { message } = expectCode(from(lists), 'INVALID_KEY');
        expect(message).toContain(`ExactFilter.from: ${list}: `);
      }
    }
    const badRange = { ...keysFromLines(utf8('a\nb')), ends: new Uint32Array([1, 9]) };
    for (const wrong of [['a', 5], ['a', '\ud800'], new Set(['a', 5]), badRange]) {
      for (const [list, lists] of [
        ['include', { include: wrong, exclude: ['b'] }],
        ['exclude', { include: ['b'], exclude: wrong }],
      ] as const) {
        const error = expectCode(from(lists), 'INVALID_KEY');
        expect(error.index).toBe(1);
        expect(error.message).toContain(`ExactFilter.from: ${list}: `);
      }
    }
    // An error that the source of the keys throws passes unchanged: it is not about one key.
    const failure = Object.freeze(new Error('the disk is gone'));
    function* broken(): Generator<string> {
      yield 'a';
      throw failure;
    }
    expect(from({ include: broken(), exclude: [] })).toThrow(failure);
    for (const option of ['capacity', 'excluded', 'fingerprintBits', 'batch']) {
      const error = expectOption(from({ include: keys, exclude: [] }, { [option]: 5 }), TypeError);
      expect(error.message).toContain(option);
    }
  });
  expect(left).toBe(0);
  for (const wrong of [{}, { excluded: 5 }]) {
    expectOption(() => ExactFilter.sizeFor(wrong as never), TypeError);
  }
  expectOption(() => ExactFilter.sizeFor({ capacity: 5, excluded: -1 }), RangeError);
  expectCode(() => ExactFilter.sizeFor({ capacity: 2 ** 40, excluded: 0 }), 'TOO_LARGE');
  const Made = ExactFilter as unknown as new (options?: object) => ExactFilter;
  expect(expectOption(() => new Made({ include: [] }), TypeError).message).toContain('from');
});

test('sources that use tamis while they are read, also to build the same', () => {
  const [include, exclude] = [members(2000), randomStrings(4000, 'out')];
  const expected = ExactFilter.from({ include, exclude });
  function* nested(keys: readonly string[]): Generator<string> {
    for (const [i, key] of keys.entries()) {
      if (i % 700 === 350) {
        ExactFilter.from({ include: ['a'], exclude: [key, 'z'.repeat(200_000)] }).dispose();
        expected.hasMany(['p', 'q']);
      }
      yield key;
    }
  }
  const filter = ExactFilter.from({ include: nested(include), exclude: nested(exclude) });
  expectSame(filter.toBytes(), expected.toBytes());
});

test('it answers as every filter does', () => {
  const lists = { include: members(50), exclude: randomStrings(5000, 'out') };
  const filter = ExactFilter.from(lists);
  expect(missingFrom(filter, [...lists.exclude, ...lists.include])).toEqual(lists.exclude);
  expect(filter.bitsPerKey).toBe((8 * filter.sizeBytes) / 50);
  expect(filter.toJSON()).toMatchObject({ type: 'exact', count: 50, excluded: 5000 });
});
