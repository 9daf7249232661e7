/** The keys of tamis/read, and their hashes. */
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import * as read from 'tamis/read';

import { KEY } from './classes.js';
import { expectCode } from './support/errors.js';
import { random, utf8 } from './support/keys.js';
import { pairOf, readable, transfer } from './support/readable.js';

const members = ['key', 'member', '\u00fcber', '\u{1f41d}', ''];
const reader = read.BloomFilter.fromBytes(tamis.BloomFilter.from(members, { fpr: 1e-9 }).toBytes());

describe('what is no key', () => {
  const detached = new Uint8Array(8);
  transfer(detached.buffer);
  const none = [
    ...[7, 7n, null, undefined, {}, [], true, Symbol('a'), () => 'a', new String('a')],
    ...[detached, new Uint16Array(2), new ArrayBuffer(2), new DataView(new ArrayBuffer(2))],
    ...[{ length: 1, 0: 7 }, new Proxy(new Uint8Array(2), {}), 'a\ud800'],
  ];

  test.each(readable.map((one) => [one.label, one] as const))('%s refuses it', (_label, one) => {
    const { reader, whole } = pairOf(one, 10);
    for (const key of none) {
      expectCode(() => reader.has(key as never), 'INVALID_KEY');
      const { index } = expectCode(() => reader.hasMany(['a', key as never, 'b']), 'INVALID_KEY');
      expect(index).toBe(1);
      if (one.type !== 'bloomier') continue;
      const map = reader as unknown as read.BloomierMap;
      expectCode(() => map.get(key as never), 'INVALID_KEY');
      const error = expectCode(() => map.getMany(['a', 'b', key as never]), 'INVALID_KEY');
      expect(error.index).toBe(2);
    }
    // It lives on.
    expect(reader.hasMany(members)).toEqual(whole.hasMany(members));
  });

  test('one key is not many', () => {
    for (const keys of ['key', utf8('key'), new Uint16Array(2), detached]) {
      expectCode(() => reader.hasMany(keys as never), 'INVALID_KEY');
    }
    for (const keys of [7, null, undefined, {}]) {
      expect(() => reader.hasMany(keys as never)).toThrow(TypeError);
    }
  });

  test('nor are other arrays hashes', () => {
    for (const hashes of [[1n], new BigInt64Array(2), new Uint8Array(8), 1n, undefined]) {
      expect(() => reader.hasHashes(hashes as never)).toThrow(TypeError);
    }
    for (const key of none) expectCode(() => read.hashKey(key as never), 'INVALID_KEY');
  });

  test('what a source of keys throws is thrown', () => {
    const broken = function* () {
      yield 'key';
      throw new RangeError('the source broke');
    };
    expect(() => reader.hasMany(broken())).toThrow('the source broke');
    expect(reader.has('key')).toBe(true);
  });
});

describe('lone surrogates', () => {
  const halves = ['\ud800', '\udbff', '\udc00', '\udfff', '\udc00\ud800', '\ud800\ud800'];
  const pair = '\u{1f41d}';
  const lengths = [0, 1, 2, 3, 4, 5, 6, 7, 8, 100, 1278, 1279, 1280, 1281, 1300];

  test('are refused wherever they are', () => {
    for (const half of halves) {
      for (const n of lengths) {
        for (const rest of ['x'.repeat(n), '\u00fc'.repeat(n), pair.repeat(n / 2)]) {
          const middle = 2 * Math.floor(rest.length / 4);
          const texts = [
            half + rest,
            rest + half,
            rest.slice(0, middle) + half + rest.slice(middle),
          ];
          for (const text of texts) {
            expectCode(() => reader.has(text), 'INVALID_KEY');
            expectCode(() => read.hashKey(text, { secret: KEY }), 'INVALID_KEY');
          }
        }
      }
    }
    expect(reader.has('key')).toBe(true);
  });

  test('are no surrogates in pairs', () => {
    for (const n of lengths) {
      const rest = 'x'.repeat(n);
      for (const text of [pair + rest, rest + pair, rest + pair + rest, pair.repeat(n)]) {
        expect(read.hashKey(text)).toBe(tamis.hashKey(text));
      }
    }
  });
});

