/** key.*, funnels and withFunnel: values become bytes as Guava's funnels make them. */
import { describe, expect, test } from '@jest/globals';
import type { Funnel, Sink } from 'tamis';
import { BloomFilter, CuckooFilter, funnel, hashKey, key, withFunnel } from 'tamis';

import { expectCode, expectOption, thrownBy } from './support/errors.js';
import { utf8 } from './support/keys.js';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const write = (fill: (sink: Sink) => unknown): string =>
  hex(funnel<null>((_value, sink) => fill(sink) as Sink)(null));

describe('key', () => {
  test.each([
    [key.int32(7), '07000000'],
    [key.int32(-1), 'ffffffff'],
    [key.int32(-(2 ** 31)), '00000080'],
    [key.int64(7n), '0700000000000000'],
    [key.int64(-1n), 'ffffffffffffffff'],
    [key.int64(-(2n ** 63n)), '0000000000000080'],
    [key.float64(0.5), '000000000000e03f'],
    [key.float64(-Infinity), '000000000000f0ff'],
    [key.utf16('x'), '7800'],
    [key.utf16('\u00e9\u{1f600}'), 'e9003dd800de'],
    [key.utf16(''), ''],
  ])('%#: little-endian, of fixed width', (bytes, expected) => {
    expect(bytes).toBeInstanceOf(Uint8Array);
    expect(hex(bytes)).toBe(expected);
  });

  test('utf16 keeps code units that are not well formed', () => {
    expect(hex(key.utf16('\ud800'))).toBe('00d8');
  });

  test('takes no number that does not fit', () => {
    const outside: readonly (() => unknown)[] = [
      () => key.int32(2 ** 31),
      () => key.int32(-(2 ** 31) - 1),
      () => key.int32(1.5),
      () => key.int32(NaN),
      () => key.int64(2n ** 63n),
      () => key.int64(-(2n ** 63n) - 1n),
    ];
    for (const action of outside)
      expect(expectCode(action, 'INVALID_KEY')).toBeInstanceOf(RangeError);
    const unlike: readonly (() => unknown)[] = [
      () => key.int32('7' as unknown as number),
      () => key.int32(7n as unknown as number),
      () => key.int64(7 as unknown as bigint),
      () => key.float64('1' as unknown as number),
      () => key.utf16(7 as unknown as string),
    ];
    for (const action of unlike)
      expect(expectCode(action, 'INVALID_KEY')).toBeInstanceOf(TypeError);
  });

  test('two widths of one number are two keys', () => {
    const filter = new BloomFilter({ capacity: 100 });
    filter.add(key.int32(7));
    expect(filter.has(key.int32(7))).toBe(true);
    expect(filter.has(key.int64(7n))).toBe(false);
    expect(filter.has('7')).toBe(false);
  });
});

describe('funnel', () => {
  test('each member writes what Guava writes', () => {
    expect(write((sink) => sink.byte(0xff).byte(0))).toBe('ff00');
    expect(write((sink) => sink.bytes(Uint8Array.of(1, 2, 3)))).toBe('010203');
    expect(write((sink) => sink.bool(true).bool(false))).toBe('0100');
    expect(write((sink) => sink.int8(-2))).toBe('fe');
    expect(write((sink) => sink.int16(-2))).toBe('feff');
    expect(write((sink) => sink.int32(-2))).toBe('feffffff');
    expect(write((sink) => sink.int64(-2n))).toBe('feffffffffffffff');
    expect(write((sink) => sink.float32(1.5))).toBe('0000c03f');
    expect(write((sink) => sink.float64(1.5))).toBe('000000000000f83f');
    expect(write((sink) => sink.string('h\u00e9'))).toBe('68c3a9');
    expect(write((sink) => sink.utf16('h\u00e9'))).toBe('6800e900');
    expect(write((sink) => sink.string(''))).toBe('');
  });

  test('prefixedString tells apart what string does not', () => {
    const plain = funnel<[string, string]>(([a, b], sink) => void sink.string(a).string(b));
    const prefixed = funnel<[string, string]>(
      ([a, b], sink) => void sink.prefixedString(a).prefixedString(b),
    );
    expect(hex(plain(['ab', 'c']))).toBe(hex(plain(['a', 'bc'])));
    expect(hex(prefixed(['ab', 'c']))).not.toBe(hex(prefixed(['a', 'bc'])));
    expect(write((sink) => sink.prefixedString('h\u00e9'))).toBe('0300000068c3a9');
    expect(write((sink) => sink.prefixedString(''))).toBe('00000000');
  });

  test('objects nest', () => {
    interface Person {
      readonly name: string;
      readonly age: number;
      readonly friends: readonly Person[];
    }
    const person: Funnel<Person> = funnel<Person>((value, sink) => {
      sink.prefixedString(value.name).int32(value.age);
      for (const friend of value.friends) sink.object(friend, person);
    });
    const bob = { name: 'Bob', age: 4, friends: [] };
    const ann = { name: 'Ann', age: 5, friends: [bob, bob] };
    const single = '03000000426f6204000000';
    expect(hex(person(bob))).toBe(single);
    expect(hex(person(ann))).toBe(`03000000416e6e05000000${single}${single}`);
    expect(hex(person(bob))).toBe(single);
  });

  test('each call gives bytes of its own, of any length', () => {
    const text = funnel<string>((value, sink) => void sink.string(value));
    const first = text('first');
    const second = text('second, and longer');
    expect(hex(first)).toBe(hex(utf8('first')));
    expect(hex(second)).toBe(hex(utf8('second, and longer')));
    const long = 'y\u20ac'.repeat(100_000);
    expect(hashKey(text(long))).toBe(hashKey(long));
    const source = Uint8Array.of(1, 2);
    const copied = funnel<Uint8Array>((value, sink) => void sink.bytes(value))(source);
    source.fill(9);
    expect(hex(copied)).toBe('0102');
  });

  test('refuses what has no bytes', () => {
    const wrong: readonly ((sink: Sink) => unknown)[] = [
      (sink) => sink.byte(256),
      (sink) => sink.byte(-129),
      (sink) => sink.byte(1.5),
      (sink) => sink.int8(200),
      (sink) => sink.int16(40_000),
      (sink) => sink.int32(2 ** 31),
      (sink) => sink.int64(2n ** 63n),
      (sink) => sink.int64(1 as unknown as bigint),
      (sink) => sink.int32('1' as unknown as number),
      (sink) => sink.bool(1 as unknown as boolean),
      (sink) => sink.string('\ud800'),
      (sink) => sink.prefixedString('\udc00'),
      (sink) => sink.string(5 as unknown as string),
      (sink) => sink.bytes([1] as unknown as Uint8Array),
      () => undefined, // every value would be the empty key
      () => 'alice',
      async (sink) => sink.byte(1),
    ];
    for (const fill of wrong) expectCode(() => write(fill), 'INVALID_KEY');
    for (const value of [undefined, null, 7, 'x', {}]) {
      expectOption(() => funnel(value as unknown as () => void), TypeError);
    }
  });

  test('what the function throws goes through, and the next call is sound', () => {
    const failure = new Error('no age');
    const half = funnel<boolean>((fail, sink) => {
      sink.string('begun');
      if (fail) throw failure;
    });
    expect(() => half(true)).toThrow(failure);
    expect(hex(half(false))).toBe(hex(utf8('begun')));
  });
});

