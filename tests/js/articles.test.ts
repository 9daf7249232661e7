/**
 * Compares the package with the five articles behind it. A right figure of theirs must hold here, and a wrong one has
 * its correction here. The faults of their programs must not occur here.
 */
import { describe, expect, test } from '@jest/globals';
import { BitArray, BloomFilter, bloomRate, bloomSizing, funnel } from 'tamis';
import { digest, guava64, murmur2aFnv1a } from 'tamis/schemes';

import { thrownBy } from './support/errors.js';
import { randomStrings, utf8 } from './support/keys.js';

const bitsSet = (filter: BloomFilter): number => Math.round(filter.fillRatio * filter.bits);
const probeRate = (filter: BloomFilter, probes: number, tag: string): number =>
  filter.hasMany(randomStrings(probes, tag)).reduce((sum, hit) => sum + hit, 0) / probes;

describe('the prose article', () => {
  test('a rate of 1 % takes 9.6 bits per key', () => {
    const sized = bloomSizing({ capacity: 100_000_000, fpr: 0.01 });
    expect(sized.hashes).toBe(7);
    // Two bits more than by the classic formula, which is a little too low. A whole number of hashes needs 9.593 bits.
    // The formula's limit of 9.585 needs 6.64 hashes.
    expect(sized.bits).toBe(959_295_474);
    expect(sized.bitsPerKey).toBeCloseTo(9.593, 3);
    expect(-Math.log(0.01) / Math.LN2 ** 2).toBeCloseTo(9.585, 3);
  });

  test('each tenth of the rate takes 4.8 bits more', () => {
    const perKey = (fpr: number): number => bloomSizing({ capacity: 1_000_000, fpr }).bitsPerKey;
    expect(-Math.log(0.1) / Math.LN2 ** 2).toBeCloseTo(4.793, 3);
    for (const fpr of [0.1, 0.01, 0.001, 1e-4, 1e-5]) {
      expect(Math.abs(perKey(fpr / 10) - perKey(fpr) - 4.793)).toBeLessThan(0.06);
    }
  });

  test('at the best number of hashes half of the bits are set', () => {
    // k = (m / n) ln 2 for m = 10 n and k = 7 wants n = m ln 2 / 7.
    const filter = new BloomFilter({ bits: 1_000_000, hashes: 7 });
    filter.addMany(randomStrings(filter.capacity, 'half'));
    expect(Math.abs(filter.fillRatio - 0.5)).toBeLessThan(0.003);
  });

  test('one hash at 1 % serves only m / 100 keys', () => {
    const m = 1_000_000;
    const n = Math.round(-m * Math.log(0.99));
    expect(n).toBe(10_050);
    expect(bloomRate({ bits: m, hashes: 1, count: n })).toBeCloseTo(0.01, 6);
    const filter = new BloomFilter({ bits: m, hashes: 1 });
    filter.addMany(randomStrings(n, 'single'));
    expect(filter.estimatedFpr).toBeCloseTo(0.01, 3);
  });

  test('a rate of at most 1/2 needs 1.44 bits per key', () => {
    const { bits, hashes } = bloomSizing({ capacity: 1_000_000, fpr: 0.5 });
    expect(hashes).toBe(1);
    expect(bits / 1_000_000).toBeCloseTo(Math.LOG2E, 4);
    for (const fpr of [0.25, 2 ** -8, 2 ** -20]) {
      const { bitsPerKey } = bloomSizing({ capacity: 1_000_000, fpr });
      expect(bitsPerKey / -Math.log2(fpr)).toBeCloseTo(Math.LOG2E, 2);
    }
  });

  test('16 bits a key and 8 hashes are below 1 in 10,000: wrong, it is 5.7 in 10,000', () => {
    const rate = bloomRate({ bits: 1_600_000_000, hashes: 8, count: 100_000_000 });
    expect(rate).toBeCloseTo(5.745e-4, 7);
    const sized = bloomSizing({ capacity: 100_000_000, fpr: 1e-4 });
    expect(sized.hashes).toBe(13);
    expect(sized.bitsPerKey).toBeCloseTo(19.17, 1);
    const filter = new BloomFilter({ bits: 1_600_000, hashes: 8 });
    filter.addMany(randomStrings(100_000, 'mail'));
    expect(filter.fillRatio).toBeCloseTo(0.393, 2);
    expect(filter.estimatedFpr).toBeGreaterThan(5e-4);
  });

  test('6.6 is the number of one-bits per key: wrong, of the probes; one-bits are 4.8', () => {
    const m = 958_506;
    const n = 100_000;
    const best = (m / n) * Math.LN2;
    expect(best).toBeCloseTo(6.64, 2);
    expect(0.5 * (m / n)).toBeCloseTo(4.79, 2);
    const filter = new BloomFilter({ bits: m, hashes: 7 });
    filter.addMany(randomStrings(n, 'ones'));
    expect(filter.positions('any key').length).toBe(7);
    expect(bitsSet(filter) / n).toBeGreaterThan(4.7);
    expect(bitsSet(filter) / n).toBeLessThan(5.1);
  });

  test('a false negative is what a filter never has', () => {
    const keys = randomStrings(10_000, 'member');
    const filter = BloomFilter.from(keys);
    expect(filter.hasMany(keys)).toEqual(new Uint8Array(10_000).fill(1));
  });

  test('an intersection by bits is only an upper bound of the filter of the intersection', () => {
    const make = (keys: readonly string[]): BloomFilter => {
      const filter = new BloomFilter({ bits: 2000, hashes: 4 });
      filter.addMany(keys);
      return filter;
    };
    const keys = randomStrings(450, 'set');
    const both = make(keys.slice(0, 300)).intersect(make(keys.slice(150)));
    const exact = make(keys.slice(150, 300));
    expect(bitsSet(both)).toBeGreaterThan(bitsSet(exact));
    expect(exact.intersect(both).toBitString()).toBe(make(keys.slice(150, 300)).toBitString());
  });

  test('a large filter does not hide its keys: whoever has it may try a dictionary', () => {
    const filter = new BloomFilter({ bits: 1 << 20, hashes: 10 });
    filter.add('correct horse');
    const dictionary = [...randomStrings(5000, 'guess'), 'correct horse'];
    const found = dictionary.filter((word) => filter.has(word));
    expect(found).toEqual(['correct horse']);
  });
});

