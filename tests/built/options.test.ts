/** Options of a Bloom filter that no other class has, and options that run code when they are read. */
import { describe, expect, test } from '@jest/globals';
import type { BloomOptions } from 'tamis';
import { BitArray, BloomFilter, hashKey } from 'tamis';
import { digest, guava64, murmur2aFnv1a } from 'tamis/schemes';

import { KEY } from '../js/classes.js';
import { runModule } from '../js/support/child.js';
import { expectCode, expectOption, thrownBy } from '../js/support/errors.js';
import { schemeNames, schemeOption, schemes } from '../js/support/schemes.js';

const make = (options: unknown) => (): BloomFilter => new BloomFilter(options as BloomOptions);

describe('numbers', () => {
  test('the borders are taken', () => {
    expect(new BloomFilter({ capacity: 1, fpr: 1 - 2 ** -53 }).bits).toBeGreaterThanOrEqual(1);
    expect(new BloomFilter({ bits: 1, hashes: 1 }).bits).toBe(1);
    expect(new BloomFilter({ bits: 100, hashes: 64 }).hashes).toBe(64);
  });

  test('bits and hashes', () => {
    for (const bits of [0, -1, 1.5, NaN, 2 ** 53]) {
      expectOption(make({ bits, hashes: 3 }), RangeError);
    }
    for (const hashes of [0, -1, 65, 1.5, NaN])
      expectOption(make({ bits: 64, hashes }), RangeError);
    for (const wrong of ['64', 64n, null]) {
      expectOption(make({ bits: wrong, hashes: 3 }), TypeError);
      expectOption(make({ bits: 64, hashes: wrong }), TypeError);
    }
  });

  test('a size beyond 32 bits is an error, never another size', () => {
    expectCode(make({ capacity: 2 ** 32 + 5 }), 'TOO_LARGE');
    for (const bits of [2 ** 32 + 1, 2 ** 32 + 64, 2 ** 40, 2 ** 53 - 1]) {
      expectCode(make({ bits, hashes: 3 }), 'TOO_LARGE');
      expectCode(() => new BitArray(bits), 'TOO_LARGE');
    }
  });

  test('far too large are told at once, by each class that tells its size', async () => {
    // A sum over the keys of a block once took a minute for each of these. Only a process of its own can be ended.
    const source = `
      import * as tamis from 'tamis';
      const codes = new Set();
      const tryIt = (act) => {
        try { act(); codes.add('none'); } catch ({ code }) { codes.add(code); }
      };
      for (const [name, Class] of Object.entries(tamis)) {
        // Of a number, and of two lists.
        if (!Class.sizeFor || name === 'BitArray' || name === 'ExactFilter') continue;
        for (let bits = 33; bits <= 53; bits++) {
          const size = Math.min(2 ** bits, Number.MAX_SAFE_INTEGER);
          let options = { capacity: size };
          if (name === 'BloomierMap') options = { ...options, valueBits: 1 };
          if (name === 'InvertibleBloomTable') options = { differences: size, keyBytes: 8 };
          tryIt(() => Class.sizeFor(options));
          if ('emptyCopy' in Class.prototype) tryIt(() => new Class(options));
        }
      }
      console.log([...codes].join());`;
    expect(await runModule(source)).toBe('ERR_TAMIS_TOO_LARGE\n');
  });
});

describe('which options go together', () => {
  test.each([
    [{}],
    [{ fpr: 0.01 }],
    [{ bits: 100 }],
    [{ hashes: 3 }],
    [{ capacity: 10, hashes: 3 }],
    [{ bits: 100, hashes: 3, capacity: 10 }],
    [{ bits: 100, hashes: 3, fpr: 0.01 }],
    [{ bits: 100, capacity: 10 }],
    [{ capacity: undefined }],
    [undefined],
    [null],
    [7],
    ['capacity'],
    [[10]],
    [() => 10],
  ])('%j is a TypeError', (options) => {
    expectOption(make(options), TypeError);
  });

  test('hashKey wants a secret of 16 bytes', () => {
    for (const secret of [new Uint8Array(15), 'secret', null, 5]) {
      thrownBy(() => hashKey('a', { secret } as object));
    }
  });
});

