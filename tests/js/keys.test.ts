/** Keys: strings and bytes of every sort, and nothing else. */

import { describe, expect, test } from '@jest/globals';
import type { Key } from 'tamis';
import { BloomFilter, hashKey, hashKeys, RibbonFilter, withFunnel } from 'tamis';
import { hashKey as readHash } from 'tamis/read';
import { KEY } from './classes.js';
import { budget } from './support/budget.js';
import type { CodedError } from './support/errors.js';
import { expectCode, thrownBy } from './support/errors.js';
import { fc } from './support/fast-check.js';
import { random, utf8 } from './support/keys.js';

const filterOf = (capacity = 1000): BloomFilter => new BloomFilter({ capacity });
const notWellFormed = ['\ud800', '\udfff', 'a\ud83d', '\ude00b', 'x\udc00\ud800y', '\ud83d\ud83d'];
const notKeys: readonly unknown[] = [
  0,
  1,
  -1,
  1.5,
  NaN,
  7n,
  true,
  false,
  null,
  undefined,
  {},
  [],
  ['a'],
  () => 'a',
  Symbol('a'),
  new Date(0),
  new ArrayBuffer(4),
  new Uint16Array(2),
  new DataView(new ArrayBuffer(4)),
  new String('boxed'),
  new Set(['a']),
];

describe('strings', () => {
  /** Characters of one to four bytes, and both sides of each border between them. */
  const pieces = [
    'a',
    '\0',
    '\u007f',
    '\u0080',
    '\u07ff',
    '\u0800',
    '\ud7ff',
    '\ue000',
    '\ufffd',
    '\uffff',
    '\u{10000}',
    '\u{1f600}',
    '\u{10ffff}',
    'e\u0301',
    '\u00e9',
    '\ufeff',
    '\r\n',
    '',
  ];

  test('are the bytes that TextEncoder gives', () => {
    const strings = pieces.flatMap((a) => pieces.map((b) => `${a}${b}${a}`));
    expect([...hashKeys(strings)]).toEqual(strings.map((text) => readHash(utf8(text))));
    expect(strings.map((text) => hashKey(text))).toEqual([...hashKeys(strings.map(utf8))]);
  });

  test('are not normalised: composed and decomposed are two keys', () => {
    expect(hashKey('\u00e9')).not.toBe(hashKey('e\u0301'));
  });

  test('a replacement character is a key as any other', () => {
    const filter = filterOf();
    filter.add('\ufffd');
    expect(filter.has('\ufffd')).toBe(true);
    expect(filter.has(Uint8Array.of(0xef, 0xbf, 0xbd))).toBe(true);
    expectCode(() => filter.has('\ud800'), 'INVALID_KEY');
  });

  test('joined batches hash as the single strings do, at every mixture and length', () => {
    const next = random(42);
    const pick = (): string => pieces[next() % pieces.length] as string;
    for (const size of [1, 2, 63, 64, 65, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 5000]) {
      const keys = Array.from({ length: size }, () =>
        Array.from({ length: next() % 9 }, pick).join(''),
      );
      expect([...hashKeys(keys)]).toEqual(keys.map((key) => hashKey(key)));
    }
  });

  test('one foreign key anywhere among ASCII ones changes no other', () => {
    const ascii = Array.from({ length: 1100 }, (_, i) => `https://example.com/${i}`);
    const plain = hashKeys(ascii);
    for (const at of [0, 1, 62, 63, 64, 127, 254, 255, 256, 257, 511, 512, 1023, 1024, 1099]) {
      for (const odd of ['\u00fc', '\u20ac', '\u{1f41d}', '']) {
        const keys = ascii.with(at, odd);
        const expected = plain.with(at, readHash(utf8(odd)));
        expect(hashKeys(keys)).toEqual(expected);
      }
    }
  });

  test('strings around every size of the scratch memory, alone and in a batch', () => {
    const sizes = [12, 13, 14, 15, 16, 17, 18, 20].flatMap((bits) =>
      [-1, 0, 1].map((d) => 2 ** bits + d),
    );
    for (const character of ['x', '\u00e9', '\u20ac', '\u{1f41d}']) {
      const keys = sizes.map((size) => character.repeat(Math.ceil(size / utf8(character).length)));
      const expected = keys.map((key) => hashKey(utf8(key)));
      expect(keys.map((key) => hashKey(key))).toEqual(expected);
      expect([...hashKeys(keys)]).toEqual(expected);
      expect([...hashKeys(keys.flatMap((key) => ['', key, 'a']))]).toEqual(
        expected.flatMap((hash) => [hashKey(''), hash, hashKey('a')]),
      );
      expect(expected[3]).toBe(readHash(utf8(keys[3] as string)));
    }
  });

  test('long bytes and strings mixed', () => {
    const big = new Uint8Array(300_000).fill(0xf0);
    const keys: Key[] = ['a', big, 'b', big.subarray(1), 'c'.repeat(200_000), big, ''];
    expect([...hashKeys(keys)]).toEqual(keys.map((key) => hashKey(key)));
  });

  test('property: whatever the strings, a batch is its keys', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', maxLength: 30 }), { maxLength: 300 }),
        (keys) => {
          const hashes = hashKeys(keys);
          return keys.every((key, i) => hashes[i] === hashKey(utf8(key)));
        },
      ),
      { numRuns: budget(200, 50) },
    );
  });

  test('keyed hashes are SipHash-2-4 of the bytes', () => {
    const keys = pieces.map((piece) => piece.repeat(3));
    expect([...hashKeys(keys, { secret: KEY })]).toEqual(
      keys.map((text) => readHash(utf8(text), { secret: KEY })),
    );
    expect(hashKey('a', { secret: KEY })).toBe(readHash(utf8('a'), { secret: KEY }));
  });
});

