/** Promises of every filter about its members, over the class list. */
import { describe, expect, test } from '@jest/globals';
import { hashKey, hashKeys, keysFromLines } from 'tamis';
import { hashKey as readHash } from 'tamis/read';

import type { DeletableFilter, FilterCase, MergeableFilter, MutableFilter } from './classes.js';
import { filterCases, members } from './classes.js';
import { binomialTails } from './support/binomial.js';
import { expectSame } from './support/bytes.js';
import { expectCode, thrownBy } from './support/errors.js';
import { foreign, integers, randomStrings, urls, utf8 } from './support/keys.js';

const ALPHA = 1e-9;
const ones = (n: number): Uint8Array => new Uint8Array(n).fill(1);

/** Keys of every awkward shape. */
const awkward: readonly (string | Uint8Array)[] = [
  '',
  '\0',
  'a\0b',
  '\u007f\u0080\u07ff\u0800\uffff',
  '\u{10000}\u{10ffff}',
  Uint8Array.from({ length: 256 }, (_, i) => 255 - i),
  new Uint8Array(64).fill(0xff),
  new Uint8Array(1 << 20).fill(0x80),
  'x'.repeat(1 << 20),
];

type Source = readonly (string | Uint8Array)[];

/** Keys that are added, and absent keys of the same shape. */
const families: Readonly<Record<string, readonly [Source, Source]>> = {
  'random strings': [randomStrings(5000, 'a', 7), randomStrings(30_000, 'b', 8)],
  URLs: [urls(5000, 'in'), urls(30_000, 'out')],
  'consecutive numbers': [integers(5000, 0), integers(30_000, 5000)],
};

