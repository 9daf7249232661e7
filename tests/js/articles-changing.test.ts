/** Claims of the articles about filters that change, and the faults in their code. */

import { describe, expect, test } from '@jest/globals';
import {
  BloomFilter,
  CountingBloomFilter,
  CuckooFilter,
  DeletableBloomFilter,
  TombstoneBloomFilter,
} from 'tamis';
import { binomialTails } from './support/binomial.js';
import { expectCode } from './support/errors.js';

const keys = (n: number, prefix = 'key'): string[] =>
  Array.from({ length: n }, (_, i) => `${prefix}-${i}`);
const allIn = (filter: { hasMany(keys: string[]): Uint8Array }, list: string[]): boolean =>
  filter.hasMany(list).every((answer) => answer === 1);

/** Adds keys until one is refused, and returns the added ones. */
function fill(filter: CuckooFilter, prefix = 'key'): string[] {
  const held: string[] = [];
  for (let i = 0; ; i++) {
    try {
      filter.add(`${prefix}-${i}`);
    } catch {
      return held;
    }
    held.push(`${prefix}-${i}`);
  }
}

describe('the Ruby article', () => {
  const words = ['mode', 'blue', 'brown', 'blow', 'fox', 'word', 'para', 'graph'];
  const others = words.filter((word) => word !== 'word');

  test('counting: "word" is deleted once, "pres" stays', () => {
    const filter = CountingBloomFilter.from(['word', 'pres'], { capacity: 100 });
    expect(filter.delete('word')).toBe(true);
    expect(filter.delete('word')).toBe(false);
    expect(filter.has('pres')).toBe(true);
  });

  test('deletable: "word" is deleted once, the seven others stay', () => {
    const filter = DeletableBloomFilter.from(words, { capacity: 100 });
    expect(filter.delete('word')).toBe(true);
    expect(filter.delete('word')).toBe(false);
    expect(allIn(filter, others)).toBe(true);
  });

  test('3 bits a counter are enough: few counters stick, and those that do stay', () => {
    const filter = CountingBloomFilter.from(keys(20_000), { counterBits: 2 });
    // The probability that a counter of 2 bits is at 3, by Poisson with a mean of about ln 2.
    const mean = (filter.hashes * 20_000) / filter.counters;
    const atLeast3 = 1 - Math.exp(-mean) * (1 + mean + mean ** 2 / 2);
    let stuck = 0;
    for (let i = 0; i < filter.counters; i++) stuck += filter.counterAt(i) === 3 ? 1 : 0;
    expect(stuck / filter.counters / atLeast3).toBeCloseTo(1, 1);
    for (const key of keys(20_000)) filter.delete(key);
    let left = 0;
    for (let i = 0; i < filter.counters; i++) left += filter.counterAt(i) === 3 ? 1 : 0;
    expect(left).toBe(stuck);
    expect(filter.count).toBe(0);
  });

  test('a counter goes to -1 where positions coincide, and -1 reads as present: here none does', () => {
    for (let seed = 0n; seed < 200n; seed++) {
      const filter = new CountingBloomFilter({ capacity: 1, fpr: 1e-6, seed });
      filter.add('a');
      filter.add('a');
      expect(filter.countOf('a')).toBe(2);
      expect([filter.delete('a'), filter.delete('a'), filter.delete('a')]).toEqual([
        true,
        true,
        false,
      ]);
      for (let i = 0; i < filter.counters; i++) expect(filter.counterAt(i)).toBe(0);
    }
  });

  test('a delete that does not ask takes bits of members: here an absent word changes nothing', () => {
    const filter = DeletableBloomFilter.from(words, { capacity: 20, regions: 4 });
    const before = filter.toBytes();
    const absent = keys(1000).filter((key) => !filter.has(key));
    for (const key of absent) expect(filter.delete(key)).toBe(false);
    expect(filter.toBytes()).toEqual(before);
    expect(allIn(filter, words)).toBe(true);
  });

  test('a word that was added twice locks its regions, and is told so', () => {
    const filter = DeletableBloomFilter.from(['word', 'word'], { capacity: 100 });
    expect(filter.isDeletable('word')).toBe(false);
    expectCode(() => filter.delete('word'), 'NOT_DELETABLE');
    expect(filter.has('word')).toBe(true);
  });

  test('a false positive of the tombstones is a false negative of the pair: it has a rate', () => {
    const gone = keys(2000, 'gone');
    const kept = keys(2000, 'kept');
    const filter = TombstoneBloomFilter.from([...gone, ...kept], { deletions: 2000, fpr: 0.05 });
    expect(filter.falseNegativeRate).toBe(0);
    expect(allIn(filter, kept)).toBe(true);
    for (const key of gone) filter.delete(key);
    const hidden = kept.filter((key) => !filter.has(key));
    expect(hidden.length).toBeGreaterThan(0);
    const tails = binomialTails(hidden.length, kept.length, filter.falseNegativeRate);
    expect(Math.min(tails.lower, tails.upper)).toBeGreaterThan(1e-9);
    for (const key of hidden) expectCode(() => filter.add(key), 'TOMBSTONED');
  });
});

