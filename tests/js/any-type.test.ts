/** Bytes of any type, and of a list of types, by the same names in both entries. */
import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import * as read from 'tamis/read';
import { UrlList, UrlListBuilder } from 'tamis/url';

import { KEY, structureCases } from './classes.js';
import { classesOf } from './support/all-classes.mjs';
import { expectCode, expectOption, rejection } from './support/errors.js';

const ribbon = tamis.RibbonFilter.from(['ant', 'bee'], { fpr: 1e-6 });
const bits = new tamis.BitArray(9).set(3);
const table = new tamis.InvertibleBloomTable({ differences: 5, keyBytes: 4 });
const list = new UrlListBuilder().addHosts(['evil.example']).build();
const streamOf = (bytes: Uint8Array<ArrayBuffer>) => new Blob([bytes]).stream();
/** The header of a structure, then nothing: a download that hangs. */
const hanging = (bytes: Uint8Array) =>
  new ReadableStream<Uint8Array>({ start: (to) => to.enqueue(bytes.subarray(0, 64)) });

describe('any type', () => {
  const keyless = ['BitArray', 'InvertibleBloomTable'];
  const filters = structureCases.filter(({ className }) => !keyless.includes(className));

  test('every filter of tamis is loaded as itself, and can be asked for keys', async () => {
    const classes = new Set<unknown>();
    for (const { make, load } of filters) {
      const bytes = make(50).toBytes();
      for (const loaded of [
        tamis.fromBytes(bytes, load),
        await tamis.fromStream(streamOf(bytes), load),
      ]) {
        classes.add(loaded.constructor);
        expect(loaded.toBytes()).toEqual(bytes);
        expect(loaded.hasMany(['\0no key\0'])).toHaveLength(1);
      }
    }
    // All but the two without keys.
    expect(classes.size).toBe(classesOf(tamis).length - 2);
  });

  test('what has no keys is refused, with its loader, as soon as the header is there', async () => {
    const loaders = [
      [bits, 'bit-array: load them with BitArray.fromBytes'],
      [table, 'iblt: load them with InvertibleBloomTable.fromBytes'],
      [list, "url-list: load them with UrlList.fromBytes of 'tamis/url'"],
    ] as const;
    for (const [structure, loader] of loaders) {
      const bytes = structure.toBytes();
      const { message } = expectCode(() => tamis.fromBytes(bytes), 'WRONG_TYPE');
      expect(message).toBe(`the bytes have the type ${loader}`);
      const streamed = await rejection(tamis.fromStream(hanging(bytes)));
      expect([streamed.code, streamed.message]).toEqual(['ERR_TAMIS_WRONG_TYPE', message]);
    }
  });

  test('a key set is what both entries give, and it can be a member of a funnel', () => {
    const bytes = ribbon.toBytes();
    const sets: tamis.KeySet[] = [tamis.fromBytes(bytes), read.fromBytes(bytes)];
    for (const set of sets) {
      expect([set.type, set.count, set.has('ant'), set.has('cow')]).toEqual([
        'ribbon',
        2,
        true,
        false,
      ]);
      const upper = tamis.withFunnel(
        set,
        tamis.funnel((name: string, sink) => sink.string(name.toLowerCase())),
      );
      expect([...upper.hasMany(['ANT', 'COW'])]).toEqual([1, 0]);
      set.dispose();
      expectCode(() => set.has('ant'), 'DISPOSED');
    }
  });

  test('a structure without keys has no look-up that throws', () => {
    expect('hasMany' in bits || 'hasMany' in table || 'has' in table).toBe(false);
  });
});

describe('the classes of a list', () => {
  const { BloomFilter, BitArray, RibbonFilter } = tamis;

  test('each type is loaded by its class, also one that looks up no keys', async () => {
    const classes = [BloomFilter, BitArray, RibbonFilter] as const;
    for (const one of [ribbon, bits]) {
      const loaded = tamis.fromBytesOf(classes, one.toBytes());
      const streamed = await tamis.fromStreamOf(classes, streamOf(one.toBytes()));
      for (const same of [loaded, streamed]) {
        expect(same).toBeInstanceOf(one.constructor);
        expect(same.toBytes()).toEqual(one.toBytes());
      }
    }
    const urls = tamis.fromBytesOf([BloomFilter, UrlList], list.toBytes());
    expect(urls.type === 'url-list' && urls.check('https://evil.example/')).toBe('maybe');
  });

  test('a subclass is loaded as itself', () => {
    class Names extends RibbonFilter {}
    expect(tamis.fromBytesOf([Names], ribbon.toBytes())).toBeInstanceOf(Names);
  });

  test('another type is refused as soon as the header is there', async () => {
    const { message } = expectCode(
      () => tamis.fromBytesOf([BloomFilter], ribbon.toBytes()),
      'WRONG_TYPE',
    );
    expect(message).toBe('the bytes have the type ribbon: no class that you passed loads it');
    expectCode(() => tamis.fromBytesOf([], ribbon.toBytes()), 'WRONG_TYPE');
    const streamed = await rejection(tamis.fromStreamOf([BloomFilter], hanging(ribbon.toBytes())));
    expect(streamed.message).toBe(message);
  });

  test('the options are those of a class', () => {
    const keyed = RibbonFilter.from(['ant'], { secret: KEY }).toBytes();
    expect(tamis.fromBytesOf([RibbonFilter], keyed, { secret: KEY }).has('ant')).toBe(true);
    expectCode(() => tamis.fromBytesOf([RibbonFilter], keyed), 'KEY_REQUIRED');
    const wrong = () => tamis.fromBytesOf([RibbonFilter], keyed, { keys: KEY } as never);
    expect(expectOption(wrong, TypeError).message).toMatch(/^fromBytesOf: /);
  });

  test('a list that is none is a wrong argument, before the bytes are looked at', async () => {
    const others = [
      undefined,
      null,
      {},
      'x',
      1,
      RibbonFilter,
      ribbon.toBytes(),
      [undefined],
      [Map],
    ];
    for (const classes of [...others, [read.RibbonFilter]]) {
      const of = classes as never;
      const { message } = expectOption(() => tamis.fromBytesOf(of, 'x' as never), TypeError);
      expect(message).toMatch(/^fromBytesOf: classes must be /);
      const streamed = await rejection(tamis.fromStreamOf(of, 'x' as never));
      expect(streamed.message).toMatch(/^fromStreamOf: classes must be /);
    }
  });
});
