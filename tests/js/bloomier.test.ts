/** BloomierMap: values of every width, conflicts, and refused entries and values. */
import { describe, expect, test } from '@jest/globals';
import {
  BloomFilter,
  type BloomierEntry,
  BloomierMap,
  type Key,
  keysFromLines,
  missingFrom,
  withFunnel,
} from 'tamis';
import { KEY, members, valueFor } from './classes.js';
import { binomialTails } from './support/binomial.js';
import { expectSame } from './support/bytes.js';
import { expectCode, expectOption, rejection } from './support/errors.js';
import { leftBehind } from './support/handles.js';
import { random, randomStrings, utf8 } from './support/keys.js';
import { given } from './support/sources.js';

const ALPHA = 1e-9;
const sum = (answers: Uint8Array): number => answers.reduce((total, answer) => total + answer, 0);
const entriesOf = (keys: readonly string[], valueBits: number): [string, number][] =>
  keys.map((key) => [key, valueFor(key, valueBits)]);

describe.each([0, 1, 8, 32])('%d check bits', (checkBits) => {
  test.each(Array.from({ length: 32 }, (_, i) => i + 1))('values of %d bits', (valueBits) => {
    const most = 2 ** valueBits - 1;
    const next = random(100 * checkBits + valueBits);
    const keys = members(100);
    const values = keys.map((_, i) => (i === 0 ? most : i === 1 ? 0 : next() % (most + 1)));
    const map = BloomierMap.from(
      keys.map((key, i) => [key, values[i] as number] as const),
      { valueBits, checkBits },
    );
    expect(map).toMatchObject({ type: 'bloomier', count: 100, valueBits, checkBits, hash: 'fast' });
    expect(keys.map((key) => map.get(key))).toEqual(values);
    const { values: read, found } = map.getMany(keys);
    expect([...read]).toEqual(values);
    expect(sum(found)).toBe(100);
    const loaded = BloomierMap.fromBytes(map.toBytes());
    expect(keys.map((key) => loaded.get(key))).toEqual(values);
  });

  test('an unknown key has no value but for 2^-checkBits of them', () => {
    const map = BloomierMap.from(entriesOf(members(3000), 5), { valueBits: 5, checkBits });
    const absentKeys = randomStrings(10_000, 'stranger');
    const { values, found } = map.getMany(absentKeys);
    const tails = binomialTails(sum(found), absentKeys.length, 2 ** -checkBits);
    expect(Math.min(tails.lower, tails.upper)).toBeGreaterThan(ALPHA);
    expect(map.hasMany(absentKeys)).toEqual(found);
    for (let i = 0; i < 2000; i++) {
      const expected = found[i] === 1 ? values[i] : undefined;
      expect(map.get(absentKeys[i] as string)).toBe(expected);
      if (found[i] === 0) expect(values[i]).toBe(0);
      else expect(values[i]).toBeLessThan(32);
    }
  });
});