describe('strings that are not well formed', () => {
  test('are a TypeError everywhere', () => {
    for (const bad of notWellFormed) {
      const filter = filterOf();
      const actions = [
        () => filter.add(bad),
        () => filter.has(bad),
        () => filter.hasMany([bad]),
        () => filter.addMany([bad]),
        () => filter.positions(bad),
        () => BloomFilter.from([bad]),
        () => hashKey(bad),
        () => hashKeys(['a', bad]),
      ];
      for (const action of actions) {
        expect(expectCode(action, 'INVALID_KEY')).toBeInstanceOf(TypeError);
      }
      expect(filter.count).toBe(0);
    }
  });

  test('also where two halves meet at the seam of a joined batch', () => {
    const places = [0, 1, 14, 15, 16, 30, 63, 64, 254, 255, 256, 511, 512, 1022];
    for (const [at, around] of ['', '\u00e9', '\u6f22'].flatMap((text) =>
      places.map((place) => [place, text] as const),
    )) {
      const keys = Array.from({ length: 1100 }, (_, i) => `k${i} ${around}`);
      keys[at] = 'half \ud83d';
      keys[at + 1] = '\ude00 half';
      const filter = filterOf(2000);
      const error = expectCode(() => filter.addMany(keys), 'INVALID_KEY');
      expect(error.index).toBe(at);
      expect(error).toBeInstanceOf(TypeError);
      expect(filter.hasMany(keys.slice(0, at))).toEqual(new Uint8Array(at).fill(1));
      const twin = filterOf(2000);
      twin.addMany(keys.slice(0, at));
      expect(filter.toBytes()).toEqual(twin.toBytes());
      expect(expectCode(() => filter.hasMany(keys), 'INVALID_KEY').index).toBe(at);
      expect(expectCode(() => hashKeys(keys), 'INVALID_KEY').index).toBe(at);
    }
  });

  test('in a long string too', () => {
    expectCode(() => hashKey(`${'x'.repeat(100_000)}\ud800`), 'INVALID_KEY');
    expectCode(() => hashKeys([`\udc00${'\u00e9'.repeat(100_000)}`]), 'INVALID_KEY');
  });
});

