/** The reader of messages: repeated values, skipped fields, refused input. */
import { describe, expect, test } from '@jest/globals';
import { readHashLists, readSearch } from '../../js/src/safe-browsing/messages.js';
import { expectCode, isDocumented } from './support/errors.js';
import { fc } from './support/fast-check.js';
import { field, listMessage, riceField } from './support/safe-browsing.js';
import { hex } from './support/url-publisher.js';

const read = (...bytes: (readonly number[])[]) => {
  const [list] = readHashLists(Uint8Array.from(field(1, bytes.flat())));
  return list as ReturnType<typeof readHashLists>[0];
};
const search = (...bytes: (readonly number[])[]) => readSearch(Uint8Array.from(bytes.flat()));

/** Integers in many bytes. */
const long = (value: number, length: number) => [
  ...Array.from({ length: length - 1 }, (_, i) => ((value >> Math.min(7 * i, 31)) & 127) | 128),
  0,
];

describe('a list', () => {
  test('of nothing has nothing', () => {
    expect(read()).toEqual({
      name: '',
      version: new Uint8Array(),
      isPartial: false,
      additions: undefined,
      removals: undefined,
      waitMs: 0,
      sha256: undefined,
    });
    expect(readHashLists(new Uint8Array())).toEqual([]);
  });

  test.each([4, 8, 16, 32])('has additions of %i bytes', (width) => {
    const prefixes = ['01', '7f', 'ff'].map((start) => start + 'ab'.repeat(width - 1));
    const list = read(
      listMessage({
        name: 'se-4b',
        version: 'cafe',
        isPartial: true,
        additions: prefixes,
        removals: [0, 7],
        waitSeconds: 5,
        sha256: 'aa'.repeat(32),
      }),
    );
    expect(list).toMatchObject({ name: 'se-4b', isPartial: true, waitMs: 5000 });
    expect([list.version, list.sha256].map((one) => hex(one as Uint8Array))).toEqual([
      'cafe',
      'aa'.repeat(32),
    ]);
    expect(list.additions).toMatchObject({ prefixBytes: width, deltas: { entriesCount: 2 } });
    expect(hex(list.additions?.deltas.firstValue as Uint8Array)).toBe(prefixes[0]);
    expect(list.removals).toMatchObject({ entriesCount: 1, firstValue: new Uint8Array(4) });
  });

  test('the last of several values counts, and messages are merged', () => {
    const twice = read(
      field(1, [97]),
      field(1, [98]),
      field(6, field(1, 5)),
      field(6, field(2, 7e6)),
    );
    expect(twice).toMatchObject({ name: 'b', waitMs: 5007 });
    const merged = read(field(4, field(1, 9)), field(4, field(3, 2)));
    expect(merged.additions?.deltas).toMatchObject({ entriesCount: 2 });
    expect(merged.additions?.deltas.firstValue).toEqual(Uint8Array.of(0, 0, 0, 9));
    // Additions of another width replace the first ones completely.
    const other = read(field(4, field(1, 9)), field(9, field(2, 40)), field(4, field(3, 2)));
    expect(other.additions).toMatchObject({ prefixBytes: 4 });
    expect(other.additions?.deltas.firstValue).toEqual(new Uint8Array(4));
  });

  test('fields that are unknown, or known with another wire type, are skipped', () => {
    const unknown = [
      ...field(99, 7),
      ...field(99, [1, 2]),
      ...[0x0d, 1, 2, 3, 4],
      ...[0x09, 1, 2, 3, 4, 5, 6, 7, 8],
    ];
    expect(read(unknown, field(1, 7), field(3, [1]))).toEqual(read());
  });

  test('integers of up to ten bytes are read, and what more bits they have is dropped', () => {
    expect(read([24, ...long(1, 10)]).isPartial).toBe(true);
    expect(read(field(6, [8, ...Array(9).fill(255), 1])).waitMs).toBe(-1000);
    expect(read(field(4, [8, 255, 255, 255, 255, 127])).additions?.deltas.firstValue).toEqual(
      Uint8Array.of(255, 255, 255, 255),
    );
    expectCode(() => read([24, ...long(1, 11)]), 'CORRUPT');
    expectCode(() => read([...long(24, 6), 1]), 'CORRUPT');
  });

  test.each<[string, readonly number[]]>([
    ['a group', [0x0b, 0x0c]],
    ['the end of a group', [0x0c]],
    ['wire type 6', [0x0e]],
    ['wire type 7', [0x0f]],
    ['field 0', [0x02, 0]],
    ['a length past the end', [0x0a, 2, 97]],
    ['a length of 2^63', [0x0a, ...Array(9).fill(255), 127]],
    ['an integer that is cut', [0x18, 0x80]],
    ['eight bytes that are cut', [0x09, 1, 2, 3]],
    ['four bytes that are cut', [0x0d, 1]],
    ['a name that is no UTF-8', [0x0a, 1, 0xff]],
    ['a surrogate in the name', [0x0a, 3, 0xed, 0xa0, 0x80]],
  ])('%s is refused', (_, bytes) => {
    expectCode(() => read(bytes), 'CORRUPT');
  });

  const repeated = (count: number, ...bytes: number[]) => Array(count).fill(bytes).flat();
  const lists = (bytes: readonly number[]) => readHashLists(Uint8Array.from(bytes));
  test.each<[string, (count: number) => unknown, number]>([
    ['lists', (count) => lists(repeated(count, 10, 0)), 0],
    ['unknown fields', (count) => lists(repeated(count, 120, 1)), 0],
    ['fields of four bytes', (count) => lists(repeated(count, 125, 1, 2, 3, 4)), 0],
    ['fields of a list', (count) => read(repeated(count, 34, 0)), 1],
    // Each list and its field count.
    ['fields of all lists', (count) => lists(repeated(count / 2, 10, 2, 24, 1)), 0],
    ['fields of additions', (count) => read(field(4, repeated(count, 24, 1))), 2],
    ['numbers in metadata', (count) => read(field(8, field(1, repeated(count, 1)))), 3],
    ['hashes', (count) => search(repeated(count, 10, 0)), 0],
    ['details', (count) => search(field(1, repeated(count, 18, 0))), 1],
    ['attributes', (count) => search(field(1, field(2, repeated(count, 16, 2)))), 2],
    ['packed attributes', (count) => search(field(1, field(2, field(2, repeated(count, 2))))), 3],
  ])('more than 16,384 fields in all are refused: %s', (_, act, outer) => {
    const most = 16_384 - outer;
    act(most);
    act(most);
    expectCode(() => act(most + 2), 'CORRUPT');
  });
});