describe('the Ruby article', () => {
  const digested = (bits: number, hashes: number): BloomFilter =>
    new BloomFilter({ bits, hashes, scheme: digest });

  test('at 10 bits a key more hashes always help: wrong, 7 are the best', () => {
    const rate = (hashes: number): number => bloomRate({ bits: 1_000_000, hashes, count: 100_000 });
    expect(rate(7)).toBeCloseTo(0.00819, 5);
    expect(rate(6)).toBeCloseTo(0.00844, 5);
    expect(rate(8)).toBeCloseTo(0.00846, 5);
    const all = Array.from({ length: 64 }, (_, i) => rate(i + 1));
    expect(all.indexOf(Math.min(...all)) + 1).toBe(7);
    expect(bloomSizing({ bits: 1_000_000, capacity: 100_000 }).hashes).toBe(7);
  });

  test('slices of one SHA-512 give the positions, for 10,000,000 bits and 7 hashes', () => {
    const filter = digested(10_000_000, 7);
    expect(filter.positions('word')).toEqual([
      9317235, 1868978, 8283780, 6312903, 3684713, 7425670, 2318073,
    ]);
    expect(filter.positions('pres')).toEqual([
      8915252, 4500996, 5174162, 4785643, 270525, 3038832, 6301731,
    ]);
  });

  test('one digest lasts while m^k is below 2^512', () => {
    for (const [bits, enough] of [
      [10_000_000, 22],
      [1000, 51],
    ] as const) {
      expect(digested(bits, enough).positions('word').length).toBe(enough);
      expect(thrownBy(() => digested(bits, enough + 1))).toBeInstanceOf(RangeError);
    }
  });

  test('after "word" and "pres": both are there, "xof*" are not', () => {
    const filter = digested(10_000_000, 7);
    filter.add('word');
    expect(filter.has('word')).toBe(true);
    expect(filter.hasMany(Array.from({ length: 50 }, (_, i) => `xof${i}`))).toEqual(
      new Uint8Array(50),
    );
    filter.add('pres');
    expect(filter.has('pres')).toBe(true);
    expect(filter.has('word')).toBe(true);
    expect(bitsSet(filter)).toBe(14);
  });

  test('eight words set 55 of 1000 bits, for "brown" meets 557 twice', () => {
    const words = ['mode', 'blue', 'brown', 'blow', 'fox', 'word', 'para', 'graph'];
    const filter = digested(1000, 7);
    expect(filter.addMany(words)).toBe(8);
    expect(bitsSet(filter)).toBe(55);
    expect(filter.positions('word')).toEqual([235, 317, 789, 689, 18, 378, 828]);
    expect(filter.positions('brown').filter((i) => i === 557).length).toBe(2);
    expect(filter.hasMany(words)).toEqual(new Uint8Array(8).fill(1));
  });

  test('layers of one fixed rate add up: 9.6 % at ten, 63 % at a hundred', () => {
    const compound = (layers: number): number => 1 - (1 - 0.01) ** layers;
    expect(compound(10)).toBeCloseTo(0.0956, 4);
    expect(compound(100)).toBeCloseTo(0.634, 3);
    const layers = Array.from({ length: 10 }, (_, i) => {
      const filter = new BloomFilter({ capacity: 5000, fpr: 0.01, seed: BigInt(i) });
      filter.addMany(randomStrings(5000, `layer${i}-`, i + 1));
      return filter;
    });
    const probes = randomStrings(50_000, 'outside');
    const answers = layers.map((layer) => layer.hasMany(probes));
    const hits = probes.filter((_, i) => answers.some((answer) => answer[i] === 1)).length;
    expect(Math.abs(hits / probes.length - compound(10))).toBeLessThan(0.012);
  });

  test('adding one word again changes nothing', () => {
    const filter = digested(1000, 7);
    filter.add('word');
    const bytes = filter.toBytes();
    for (let i = 0; i < 5; i++) expect(filter.add('word')).toBe(false);
    expect(filter.toBytes()).toEqual(bytes);
  });

  test('its last hashes all fall on position 0 where slices end on bytes: here none does', () => {
    const where = Array.from({ length: 40 }, (_, i) => digested(1000, 51).positions(`word ${i}`));
    for (let hash = 33; hash < 51; hash++) {
      expect(new Set(where.map((positions) => positions[hash])).size).toBeGreaterThan(25);
    }
  });

  test('no size is rounded up to a power of two, and eight bits or fewer work', () => {
    expect(digested(2 ** 20, 7).bits).toBe(2 ** 20);
    for (let bits = 1; bits <= 8; bits++) {
      const filter = digested(bits, 3);
      filter.add('word');
      expect(filter.bits).toBe(bits);
      expect(filter.has('word')).toBe(true);
    }
  });
});

