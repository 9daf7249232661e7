/** Static methods: on every class, on subclasses of users, and without their class. */

import { describe, expect, test } from '@jest/globals';
import { BloomFilter, CuckooFilter, RibbonFilter } from 'tamis';
import { UrlDelta, UrlList, UrlListBuilder } from 'tamis/url';

import { structureCases } from './classes.js';
import { expectSame } from './support/bytes.js';
import { expectOption, rejection } from './support/errors.js';

const perClass = [...new Map(structureCases.map((one) => [one.type, one])).values()];

describe.each(perClass.map((one) => [one.className, one] as const))('%s', (_name, one) => {
  const bytes = one.make(20).toBytes();

  test('a subclass is loaded and copied as itself, with its own fields', async () => {
    class Named extends (one.Class as unknown as typeof RibbonFilter) {
      readonly title = 'mine';
    }
    const loaded = Named.fromBytes(bytes, one.load) as Named;
    const streamed = await Named.fromStream(new Blob([bytes]).stream(), one.load);
    for (const made of [loaded, streamed as Named, loaded.clone()]) {
      expect(made).toBeInstanceOf(Named);
      expect([made.title, made.type, String(made)]).toEqual([
        'mine',
        one.type,
        one.type === 'bit-array' ? made.toString() : `[object ${one.className}]`,
      ]);
      expectSame(made.toBytes(), bytes);
    }
  });

  test('a subclass whose constructor makes another structure is refused', () => {
    class Other extends (one.Class as unknown as typeof CuckooFilter) {
      constructor() {
        super(5 as never);
      }
    }
    expect(() => Other.fromBytes(bytes, one.load)).toThrow(TypeError);
    class Failing extends (one.Class as unknown as typeof CuckooFilter) {
      constructor(options: never) {
        super(options);
        throw new RangeError('its own');
      }
    }
    expect(() => Failing.fromBytes(bytes, one.load)).toThrow('its own');
  });

  test.each(['fromBytes', 'fromStream'] as const)('%s without its class', async (name) => {
    const { [name]: method } = one.Class as unknown as Record<
      string,
      (...args: unknown[]) => unknown
    >;
    const error = await rejection((async () => method?.(bytes, one.load))());
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toContain('call static methods on a class');
  });
});

test('every other static method wants its class too', async () => {
  for (const Class of [BloomFilter, CuckooFilter, RibbonFilter]) {
    const { from, sizeFor } = Class as unknown as Record<string, (...args: unknown[]) => unknown>;
    expectOption(() => from?.(['a']), TypeError);
    expectOption(() => sizeFor?.({ capacity: 5 }), TypeError);
  }
  const { from, fromAsync, fromHashes } = RibbonFilter as unknown as Record<
    string,
    (...args: unknown[]) => unknown
  >;
  for (const absentKey of [undefined, null, {}, Array, () => {}, 'BloomFilter']) {
    expectOption(() => from?.call(absentKey, ['a']), TypeError);
    expectOption(() => fromHashes?.call(absentKey, new BigUint64Array(1)), TypeError);
    expect(await rejection(fromAsync?.call(absentKey, []) as Promise<unknown>)).toBeInstanceOf(
      TypeError,
    );
  }
});

test('subclasses are built as themselves', async () => {
  class Names extends RibbonFilter {}
  async function* keys() {
    yield 'a';
  }
  expect(Names.from(['a'])).toBeInstanceOf(Names);
  expect(await Names.fromAsync(keys())).toBeInstanceOf(Names);
  class Seen extends CuckooFilter {}
  const seen = Seen.from(['a', 'b']);
  expect(seen).toBeInstanceOf(Seen);
  expect(seen.emptyCopy()).toBeInstanceOf(Seen);
  expect(new Seen({ capacity: 5 }).add('a')).toBe(true);
});

test('what a constructor is handed makes one object, of its class', () => {
  const handed: never[] = [];
  class Keeper extends CuckooFilter {
    constructor(options: never) {
      handed.push(options);
      super(options);
    }
  }
  const loaded = Keeper.fromBytes(CuckooFilter.from(['a']).toBytes());
  const [options] = handed as [never];
  expectOption(() => new Keeper(options), TypeError);
  expectOption(() => new CuckooFilter(options), TypeError);
  expectOption(() => new BloomFilter(options), TypeError);
  expect(loaded.has('a')).toBe(true);
});

test('lists of URLs keep their rule in a subclass', () => {
  class Mine extends UrlList {}
  const older = new UrlListBuilder().addHosts(['evil.example']).build();
  const newer = new UrlListBuilder().addHosts(['evil.example', 'bad.example']).build();
  const list = Mine.fromBytes(older.toBytes());
  const next = list.apply(UrlDelta.fromBytes(newer.diff(older).toBytes()));
  for (const one of [list, list.clone(), next]) {
    expect(one).toBeInstanceOf(Mine);
    expect(one.check('http://evil.example/')).toBe('maybe');
  }
});
