/** Promises of every structure that is built once about its keys, over the class list. */
import { describe, expect, test } from '@jest/globals';
import { type Filter, hashKeys, type Key, keysFromLines } from 'tamis';

import type { Built, StaticCase } from './classes.js';
import { members, staticCases, staticFilters } from './classes.js';
import { binomialTails } from './support/binomial.js';
import { expectSame } from './support/bytes.js';
import { expectCode } from './support/errors.js';
import { leftBehind } from './support/handles.js';
import { foreign, integers, random, randomStrings, urls, utf8 } from './support/keys.js';

const ALPHA = 1e-9;
const ones = (n: number): Uint8Array => new Uint8Array(n).fill(1);
const sum = (answers: Uint8Array): number => answers.reduce((total, answer) => total + answer, 0);

function expectRate(built: Built, asked: Key[], rate: number): void {
  const tails = binomialTails(sum(built.hasMany(asked)), asked.length, rate);
  expect(tails.lower).toBeGreaterThan(ALPHA);
  expect(tails.upper).toBeGreaterThan(ALPHA);
}

/** Keys of every awkward shape. */
const awkward: readonly Key[] = [
  '',
  '\0',
  'a\0b',
  '\u007f\u0080\u07ff\u0800\uffff',
  '\u{10000}\u{10ffff}',
  Uint8Array.from({ length: 256 }, (_, i) => 255 - i),
  new Uint8Array(64).fill(0xff),
  new Uint8Array(300_000).fill(0x80),
  'x'.repeat(300_000),
];

const absentKeys = randomStrings(20_000, 'stranger');

/** Keys that are in, and absent keys of the same shape. */
const families: Readonly<Record<string, readonly [Key[], Key[]]>> = {
  'random strings': [randomStrings(5000, 'a', 7), randomStrings(30_000, 'b', 8)],
  URLs: [urls(5000, 'in'), urls(30_000, 'out')],
  'consecutive numbers': [integers(5000, 0), integers(30_000, 5000)],
};

/** Another order of the same. */
function shuffled<T>(values: readonly T[], seed: number): T[] {
  const next = random(seed);
  const order = values.map((value) => [next(), value] as const).sort(([a], [b]) => a - b);
  return order.map(([, value]) => value);
}

describe.each(staticCases.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  describe.each([0, 1, 2, 3, 7, 40, 100, 5000])('with %d keys', (n) => {
    const built = one.make(n);
    const keys = members(n);

    test('has no false negative, one by one or in a batch', () => {
      expect(keys.filter((key) => !built.has(key))).toEqual([]);
      expect(built.hasMany(keys)).toEqual(ones(n));
    });

    test('counts the distinct keys', () => {
      expect(built.count).toBe(n);
      const { capacity = n, bitsPerKey = Number.NaN } = built as unknown as Partial<Filter>;
      expect(capacity).toBe(n);
      if (n === 0) expect(bitsPerKey).toBeNaN();
    });

    test('absent keys are taken for keys at its rate, or never when it is empty', () => {
      expectRate(built, absentKeys, one.rate(built));
    });
  });

  test('keeps the awkward keys, of any length and any byte', () => {
    const built = one.from(awkward);
    expect(built.count).toBe(awkward.length);
    expect(awkward.map((key) => built.has(key))).toEqual(awkward.map(() => true));
    expect(built.hasMany(awkward)).toEqual(ones(awkward.length));
  });

  test('a string and its UTF-8 bytes are one key', () => {
    const strings = [...foreign(50, 'k'), ...members(50), ''];
    const built = one.from([...strings.map(utf8), ...strings]);
    expect(built.count).toBe(101);
    expectSame(built.toBytes(), one.from(strings).toBytes());
    expect(built.hasMany(strings)).toEqual(ones(strings.length));
  });

  test('a view on part of a buffer is its own bytes only', () => {
    const built = one.from([utf8('prefix-key-suffix').subarray(7, 10)]);
    expect(built.has('key')).toBe(true);
    expect(built.has(Buffer.from('key'))).toBe(true);
  });

  test('keys that come again change nothing', () => {
    const once = one.make(300).toBytes();
    const keys = members(300);
    expectSame(one.from([...keys, ...keys]).toBytes(), once);
    expectSame(one.from(keys.flatMap((key) => [key, key, key])).toBytes(), once);
    const often = [...keys, ...new Array<string>(69).fill(keys[7] as string)];
    expectSame(one.from(often).toBytes(), once);
    const alone = one.from(new Array<string>(5000).fill('a'));
    expect(alone.count).toBe(1);
    expectSame(alone.toBytes(), one.from(['a']).toBytes());
  });

  test('the order of the keys changes nothing, and every build is the same', () => {
    for (const n of [2, 50, 3000]) {
      const bytes = one.make(n).toBytes();
      expectSame(one.from(members(n).reverse()).toBytes(), bytes);
      expectSame(one.from(shuffled(members(n), n)).toBytes(), bytes);
      expectSame(one.make(n).toBytes(), bytes);
    }
  });

  test('takes keys from whatever holds them', () => {
    const keys = members(700);
    const expected = one.make(700).toBytes();
    function* generator(): Generator<Key> {
      for (const [i, key] of keys.entries()) yield i % 2 === 0 ? key : utf8(key);
    }
    expectSame(one.from(keys).toBytes(), expected);
    expectSame(one.from(new Set(keys)).toBytes(), expected);
    expectSame(one.from(new Map(keys.map((key) => [key, 1])).keys()).toBytes(), expected);
    expectSame(one.from(generator()).toBytes(), expected);
    expectSame(one.from(keys.map(utf8)).toBytes(), expected);
  });

  test('hasMany agrees with has for every source', () => {
    const built = one.make(300);
    const keys = [...members(20), ...randomStrings(1000, 's'), ...foreign(20, 'q'), 'member-299'];
    const expected = Uint8Array.from(keys, (key) => +built.has(key));
    function* generator(): Generator<string> {
      yield* keys;
    }
    for (const source of [keys, keys.map(utf8), generator(), new Set(keys)]) {
      expect(built.hasMany(source)).toEqual(expected);
    }
    expect(built.hasMany(keysFromLines(utf8(keys.join('\n'))))).toEqual(expected);
    expect(built.hasMany([...awkward, 'member-0']).at(-1)).toBe(1);
    expect(built.hasMany([])).toEqual(new Uint8Array(0));
  });

  test('hash says fast or keyed, and another seed or key makes other bytes', () => {
    const built = one.make(100);
    expect(built.hash).toBe(one.key === undefined ? 'fast' : 'keyed');
    expect(typeof built.seed).toBe('bigint');
    for (const other of staticCases) {
      if (other.type !== one.type || other === one) continue;
      expect(Buffer.compare(other.make(100).toBytes(), built.toBytes())).not.toBe(0);
    }
  });

  test('sizeFor expects what a build takes', () => {
    for (const n of [1, 10, 100, 1000, 20_000]) {
      const expected = one.sizeFor(n);
      const { sizeBytes } = one.make(n);
      // Small structures have few slots, and a build may need some more of them.
      expect(Math.abs(expected - sizeBytes)).toBeLessThanOrEqual(0.02 * sizeBytes + 16);
    }
  });

  rateTests(one);
});

