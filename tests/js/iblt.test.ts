/** Invertible Bloom lookup tables: what decode lists, and that it never lists what is wrong. */
import { describe, expect, test } from '@jest/globals';
import { hashKey, InvertibleBloomTable, type Key } from 'tamis';

import { KEY, tableKey } from './classes.js';
import { expectSame } from './support/bytes.js';
import { expectCode, thrownBy } from './support/errors.js';
import { random } from './support/keys.js';

const hex = (key: Uint8Array): string => Buffer.from(key).toString('hex');
const sorted = (keys: readonly Uint8Array[]): string[] => keys.map(hex).sort();

/** `n` distinct keys of random bytes. */
function randomKeys(n: number, keyBytes: number, seed: number): Uint8Array<ArrayBuffer>[] {
  const next = random(seed);
  return Array.from({ length: n }, (_, i) => {
    const key = Uint8Array.from({ length: keyBytes }, () => next() & 255);
    new DataView(key.buffer).setUint32(0, (seed << 24) + i);
    return key;
  });
}
function tableOf(
  keys: readonly Uint8Array[],
  differences: number,
  keyBytes: number,
  more: object = {},
): InvertibleBloomTable {
  const made = new InvertibleBloomTable({ differences, keyBytes, ...more });
  for (const key of keys) made.add(key);
  return made;
}

describe.each([4, 5, 7, 8, 16, 31, 33, 63, 64])('keys of %d bytes', (keyBytes) => {
  const common = randomKeys(3000, keyBytes, 1);
  const mine = randomKeys(30, keyBytes, 2);
  const theirs = randomKeys(20, keyBytes, 3);

  test('both halves of a difference are listed, whatever the sides have in common', () => {
    for (const more of [{}, { seed: 5n }, { secret: KEY }]) {
      const a = tableOf([...common, ...mine], 60, keyBytes, more);
      const b = tableOf([...theirs, ...common].reverse(), 60, keyBytes, more);
      const [bytesA, bytesB] = [a.toBytes(), b.toBytes()];
      const there = a.subtract(b).decode();
      expect(there.complete).toBe(true);
      expect(sorted(there.added)).toEqual(sorted(mine));
      expect(sorted(there.removed)).toEqual(sorted(theirs));
      const back = b.subtract(a).decode();
      expect(back.complete).toBe(true);
      expect(sorted(back.added)).toEqual(sorted(theirs));
      expect(sorted(back.removed)).toEqual(sorted(mine));
      expectSame(a.toBytes(), bytesA);
      expectSame(b.toBytes(), bytesB);
    }
  });

  test('a key of another length is a RangeError with the code of a key, and changes nothing', () => {
    const made = tableOf(mine, 60, keyBytes);
    const bytes = made.toBytes();
    const lengths = [0, 1, keyBytes - 1, keyBytes + 1, 2 * keyBytes, 100_000];
    for (const length of lengths) {
      for (const member of ['add', 'delete'] as const) {
        const error = expectCode(() => made[member](new Uint8Array(length)), 'INVALID_KEY');
        expect(error).toBeInstanceOf(RangeError);
        expect(error.message).toContain(String(keyBytes));
        expect(thrownBy(() => made[member]('x'.repeat(length)))).toBeInstanceOf(RangeError);
      }
    }
    for (const wrong of [7, null, undefined, {}, '\ud800', 5n]) {
      const error = expectCode(() => made.add(wrong as Key), 'INVALID_KEY');
      expect(error).toBeInstanceOf(TypeError);
    }
    expectSame(made.toBytes(), bytes);
  });
});

test('strings are their UTF-8 bytes', () => {
  const made = new InvertibleBloomTable({ differences: 5, keyBytes: 6 });
  made.add('abcdef');
  made.add('\u00e9\u00e9\u00e9');
  made.delete(new TextEncoder().encode('ghijkl'));
  const { added, removed, complete } = made.decode();
  const text = (keys: Uint8Array[]): string[] =>
    keys.map((key) => Buffer.from(key).toString()).sort();
  expect([text(added), text(removed), complete]).toEqual([
    ['abcdef', '\u00e9\u00e9\u00e9'],
    ['ghijkl'],
    true,
  ]);
  expect(thrownBy(() => made.add('\u00e9\u00e9')).message).toContain('6 bytes');
});

test('a key added twice is not listed, and spoils no other', () => {
  const keys = randomKeys(10, 8, 4);
  const made = tableOf([...keys, keys[0] as Uint8Array], 40, 8);
  const { added, removed, complete } = made.decode();
  expect(complete).toBe(false);
  expect(removed).toEqual([]);
  const single = new Set(sorted(keys.slice(1)));
  for (const key of added) expect(single.has(hex(key))).toBe(true);
  made.delete(keys[0] as Uint8Array);
  expect(sorted(made.decode().added)).toEqual(sorted(keys));
});