describe('the C article', () => {
  const countries = (): BloomFilter =>
    new BloomFilter({ bits: 8192, hashes: 2, scheme: murmur2aFnv1a });

  test('sixteen bits: Elephant and Hokkey set four of them, Zigmund is falsely there', () => {
    const bits = new BitArray(16);
    const set = (where: readonly number[]): void => {
      for (const i of where) bits.set(i);
    };
    const has = (where: readonly number[]): boolean => where.every((i) => bits.has(i));
    set([1, 8]);
    set([8, 7]);
    expect(bits.toString()).toBe('0100000110000000');
    expect(has([3, 7])).toBe(false);
    expect(has([1, 8])).toBe(true);
    expect(bits.count).toBe(3);
    expect((-16 / 2) * Math.log(1 - bits.count / 16)).toBeCloseTo(1.661, 3);
    expect((bits.count / 16) ** 2).toBeCloseTo(0.0352, 4);
  });

  test('8192 bits: the positions of four countries', () => {
    const filter = countries();
    expect(filter.positions('Holland')).toEqual([7720, 3193]);
    expect(filter.positions('Russia')).toEqual([6114, 6732]);
    expect(filter.positions('Canada')).toEqual([2464, 3067]);
    expect(filter.positions('China')).toEqual([6877, 816]);
  });

  test('three are in, China is not; the estimates and the rates after each', () => {
    const filter = countries();
    const estimates = [1.000122, 2.000488, 3.001099];
    const rates = [5.959e-8, 2.383e-7, 5.36e-7];
    for (const [i, country] of ['Holland', 'Russia', 'Canada'].entries()) {
      expect(filter.add(country)).toBe(true);
      expect(filter.estimateCount()).toBeCloseTo(estimates[i] as number, 6);
      const rate = bloomRate({ bits: 8192, hashes: 2, count: i + 1 });
      expect(rate / (rates[i] as number)).toBeCloseTo(1, 3);
    }
    expect(['Holland', 'Russia', 'China'].map((name) => filter.has(name))).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('no bit set: nothing passes; every bit set: all pass, and the estimate is infinite', () => {
    const filter = countries();
    const probes = randomStrings(1000, 'probe');
    expect(filter.hasMany(probes)).toEqual(new Uint8Array(1000));
    filter.fill();
    expect(filter.hasMany(probes)).toEqual(new Uint8Array(1000).fill(1));
    expect(filter.estimateCount()).toBe(Infinity);
  });

  test('bit 21 of a field is bit 5 of byte 2', () => {
    const payload = new BitArray(32).set(21).toBytes().subarray(64);
    expect([...payload]).toEqual([0, 0, 1 << 5, 0, 0, 0, 0, 0]);
  });

  test('bytes from 0x80 on hash as unsigned ones: Russian words as FNV-1a has them', () => {
    const unsigned = (text: string): number => {
      let h = 0x811c9dc5;
      for (const byte of utf8(text)) h = Math.imul(h ^ byte, 0x01000193) >>> 0;
      return h % 8192;
    };
    for (const word of [
      '\u0420\u043e\u0441\u0441\u0438\u044f',
      '\u041a\u0438\u0442\u0430\u0439',
      '\u00ff\u0080',
    ]) {
      expect(countries().positions(word)[1]).toBe(unsigned(word));
    }
  });

  test('adding a country again does not raise the rate', () => {
    const filter = countries();
    filter.add('Holland');
    const rate = filter.estimatedFpr;
    for (let i = 0; i < 100; i++) filter.add('Holland');
    expect(filter.estimatedFpr).toBe(rate);
    expect(filter.estimatedFpr).toBeCloseTo((2 / 8192) ** 2, 12);
  });

  test('union, intersection and similarity', () => {
    const europe = countries();
    const mixed = countries();
    europe.addMany(['Holland', 'Russia']);
    mixed.addMany(['Russia', 'Canada']);
    expect(europe.estimateIntersection(mixed)).toBeCloseTo(1, 2);
    expect(europe.jaccard(mixed)).toBeCloseTo(1 / 3, 2);
    const common = europe.clone().intersect(mixed);
    expect(['Holland', 'Russia', 'Canada'].map((name) => common.has(name))).toEqual([
      false,
      true,
      false,
    ]);
    const all = europe.merge(mixed);
    expect(all.hasMany(['Holland', 'Russia', 'Canada'])).toEqual(Uint8Array.of(1, 1, 1));
  });

  test('the number of hashes follows from the rate, where the scheme leaves it open', () => {
    expect(new BloomFilter({ capacity: 1000, fpr: 1e-6 }).hashes).toBe(20);
    expect(new BloomFilter({ capacity: 1000, fpr: 1e-6, scheme: murmur2aFnv1a }).hashes).toBe(2);
  });
});

describe('the C# article', () => {
  /** The bits of a number, lowest first, in an array of `length`. */
  const field = (value: number, length: number): BitArray => {
    const bits = new BitArray(length);
    for (let i = 0; i < length; i++) if (((value >> i) & 1) === 1) bits.set(i);
    return bits;
  };
  const numberOf = (bits: BitArray): number =>
    [...bits.toString()].reduce((sum, bit, i) => sum + (bit === '1' ? 2 ** i : 0), 0);

  test('AND, OR, XOR, NOT and shifts: 249, 32767, 32518, 0, 510 and 127', () => {
    expect(numberOf(field(0x7ff9, 16).intersect(field(0xff, 16)))).toBe(249);
    expect(numberOf(field(0x7ff9, 16).merge(field(0xff, 16)))).toBe(32767);
    const difference = field(0x7ff9, 16);
    for (let i = 0; i < 8; i++) difference.toggle(i);
    expect(numberOf(difference)).toBe(32518);
    const complement = field(0xff, 8);
    for (let i = 0; i < 8; i++) complement.toggle(i);
    expect(numberOf(complement)).toBe(0);
    expect(numberOf(field(255 << 1, 16))).toBe(510);
    expect(numberOf(field(255 >> 1, 16))).toBe(127);
  });

  test('bit 3 set in 162 gives 170, cleared again 162', () => {
    const bits = field(162, 8);
    expect(numberOf(bits.set(3))).toBe(170);
    expect(numberOf(bits.clear(3))).toBe(162);
  });

  test('the rate is in proportion to k, m and n: wrong, it turns at the best k', () => {
    const rate = (hashes: number): number => bloomRate({ bits: 1_000_000, hashes, count: 100_000 });
    const figures = [
      [2, 3.29, 2],
      [7, 0.82, 2],
      [14, 1.9, 2],
      [30, 21.6, 1],
    ] as const;
    for (const [hashes, percent, digits] of figures) {
      expect(100 * rate(hashes)).toBeCloseTo(percent, digits);
    }
    const sparse = bloomRate({ bits: 1e9, hashes: 3, count: 1000 });
    expect(sparse / ((3 * 1000) / 1e9) ** 3).toBeCloseTo(1, 4);
    const filter = new BloomFilter({ bits: 200_000, hashes: 14 });
    filter.addMany(randomStrings(20_000, 'in'));
    expect(Math.abs(probeRate(filter, 100_000, 'out') - 0.019)).toBeLessThan(0.004);
  });

  test('a short is two bytes, little-endian as Guava has it', () => {
    const short = funnel<number>((value, sink) => void sink.int16(value));
    expect([...short(0x0102)]).toEqual([2, 1]);
  });

  test('bytes of a key past 128 count as well', () => {
    const filter = new BloomFilter({ capacity: 100, scheme: guava64 });
    const long = new Uint8Array(300).fill(7);
    filter.add(long);
    for (const at of [127, 128, 129, 200, 299]) expect(filter.has(long.with(at, 8))).toBe(false);
    expect(filter.has(long)).toBe(true);
  });

  test('index -1 is an error, a multiple of 8 takes no byte too many, no hashes are no filter', () => {
    expect(thrownBy(() => new BitArray(8).set(-1))).toBeInstanceOf(RangeError);
    expect(new BitArray(64).sizeBytes).toBe(8);
    expect(new BitArray(128).toBytes().length).toBe(64 + 16);
    expect(thrownBy(() => new BloomFilter({ bits: 64, hashes: 0 }))).toBeInstanceOf(RangeError);
  });
});

test('over capacity the rate climbs, and estimatedFpr says when to rebuild', () => {
  const filter = new BloomFilter({ capacity: 10_000, fpr: 0.01 });
  filter.addMany(randomStrings(10_000, 'first'));
  expect(filter.estimatedFpr / filter.fpr).toBeCloseTo(1, 0);
  filter.addMany(randomStrings(20_000, 'second'));
  expect(filter.estimatedFpr).toBeGreaterThan(10 * filter.fpr);
  expect(filter.estimatedFpr / probeRate(filter, 50_000, 'probe')).toBeCloseTo(1, 1);
});
