/** Promises and refusals of deleting filters. If they throw or return false, nothing changes. */
import { describe, expect, test } from '@jest/globals';
import {
  BloomFilter,
  CountingBloomFilter,
  DeletableBloomFilter,
  hashKeys,
  type Key,
  keysFromLines,
  TombstoneBloomFilter,
} from 'tamis';

import type { DeletableFilter } from './classes.js';
import { filterCases, KEY, member, members, OTHER_KEY } from './classes.js';
import { expectSame } from './support/bytes.js';
import { expectCode, rejection, thrownBy } from './support/errors.js';
import { randomStrings, utf8 } from './support/keys.js';
import { countersOf } from './support/payload.js';
import { given } from './support/sources.js';

const ones = (n: number): Uint8Array => new Uint8Array(n).fill(1);

const deleting = filterCases.filter(({ traits }) => traits.deletes);

describe.each(deleting.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  const make = (n: number, capacity = 400): DeletableFilter => {
    const filter = one.create(capacity) as DeletableFilter;
    filter.addMany(members(n));
    return filter;
  };

  test('what is no key is an error, and changes nothing', () => {
    const filter = make(20);
    const bytes = filter.toBytes();
    for (const wrong of [7, 7n, null, undefined, {}, ['a'], '\ud800', new Uint16Array(1)]) {
      const error = expectCode(() => filter.delete(wrong as Key), 'INVALID_KEY');
      expect(error).toBeInstanceOf(TypeError);
    }
    expectSame(filter.toBytes(), bytes);
  });

  test('a string and its bytes are one key, at any length', () => {
    for (const key of [
      '',
      '\u043f\u0440\u0438\u0432\u0435\u0442',
      'x'.repeat(70_000),
      '\u00e9'.repeat(50_000),
    ]) {
      const filter = one.create(50) as DeletableFilter;
      filter.add(key);
      expect(filter.delete(utf8(key))).toBe(true);
      expect(filter.has(key)).toBe(false);
      expect(filter.count).toBe(0);
    }
  });

  test('deleteMany does what delete does, key by key, to where it throws', () => {
    // Packed keys, one that does not fit into a batch, and keys that are absent.
    const long = 'x'.repeat(70_000);
    const present = [...members(40), long, ...members(90).slice(40)];
    const asked = [...present.slice(20, 60), ...randomStrings(50, 'absent'), ...present.slice(60)];
    for (const keys of [asked, new Set(asked), keysFromLines(utf8(asked.join('\n')))]) {
      const [batched, single] = [one.create(400), one.create(400)] as DeletableFilter[] as [
        DeletableFilter,
        DeletableFilter,
      ];
      for (const filter of [batched, single]) filter.addMany(present);
      let gone = 0;
      let failed: unknown;
      const at = asked.findIndex((key) => {
        try {
          if (single.delete(key)) gone++;
          return false;
        } catch (error) {
          failed = error;
          return true;
        }
      });
      if (at < 0) expect(batched.deleteMany(keys)).toBe(gone);
      else {
        const error = thrownBy(() => batched.deleteMany(keys));
        expect([error.code, error.index]).toEqual([(failed as { code: string }).code, at]);
      }
      expectSame(batched.toBytes(), single.toBytes());
    }
  });

  test('deleteMany stops at what is no key: those before it are out', () => {
    const filter = make(0);
    filter.addMany(members(3));
    const before = filter.toBytes();
    const keys = [member(1), 7, member(2)] as Key[];
    const error = expectCode(() => filter.deleteMany(keys), 'INVALID_KEY');
    expect(error.index).toBe(1);
    expect([filter.count, filter.has(member(2))]).toEqual([2, true]);
    filter.add(one.traits.tombstones ? 'another' : member(1));
    expectCode(() => filter.deleteMany(5 as never), 'INVALID_KEY');
    expect(filter.deleteMany([])).toBe(0);
    expect(before.length).toBe(filter.toBytes().length);
    filter.dispose();
    expectCode(() => filter.deleteMany([]), 'DISPOSED');
  });
});

