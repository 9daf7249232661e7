/** Bad files: each kind of damage has its code, and no memory is allocated for a false size. */
import { describe, expect, test } from '@jest/globals';
import { BlockedBloomFilter, BloomFilter, CuckooFilter } from 'tamis';
import { dataSketches, goBloom, guava, parquet, redisBitmap, spark } from 'tamis/interop';
import { guava64 } from 'tamis/schemes';

import { type Code, expectCode } from './support/errors.js';
import { bytesOf, changed, joined, textOf } from './support/interop.js';

interface Limit {
  readonly maxBytes?: number;
}
type Change = (view: DataView, bytes: Uint8Array) => void;
type Mutation = readonly [name: string, change: Change, code: Code, says?: RegExp];

const set =
  (at: number, ...values: number[]): Change =>
  (_, bytes) =>
    bytes.set(values, at);
const i32 =
  (at: number, value: number): Change =>
  (view) =>
    view.setInt32(at, value);
const u64 =
  (at: number, value: bigint): Change =>
  (view) =>
    view.setBigUint64(at, BigInt.asUintN(64, value));
const u32le =
  (at: number, value: number): Change =>
  (view) =>
    view.setUint32(at, value, true);
const clearFrom =
  (at: number): Change =>
  (_, bytes) =>
    bytes.fill(0, at);

const all =
  (...changes: Change[]): Change =>
  (view, bytes) => {
    for (const change of changes) change(view, bytes);
  };

interface Format {
  readonly name: string;
  readonly file: string;
  readonly headerBytes: number;
  readonly decode: (bytes: Uint8Array, options?: Limit) => { dispose(): void };
  readonly mutations: readonly Mutation[];
}

const words = 450;
const javaWords = (at: number): Mutation[] => [
  ['no words', i32(at, 0), 'CORRUPT', /0 words/],
  ['fewer than no words', i32(at, -1), 'CORRUPT'],
  ['the least number of words', i32(at, -(2 ** 31)), 'CORRUPT'],
  ['one word less', i32(at, words - 1), 'CORRUPT', /8 bytes too many/],
  ['one word more', i32(at, words + 1), 'TRUNCATED'],
  ['a word alone', i32(at, 1), 'CORRUPT'],
  ['17 GB', i32(at, 2 ** 31 - 1), 'TOO_LARGE', /17179869/],
];

