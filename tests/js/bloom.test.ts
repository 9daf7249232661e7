/** Members that only BloomFilter has: set algebra, estimates, single bits. */
import { describe, expect, test } from '@jest/globals';
import { BloomFilter } from 'tamis';
import { digest, guava64, murmur2aFnv1a, seeds } from 'tamis/schemes';
import type { MutableFilter } from './classes.js';
import { filterCases, KEY, members, OTHER_KEY } from './classes.js';
import { HEADER } from './support/container.js';
import { expectCode, thrownBy } from './support/errors.js';
import { randomStrings } from './support/keys.js';
import { schemeOption } from './support/schemes.js';

const asBloom = (filter: MutableFilter): BloomFilter => filter as unknown as BloomFilter;
const payload = (filter: BloomFilter): Uint8Array => filter.toBytes().subarray(HEADER);
const blooms = filterCases.filter((one) => one.type === 'bloom');

describe.each(blooms.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  const holding = (keys: readonly string[]): BloomFilter => {
    const filter = one.create(400);
    filter.addMany(keys);
    return asBloom(filter);
  };
  const left = members(200);
  const right = members(300).slice(100);

  test('merge keeps the capacity, and takes no unlike filter', () => {
    const a = holding(left);
    expect(a.merge(a)).toBe(a);
    expect(payload(a)).toEqual(payload(holding(left)));
    expect(a.capacity).toBe(holding([]).capacity);
    const before = a.toBytes();
    const unlike = { bits: a.bits + 64, hashes: a.hashes, ...schemeOption(a.scheme) };
    const other = new BloomFilter(unlike);
    for (const action of ['merge', 'intersect', 'jaccard', 'estimateIntersection'] as const) {
      expectCode(() => a[action](other), 'INCOMPATIBLE');
    }
    expect(a.toBytes()).toEqual(before);
  });

  test('estimates lie where the truth lies', () => {
    const a = holding(left);
    const b = holding(right);
    expect(Math.abs(a.estimateCount() - 200)).toBeLessThan(20);
    expect(Math.abs(a.estimateIntersection(b) - 100)).toBeLessThan(30);
    expect(Math.abs(a.jaccard(b) - 1 / 3)).toBeLessThan(0.12);
    expect(a.jaccard(a)).toBe(1);
    expect(a.jaccard(b)).toBe(b.jaccard(a));
    const disjoint = holding(randomStrings(200, 'zzz'));
    expect(a.jaccard(disjoint)).toBeLessThan(0.15);
    expect(asBloom(one.create(400)).estimateCount()).toBe(0);
  });

  test('fill is the universal filter', () => {
    const all = holding(left);
    expect(all.fill()).toBe(all);
    expect(all.fillRatio).toBe(1);
    expect(all.estimatedFpr).toBe(1);
    expect(all.count).toBe(all.capacity);
    expect(all.estimateCount()).toBe(Infinity);
    expect(all.hasMany(randomStrings(500, 'any'))).toEqual(new Uint8Array(500).fill(1));
    all.validate();
    const again = one.Class.fromBytes(all.toBytes(), one.load) as BloomFilter;
    expect(again.toBytes()).toEqual(all.toBytes());
    expect(all.toBitString()).toBe('1'.repeat(all.bits));
    expect(asBloom(one.create(400)).merge(all).fillRatio).toBe(1);
  });

  test('positions are the bits that a key sets and asks', () => {
    const filter = asBloom(one.create(40));
    for (const key of ['', ...members(20)]) {
      const where = filter.positions(key);
      expect(where.length).toBe(filter.hashes);
      for (const i of where) {
        expect(Number.isInteger(i)).toBe(true);
        expect(i).toBeGreaterThanOrEqual(0);
        expect(i).toBeLessThan(filter.bits);
      }
      expect(filter.has(key)).toBe(where.every((i) => filter.bitAt(i)));
      filter.add(key);
      expect(where.every((i) => filter.bitAt(i))).toBe(true);
    }
  });

  test('its bits are told alike by bitAt, toBitString, fillRatio and the bytes', () => {
    const filter = asBloom(one.make(30));
    const text = filter.toBitString();
    expect(text.length).toBe(filter.bits);
    expect(text).toMatch(/^[01]+$/);
    const set = [...text].filter((bit) => bit === '1').length;
    expect(filter.fillRatio).toBe(set / filter.bits);
    const words = filter.toBytes().subarray(HEADER + 16);
    for (let i = 0; i < filter.bits; i++) {
      const bit = ((words[i >> 3] as number) >> (i & 7)) & 1;
      if (filter.bitAt(i) !== (bit === 1) || text[i] !== String(bit)) throw new Error(`bit ${i}`);
    }
    expect(filter.toBitString(3, 20)).toBe(text.slice(3, 20));
    expect(filter.toBitString(filter.bits - 1)).toBe(text.slice(-1));
    expect(filter.toBitString(5, 5)).toBe('');
    expect(filter.estimateCount()).toBeCloseTo(
      -(filter.bits / filter.hashes) * Math.log1p(-set / filter.bits),
      6,
    );
  });

  test('a bit outside is a RangeError', () => {
    const filter = asBloom(one.create(30));
    for (const i of [-1, filter.bits, 1.5, NaN, 2 ** 32, Infinity]) {
      expect(thrownBy(() => filter.bitAt(i))).toBeInstanceOf(RangeError);
      expect(thrownBy(() => filter.toBitString(i, filter.bits + 1))).toBeInstanceOf(RangeError);
    }
    expect(thrownBy(() => filter.toBitString(9, 8))).toBeInstanceOf(RangeError);
  });

  test('sizeFor tells sizeBytes without building', () => {
    if (one.traits.fixedSize) {
      const { bits, hashes, sizeBytes } = asBloom(one.create(50));
      expect(BloomFilter.sizeFor({ bits, hashes })).toBe(sizeBytes);
    } else {
      const filter = asBloom(one.create(1234, 0.003));
      const options = { capacity: 1234, fpr: 0.003, ...schemeOption(filter.scheme) };
      expect(BloomFilter.sizeFor(options)).toBe(filter.sizeBytes);
    }
  });
});