describe('counting-bloom', () => {
  test('counterAt gives the counters of the bytes; outside is a RangeError', () => {
    const filter = new CountingBloomFilter({ capacity: 60, counterBits: 7 });
    for (let i = 0; i < 3; i++) filter.addMany(members(20 * (i + 1)));
    const counters = countersOf(filter.toBytes());
    expect(counters.length).toBe(filter.counters);
    expect(Array.from(counters, (_, i) => filter.counterAt(i))).toEqual(counters);
    expect(Math.max(...counters)).toBeGreaterThanOrEqual(3);
    for (const index of [-1, filter.counters, 1.5, NaN, Infinity, 2 ** 32, 2 ** 53]) {
      expect(thrownBy(() => filter.counterAt(index))).toBeInstanceOf(RangeError);
    }
    for (const index of ['0', null, undefined, 0n, {}]) {
      expect(thrownBy(() => filter.counterAt(index as unknown as number))).toBeInstanceOf(
        TypeError,
      );
    }
  });

  test('toBloom is the plain filter of the same keys', () => {
    const options = { capacity: 500, fpr: 0.003, seed: 77n } as const;
    const filter = CountingBloomFilter.from(members(500), options);
    const plain = filter.toBloom();
    expect(plain).toBeInstanceOf(BloomFilter);
    expectSame(plain.toBytes(), BloomFilter.from(members(500), options).toBytes());
    for (const key of members(250)) filter.delete(key);
    expect(plain.hasMany(members(500))).toEqual(ones(500));
    expect(filter.toBloom().hasMany(members(500).slice(250))).toEqual(ones(250));
    filter.clear();
    expectSame(filter.toBloom().toBytes(), new BloomFilter(options).toBytes());

    const keyed = new CountingBloomFilter({ capacity: 50, secret: KEY });
    keyed.add('a');
    const shipped = keyed.toBloom();
    expect([shipped.hash, shipped.has('a'), shipped.has('b')]).toEqual(['keyed', true, false]);
    expectCode(() => BloomFilter.fromBytes(shipped.toBytes()), 'KEY_REQUIRED');
  });

  test('countOf counts copies, and answers for what is no key with an error', () => {
    const filter = CountingBloomFilter.from(['a', 'b', 'a', 'a'], { capacity: 50 });
    expect(['a', 'b', 'absent'].map((key) => filter.countOf(key))).toEqual([3, 1, 0]);
    expectCode(() => filter.countOf(7 as unknown as Key), 'INVALID_KEY');
  });
});

describe('tombstone-bloom', () => {
  test('a deleted key cannot come back: TOMBSTONED, and nothing changed', () => {
    const filter = TombstoneBloomFilter.from(members(50), { capacity: 200 });
    expect(filter.delete(member(7))).toBe(true);
    expect(filter.count).toBe(49);
    const bytes = filter.toBytes();
    expectCode(() => filter.add(member(7)), 'TOMBSTONED');
    expectCode(() => filter.addHashes(hashKeys([member(7)])), 'TOMBSTONED');
    expectSame(filter.toBytes(), bytes);
    filter.clear();
    expect(filter.add(member(7))).toBe(true);
  });

  const keys = members(700);
  const gone = 421;
  const made = (): TombstoneBloomFilter => {
    const filter = new TombstoneBloomFilter({ capacity: 2000 });
    filter.add(keys[gone] as string);
    filter.delete(keys[gone] as string);
    return filter;
  };
  const upTo = (): Uint8Array => {
    const twin = made();
    for (const key of keys.slice(0, gone)) twin.add(key);
    return twin.toBytes();
  };

  test('addMany: error.index says which, and the keys before it stay', () => {
    const sources = [keys, keys.map(utf8), new Set(keys)] as const;
    for (const source of sources) {
      const filter = made();
      expect(expectCode(() => filter.addMany(source), 'TOMBSTONED').index).toBe(gone);
      expectSame(filter.toBytes(), upTo());
    }
    const packed = made();
    const lines = keysFromLines(utf8(keys.join('\n')));
    const error = expectCode(() => packed.addMany(lines), 'TOMBSTONED');
    expect(error.index).toBe(gone);
    expectSame(packed.toBytes(), upTo());
  });

  test('addHashes: the hashes before it stay', () => {
    const filter = made();
    expectCode(() => filter.addHashes(hashKeys(keys)), 'TOMBSTONED');
    expectSame(filter.toBytes(), upTo());
  });

  test.each([1, 100, 421, 422, 1024])('addFrom in batches of %d: the same', async (batch) => {
    const filter = made();
    const error = await rejection(filter.addFrom(given(keys), { batch }));
    expect([error.code, error.index]).toEqual(['ERR_TAMIS_TOMBSTONED', gone]);
    expectSame(filter.toBytes(), upTo());
  });

  test('falseNegativeRate is 0 before the first delete, and as designed after so many', () => {
    const filter = TombstoneBloomFilter.from(members(20_000), { fpr: 0.05, deletions: 10_000 });
    expect(filter.falseNegativeRate).toBe(0);
    filter.deleteMany(members(10_000));
    expect(filter.falseNegativeRate).toBeCloseTo(0.05, 2);
  });
});

