/** Promises of every class about its keys, whether it changes or is built once. */
import { describe, expect, test } from '@jest/globals';
import { type Filter, type Key, type Keys, keysFromLines } from 'tamis';

import type { Built } from './classes.js';
import { awkward, filterCases, members, staticCases } from './classes.js';
import { binomialTails } from './support/binomial.js';
import { expectSame } from './support/bytes.js';
import { foreign, integers, randomStrings, urls, utf8 } from './support/keys.js';

const ALPHA = 1e-9;
const sum = (answers: Uint8Array): number => answers.reduce((total, answer) => total + answer, 0);

/** Keys that are in, and absent keys of the same shape. */
const families: Readonly<Record<string, readonly [Key[], Key[]]>> = {
  'random strings': [randomStrings(5000, 'a', 7), randomStrings(30_000, 'b', 8)],
  URLs: [urls(5000, 'in'), urls(30_000, 'out')],
  'consecutive numbers': [integers(5000, 0), integers(30_000, 5000)],
};

interface Case {
  readonly label: string;
  readonly secret: Uint8Array | undefined;
  /** Makes one of these keys; `n` is their number. */
  readonly from: (keys: Iterable<Key>, n: number) => Built;
  /** Makes one of packed keys, where it takes them. */
  readonly fromPacked?: (keys: Keys, n: number) => Built;
  readonly rate: (built: Built) => number;
  /** Its hash spreads keys of every shape. */
  readonly spreads: boolean;
}

const cases: readonly Case[] = [
  ...filterCases.map(({ label, secret, create, rate, traits }) => {
    const from = (keys: Keys, n: number) => {
      const filter = create(n);
      filter.addMany(keys);
      return filter;
    };
    const spreads = traits.spreads && !label.includes('seeded');
    const rateOf = (built: Built) => rate(built as Filter);
    return { label, secret, from, fromPacked: from, rate: rateOf, spreads };
  }),
  ...staticCases.map(({ label, secret, from, rate }) => ({
    label,
    secret,
    from,
    rate,
    spreads: true,
  })),
];

describe.each(cases.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  const made = (n: number) => one.from(members(n), n);

  test('keeps the awkward keys, of any length and any byte', () => {
    const built = one.from(awkward, awkward.length);
    expect(awkward.filter((key) => !built.has(key))).toEqual([]);
    expect(sum(built.hasMany(awkward))).toBe(awkward.length);
  });

  test('a string and its UTF-8 bytes are one key', () => {
    const strings = [...foreign(50, 'k'), ...members(50), ''];
    const built = one.from(strings.map(utf8), 400);
    expect(sum(built.hasMany(strings))).toBe(strings.length);
    expectSame(built.toBytes(), one.from(strings, 400).toBytes());
  });

  test('a view on part of a buffer is its own bytes only', () => {
    const built = one.from([utf8('prefix-key-suffix').subarray(7, 10)], 10);
    expect(built.has('key')).toBe(true);
    expect(built.has(Buffer.from('key'))).toBe(true);
  });

  test('takes keys from whatever holds them', () => {
    const keys = members(700);
    const expected = made(700).toBytes();
    function* generator(): Generator<Key> {
      for (const [i, key] of keys.entries()) yield i % 2 === 0 ? key : utf8(key);
    }
    const map = new Map(keys.map((key) => [key, 1]));
    for (const source of [keys, new Set(keys), map.keys(), generator(), keys.map(utf8)]) {
      expectSame(one.from(source, 700).toBytes(), expected);
    }
    const packed = keysFromLines(utf8(keys.join('\n')));
    if (one.fromPacked) expectSame(one.fromPacked(packed, 700).toBytes(), expected);
  });

  test('hasMany agrees with has for every source', () => {
    const built = made(300);
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

  test('hash says fast or keyed, and seed is a bigint', () => {
    const { hash, seed } = made(10);
    expect(hash).toBe(one.secret === undefined ? 'fast' : 'keyed');
    expect(typeof seed).toBe('bigint');
  });

  const names = one.spreads ? Object.keys(families) : ['random strings'];
  test.each(names)('the false-positive rate is the exact one, for %s', (name) => {
    const [inside, outside] = families[name] as readonly [Key[], Key[]];
    const built = one.from(inside, inside.length);
    expect(sum(built.hasMany(inside))).toBe(inside.length);
    const tails = binomialTails(sum(built.hasMany(outside)), outside.length, one.rate(built));
    expect(Math.min(tails.lower, tails.upper)).toBeGreaterThan(ALPHA);
  });
});