describe('schemes', () => {
  test('are five, by the names of their values', () => {
    for (const name of schemeNames) {
      expect(new BloomFilter({ capacity: 10, ...schemeOption(name) }).scheme).toBe(name);
    }
    expect(new BloomFilter({ capacity: 10 }).scheme).toBe('mcg');
    for (const scheme of schemes) expect(Object.isFrozen(scheme)).toBe(true);
  });

  test('are no strings: the error names the import', () => {
    const refuse = (scheme: unknown) => expectOption(make({ capacity: 10, scheme }), TypeError);
    for (const [name, value] of [
      ['seeds', 'seeds'],
      ['digest', 'digest'],
      ['murmur2a-fnv1a', 'murmur2aFnv1a'],
      ['guava64', 'guava64'],
      ['guava', 'guava64'],
      ['md5', 'guava64'],
      ['toString', 'guava64'],
    ]) {
      expect(refuse(name).message).toContain(`import { ${value} } from 'tamis/schemes'`);
    }
    for (const scheme of [3, null, {}, ['guava64'], [guava64], Object.create(guava64)]) {
      expect(refuse(scheme).message).toContain("from 'tamis/schemes'");
    }
  });

  test('of fromBytes are a list of values', () => {
    const bytes = new BloomFilter({ capacity: 10, scheme: guava64 }).toBytes();
    for (const given of [guava64, 'guava64', ['guava64'], [guava64, undefined], new Array(2)]) {
      expectOption(() => BloomFilter.fromBytes(bytes, { schemes: given as never }), TypeError);
    }
    expect(BloomFilter.fromBytes(bytes, { schemes: [digest, guava64] }).scheme).toBe('guava64');
  });

  test.each(schemes)('$name has no keyed form', (scheme) => {
    expectOption(make({ capacity: 10, scheme, secret: KEY }), TypeError);
  });

  test.each([digest, murmur2aFnv1a, guava64])('$name has no seed', (scheme) => {
    expectOption(make({ capacity: 10, scheme, seed: 1n }), TypeError);
    expect(make({ capacity: 10, scheme, seed: 0n })().seed).toBe(0n);
  });

  test('guava64 wants whole words', () => {
    for (const bits of [1, 63, 65, 100, 1000]) {
      expectOption(make({ bits, hashes: 3, scheme: guava64 }), RangeError);
    }
    expect(make({ bits: 128, hashes: 3, scheme: guava64 })().bits).toBe(128);
    for (const capacity of [1, 10, 77, 1000]) {
      expect(new BloomFilter({ capacity, scheme: guava64 }).bits % 64).toBe(0);
    }
  });

  test('murmur2a-fnv1a has two hashes', () => {
    for (const hashes of [1, 3, 7]) {
      expectOption(make({ bits: 128, hashes, scheme: murmur2aFnv1a }), RangeError);
    }
    expect(new BloomFilter({ capacity: 50, scheme: murmur2aFnv1a }).hashes).toBe(2);
  });

  test('digest reaches as far as its 512 bits', () => {
    const digested = (bits: number, hashes: number) => make({ bits, hashes, scheme: digest });
    expect(digested(1000, 51)().hashes).toBe(51);
    expectOption(digested(1000, 52), RangeError);
    expect(digested(256, 63)().hashes).toBe(63);
    expectOption(digested(256, 64), RangeError);
    expect(digested(255, 64)().hashes).toBe(64);
    expect(digested(2, 64)().hashes).toBe(64);
    expect(digested(1, 64)().hashes).toBe(64);
    expectOption(make({ capacity: 1_000_000, fpr: 2 ** -48, scheme: digest }), RangeError);
  });
});