describe('get and getMany', () => {
  const entries = entriesOf(members(300), 16);
  const map = BloomierMap.from(entries, { valueBits: 16, checkBits: 24 });
  const keys = [...members(20), ...randomStrings(1000, 's'), '', 'x'.repeat(300_000), 'member-299'];
  const expected = keys.map((key) => map.get(key));

  test('agree for every source', () => {
    expect(expected.slice(0, 20)).toEqual(entries.slice(0, 20).map(([, value]) => value));
    function* generator(): Generator<string> {
      yield* keys;
    }
    const lines = keys.filter((key) => key !== '');
    const sources: [Iterable<Key> | ReturnType<typeof keysFromLines>, readonly string[]][] = [
      [keys, keys],
      [keys.map(utf8), keys],
      [generator(), keys],
      [new Set(keys), keys],
      [keysFromLines(utf8(lines.join('\n'))), lines],
      [[], []],
    ];
    for (const [source, asked] of sources) {
      const { values, found } = map.getMany(source as Iterable<Key>);
      expect(values).toBeInstanceOf(Uint32Array);
      expect(found).toBeInstanceOf(Uint8Array);
      const wanted = asked.map((key) => map.get(key));
      expect([...found]).toEqual(wanted.map((value) => (value === undefined ? 0 : 1)));
      expect([...values]).toEqual(wanted.map((value) => value ?? 0));
    }
    expect([...map.hasMany(keys)]).toEqual(expected.map((value) => +(value !== undefined)));
    expect(keys.map((key) => map.has(key))).toEqual(expected.map((value) => value !== undefined));
  });

  test('of many thousand keys, and of one that is none', () => {
    const many = Array.from({ length: 30_000 }, (_, i) => members(300)[i % 300] as string);
    const { values } = map.getMany(many);
    expect(values.every((value, i) => value === entries[i % 300]?.[1])).toBe(true);
    expect(expectCode(() => map.getMany(['a', 5] as never), 'INVALID_KEY').index).toBe(1);
    expectCode(() => map.getMany('abc' as never), 'INVALID_KEY');
    for (const wrong of [5, undefined, null, {}, '\ud800']) {
      expectCode(() => map.get(wrong as string), 'INVALID_KEY');
    }
  });

  test('while the source uses tamis itself', () => {
    const asked = members(300);
    function* nested(): Generator<string> {
      for (const key of asked) {
        map.getMany(['other', 'y'.repeat(200_000)]);
        BloomierMap.from([['z', 1]], { valueBits: 1 }).dispose();
        yield key;
      }
    }
    expect([...map.getMany(nested()).values]).toEqual(entries.map(([, value]) => value));
    const gone = map.clone();
    function* ending(): Generator<string> {
      for (const [i, key] of asked.entries()) {
        if (i === 290) gone.dispose();
        yield key;
      }
    }
    expectCode(() => gone.getMany(ending()), 'DISPOSED');
    expectCode(() => gone.getMany([]), 'DISPOSED');
    expectCode(() => gone.get('a'), 'DISPOSED');
  });
});