const formats: Format[] = [
  {
    ...guava,
    file: 'guava/strings-utf8.mitz64.bin',
    headerBytes: 6,
    mutations: [
      ['an unknown strategy', set(0, 2), 'UNSUPPORTED', /strategy 2/],
      ['a reserved strategy', set(0, 255), 'UNSUPPORTED'],
      ['what Java serialization writes', set(0, 0xac, 0xed, 0, 5), 'UNSUPPORTED', /writeTo/],
      ['no hash', set(1, 0), 'CORRUPT'],
      ['65 hashes', set(1, 65), 'UNSUPPORTED', /65 bits; tamis supports at most 64/],
      ['255 hashes', set(1, 255), 'UNSUPPORTED'],
      ...javaWords(2),
    ],
  },
  {
    ...spark,
    name: 'spark, version 1',
    file: 'spark/strings.v1.bin',
    headerBytes: 12,
    mutations: [
      ['version 0', i32(0, 0), 'UNSUPPORTED', /version 0/],
      ['version 3', i32(0, 3), 'UNSUPPORTED', /version 3/],
      ['the other byte order', u32le(0, 1), 'UNSUPPORTED'],
      ['version 2, whose seed is the words', i32(0, 2), 'CORRUPT'],
      ['what Java serialization writes', set(0, 0xac, 0xed, 0, 5), 'UNSUPPORTED', /writeTo/],
      ['no hash', i32(4, 0), 'CORRUPT'],
      ['fewer than no hashes', i32(4, -1), 'CORRUPT'],
      ['65 hashes', i32(4, 65), 'UNSUPPORTED', /65 bits/],
      ...javaWords(8),
    ],
  },
  {
    ...spark,
    name: 'spark, version 2',
    file: 'spark/strings.v2.bin',
    headerBytes: 16,
    mutations: [
      ['version 3', i32(0, 3), 'UNSUPPORTED'],
      ['version 1, whose words are the seed', i32(0, 1), 'CORRUPT'],
      ['a negative version', i32(0, -2), 'UNSUPPORTED'],
      ['no hash', i32(4, 0), 'CORRUPT'],
      ['fewer than no hashes', i32(4, -(2 ** 31)), 'CORRUPT'],
      ['65 hashes', i32(4, 65), 'UNSUPPORTED'],
      ...javaWords(12),
    ],
  },
  {
    ...goBloom,
    file: 'go/strings.bin',
    headerBytes: 24,
    mutations: [
      ['no bit', u64(0, 0n), 'CORRUPT'],
      ['one bit more', u64(0, 28_757n), 'CORRUPT', /bitset/],
      ['one bit less', u64(0, 28_755n), 'CORRUPT'],
      ['no hash', u64(8, 0n), 'CORRUPT'],
      ['65 hashes', u64(8, 65n), 'UNSUPPORTED'],
      ['2^63 hashes', u64(8, 2n ** 63n), 'UNSUPPORTED'],
      ['a bitset without a bit', u64(16, 0n), 'CORRUPT'],
      ['a bitset of one bit more', u64(16, 28_757n), 'CORRUPT'],
      ['a bitset of 2^64 - 1 bits', u64(16, -1n), 'CORRUPT'],
      ['a word more', all(u64(0, 28_801n), u64(16, 28_801n)), 'TRUNCATED'],
      ['a word less', all(u64(0, 28_736n), u64(16, 28_736n)), 'CORRUPT'],
      ['2^63 bits', all(u64(0, 2n ** 63n), u64(16, 2n ** 63n)), 'TOO_LARGE'],
      ['2^64 - 1 bits', all(u64(0, -1n), u64(16, -1n)), 'TOO_LARGE'],
      ['a bit behind the last', set(24 + 3592, 0x80), 'CORRUPT'],
    ],
  },
  {
    ...parquet,
    file: 'parquet/duckdb-strings.sbbf.bin',
    headerBytes: 16,
    mutations: [
      ['no bytes', set(1, 0x80, 0), 'CORRUPT'],
      ['a negative number of bytes', set(1, 0xff, 0x3f), 'CORRUPT'],
      ['half of the bytes', set(1, 0x80, 0x20), 'CORRUPT', /2048 bytes too many/],
      [
        'twice the bytes',
        set(1, 0x80, 0x80, 1, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0),
        'TRUNCATED',
      ],
      ['no whole block', set(1, 0x82, 0x40), 'CORRUPT', /4097 bytes/],
      [
        '2 GB',
        set(
          1,
          0xc0,
          0xff,
          0xff,
          0xff,
          0x0f,
          0x1c,
          0x1c,
          0,
          0,
          0x1c,
          0x1c,
          0,
          0,
          0x1c,
          0x1c,
          0,
          0,
          0,
        ),
        'TOO_LARGE',
        /2147483/,
      ],
      ['a number of 36 bits', set(1, 0xff, 0xff, 0xff, 0xff, 0xff, 1), 'CORRUPT'],
      ['a size of another type', set(0, 0x16), 'CORRUPT'],
      ['another algorithm', set(4, 0x2c), 'UNSUPPORTED', /algorithm/],
      ['another hash', set(8, 0x2c), 'UNSUPPORTED', /hash/],
      ['a compression', set(12, 0x2c), 'UNSUPPORTED', /compression/],
      ['a choice with a field', set(5, 0x15), 'CORRUPT'],
      ['a field that is new', set(3, 0x5c), 'UNSUPPORTED', /field 6/],
      ['a field twice', set(7, 0x0c, 4, 0x1c), 'CORRUPT'],
      ['no field', set(0, 0), 'CORRUPT', /lacks a field/],
      [
        'the header that was withdrawn',
        all(u32le(0, 4096), u32le(4, 0), u32le(8, 0)),
        'UNSUPPORTED',
        /withdrawn/,
      ],
    ],
  },
  {
    ...dataSketches,
    file: 'data-sketches/strings.bin',
    headerBytes: 32,
    mutations: [
      ['3 longs of preamble', set(0, 3), 'CORRUPT', /3 longs/],
      ['no preamble', set(0, 0), 'CORRUPT'],
      ['version 2', set(1, 2), 'UNSUPPORTED', /version 2/],
      ['another sketch', set(2, 7), 'UNSUPPORTED', /family 21 .* got 7/],
      ['a flag that is new', set(3, 1), 'UNSUPPORTED', /flags 1/],
      ['the flag of an empty filter', set(3, 4), 'CORRUPT'],
      ['an empty filter with an array', set(0, 3, 1, 21, 4), 'CORRUPT', /too many/],
      ['no hash', set(4, 0, 0), 'CORRUPT'],
      ['65 hashes', set(4, 65, 0), 'UNSUPPORTED'],
      ['65,535 hashes', set(4, 255, 255), 'UNSUPPORTED'],
      ['a field that is not used', set(6, 1), 'CORRUPT', /unused field/],
      ['the other field that is not used', set(23, 1), 'CORRUPT', /unused field/],
      ['no words', u32le(16, 0), 'CORRUPT'],
      ['one word less', u32le(16, words - 1), 'CORRUPT'],
      ['one word more', u32le(16, words + 1), 'TRUNCATED'],
      ['34 GB', u32le(16, 2 ** 32 - 1), 'TOO_LARGE', /34359738/],
      ['bits with a count of 0', set(24, 0, 0, 0, 0, 0, 0, 0, 0), 'CORRUPT', /states 0 set bits/],
      ['another count', set(24, 1, 0, 0, 0, 0, 0, 0, 0), 'CORRUPT'],
      ['a count below -1', set(24, 0xfe), 'CORRUPT', /-2 set bits/],
      [
        'a count without bits',
        all(set(24, 5, 0, 0, 0, 0, 0, 0, 0), clearFrom(32)),
        'CORRUPT',
        /5 set bits, but has 0/,
      ],
    ],
  },
];