describe('options with a life of their own', () => {
  test('a getter that throws goes through', () => {
    const failure = new Error('mine');
    const options = {
      get capacity(): number {
        throw failure;
      },
    };
    expect(make(options)).toThrow(failure);
    const proxy = new Proxy(
      { capacity: 10 },
      {
        get: () => {
          throw failure;
        },
      },
    );
    expect(make(proxy)).toThrow(failure);
  });

  test('a getter is read once', () => {
    let reads = 0;
    const options = {
      get capacity(): number {
        reads++;
        return reads === 1 ? 10 : 2 ** 40;
      },
    };
    expect(make(options)().capacity).toBe(10);
    expect(reads).toBe(1);
  });

  test('an iterator that disposes the filter while it is filled', () => {
    const filter = new BloomFilter({ capacity: 5000 });
    function* source(): Generator<string> {
      for (let i = 0; i < 3000; i++) {
        if (i === 1500) filter.dispose();
        yield `key-${i}`;
      }
    }
    expectCode(() => filter.addMany(source()), 'DISPOSED');
    expectCode(() => filter.has('key-0'), 'DISPOSED');
  });

  test('an iterator that uses the filter while it is filled', () => {
    const filter = new BloomFilter({ capacity: 20_000 });
    const other = new BloomFilter({ capacity: 20_000 });
    const nested: string[] = [];
    function* source(): Generator<string> {
      for (let i = 0; i < 2000; i++) {
        if (i % 100 === 0) {
          nested.push(`in-${i}`);
          filter.addMany([`in-${i}`, 'x'.repeat(70_000)]);
          other.addMany(['o', '\u00e9'.repeat(50_000)]);
          filter.hasMany(['p', 'q']);
        }
        yield `key-${i}`;
      }
    }
    filter.addMany(source());
    const expected = Array.from({ length: 2000 }, (_, i) => `key-${i}`).concat(nested);
    expect(filter.hasMany(expected)).toEqual(new Uint8Array(expected.length).fill(1));
    const twin = new BloomFilter({ capacity: 20_000 });
    twin.addMany([...expected, 'x'.repeat(70_000)]);
    expect(filter.toBytes().subarray(64)).toEqual(twin.toBytes().subarray(64));
  });

  test('the same while it is asked', () => {
    const filter = new BloomFilter({ capacity: 100 });
    filter.addMany(['a', 'b']);
    function* source(): Generator<string> {
      yield 'a';
      filter.hasMany(['z'.repeat(70_000), 'y']);
      yield 'b';
      filter.add('c');
      yield 'certainly not there';
    }
    expect(filter.hasMany(source())).toEqual(Uint8Array.of(1, 1, 0));
    function* ending(): Generator<string> {
      for (let i = 0; i < 3000; i++) {
        if (i === 700) filter.dispose();
        yield 'a';
      }
    }
    expectCode(() => filter.hasMany(ending()), 'DISPOSED');
  });

  // tests/built/pollution.test.ts pollutes it later.
  test('an Object.prototype that is polluted before the package is loaded changes nothing', async () => {
    const pollute = `
      const dirt = { capacity: 5, fpr: 0.5, seed: 9n, secret: new Uint8Array(16), bits: 64, hashes: 1,
        scheme: 'guava64', maxBytes: 1, separator: 44, batch: 1, module: {} };
      for (const [name, value] of Object.entries(dirt)) {
        Object.defineProperty(Object.prototype, name,
          { value, enumerable: true, configurable: true, writable: true });
      }`;
    const build = `
      const { BloomFilter, fromBytes, keysFromLines } = await import('tamis');
      const filter = new BloomFilter({ capacity: 100 });
      filter.addMany(['a', 'b']);
      const loaded = fromBytes(filter.toBytes());
      console.log(loaded.fpr, loaded.capacity, loaded.has('a'), loaded.has('c'),
        Buffer.from(loaded.toBytes()).toString('hex'), keysFromLines(Buffer.from('a\\nb')).length);`;
    const [clean, dirty] = await Promise.all([runModule(build), runModule(pollute + build)]);
    expect(clean).toMatch(/^0\.00\d+ 100 true false 89544d53/);
    expect(dirty).toBe(clean);
  });
});