describe('a key of any length is hashed as by tamis', () => {
  const lengths = [
    ...Array.from({ length: 301 }, (_, n) => n),
    ...[1023, 1024, 1025, 1026, 1279, 1280, 1281, 1282, 4000],
  ];
  const next = random(11);
  const units = [0, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xfeff, 0xffff, 0x20];
  const textOf = (n: number, unit: () => number) =>
    String.fromCharCode(...Array.from({ length: n }, unit));
  const kinds: Record<string, (n: number) => tamis.Key> = {
    ASCII: (n) => textOf(n, () => next() % 128),
    'ASCII but for the last': (n) => `${textOf(n - 1, () => 97)}\u00fc`.slice(0, n),
    'ASCII but for the first': (n) => `\u00fc${textOf(n - 1, () => 97)}`.slice(0, n),
    'not ASCII': (n) => textOf(n, () => units[next() % units.length] as number),
    'of the longest UTF-8': (n) => '\uffff'.repeat(n),
    'of pairs': (n) => '\u{10ffff}'.repeat(n / 2),
    bytes: (n) => Uint8Array.from({ length: n }, () => next() % 256),
    'bytes within others': (n) =>
      Uint8Array.from({ length: n + 9 }, () => next()).subarray(5, n + 5),
    'shared bytes': (n) => new Uint8Array(new SharedArrayBuffer(n + 3), 3).fill(next() % 256),
  };

  test.each(Object.entries(kinds))('%s', (_name, make) => {
    const keys = lengths.map(make);
    for (const options of [{}, { secret: KEY }, { secret: new Uint8Array(16) }]) {
      const due = [...tamis.hashKeys(keys, options)];
      expect(keys.map((key) => read.hashKey(key, options))).toEqual(due);
    }
  });

  test('and has the bytes of its text', () => {
    for (const n of lengths) {
      const text = textOf(n, () => units[next() % units.length] as number);
      expect(read.hashKey(text)).toBe(read.hashKey(utf8(text)));
    }
  });

  test('a very long one', () => {
    for (const key of ['x'.repeat(200_000), '\u00fc'.repeat(70_000), new Uint8Array(300_000)]) {
      expect(read.hashKey(key)).toBe(tamis.hashKey(key));
      expect(read.hashKey(key, { secret: KEY })).toBe(tamis.hashKey(key, { secret: KEY }));
      expect([...reader.hasMany(['key', key, 'member'])]).toEqual([1, 0, 1]);
    }
  });
});

describe('bytes are what they are', () => {
  const keys = ['', 'key', 'x'.repeat(16), 'x'.repeat(240), 'x'.repeat(241), 'x'.repeat(5000)];

  test('of another realm, in a Buffer, and as hashes', () => {
    for (const key of keys) {
      const foreign = runInNewContext('Uint8Array.from(of)', { of: [...utf8(key)] });
      for (const bytes of [foreign, Buffer.from(key), utf8(key)]) {
        expect(read.hashKey(bytes)).toBe(tamis.hashKey(key));
      }
    }
    const hashes = BigUint64Array.from(members, (key) => read.hashKey(key));
    expect(reader.hasHashes(hashes)).toEqual(new Uint8Array(members.length).fill(1));
    expect(reader.hasHashes(hashes.subarray(1, 3))).toEqual(Uint8Array.of(1, 1));
  });

  test('when they are looked at: a source may use its buffer again', () => {
    const again = new Uint8Array(6);
    const source = function* () {
      for (const key of ['member', 'nobody', 'member']) {
        again.set(utf8(key));
        yield again;
      }
    };
    expect([...reader.hasMany(source())]).toEqual([1, 0, 1]);
  });
});