describe('withFunnel', () => {
  interface User {
    readonly name: string;
    readonly age: number;
  }
  const user = funnel<User>((value, sink) => void sink.prefixedString(value.name).int32(value.age));
  const people = Array.from({ length: 600 }, (_, i): User => ({ name: `n${i}`, age: i % 90 }));

  test('is the same filter with typed keys', () => {
    const filter = new BloomFilter({ capacity: 2000 });
    const users = withFunnel(filter, user);
    expect(users.add(people[0] as User)).toBe(true);
    expect(users.add(people[0] as User)).toBe(false);
    expect(users.has({ name: 'n0', age: 0 })).toBe(true);
    expect(users.has({ name: 'n0', age: 1 })).toBe(false);
    expect(filter.has(user(people[0] as User))).toBe(true);
    const fresh = users.addMany(people.slice(1));
    expect(filter.count).toBe(fresh + 1);
    expect(users.hasMany(people)).toEqual(new Uint8Array(600).fill(1));
    expect(users.hasMany(new Set(people.slice(0, 3)))).toEqual(Uint8Array.of(1, 1, 1));
    const twin = new BloomFilter({ capacity: 2000 });
    twin.addMany(people.map(user));
    expect(filter.toBytes()).toEqual(twin.toBytes());
  });

  test('passes errors on, with the index', () => {
    const users = withFunnel(new BloomFilter({ capacity: 10 }), user);
    const mixed = [...people.slice(0, 3), { name: '\ud800', age: 1 }];
    expect(expectCode(() => users.addMany(mixed), 'INVALID_KEY').index).toBe(3);
    for (const wrong of [undefined, null, 5, {}, 'x']) {
      thrownBy(() => withFunnel(wrong as unknown as BloomFilter, user));
      thrownBy(() => withFunnel(new BloomFilter({ capacity: 1 }), wrong as unknown as typeof user));
    }
  });

  test('after dispose it is as the filter is', () => {
    const filter = new BloomFilter({ capacity: 10 });
    const users = withFunnel(filter, user);
    filter.dispose();
    expectCode(() => users.has(people[0] as User), 'DISPOSED');
    expectCode(() => users.add(people[0] as User), 'DISPOSED');
  });
});

test('a filter that deletes does so by values, another has no delete', () => {
  const byId = funnel<number>((id, sink) => sink.int32(id));
  const online = withFunnel(new CuckooFilter({ capacity: 10 }), byId);
  online.add(7);
  expect(online.delete(8)).toBe(false);
  expect(online.delete(7)).toBe(true);
  expect(online.has(7)).toBe(false);
  const seen = withFunnel(new BloomFilter({ capacity: 10 }), byId);
  // @ts-expect-error a Bloom filter has none
  expect(seen.delete).toBeUndefined();
  online.addMany([1, 2, 3]);
  expect(online.deleteMany([1, 3, 9])).toBe(2);
  // @ts-expect-error nor that
  expect(seen.deleteMany).toBeUndefined();
});