describe('the Go article', () => {
  test.each([
    [1, 0.49],
    [2, 0.84],
    [4, 0.95],
    [8, 0.98],
  ])('buckets of %i are filled to %d at least', (bucketSize, least) => {
    const filter = new CuckooFilter({ capacity: 20_000, fingerprintBits: 16, bucketSize });
    const held = fill(filter);
    expect(filter.loadFactor).toBeGreaterThanOrEqual(least);
    expect(allIn(filter, held)).toBe(true);
  });

  test('the ninth copy of one key is refused', () => {
    const filter = new CuckooFilter({ capacity: 1000 });
    for (let copy = 0; copy < 8; copy++) filter.add('a');
    const before = filter.toBytes();
    expectCode(() => filter.add('a'), 'FULL');
    expect(filter.toBytes()).toEqual(before);
  });

  test('fingerprints of 8 bits have a rate of 0.03, of 16 bits 0.0001', () => {
    const rate = (fingerprintBits: number) =>
      CuckooFilter.from(keys(10_000), { fingerprintBits }).estimatedFpr;
    expect(rate(8)).toBeCloseTo(0.0294, 3);
    expect(rate(16)).toBeCloseTo(0.000116, 5);
  });

  test('smaller than Bloom below 3 %: wrong for the plain filter, it is so from 0.37 % down', () => {
    const cuckoo = (fpr: number) => CuckooFilter.sizeFor({ capacity: 1_000_000, fpr });
    const bloom = (fpr: number) => BloomFilter.sizeFor({ capacity: 1_000_000, fpr });
    for (const fpr of [0.03, 0.02, 0.01]) expect(cuckoo(fpr)).toBeGreaterThan(bloom(fpr));
    for (const fpr of [0.001, 0.0001]) expect(cuckoo(fpr)).toBeLessThan(bloom(fpr));
  });

  test('a filter for 1024 holds 1024: wrong there, so here', () => {
    for (let seed = 0n; seed < 50n; seed++) {
      const filter = new CuckooFilter({ capacity: 1024, seed });
      filter.addMany(keys(1024));
      expect(filter.count).toBe(1024);
    }
    const one = CuckooFilter.sizeFor({ capacity: 1024 });
    expect(CuckooFilter.sizeFor({ capacity: 1025 })).toBeLessThan(1.02 * one);
  });

  test('a refused insert drops the fingerprint of another key: here none', () => {
    const filter = new CuckooFilter({ capacity: 1024 });
    const held = fill(filter);
    for (const key of keys(2000, 'more')) {
      try {
        filter.add(key);
        held.push(key);
      } catch {}
      if (held.length % 50 === 0) expect(allIn(filter, held)).toBe(true);
    }
    expect(allIn(filter, held)).toBe(true);
    expect(filter.count).toBe(held.length);
  });

  test('deletes of absent keys take members along: here what is absent changes nothing', () => {
    const filter = CuckooFilter.from(keys(900));
    const absent = keys(1000, 'absent').filter((key) => !filter.has(key));
    for (const key of absent) expect(filter.delete(key)).toBe(false);
    expect(allIn(filter, keys(900))).toBe(true);
  });

  test('a check before the insert lets a false positive swallow a key: add stores a copy', () => {
    const filter = CuckooFilter.from(keys(900), { capacity: 2000, fingerprintBits: 4 });
    const taken = keys(1000, 'stranger').filter((key) => filter.has(key));
    expect(taken.length).toBeGreaterThan(0);
    for (const key of taken.slice(0, 20)) {
      expect(filter.add(key)).toBe(false);
      expect(filter.delete(key)).toBe(true);
    }
    expect(allIn(filter, keys(900))).toBe(true);
  });
});