describe('unlike filters are told apart, by the field that differs', () => {
  const base = { bits: 1024, hashes: 2 } as const;
  const plain = (): BloomFilter => new BloomFilter(base);
  test.each([
    ['bits', { ...base, bits: 1088 }],
    ['hashes', { ...base, hashes: 3 }],
    ['seed', { ...base, seed: 1n }],
    ['scheme', { ...base, scheme: seeds }],
    ['scheme', { ...base, scheme: digest }],
    ['scheme', { ...base, scheme: murmur2aFnv1a }],
    ['scheme', { ...base, scheme: guava64 }],
    ['hash|key', { ...base, secret: KEY }],
  ])('%s', (field, options) => {
    const other = new BloomFilter(options);
    for (const action of ['merge', 'intersect', 'jaccard', 'estimateIntersection'] as const) {
      const error = expectCode(() => plain()[action](other), 'INCOMPATIBLE');
      expect(error.message).toMatch(new RegExp(field));
    }
  });

  test('two keys', () => {
    const a = new BloomFilter({ ...base, secret: KEY });
    const b = new BloomFilter({ ...base, secret: OTHER_KEY });
    expect(expectCode(() => a.merge(b), 'INCOMPATIBLE').message).toBe(
      'the two have different secrets',
    );
  });

  test('capacities may differ', () => {
    const a = new BloomFilter({ capacity: 100, fpr: 0.01 });
    const b = new BloomFilter({ bits: a.bits, hashes: a.hashes });
    b.add('x');
    expect(a.merge(b).has('x')).toBe(true);
    expect(a.capacity).toBe(100);
  });

  test('something that is no filter', () => {
    for (const thing of [
      undefined,
      null,
      7,
      'bloom',
      {},
      [],
      Object.create(BloomFilter.prototype),
    ]) {
      thrownBy(() => plain().merge(thing as BloomFilter));
      thrownBy(() => plain().jaccard(thing as BloomFilter));
    }
  });
});