describe.each(formats.map((format) => [format.name, format] as const))('%s', (_name, format) => {
  const { decode, mutations, headerBytes } = format;
  const bytes = bytesOf(format.file);

  test('the file itself is good', () => {
    decode(bytes).dispose();
    decode(bytes, { maxBytes: bytes.length }).dispose();
    expect(mutations.length).toBeGreaterThanOrEqual(13);
  });

  test.each(mutations)('%s', (_what, change, code, says = /./) => {
    const error = expectCode(() => decode(changed(bytes, change)), code);
    expect(error.message).toMatch(says);
    // The core, which looks at the bits, does not know the codec.
    const prefix = format.name.split(',')[0];
    expect(error.message).toMatch(new RegExp(`^(?:${prefix}: |the bytes are damaged)`));
  });

  test('every truncation is TRUNCATED', () => {
    for (let size = 0; size < bytes.length; size++) {
      expectCode(() => decode(bytes.subarray(0, size)), 'TRUNCATED');
    }
  });

  test('bytes behind the filter are CORRUPT', () => {
    for (const more of [1, 7, 8, 32, bytes.length]) {
      for (const fill of [0, 0xff]) {
        const longer = joined(bytes, new Uint8Array(more).fill(fill));
        expectCode(() => decode(longer), 'CORRUPT');
      }
    }
  });

  test('what is over the limit is TOO_LARGE, also where it is only claimed', () => {
    expectCode(() => decode(bytes, { maxBytes: bytes.length - 1 }), 'TOO_LARGE');
    expectCode(
      () => decode(bytes.subarray(0, headerBytes), { maxBytes: bytes.length - 1 }),
      'TOO_LARGE',
    );
    expectCode(
      () => decode(bytes.subarray(0, headerBytes), { maxBytes: bytes.length }),
      'TRUNCATED',
    );
  });

  test('no argument of another type is taken', () => {
    const others = [
      undefined,
      null,
      7,
      '',
      [],
      {},
      new Uint16Array(8),
      new DataView(new ArrayBuffer(8)),
    ];
    for (const other of format.name === 'go' ? others.filter((value) => value !== '') : others) {
      expect(expectCode(() => decode(other as never), 'INVALID_OPTION')).toBeInstanceOf(TypeError);
    }
    const gone = new Uint8Array(bytes);
    structuredClone(gone.buffer, { transfer: [gone.buffer] });
    expectCode(() => decode(gone), 'INVALID_OPTION');
    for (const options of [7, { max: 1 }, { maxBytes: 0 }, { maxBytes: '1' }, { maxBytes: 1.5 }]) {
      expectCode(() => decode(bytes, options as never), 'INVALID_OPTION');
    }
  });
});

