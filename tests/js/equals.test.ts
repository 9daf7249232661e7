/** equals: true for the same type, options, secret and content, in each class of each entry. */
import { deepStrictEqual } from 'node:assert';

import { describe, expect, test } from '@jest/globals';
import {
  BloomFilter,
  BloomierMap,
  CuckooFilter,
  fromBytes,
  InvertibleBloomTable,
  type Structure,
} from 'tamis';
import { goCuckoo } from 'tamis/interop';
import * as read from 'tamis/read';
import { UrlDelta, UrlList, UrlListBuilder } from 'tamis/url';

import { KEY, OTHER_KEY, structureCases } from './classes.js';
import { expectCode, expectOption } from './support/errors.js';

interface Comparable {
  equals(other: unknown): boolean;
}

/** Expects `one` and `other` to be equal, or not, from both sides. */
function compare(one: Comparable, other: Comparable, expected: boolean): void {
  expect([one.equals(other), other.equals(one)]).toEqual([expected, expected]);
}

const noStructures = [undefined, null, 7, 'filter', {}, [], new Uint8Array(80)];

describe.each(structureCases.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  const loaded = (structure: Structure) =>
    one.Class.fromBytes(structure.toBytes(), one.load) as unknown as Structure;

  test('equals itself, its clone, what is made alike and what is loaded', () => {
    const made = one.make(50);
    for (const same of [made, made.clone(), one.make(50), loaded(made)]) compare(made, same, true);
    compare(made, one.make(51), false);
    compare(one.make(0), one.make(0), true);
  });

  test('differs from each other case', () => {
    const made = one.make(20);
    for (const other of structureCases) {
      if (other !== one) compare(made, other.make(20), false);
    }
  });

  test('refuses what is no structure, and one that was disposed of', () => {
    const made = one.make(5);
    for (const wrong of [...noStructures, { ...made, toBytes: () => made.toBytes() }]) {
      expectOption(() => made.equals(wrong as never), TypeError);
    }
    const gone = one.make(5);
    gone.dispose();
    expectCode(() => made.equals(gone), 'DISPOSED');
    expectCode(() => gone.equals(made), 'DISPOSED');
  });
});

test('deepStrictEqual sees no difference, and equals does', () => {
  const [one, other] = [BloomFilter.from(['ant']), BloomFilter.from(['bee'])];
  deepStrictEqual(one, other);
  expect(one).toEqual(other);
  compare(one, other, false);
});

test('a difference of one option, of the secret or of one bit', () => {
  const make = (options: object) => {
    const filter = new BloomFilter({ capacity: 100, ...options });
    filter.addMany(['a', 'b']);
    return filter;
  };
  const keyed = { secret: KEY } as const;
  const all = [{}, { capacity: 101 }, { seed: 1n }, keyed, { secret: OTHER_KEY }].map(make);
  for (const one of all) for (const other of all) compare(one, other, one === other);
  const bits = new BloomFilter({ capacity: 100 });
  bits.addMany(['a', 'c']);
  compare(make({}), bits, false);
});

test('a subclass, and what fromBytes of any type gives', () => {
  class Named extends BloomFilter {
    readonly label = 'named';
  }
  const plain = BloomFilter.from(['ant'], { capacity: 9 });
  compare(Named.from(['ant'], { capacity: 9 }), plain, true);
  compare(fromBytes(plain.toBytes()) as BloomFilter, plain, true);
  const map = BloomierMap.from([['a', 1]], { valueBits: 8 });
  compare(map, BloomierMap.from([['a', 1]], { valueBits: 8 }), true);
  compare(map, BloomierMap.from([['a', 2]], { valueBits: 8 }), false);
  compare(map, new InvertibleBloomTable({ differences: 1, keyBytes: 8 }), false);
});

test('lists of URLs, and what changes them', () => {
  const listOf = (...hosts: string[]) => new UrlListBuilder().addHosts(hosts).build();
  const [one, other] = [listOf('evil.example'), listOf('evil.example', 'bad.example')];
  compare(one, UrlList.fromBytes(one.toBytes()), true);
  compare(one, other, false);
  const delta = other.diff(one);
  compare(delta, UrlDelta.fromBytes(delta.toBytes()), true);
  compare(delta, one.diff(other), false);
  compare(delta as unknown as Comparable, one, false);
  compare(one.apply(delta), other, true);
  expectOption(() => one.equals(new Uint8Array(8) as never), TypeError);
});

describe('tamis/read', () => {
  const bytes = CuckooFilter.from(['ant', 'bee']).toBytes();
  const open = () => read.CuckooFilter.fromBytes(bytes);

  test('the same bytes, and others', () => {
    compare(open(), open(), true);
    compare(open(), read.fromBytes(bytes) as unknown as Comparable, true);
    const others = [CuckooFilter.from(['ant', 'cat']), BloomFilter.from(['ant', 'bee'])];
    for (const other of others) {
      compare(open(), read.fromBytes(other.toBytes()) as unknown as Comparable, false);
    }
  });

  test('refuses what is no structure of this entry, and one that was disposed of', () => {
    const wrong = [...noStructures, CuckooFilter.fromBytes(bytes), { file: { bytes } }];
    for (const value of wrong) {
      expectOption(() => open().equals(value as never), TypeError);
    }
    expectOption(() => CuckooFilter.fromBytes(bytes).equals(open() as never), TypeError);
    const gone = open();
    gone.dispose();
    expectCode(() => gone.equals(open()), 'DISPOSED');
    expectCode(() => open().equals(gone), 'DISPOSED');
  });
});

describe('filters of other libraries', () => {
  const zeros = new Uint8Array(64);
  const some = Uint8Array.from(zeros).fill(132, 60);

  test('the same format, options and bytes, and others', () => {
    compare(goCuckoo.decode(zeros), goCuckoo.decode(zeros), true);
    compare(goCuckoo.decode(some), goCuckoo.decode(some), true);
    compare(goCuckoo.decode(zeros), goCuckoo.decode(some), false);
    compare(goCuckoo.decode(zeros), goCuckoo.decode(new Uint8Array(128)), false);
    // The same bytes by another rule give other answers.
    compare(goCuckoo.decode(some), goCuckoo.decode(some, { since: '2018-01' }), false);
  });

  test('differ from structures of tamis, and refuse what is no structure', () => {
    const bytes = BloomFilter.from(['ant'], { capacity: 300 }).toBytes();
    const padded = new Uint8Array(512);
    padded.set(bytes);
    compare(goCuckoo.decode(padded), BloomFilter.from(['ant']), false);
    for (const wrong of noStructures) {
      expectOption(() => goCuckoo.decode(zeros).equals(wrong as never), TypeError);
    }
    const gone = goCuckoo.decode(zeros);
    gone.dispose();
    expectCode(() => gone.equals(goCuckoo.decode(zeros)), 'DISPOSED');
    expectCode(() => goCuckoo.decode(zeros).equals(gone), 'DISPOSED');
  });
});