test('a search has hashes, threats, attributes in one field or in many, and how long it holds', () => {
  const hash = Array(32).fill(7);
  const details = [field(1, 2), field(2, [1, 2]), field(2, 3)].flat();
  const found = search(
    field(1, [...field(1, hash), ...field(2, details), ...field(2, [])]),
    field(2, field(1, 300)),
  );
  expect(found).toEqual({
    hashes: [
      {
        hash: Uint8Array.from(hash),
        details: [
          { threat: 2, attributes: [1, 2, 3] },
          { threat: 0, attributes: [] },
        ],
      },
    ],
    cacheMs: 300_000,
  });
  expect(search()).toEqual({ hashes: [], cacheMs: undefined });
  expect(search(field(2, []))).toEqual({ hashes: [], cacheMs: 0 });
});

test('any bytes are read, or refused by CORRUPT', () => {
  const good = Uint8Array.from(
    field(1, [
      ...field(1, [97]),
      ...field(4, riceField(['00000001', '00000009'])),
      ...field(6, field(1, 9)),
    ]),
  );
  const spoiled = fc
    .array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 4 })
    .map((changes) => {
      const bytes = good.slice();
      for (const [at, value] of changes) bytes[at] = value;
      return bytes;
    });
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 200 }), spoiled);
  fc.assert(
    fc.property(bytes, fc.nat(), (all, end) => {
      for (const act of [readHashLists, readSearch]) {
        try {
          act(all.subarray(0, end % (all.length + 1)));
        } catch (error) {
          expect(isDocumented(error) && error.code).toBe('ERR_TAMIS_CORRUPT');
        }
      }
    }),
    { numRuns: 3000 },
  );
});