describe.each(filterCases.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  describe.each([0, 1, 3, 100, 1000])('with %d keys', (n) => {
    const filter = one.make(n);
    const keys = members(n);

    test('has no false negative, one by one or in a batch', () => {
      expect(keys.filter((key) => !filter.has(key))).toEqual([]);
      expect(filter.hasMany(keys)).toEqual(ones(n));
    });

    test('counts about the distinct keys, and never more', () => {
      expect(filter.count).toBeLessThanOrEqual(n);
      expect(filter.count).toBeGreaterThanOrEqual(Math.floor(n * 0.97));
      expect(filter.capacity).toBeGreaterThanOrEqual(1);
    });

    test('answers false to everything when empty, to almost everything else', () => {
      const absentKeys = randomStrings(2000, 'stranger');
      const hits = filter.hasMany(absentKeys).reduce((sum, hit) => sum + hit, 0);
      if (n === 0) expect(hits).toBe(0);
      else expect(hits).toBeLessThan(200);
    });
  });

  test('keeps the awkward keys, of any length and any byte', () => {
    const filter = one.create(awkward.length);
    expect(filter.has('')).toBe(false);
    for (const key of awkward) filter.add(key);
    expect(awkward.map((key) => filter.has(key))).toEqual(awkward.map(() => true));
    expect(filter.hasMany(awkward)).toEqual(ones(awkward.length));
    const batch = one.create(awkward.length);
    batch.addMany(awkward);
    expectSame(batch.toBytes(), filter.toBytes());
  });

  test('a string and its UTF-8 bytes are one key', () => {
    const strings = [...foreign(50, 'k'), ...members(50), ''];
    const filter = one.create(400);
    filter.addMany(strings.map(utf8));
    expect(filter.hasMany(strings)).toEqual(ones(strings.length));
    const other = one.create(400);
    other.addMany(strings);
    expectSame(other.toBytes(), filter.toBytes());
    expect(strings.map((key) => filter.add(key))).toEqual(strings.map(() => false));
  });

  test('a view on part of a buffer is its own bytes only', () => {
    const whole = utf8('prefix-key-suffix');
    const filter = one.create(10);
    filter.add(whole.subarray(7, 10));
    expect(filter.has('key')).toBe(true);
    expect(filter.has(Buffer.from('key'))).toBe(true);
  });

  test('add says what has denied before, and count follows it', () => {
    const filter = one.create(2000);
    const keys = [...members(500), ...members(500)];
    const told = keys.map((key) => [!filter.has(key), filter.add(key)]);
    expect(told.filter(([absent, isNew]) => absent !== isNew)).toEqual([]);
    const fresh = told.filter(([absent]) => absent).length;
    expect(filter.count).toBe(one.traits.copies ? 1000 : fresh);
  });

  test('addMany counts the certainly new, and is what add is', () => {
    const keys = [...members(400), ...members(20), ...foreign(100, 'f')];
    const single = one.create(2000);
    const fresh = keys.filter((key) => single.add(key)).length;
    const batch = one.create(2000);
    expect(batch.addMany(keys)).toBe(fresh);
    expectSame(batch.toBytes(), single.toBytes());
    expect(batch.addMany(keys)).toBe(0);
    expect(keys.filter((key) => single.add(key))).toEqual([]);
    expectSame(batch.toBytes(), single.toBytes());
  });

  test('duplicates change nothing, where they are not held or lock', () => {
    const filter = one.create(400);
    filter.addMany(members(50));
    const bytes = filter.toBytes();
    const { count, estimatedFpr } = filter;
    for (let i = 0; i < 3; i++) expect(filter.addMany(members(50))).toBe(0);
    if (one.traits.copies) {
      expect(filter.count).toBe(count + 150);
    } else {
      expect(filter.count).toBe(count);
      expect(filter.estimatedFpr).toBe(estimatedFpr);
      if (!one.traits.locks) expectSame(filter.toBytes(), bytes);
    }
    filter.validate();
  });

  test('takes keys from whatever holds them', () => {
    const keys = members(300);
    const expected = one.make(300).toBytes();
    const build = (source: Parameters<MutableFilter['addMany']>[0]): Uint8Array => {
      const filter = one.create(300);
      filter.addMany(source);
      return filter.toBytes();
    };
    function* generator(): Generator<string | Uint8Array> {
      for (const [i, key] of keys.entries()) yield i % 2 === 0 ? key : utf8(key);
    }
    expect(build(keys)).toEqual(expected);
    expect(build(new Set(keys))).toEqual(expected);
    expect(build(new Map(keys.map((key) => [key, 1])).keys())).toEqual(expected);
    expect(build(generator())).toEqual(expected);
    expect(build(keys.map(utf8))).toEqual(expected);
    expect(build(keysFromLines(utf8(keys.join('\n'))))).toEqual(expected);
  });

  test('hasMany agrees with has for every source', () => {
    const filter = one.make(300);
    const keys = [...members(20), ...randomStrings(1000, 's'), ...foreign(20, 'q'), 'member-299'];
    const expected = Uint8Array.from(keys, (key) => (filter.has(key) ? 1 : 0));
    function* generator(): Generator<string> {
      yield* keys;
    }
    expect(filter.hasMany(keys)).toEqual(expected);
    expect(filter.hasMany(keys.map(utf8))).toEqual(expected);
    expect(filter.hasMany(generator())).toEqual(expected);
    expect(filter.hasMany(new Set(keys))).toEqual(expected);
    expect(filter.hasMany(keysFromLines(utf8(keys.join('\n'))))).toEqual(expected);
    expect(filter.hasMany([])).toEqual(new Uint8Array(0));
  });

  test('keys hashed once are the same keys', () => {
    const options = one.key === undefined ? {} : { key: one.key };
    const keys = [...members(100), ...awkward];
    const hashes = hashKeys(keys, options);
    expect(hashes).toBeInstanceOf(BigUint64Array);
    expect(hashes.length).toBe(keys.length);
    const filter = one.create(200);
    if (!one.traits.hashes) {
      expectCode(() => filter.hasHashes(hashes), 'UNSUPPORTED');
      expectCode(() => filter.addHashes(hashes), 'UNSUPPORTED');
      expect(filter.count).toBe(0);
      return;
    }
    expect(hashes[5]).toBe(readHash(keys[5] as string, options));
    expect(keys.slice(0, 8).map((key) => hashKey(key, options))).toEqual([...hashes.slice(0, 8)]);
    const twin = one.create(200);
    expect(filter.addHashes(hashes)).toBe(twin.addMany(keys));
    expectSame(filter.toBytes(), twin.toBytes());
    const probes = [...keys, ...randomStrings(500, 'h')];
    expect(filter.hasHashes(hashKeys(probes, options))).toEqual(filter.hasMany(probes));
    expect(filter.addHashes(new BigUint64Array(0))).toBe(0);
    expect(filter.hasHashes(new BigUint64Array(0))).toEqual(new Uint8Array(0));
  });

  test('hash says fast or keyed, and seed what was given', () => {
    expect(one.create(10).hash).toBe(one.key === undefined ? 'fast' : 'keyed');
    expect(typeof one.create(10).seed).toBe('bigint');
  });

  test('takes keys over its capacity, and says so by estimatedFpr', () => {
    if (one.traits.bounded) return;
    const filter = one.create(500);
    filter.addMany(members(400));
    const before = filter.estimatedFpr;
    expect(before).toBeLessThan(filter.fpr);
    const more = members(4000);
    filter.addMany(more);
    expect(filter.hasMany(more)).toEqual(ones(4000));
    if (one.traits.grows) expect(filter.estimatedFpr).toBeLessThan(filter.fpr);
    else expect(filter.estimatedFpr).toBeGreaterThan(filter.fpr);
    expect(filter.fpr).toBe(one.create(500).fpr);
    filter.validate();
  });

  test('is full over its capacity, or never', () => {
    const filter = one.create(500);
    const keys = members(4000);
    if (!one.traits.bounded) {
      filter.addMany(keys);
      return;
    }
    const error = thrownBy(() => filter.addMany(keys));
    expect(error.code).toBe('ERR_TAMIS_FULL');
    const held = error.index as number;
    expect(held).toBeGreaterThanOrEqual(500);
    const twin = one.create(500);
    twin.addMany(keys.slice(0, held));
    expectSame(filter.toBytes(), twin.toBytes());
    const before = filter.toBytes();
    expectCode(() => filter.add(keys[held] as string), 'FULL');
    expectSame(filter.toBytes(), before);
    expect(filter.hasMany(keys.slice(0, held))).toEqual(ones(held));
    filter.validate();
  });

  test('what it can, it has: delete and merge', () => {
    const filter = one.create(10) as DeletableFilter & MergeableFilter;
    expect('delete' in filter).toBe(one.traits.deletes);
    expect('merge' in filter).toBe(one.traits.merges);
    if (one.traits.deletes) {
      expect(filter.delete('never added')).toBe(false);
      filter.add('a');
      expect(filter.delete('a')).toBe(true);
      expect(filter.count).toBe(0);
      expect(filter.has('a')).toBe(false);
      expect(filter.delete('a')).toBe(false);
      expect(filter.count).toBe(0);
    }
    if (one.traits.merges) {
      const other = one.create(10);
      other.add('b');
      expect(filter.merge(other)).toBe(filter);
      expect(filter.has('b')).toBe(true);
      expect(filter.count).toBe(1);
    }
  });

  test('its figures agree with one another', () => {
    const filter = one.make(1000);
    expect(filter.bitsPerKey).toBe((8 * filter.sizeBytes) / filter.count);
    if (one.traits.estimates) {
      expect(Math.abs(filter.estimatedFpr / one.rate(filter) - 1)).toBeLessThan(0.05);
    } else {
      expect(filter.estimatedFpr).toBeCloseTo(one.rate(filter), 12);
    }
    expect(filter.fpr).toBeGreaterThan(0);
    expect(filter.fpr).toBeLessThan(1);
    const empty = one.create(1000);
    expect(empty.bitsPerKey).toBeNaN();
    expect(empty.estimatedFpr).toBe(0);
    expect(empty.sizeBytes).toBe(filter.sizeBytes);
    const json = JSON.parse(JSON.stringify(empty)) as Record<string, unknown>;
    expect(json.bitsPerKey).toBeNull();
  });

  test('from builds what create and addMany build', () => {
    expectSame(one.from(members(200)).toBytes(), one.make(200).toBytes());
    const packed = keysFromLines(utf8(members(200).join('\n')));
    if (!one.traits.fixedSize) {
      expectSame(one.from(packed).toBytes(), one.make(200).toBytes());
      // The number of keys of any other iterable is not known beforehand.
      const error = expectCode(() => one.from(new Set(members(3))), 'INVALID_OPTION');
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(/capacity/);
    }
    expect(one.from([]).has('')).toBe(false);
    expect(one.from([]).capacity).toBeGreaterThanOrEqual(1);
  });

  rateTests(one);
});

function rateTests(one: FilterCase): void {
  const isSeeded = one.label.includes('seeded');
  const names = one.traits.spreads && !isSeeded ? Object.keys(families) : ['random strings'];
  test.each(names)('the false-positive rate is the exact one, for %s', (name) => {
    const [inside, outside] = families[name] as readonly [Source, Source];
    const filter = one.create(inside.length);
    filter.addMany(inside);
    const hits = filter.hasMany(outside).reduce((sum, hit) => sum + hit, 0);
    const tails = binomialTails(hits, outside.length, one.rate(filter));
    expect(tails.lower).toBeGreaterThan(ALPHA);
    expect(tails.upper).toBeGreaterThan(ALPHA);
    // At its capacity, the rate of the present content is about the designed rate.
    const { fixedSize, forgets, grows } = one.traits;
    if (fixedSize || forgets || grows) return;
    expect(one.rate(filter)).toBeGreaterThan(0.85 * filter.fpr);
    expect(one.rate(filter)).toBeLessThan(1.15 * filter.fpr);
  });
}
