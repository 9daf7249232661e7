/** Promises of every filter about its members, over the class list. */
import { describe, expect, test } from '@jest/globals';
import { hashKey, hashKeys, type Key, keysFromLines, type PackedKeys } from 'tamis';
import { hashKey as readHash } from 'tamis/read';

import type { DeletableFilter, MergeableFilter } from './classes.js';
import { awkward, filterCases, members } from './classes.js';
import { expectSame } from './support/bytes.js';
import { expectCode, rejection, thrownBy } from './support/errors.js';
import { foreign, randomStrings, utf8 } from './support/keys.js';

const ones = (n: number): Uint8Array => new Uint8Array(n).fill(1);

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

  test('add says what has denied before, and count follows it', () => {
    const filter = one.create(2000);
    const keys = [...members(500), ...members(500)];
    const told = keys.map((key) => [!filter.has(key), filter.add(key)]);
    expect(told.filter(([absent, isNew]) => absent !== isNew)).toEqual([]);
    const fresh = told.filter(([absent]) => absent).length;
    expect(filter.count).toBe(one.traits.copies ? 1000 : fresh);
  });

  test('addMany counts the certainly new, and is what add is', () => {
    const keys = [...members(400), ...members(20), ...foreign(100, 'f'), ...awkward];
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

  test('keys hashed once are the same keys', () => {
    const options = one.secret === undefined ? {} : { secret: one.secret };
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
    }
    // A generator yields one array of bytes again and again.
    function* reused(): Generator<Uint8Array> {
      for (let i = 0; i < 200; i++) yield buffer.fill(i, i % 9);
    }
    const buffer = new Uint8Array(9);
    const keys = new Map(members(200).map((key) => [key, 0]));
    const generators = one.traits.fixedSize ? [] : [reused];
    for (const make of [() => new Set(keys.keys()), () => keys.keys(), ...generators]) {
      const list = Array.from<Key, Key>(make(), (key) => key.slice());
      expectSame(one.from(make()).toBytes(), one.from(list).toBytes());
    }
    expect(one.from([]).has('')).toBe(false);
    expect(one.from([]).capacity).toBeGreaterThanOrEqual(1);
  });

  test('fromAsync builds the same, without a capacity too', async () => {
    const keys = members(200);
    async function* each(): AsyncGenerator<Key> {
      yield* keys;
    }
    async function* packed(): AsyncGenerator<PackedKeys> {
      const bytes = new Uint8Array(4000);
      for (const from of [0, 90]) {
        const { written } = new TextEncoder().encodeInto(
          keys.slice(from, from === 0 ? 90 : undefined).join('\n'),
          bytes,
        );
        yield keysFromLines(bytes.subarray(0, written));
      }
    }
    const expected = one.from(keys).toBytes();
    for (const options of [{}, { capacity: 200 }, { batch: 7 }]) {
      expectSame((await one.fromAsync(each(), options)).toBytes(), expected);
      expectSame((await one.fromAsync(packed(), options)).toBytes(), expected);
    }
    async function* broken(): AsyncGenerator<Key> {
      yield* keys;
      yield 5 as never;
    }
    const error = await rejection(one.fromAsync(broken()));
    expect(error).toMatchObject({ code: 'ERR_TAMIS_INVALID_KEY', index: 200 });
  });

  test('at its capacity its rate is about the designed one', () => {
    const { fixedSize, forgets, grows } = one.traits;
    if (fixedSize || forgets || grows) return;
    const filter = one.create(5000);
    filter.addMany(randomStrings(5000, 'a', 7));
    expect(one.rate(filter)).toBeGreaterThan(0.85 * filter.fpr);
    expect(one.rate(filter)).toBeLessThan(1.15 * filter.fpr);
  });
});