describe('from', () => {
  test('takes what Map gives, and any other iterable of pairs', () => {
    const entries = entriesOf(members(500), 12);
    const options = { valueBits: 12 };
    const expected = BloomierMap.from(entries, options).toBytes();
    expectSame(BloomierMap.from(new Map(entries), options).toBytes(), expected);
    function* generator(): Generator<[Key, number]> {
      for (const [key, value] of entries) yield [utf8(key), value];
    }
    expectSame(BloomierMap.from(generator(), options).toBytes(), expected);
    expectSame(BloomierMap.from([...entries, ...entries].reverse(), options).toBytes(), expected);
    expectSame(BloomierMap.from(new Set(entries), options).toBytes(), expected);
    expect(BloomierMap.from([['a', -0]], { valueBits: 1, checkBits: 32 }).get('a')).toBe(0);
  });

  test('nothing: a map without values, checked or not', () => {
    for (const checkBits of [0, 8, 32]) {
      const map = BloomierMap.from([], { valueBits: 9, checkBits });
      expect(map.count).toBe(0);
      expect([map.get('a'), map.has('a')]).toEqual([undefined, false]);
      expect(map.getMany(['a', 'b'])).toEqual({
        values: new Uint32Array(2),
        found: new Uint8Array(2),
      });
      expectSame(BloomierMap.fromBytes(map.toBytes()).toBytes(), map.toBytes());
    }
  });

  test('one key with two values is a conflict, and each such key counts once', async () => {
    const entries = entriesOf(members(2000), 8);
    const other = (i: number): [string, number] => {
      const [key, value] = entries[i] as [string, number];
      return [key, (value + 1) % 256];
    };
    const left = await leftBehind(() => {
      for (const [more, count] of [
        [[other(7)], 1],
        [[other(7), other(7)], 1],
        [[other(0), other(7), [other(7)[0], 99], other(1999)], 3],
        [entries.map((_, i) => other(i)), 2000],
      ] as [[string, number][], number][]) {
        for (const list of [
          [...entries, ...more],
          [...more, ...entries],
        ]) {
          const error = expectCode(() => BloomierMap.from(list, { valueBits: 8 }), 'CONFLICT');
          expect(error.count).toBe(count);
        }
      }
      // A string and its bytes are one key.
      const twice: [Key, number][] = [
        ['a', 1],
        [utf8('a'), 0],
      ];
      const { count, message } = expectCode(
        () => BloomierMap.from(twice, { valueBits: 1 }),
        'CONFLICT',
      );
      expect(count).toBe(1);
      expect(message).toBe('BloomierMap.from: a key has two values; number of such keys: 1');
    });
    expect(left).toBe(0);
  });

  test('a value that is none, or too wide, is named by its index', async () => {
    const left = await leftBehind(() => {
      for (const [valueBits, wrong, kind] of [
        [8, 256, RangeError],
        [8, -1, RangeError],
        [8, 1.5, RangeError],
        [8, NaN, RangeError],
        [32, 2 ** 32, RangeError],
        [1, 2, RangeError],
        [8, '5', TypeError],
        [8, 5n, TypeError],
        [8, undefined, TypeError],
        [8, null, TypeError],
      ] as const) {
        const entries: [string, unknown][] = [...entriesOf(members(600), 1), ['x', wrong]];
        const error = expectOption(
          () => BloomierMap.from(entries as [string, number][], { valueBits }),
          kind,
        );
        expect(error.index).toBe(600);
      }
    });
    expect(left).toBe(0);
    expect(BloomierMap.from([['a', 4294967295]], { valueBits: 32 }).get('a')).toBe(4294967295);
  });

  test('what is no pair, no key, or no entries', async () => {
    const from = (entries: unknown) => () =>
      BloomierMap.from(entries as BloomierEntry[], { valueBits: 8 });
    const left = await leftBehind(() => {
      for (const wrong of [['b'], ['b', 1, 2], 'b1', { 0: 'b', 1: 1, length: 2 }, null, 5]) {
        const error = expectOption(from([['a', 1], wrong]), TypeError);
        expect(error.index).toBe(1);
      }
      for (const wrong of [5, null, '\ud800', {}]) {
        expect(
          expectCode(
            from([
              ['a', 1],
              [wrong, 2],
            ]),
            'INVALID_KEY',
          ).index,
        ).toBe(1);
      }
      for (const wrong of [undefined, null, 5, 'a1', {}, { a: 1 }]) {
        expectOption(from(wrong), TypeError);
      }
    });
    expect(left).toBe(0);
  });

  test('options', () => {
    const map = BloomierMap.from([['a', 1]], { valueBits: 8, secret: KEY, seed: 5n });
    expect([map.hash, map.seed, map.checkBits, map.get('a')]).toEqual(['keyed', 5n, 8, 1]);
    for (const unknown of ['fpr', 'capacity', 'fingerprintBits']) {
      const options = { valueBits: 8, [unknown]: 8 };
      expectOption(() => BloomierMap.from([['a', 1]], options), TypeError);
    }
    expectOption(() => BloomierMap.sizeFor({ valueBits: 8 } as never), TypeError);
    expectOption(() => BloomierMap.sizeFor({ capacity: 8 } as never), TypeError);
  });
});

