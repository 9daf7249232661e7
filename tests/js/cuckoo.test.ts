/** Fingerprint tables, cuckoo and d-left: what fills them, their figures and their options. */
import { describe, expect, test } from '@jest/globals';
import {
  CuckooFilter,
  DLeftCountingFilter,
  fromBytes,
  hashKeys,
  type Key,
  type MutableFilter,
} from 'tamis';

import { members } from './classes.js';
import { expectSame } from './support/bytes.js';
import { expectCode, expectOption, rejection } from './support/errors.js';
import { cuckooTable } from './support/payload.js';

const all = (filter: MutableFilter, keys: readonly string[]): boolean =>
  filter.hasMany(keys).indexOf(0) === -1;

type Make = (capacity: number) => CuckooFilter | DLeftCountingFilter;
const tables: readonly (readonly [string, Make])[] = [
  ...[1, 2, 4, 8].map(
    (bucketSize) =>
      [
        `cuckoo, buckets of ${bucketSize}`,
        (capacity: number) => new CuckooFilter({ capacity, bucketSize }),
      ] as const,
  ),
  ['cuckoo, 4 bits', (capacity) => new CuckooFilter({ capacity, fingerprintBits: 4 })],
  ['d-left', (capacity) => new DLeftCountingFilter({ capacity })],
];

describe.each(tables)('%s', (_name, make) => {
  test('the keys before the one that finds no room are in, whatever they come in', async () => {
    const keys = members(9000);
    const filter = make(500);
    const { index } = expectCode(() => filter.addMany(keys), 'FULL');
    const bytes = filter.toBytes();
    const held = keys.slice(0, index);
    expect(all(filter, held)).toBe(true);
    async function* source(): AsyncGenerator<string> {
      yield* keys;
    }
    for (const batch of [1, 333, 4096]) {
      const streamed = make(500);
      const error = await rejection(streamed.addFrom(source(), { batch }));
      expect([error.code, error.index]).toEqual(['ERR_TAMIS_FULL', index]);
      expectSame(streamed.toBytes(), bytes);
    }
    const iterated = make(500);
    expect(expectCode(() => iterated.addMany(new Set(keys)), 'FULL').index).toBe(index);
    expectSame(iterated.toBytes(), bytes);
    const hashed = make(500);
    expect(expectCode(() => hashed.addHashes(hashKeys(keys)), 'FULL').message).toMatch(/^no room/);
    expectSame(hashed.toBytes(), bytes);
    const loaded = fromBytes(bytes) as CuckooFilter;
    expectCode(() => loaded.add(keys[index as number] as string), 'FULL');
  });
});

describe('cuckoo', () => {
  test('addIfAbsent adds what is certainly absent, once', () => {
    const filter = new CuckooFilter({ capacity: 100 });
    expect(filter.addIfAbsent('a')).toBe(true);
    const bytes = filter.toBytes();
    expect(filter.addIfAbsent('a')).toBe(false);
    expectSame(filter.toBytes(), bytes);
    expectCode(() => filter.addIfAbsent(5 as unknown as Key), 'INVALID_KEY');
    const keys = members(2000);
    let held = 0;
    expectCode(() => {
      for (const key of keys) if (filter.addIfAbsent(key)) held++;
    }, 'FULL');
    expect(filter.count).toBe(held + 1);
  });

  test('its figures are those of its table', () => {
    for (const options of [{}, { fingerprintBits: 13 }, { bucketSize: 2, fpr: 0.0001 }]) {
      const filter = new CuckooFilter({ capacity: 700, ...options });
      filter.addMany(members(600));
      const table = cuckooTable(filter.toBytes());
      expect([filter.bucketSize, filter.fingerprintBits]).toEqual([
        table.bucketSize,
        table.fingerprintBits,
      ]);
      const used = table.slots.filter((slot) => slot !== 0).length;
      expect([filter.count, filter.loadFactor]).toEqual([used, used / table.slots.length]);
      const load = 700 / table.slots.length;
      const share = 1 / (2 ** table.fingerprintBits - 1);
      expect(filter.fpr).toBeCloseTo(1 - (1 - share) ** (2 * table.bucketSize * load), 12);
    }
  });

  test('fpr or fingerprintBits', () => {
    const both = () => new CuckooFilter({ capacity: 5, fpr: 0.1, fingerprintBits: 8 });
    expect(expectOption(both, TypeError).message).toMatch(/fpr.*fingerprintBits/);
    expectOption(() => CuckooFilter.from(['a'], { fpr: 0.1, fingerprintBits: 8 }), TypeError);
    expect(new CuckooFilter({ capacity: 5, fingerprintBits: 17 }).fingerprintBits).toBe(17);
    expect(CuckooFilter.from(members(50), { fingerprintBits: 9 }).capacity).toBe(50);
  });
});

describe('d-left-counting', () => {
  test('countOf is 0 to 3, and 3 stays', () => {
    const filter = new DLeftCountingFilter({ capacity: 100 });
    expect(filter.countOf('a')).toBe(0);
    for (const copies of [1, 2]) {
      expect(filter.add('a')).toBe(copies === 1);
      expect(filter.countOf('a')).toBe(copies);
    }
    expect(filter.delete('a')).toBe(true);
    expect(filter.countOf('a')).toBe(1);
    for (let i = 0; i < 9; i++) filter.add('a');
    expect([filter.countOf('a'), filter.count]).toEqual([3, 10]);
    for (let left = 9; left >= 0; left--) {
      expect(filter.delete('a')).toBe(true);
      expect([filter.countOf('a'), filter.count]).toEqual([3, left]);
    }
    expect(filter.delete('a')).toBe(true);
    expect([filter.has('a'), filter.count]).toEqual([true, 0]);
    filter.validate();
    fromBytes(filter.toBytes()).validate();
    expectCode(() => filter.countOf(5 as unknown as Key), 'INVALID_KEY');
  });
});