test('what decode gives is its own: bytes of their own, which later calls leave alone', () => {
  const keys = randomKeys(5, 8, 7);
  const made = tableOf(keys, 10, 8);
  const { added } = made.decode();
  const before = sorted(added);
  for (const key of added) {
    expect(key.byteOffset).toBe(0);
    expect(key.buffer.byteLength).toBe(8);
  }
  made.clear();
  new InvertibleBloomTable({ differences: 1000, keyBytes: 64 }).dispose();
  expect(sorted(added)).toEqual(before);
});

test('figures, clear, copies and partners', () => {
  const options = { differences: 12, keyBytes: 8, seed: 3n, secret: KEY } as const;
  const made = new InvertibleBloomTable(options);
  const nothing = made.toBytes();
  made.add(tableKey(1, 8));
  expect(JSON.parse(JSON.stringify(made))).toEqual({
    type: 'iblt',
    hash: 'keyed',
    seed: '3',
    differences: 12,
    keyBytes: 8,
    sizeBytes: nothing.length - 64 - 8,
    content: 'not in JSON: use toBytes()',
  });
  const partner = made.emptyCopy();
  expectSame(partner.toBytes(), nothing);
  expect(made.subtract(partner).decode().added.length).toBe(1);
  const copy = made.clone();
  copy.add(tableKey(2, 8));
  expect(made.subtract(copy).decode().removed.map(hex)).toEqual([hex(tableKey(2, 8))]);
  made.clear();
  expectSame(made.toBytes(), nothing);
  // A difference is itself a table that travels.
  const difference = copy.subtract(partner);
  const again = InvertibleBloomTable.fromBytes(difference.toBytes(), { secret: KEY });
  expect(sorted(again.decode().added)).toEqual(sorted([tableKey(1, 8), tableKey(2, 8)]));
  expect('count' in made || 'capacity' in made).toBe(false);
});

/**
 * The reason for a secret key. From 17 bytes on, XXH3-64 joins each of two words of a key by xor with a word of a
 * constant, and multiplies the results. If one word equals its constant, the product is 0 for any other word.
 */
describe.each([17, 24, 32, 33, 48, 64])(
  'keys of %d bytes that collide without a search',
  (keyBytes) => {
    /** Bytes 16 to 23 of XXH3's default secret, for the last 16 bytes of a key. */
    const constant = Buffer.from('ded46de9839097db', 'hex');
    const colliding = (free: number): Uint8Array => {
      const bytes = new Uint8Array(keyBytes).fill(0x5a);
      bytes.set(constant, keyBytes - 16);
      bytes[keyBytes - 1] = free;
      return bytes;
    };
    const [one, two, three] = [colliding(1), colliding(2), colliding(3)];
    const fourth = one.map((byte, i) => byte ^ (two[i] as number) ^ (three[i] as number));
    const difference = (mine: Uint8Array[], theirs: Uint8Array[], more: object) =>
      tableOf(mine, 1000, keyBytes, more)
        .subtract(tableOf(theirs, 1000, keyBytes, more))
        .decode();

    test('they have one hash, and so has the xor of three of them; with a key they have not', () => {
      const keys = [one, two, three, fourth];
      expect(new Set(keys.map((key) => hashKey(key))).size).toBe(1);
      expect(new Set(keys.map((key) => hashKey(key, { secret: KEY }))).size).toBe(4);
    });

    test.each([{}, { seed: 5n }])(
      'unkeyed, %j: a key that nobody has, and differences that vanish',
      (more) => {
        const phantom = difference([one, two], [three], more);
        expect(phantom.complete).toBe(true);
        expect([sorted(phantom.added), phantom.removed]).toEqual([[hex(fourth)], []]);
        const hidden = difference([one, two], [three, fourth], more);
        expect(hidden).toEqual({ added: [], removed: [], complete: true });
      },
    );

    test('keyed: all of them, each on its side', () => {
      for (const key of [KEY, KEY.map((byte) => ~byte)]) {
        const more = { secret: key };
        for (const [mine, theirs] of [
          [[one, two], [three]],
          [
            [one, two],
            [three, fourth],
          ],
          [[one, two, three, fourth], []],
        ] as const) {
          const found = difference([...mine], [...theirs], more);
          expect(found.complete).toBe(true);
          expect(sorted(found.added)).toEqual(sorted(mine));
          expect(sorted(found.removed)).toEqual(sorted(theirs));
        }
      }
    });
  },
);