function rateTests(one: StaticCase): void {
  test.each(Object.keys(families))('the rate is the exact one, for %s', (name) => {
    const [inside, outside] = families[name] as readonly [Key[], Key[]];
    const built = one.from(inside);
    expect(sum(built.hasMany(inside))).toBe(inside.length);
    expectRate(built, outside, one.rate(built));
  });
}

describe.each(staticFilters.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  test('hasHashes agrees with hasMany', () => {
    const options = one.key === undefined ? {} : { key: one.key };
    const filter = one.make(200);
    const probes = [...members(220), ...awkward, ...randomStrings(5000, 'h')];
    expect(filter.hasHashes(hashKeys(probes, options))).toEqual(filter.hasMany(probes));
    expect(filter.hasHashes(new BigUint64Array(0))).toEqual(new Uint8Array(0));
  });

  test('its figures agree with one another', () => {
    const filter = one.make(1000);
    expect(filter.bitsPerKey).toBe((8 * filter.sizeBytes) / 1000);
    expect(filter.fpr).toBe(one.rate(filter));
    expect(filter.estimatedFpr).toBe(filter.fpr);
    const empty = one.make(0);
    expect(empty).toMatchObject({ count: 0, capacity: 0, estimatedFpr: 0 });
    // No key passes an exact filter without included keys. The other types report the rate that they are made for.
    if (one.type === 'exact') expect(empty.fpr).toBe(0);
    else expect(empty.fpr).toBeGreaterThan(0);
    expect(JSON.parse(JSON.stringify(empty))).toMatchObject({ bitsPerKey: null });
  });

  test('what is no key, or no keys, is told and leaves nothing', async () => {
    const wrong: readonly [unknown, number | undefined][] = [
      [['a', 5], 1],
      [[...members(600), '\ud800'], 600],
      [new Set(['a', 'b', null]), 2],
      ['abc', undefined],
      [utf8('abc'), undefined],
      [5, undefined],
      [{}, undefined],
    ];
    const left = await leftBehind(() => {
      for (const [keys, index] of wrong) {
        expect(expectCode(() => one.from(keys as string[]), 'INVALID_KEY').index).toBe(index);
      }
    });
    expect(left).toBe(0);
  });

  test('takes no more keys', () => {
    const filter = one.make(3) as unknown as Record<string, unknown>;
    for (const name of ['add', 'addMany', 'addFrom', 'addHashes', 'clear', 'emptyCopy', 'delete']) {
      expect(filter[name]).toBeUndefined();
    }
  });
});