describe('fromAsync', () => {
  test('names the entry that is wrong, whatever the batch', async () => {
    const entries: unknown[] = entriesOf(members(2000), 8);
    const left = await leftBehind(async () => {
      for (const batch of [1, 100, 5000]) {
        for (const [wrong, code] of [
          [['x', 256], 'INVALID_OPTION'],
          [['x'], 'INVALID_OPTION'],
          ['x', 'INVALID_OPTION'],
          [[5, 5], 'INVALID_KEY'],
        ] as const) {
          const source = given([...entries, wrong, ['y', 1]]) as AsyncIterable<BloomierEntry>;
          const error = await rejection(BloomierMap.fromAsync(source, { valueBits: 8, batch }));
          expect(error).toMatchObject({ code: `ERR_TAMIS_${code}`, index: 2000 });
        }
        const twice = [...entriesOf(members(2000), 8), ['member-0', 256 - 1], ['member-0', 1]];
        const conflict = BloomierMap.fromAsync(given(twice as [string, number][]), {
          valueBits: 8,
          batch,
        });
        expect(await rejection(conflict)).toMatchObject({ code: 'ERR_TAMIS_CONFLICT', count: 1 });
      }
    });
    expect(left).toBe(0);
  });

  test('a source may use its entry, and the bytes in it, again', async () => {
    function* reused(): Generator<BloomierEntry> {
      const bytes = new Uint8Array(1);
      const entry: [Key, number] = [bytes, 0];
      for (let i = 0; i < 200; i++) {
        bytes[0] = i;
        entry[1] = i;
        yield entry;
      }
    }
    const options = { valueBits: 8, checkBits: 16 };
    const maps = [
      BloomierMap.from(reused(), options),
      await BloomierMap.fromAsync(given(reused()), options),
    ];
    for (const map of maps) {
      expect(map.count).toBe(200);
      for (let i = 0; i < 200; i++) expect(map.get(Uint8Array.of(i))).toBe(i);
    }
  });

  test('takes a stream of entries, and no packed keys', async () => {
    const entries = entriesOf(members(100), 8);
    const stream = new ReadableStream<BloomierEntry>({
      start(controller) {
        for (const entry of entries) controller.enqueue(entry);
        controller.close();
      },
    });
    const map = await BloomierMap.fromAsync(stream, { valueBits: 8 });
    expectSame(map.toBytes(), BloomierMap.from(entries, { valueBits: 8 }).toBytes());
    const packed = given([keysFromLines(utf8('a\nb'))]) as unknown as AsyncIterable<BloomierEntry>;
    expect(await rejection(BloomierMap.fromAsync(packed, { valueBits: 8 }))).toBeInstanceOf(
      TypeError,
    );
    const bytes = new Blob(['a']).stream() as unknown as ReadableStream<BloomierEntry>;
    const error = await rejection(BloomierMap.fromAsync(bytes, { valueBits: 8 }));
    expect(error).toBeInstanceOf(TypeError);
  });
});

test('it is a structure, and no filter', () => {
  const map = BloomierMap.from([['a', 1]], { valueBits: 1 });
  expectOption(() => missingFrom(map as never, ['a']), TypeError);
  for (const name of ['fpr', 'estimatedFpr', 'bitsPerKey', 'add', 'hasHashes', 'merge']) {
    expect(name in map).toBe(false);
  }
  expectCode(() => BloomFilter.fromBytes(map.toBytes()), 'WRONG_TYPE');
  const Made = BloomierMap as unknown as new (options?: object) => BloomierMap;
  expect(expectOption(() => new Made(), TypeError).message).toContain('BloomierMap.from');
  expect(expectOption(() => new Made({ valueBits: 1 }), TypeError).message).toContain('from');
  // withFunnel calls nothing but has and hasMany.
  const typed = withFunnel(map as never, (text: string) => utf8(text)) as {
    has(key: string): boolean;
  };
  expect(typed.has('a')).toBe(true);
});

test('what is far too large is told at once', () => {
  const wide = { valueBits: 32, checkBits: 32 };
  expectCode(() => BloomierMap.sizeFor({ capacity: 2 ** 26 + 1, ...wide }), 'TOO_LARGE');
  expectCode(() => BloomierMap.sizeFor({ capacity: 4e9, ...wide }), 'TOO_LARGE');
  expect(BloomierMap.sizeFor({ capacity: 2 ** 25, ...wide })).toBeLessThan(2 ** 29);
});
