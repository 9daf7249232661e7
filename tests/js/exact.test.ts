/** ExactFilter: its two lists, conflicts, and the rate outside both sets. */
import { expect, test } from '@jest/globals';
import { ExactFilter, type Key, keysFromLines, missingFrom } from 'tamis';
import { members } from './classes.js';
import { expectSame } from './support/bytes.js';
import { expectCode, expectOption } from './support/errors.js';
import { leftBehind } from './support/handles.js';
import { randomStrings, utf8 } from './support/keys.js';

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
  // The smallest filter may have a lower one.
  const many = { include: members(10), exclude: randomStrings(20_000, 'out') };
  expectSame(ExactFilter.from(many, { fpr: 0.5 }).toBytes(), ExactFilter.from(many).toBytes());
  expect(ExactFilter.from(many, { fpr: 2 ** -33 }).fpr).toBe(2 ** -33);
  const error = expectOption(() => ExactFilter.from(many, { fpr: 2 ** -33 / 1.001 }), RangeError);
  expect(error.message).toMatch(/2\^-33/);
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
  });
  expect(left).toBe(0);
  expectOption(() => ExactFilter.sizeFor({ excluded: 5 } as never), TypeError);
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
