/** ExactFilter: its two lists, conflicts, and the rate outside both sets. */
import { describe, expect, test } from '@jest/globals';
import { ExactFilter, type Key, keysFromLines, missingFrom } from 'tamis';
import { members } from './classes.js';
import { expectSame } from './support/bytes.js';
import { expectCode, expectOption, rejection } from './support/errors.js';
import { leftBehind } from './support/handles.js';
import { randomStrings, utf8 } from './support/keys.js';
import { given } from './support/sources.js';

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
      const error = expectCode(() => ExactFilter.from(lists), 'CONFLICT');
      expect(error.count).toBe(count);
      const why = 'a key is in include and in exclude';
      expect(error.message).toBe(`ExactFilter.from: ${why}; number of such keys: ${count}`);
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

describe('fromAsync', () => {
  test('reads the included keys first, and both to their end', async () => {
    const order: string[] = [];
    async function* source(name: string): AsyncGenerator<string> {
      order.push(`${name} begins`);
      yield* members(10).map((key) => name + key);
      order.push(`${name} ends`);
    }
    const lists = { include: source('a'), exclude: source('b') };
    const filter = await ExactFilter.fromAsync(lists);
    expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
    expect(filter).toMatchObject({ count: 10, excluded: 10 });
  });

  test('a failure of either list is a failure', async () => {
    const failure = new Error('the line went dead');
    async function* broken(): AsyncGenerator<string> {
      yield 'x';
      throw failure;
    }
    const left = await leftBehind(async () => {
      const first = ExactFilter.fromAsync({ include: broken(), exclude: given(['y']) });
      await expect(first).rejects.toBe(failure);
      const second = ExactFilter.fromAsync({ include: given(['y']), exclude: broken() });
      await expect(second).rejects.toBe(failure);
      const both = ExactFilter.fromAsync({ include: given(['y', 'z']), exclude: given(['y']) });
      expect(await rejection(both)).toMatchObject({ code: 'ERR_TAMIS_CONFLICT', count: 1 });
    });
    expect(left).toBe(0);
  });

  test('where the first list fails, the second is let go', async () => {
    const failure = new Error('the line went dead');
    async function* broken(): AsyncGenerator<string> {
      yield 'x';
      throw failure;
    }
    let why: unknown;
    const exclude = new ReadableStream<string>({
      cancel: (given) => {
        why = given;
      },
    });
    await expect(ExactFilter.fromAsync({ include: broken(), exclude })).rejects.toBe(failure);
    expect(why).toBe(failure);
  });

  test('what is no source of keys is refused before anything is read, and the other is let go', async () => {
    for (const wrong of [null, 7, 'text', {}, ['a'], new Set(['a']), new Blob(['a\n']).stream()]) {
      for (const list of ['include', 'exclude']) {
        let read = false;
        let why: unknown;
        const other = new ReadableStream<string>(
          {
            pull: (controller) => {
              read = true;
              controller.close();
            },
            cancel: (given) => {
              why = given;
            },
          },
          { highWaterMark: 0 },
        );
        const lists = { include: other, exclude: other, [list]: wrong };
        const error = await rejection(ExactFilter.fromAsync(lists as never));
        expect(error).toBeInstanceOf(TypeError);
        expect(error.message).toContain(`ExactFilter.fromAsync: ${list}`);
        expect([read, why]).toEqual([false, error]);
      }
    }
  });

  test('an error about a key names its list', async () => {
    const keys = [...members(2000), '\ud800'];
    for (const [list, other] of [
      ['include', 'exclude'],
      ['exclude', 'include'],
    ] as const) {
      for (const batch of [1, 100, 5000]) {
        const lists = { include: given(['x']), exclude: given(['x']), [list]: given(keys) };
        const error = await rejection(ExactFilter.fromAsync(lists, { batch }));
        expect(error).toMatchObject({ code: 'ERR_TAMIS_INVALID_KEY', index: 2000 });
        expect(error.message).toMatch(new RegExp(`^ExactFilter.fromAsync: ${list}: a key must`));
        expect(error.message).not.toContain(other);
      }
    }
  });

  test('wants both lists', async () => {
    for (const lists of [{}, { include: given(['a']) }, { exclude: given(['a']) }, given(['a'])]) {
      const error = await rejection(ExactFilter.fromAsync(lists as never));
      expect(error).toBeInstanceOf(TypeError);
    }
  });
});