describe('what is no key', () => {
  test.each(
    notKeys.map((value) => [
      typeof value === 'symbol'
        ? 'symbol'
        : `${typeof value} ${Object.prototype.toString.call(value)}`,
      value,
    ]),
  )('%s', (_name, value) => {
    const filter = filterOf();
    const bad = value as Key;
    const actions = [
      () => filter.add(bad),
      () => filter.has(bad),
      () => filter.positions(bad),
      () => filter.addMany([bad]),
      () => filter.hasMany([bad]),
      () => hashKey(bad),
      () => hashKeys([bad]),
      () => BloomFilter.from([bad]),
    ];
    for (const action of actions) {
      expect(expectCode(action, 'INVALID_KEY')).toBeInstanceOf(TypeError);
    }
    expect(filter.count).toBe(0);
  });

  test('a number is told the way: key.int32 and its like', () => {
    const filter = filterOf();
    for (const bad of [7, 7n]) {
      for (const action of [
        () => filter.add(bad as unknown as Key),
        () => filter.has(bad as unknown as Key),
        () => filter.addMany(['a', bad as unknown as Key]),
      ]) {
        expect(thrownBy(action).message).toMatch(/key\.int(32|64)/);
      }
    }
  });

  test('keys before it stay, and error.index names it', () => {
    for (const at of [0, 1, 2, 255, 256, 257, 600, 999]) {
      const keys: unknown[] = Array.from({ length: 1000 }, (_, i) => `key-${i}`);
      keys[at] = 42;
      const twin = filterOf();
      twin.addMany(keys.slice(0, at) as string[]);
      for (const source of [keys, new Set(keys), keys.values()]) {
        const filter = filterOf();
        const error = expectCode(() => filter.addMany(source as Iterable<Key>), 'INVALID_KEY');
        expect(error.index).toBe(at);
        expect(filter.count).toBe(twin.count);
        expect(filter.toBytes()).toEqual(twin.toBytes());
      }
    }
  });

  test('what an iterator throws goes through, keys before it stay', () => {
    const failure = new Error('no more');
    function* broken(): Generator<string> {
      for (let i = 0; i < 700; i++) yield `key-${i}`;
      throw failure;
    }
    const filter = filterOf();
    let caught: unknown;
    try {
      filter.addMany(broken());
    } catch (error) {
      caught = error;
    }
    expect(caught).toBe(failure);
    expect(filter.hasMany(['key-0', 'key-699'])).toEqual(Uint8Array.of(1, 1));
    filter.validate();
  });

  test('what an iterator throws is told, though a key before it was none', async () => {
    const failure = new Error('no more');
    function* broken(): Generator<Key> {
      yield 'good';
      yield 5 as unknown as Key;
      yield 'behind';
      throw failure;
    }
    async function* late(): AsyncGenerator<Key> {
      yield* broken();
    }
    const filter = filterOf();
    for (const action of [
      () => filter.addMany(broken()),
      () => filter.hasMany(broken()),
      () => hashKeys(broken()),
      () => RibbonFilter.from(broken()),
    ]) {
      expect(action).toThrow(failure);
    }
    await expect(filter.addFrom(late())).rejects.toBe(failure);
    await expect(RibbonFilter.fromAsync(late())).rejects.toBe(failure);
    expect(filter.has('good')).toBe(true);
    expect(filter.has('behind')).toBe(false);
  });

  test('what a funnel throws is told, with the index of the first key that is not in', () => {
    const failure = Object.freeze(new Error('no such value'));
    const bytesOf = (value: number): Uint8Array<ArrayBuffer> => {
      if (value === 5) throw failure;
      return value < 0 ? (value as never) : Uint8Array.of(value);
    };
    const typed = withFunnel(filterOf(), bytesOf);
    const thrown = expectCode(() => typed.addMany([1, 2, 3, 4, 5]), 'INVALID_KEY');
    expect(thrown).toMatchObject({
      message: 'your code threw: no such value',
      cause: failure,
      index: 4,
    });
    const odd = withFunnel(filterOf(), bytesOf);
    const refused = expectCode(() => odd.addMany([1, 2, -3, 4, 5]), 'INVALID_KEY');
    expect(refused).toMatchObject({ cause: failure, index: 2 });
    expect(odd.hasMany([1, 2, 4])).toEqual(Uint8Array.of(1, 1, 0));
  });

  test('an iterator may use its buffer again', async () => {
    const expected = Array.from({ length: 600 }, (_, i) => Buffer.from(`key ${i}`.padEnd(8)));
    function* reused(): Generator<Uint8Array> {
      const buffer = Buffer.alloc(8);
      for (const key of expected) {
        buffer.set(key);
        yield buffer;
      }
    }
    async function* late(): AsyncGenerator<Uint8Array> {
      yield* reused();
    }
    const hashes = hashKeys(expected);
    expect(hashKeys(reused()).every((hash, i) => hash === hashes[i])).toBe(true);
    const filter = new BloomFilter({ capacity: 1000 });
    expect(filter.addMany(reused())).toBeGreaterThan(590);
    expect([...filter.hasMany(expected)]).not.toContain(0);
    const other = new BloomFilter({ capacity: 1000 });
    await other.addFrom(late());
    expect(other.toBytes()).toEqual(filter.toBytes());
  });

  test('a bad key closes the iterator', () => {
    let closed = false;
    function* source(): Generator<unknown> {
      try {
        yield 'good';
        yield 5;
        yield 'never asked';
      } finally {
        closed = true;
      }
    }
    thrownBy(() => filterOf().addMany(source() as Iterable<Key>));
    expect(closed).toBe(true);
  });

  test('what holds no keys is a TypeError', () => {
    const filter = filterOf();
    const sources: unknown[] = [
      undefined,
      null,
      7,
      7n,
      true,
      {},
      () => [],
      new Uint8Array(3),
      'a string is one key',
      { length: 3 },
      { bytes: new Uint8Array(3), length: 1 },
      { bytes: new Uint8Array(3), starts: [0], ends: [1], length: 1 },
    ];
    for (const source of sources) {
      const error: CodedError = thrownBy(() => filter.addMany(source as Iterable<Key>));
      expect(error).toBeInstanceOf(TypeError);
      expect(thrownBy(() => filter.hasMany(source as Iterable<Key>))).toBeInstanceOf(TypeError);
      expect(thrownBy(() => hashKeys(source as Iterable<Key>))).toBeInstanceOf(TypeError);
    }
    expect(filter.count).toBe(0);
  });

  test('hashes are a BigUint64Array', () => {
    for (const wrong of [undefined, null, [1n], new BigInt64Array(2), new Float64Array(1), 'a']) {
      const hashes = wrong as unknown as BigUint64Array;
      expect(thrownBy(() => filterOf().addHashes(hashes))).toBeInstanceOf(TypeError);
      expect(thrownBy(() => filterOf().hasHashes(hashes))).toBeInstanceOf(TypeError);
    }
  });
});