test('six bytes of Guava that ask for 17 GB, whatever the limit', () => {
  const bytes = Uint8Array.of(1, 7, 0x7f, 0xff, 0xff, 0xff);
  expectCode(() => guava.decode(bytes), 'TOO_LARGE');
  expectCode(() => guava.decode(bytes, { maxBytes: Number.MAX_SAFE_INTEGER }), 'TRUNCATED');
});

test('an empty filter of DataSketches is bounded by what it stands for', () => {
  const empty = bytesOf('data-sketches/empty.bin');
  const huge = changed(empty, u32le(16, 2 ** 32 - 1));
  expectCode(() => dataSketches.decode(huge), 'TOO_LARGE');
  expectCode(() => dataSketches.decode(huge, { maxBytes: 2 ** 40 }), 'TOO_LARGE');
  expectCode(() => dataSketches.decode(joined(empty, new Uint8Array(8))), 'CORRUPT');
  for (let size = 0; size < empty.length; size++) {
    expectCode(() => dataSketches.decode(empty.subarray(0, size)), 'TRUNCATED');
  }
});

test("Guava's Java objects, and filters of Velox", () => {
  const object = bytesOf('guava/strings-utf8.small50.javaser.bin');
  expect(expectCode(() => guava.decode(object), 'UNSUPPORTED').message).toContain('writeTo');
  expect(expectCode(() => spark.decode(object), 'UNSUPPORTED').message).toContain('writeTo');
  for (const count of [0, 4, 64]) {
    const velox = new Uint8Array(5 + 8 * count);
    velox[0] = 1;
    new DataView(velox.buffer).setInt32(1, count, true);
    expect(expectCode(() => spark.decode(velox), 'UNSUPPORTED').message).toContain('Velox');
  }
});

describe('the text of Go', () => {
  const text = textOf('go/strings.json').trim();
  const parsed = JSON.parse(text) as { m: number; k: number; b: string };
  const edited = (change: Record<string, unknown>) => JSON.stringify({ ...parsed, ...change });

  test.each<[string, string, Code]>([
    ['no JSON', text.slice(0, -1), 'CORRUPT'],
    ['nothing', '', 'CORRUPT'],
    ['null', 'null', 'CORRUPT'],
    ['an array', '[]', 'CORRUPT'],
    ['a number', '7', 'CORRUPT'],
    ['no m', edited({ m: undefined }), 'CORRUPT'],
    ['m as text', edited({ m: '28756' }), 'CORRUPT'],
    ['no bit', edited({ m: 0 }), 'CORRUPT'],
    ['one bit more', edited({ m: 28_757 }), 'CORRUPT'],
    ['a negative m', edited({ m: -1 }), 'CORRUPT'],
    ['half a bit', edited({ m: 28_756.5 }), 'CORRUPT'],
    ['no hash', edited({ k: 0 }), 'CORRUPT'],
    ['65 hashes', edited({ k: 65 }), 'UNSUPPORTED'],
    ['no bitset', edited({ b: undefined }), 'CORRUPT'],
    ['a bitset that is no base64', edited({ b: `${parsed.b.slice(0, -4)}****` }), 'CORRUPT'],
    ['both alphabets', edited({ b: `-+${parsed.b.slice(2)}` }), 'CORRUPT'],
    ['a space', edited({ b: ` ${parsed.b.slice(1)}` }), 'CORRUPT'],
    ['no padding', edited({ b: parsed.b.slice(0, -1) }), 'CORRUPT'],
    ['bits that no byte has', edited({ b: `${parsed.b.slice(0, -2)}h=` }), 'CORRUPT'],
    ['a group less', edited({ b: parsed.b.slice(0, -4) }), 'TRUNCATED'],
    ['an empty bitset', edited({ b: '' }), 'TRUNCATED'],
  ])('%s', (_name, damaged, code) => {
    expectCode(() => goBloom.decode(damaged), code);
  });

  test('is bounded', () => {
    expectCode(() => goBloom.decode(text, { maxBytes: text.length - 1 }), 'TOO_LARGE');
    goBloom.decode(text, { maxBytes: text.length }).dispose();
  });
});

