/** missingFrom: the keys of one side that the other side lacks. */
import { describe, expect, test } from '@jest/globals';
import { BitArray, keysFromLines, missingFrom, type PackedKeys } from 'tamis';

import { filterCases, members, staticFilters } from './classes.js';
import { expectCode, expectOption } from './support/errors.js';
import { utf8 } from './support/keys.js';

const filters = [...filterCases, ...staticFilters];

describe.each(filters.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  const theirs = one.make(300);
  const mine = [...members(600).reverse(), '', 'caf\u00e9'];
  const lacking = mine.filter((key) => !theirs.has(key));

  test('of an array, a set or a generator, in its order', () => {
    expect(lacking.length).toBeGreaterThan(250);
    expect(missingFrom(theirs, mine)).toEqual(lacking);
    expect(missingFrom(theirs, new Set(mine))).toEqual(lacking);
    function* keys(): Generator<string> {
      yield* mine;
    }
    expect(missingFrom(theirs, keys())).toEqual(lacking);
    expect(missingFrom(theirs, mine.map(utf8)).map((key) => Buffer.from(key).toString())).toEqual(
      lacking,
    );
  });

  test('of packed keys, as views of their bytes', () => {
    const packed = keysFromLines(utf8(mine.join('\n')));
    const found = missingFrom(theirs, packed) as Uint8Array[];
    expect(found.map((key) => Buffer.from(key).toString())).toEqual(
      lacking.filter((key) => key !== ''),
    );
    for (const key of found) expect(key.buffer).toBe(packed.bytes.buffer);
  });

  test('never a key that is there', () => {
    expect(missingFrom(theirs, members(300))).toEqual([]);
    expect(missingFrom(theirs, [])).toEqual([]);
    expect(missingFrom(one.make(0), mine)).toEqual(mine);
  });
});

const filter = filterCases[0]?.make(3) as Parameters<typeof missingFrom>[0];

test('packed keys that lie scattered', () => {
  const bytes = utf8('member-0strangermember-1');
  const packed: PackedKeys = {
    bytes,
    starts: Uint32Array.of(8, 0, 16, 8),
    ends: Uint32Array.of(16, 8, 24, 8),
    length: 4,
  };
  const found = missingFrom(filter, packed) as Uint8Array[];
  expect(found.map((key) => Buffer.from(key).toString())).toEqual(['stranger', '']);
});

test('an iterator may use its buffer again', () => {
  function* reused(): Generator<Uint8Array> {
    const buffer = Buffer.alloc(1);
    for (const letter of 'abc') {
      buffer.write(letter);
      yield buffer;
    }
  }
  const found = missingFrom(filter, reused()) as Uint8Array[];
  expect(found.map((key) => Buffer.from(key).toString())).toEqual(['a', 'b', 'c']);
});

test('what is no filter, or no keys', () => {
  for (const wrong of [
    undefined,
    null,
    {},
    new Set(['a']),
    new BitArray(3),
    { hasMany: () => [] },
  ]) {
    expectOption(() => missingFrom(wrong as never, ['a']), TypeError);
  }
  expect(expectCode(() => missingFrom(filter, ['a', 5] as never), 'INVALID_KEY').index).toBe(1);
  for (const wrong of ['abc', new Uint8Array(3), 5, undefined, {}]) {
    expectCode(() => missingFrom(filter, wrong as never), 'INVALID_KEY');
  }
  filter.dispose();
  expectCode(() => missingFrom(filter, ['a']), 'DISPOSED');
});