describe('deletable-bloom', () => {
  test('a key without a bit of its own stays: NOT_DELETABLE, and nothing changed', () => {
    const filter = DeletableBloomFilter.from(members(500), { regions: 8 });
    const bytes = filter.toBytes();
    const stuck = members(500).filter((key) => !filter.isDeletable(key));
    expect(stuck.length).toBeGreaterThan(100);
    for (const key of stuck) expectCode(() => filter.delete(key), 'NOT_DELETABLE');
    expectSame(filter.toBytes(), bytes);
    expect(filter.count).toBeGreaterThan(480);
  });

  test('isDeletable says what delete will do, and deletableRatio for how many', () => {
    const filter = DeletableBloomFilter.from(members(4000), { fpr: 0.01 });
    const can = members(4000).filter((key) => filter.isDeletable(key));
    expect(Math.abs(can.length / 4000 - filter.deletableRatio)).toBeLessThan(0.04);
    expect(filter.deletableRatio).toBeGreaterThan(0.5);
    expect(filter.isDeletable('certainly not in there')).toBe(false);
    for (const key of members(4000)) {
      const expected = filter.isDeletable(key);
      let isDone: boolean | string;
      try {
        isDone = filter.delete(key);
      } catch (error) {
        isDone = (error as { code: string }).code;
      }
      if (expected) expect(isDone).toBe(true);
      else expect(isDone === 'ERR_TAMIS_NOT_DELETABLE' || !filter.has(key)).toBe(true);
    }
  });

  test('isLocked: true for the regions of a key that came twice; one outside is a RangeError', () => {
    const filter = DeletableBloomFilter.from(['a', 'a'], { capacity: 10, regions: 50 });
    const locked = Array.from({ length: 50 }, (_, i) => filter.isLocked(i)).filter(Boolean);
    expect(locked.length).toBeGreaterThan(0);
    expect(locked.length).toBeLessThanOrEqual(filter.hashes);
    for (const region of [-1, 50, 1.5, NaN, Infinity, 2 ** 32]) {
      expect(thrownBy(() => filter.isLocked(region))).toBeInstanceOf(RangeError);
    }
    for (const region of ['0', null, undefined, 0n]) {
      expect(thrownBy(() => filter.isLocked(region as unknown as number))).toBeInstanceOf(
        TypeError,
      );
    }
  });
});

test('a keyed filter deletes by its own key only', () => {
  const filter = new CountingBloomFilter({ capacity: 50, secret: KEY });
  filter.addMany(members(20));
  expectCode(
    () => CountingBloomFilter.fromBytes(filter.toBytes(), { secret: OTHER_KEY }),
    'WRONG_KEY',
  );
  const loaded = CountingBloomFilter.fromBytes(filter.toBytes(), { secret: KEY });
  for (const key of members(20)) expect(loaded.delete(key)).toBe(true);
  expect(loaded.count).toBe(0);
});