describe('a Redis bitmap', () => {
  const options = { bits: 1000, hashes: 7 };
  const bytes = redisBitmap.encode(BloomFilter.from(['alice'], options));

  test('is as long as its bits at most', () => {
    redisBitmap.decode(new Uint8Array(125).fill(0xff), options).dispose();
    expectCode(() => redisBitmap.decode(new Uint8Array(126), options), 'CORRUPT');
    expectCode(() => redisBitmap.decode(Uint8Array.of(0x08), { bits: 4, hashes: 1 }), 'CORRUPT');
    expectCode(() => redisBitmap.decode(bytes, { ...options, maxBytes: 124 }), 'TOO_LARGE');
    expectCode(() => redisBitmap.decode(bytes, { ...options, bits: 2 ** 40 }), 'TOO_LARGE');
  });

  test('needs what it does not say', () => {
    for (const wrong of [
      undefined,
      {},
      { bits: 1000 },
      { hashes: 7 },
      { ...options, bits: 0 },
      { ...options, hashes: 65 },
      { ...options, scheme: 'guava64' },
      { ...options, scheme: guava64 },
      { ...options, bits: 1024, scheme: guava64, seed: 1n },
      { ...options, seed: 0.5 },
    ]) {
      expectCode(() => redisBitmap.decode(bytes, wrong as never), 'INVALID_OPTION');
    }
  });

  test('of a keyed filter is refused: nobody could look up in it', () => {
    const key = new Uint8Array(16);
    const keyed = new BloomFilter({ ...options, secret: key });
    expect(expectCode(() => redisBitmap.encode(keyed), 'INCOMPATIBLE').message).toContain('keyed');
  });
});

describe('a filter that a format cannot hold', () => {
  const plain = new BloomFilter({ capacity: 10 });
  const foreign = {
    guava: guava.create({ capacity: 10, fpr: 0.1 }),
    spark: spark.create({ capacity: 10, fpr: 0.1 }),
    go: goBloom.create({ capacity: 10, fpr: 0.1 }),
    datasketches: dataSketches.create({ capacity: 10, fpr: 0.1 }),
    parquet: parquet.create({ capacity: 10, fpr: 0.1 }),
  };
  const codecs = [guava, spark, goBloom, dataSketches, parquet] as const;

  test.each(codecs.map((codec) => [codec.name, codec] as const))('%s', (name, { encode }) => {
    const write = encode as (filter: unknown) => Uint8Array;
    const error = expectCode(() => write(plain), 'INCOMPATIBLE');
    expect(error.message).toContain(name);
    if (name !== 'parquet') expect(error.message).toContain("the scheme 'mcg'");
    for (const [of, filter] of Object.entries(foreign)) {
      if (of === name) write(filter);
      else expectCode(() => write(filter), 'INCOMPATIBLE');
    }
    expectCode(() => write(CuckooFilter.from(['a'])), 'INCOMPATIBLE');
    const blocked = new BlockedBloomFilter({ capacity: 10 });
    expectCode(() => write(blocked), 'INCOMPATIBLE');
    for (const other of [undefined, null, 7, {}, new Uint8Array(9), BloomFilter]) {
      expect(expectCode(() => write(other), 'INVALID_OPTION')).toBeInstanceOf(TypeError);
    }
  });
});
