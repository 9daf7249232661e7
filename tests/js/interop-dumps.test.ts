/** Filters of other libraries: their answers, their bytes, and all methods of a filter of tamis. */
import { describe, expect, test } from '@jest/globals';
import { BlockedBloomFilter, BloomFilter, fromBytes, withFunnel } from 'tamis';
import * as interop from 'tamis/interop';
import * as schemes from 'tamis/schemes';

import { expectSame } from './support/bytes.js';
import { expectCode } from './support/errors.js';
import { answersOf, bytesOf, strings, textOf } from './support/interop.js';

const { dataSketches, encodings, goBloom, guava, parquet, spark } = interop;
const { keys, probes } = strings;
const size = { capacity: 3000, fpr: 0.01 };
const everyScheme = { schemes: Object.values(schemes) };

type Filter = BloomFilter | BlockedBloomFilter;

interface Row {
  readonly file: string;
  readonly answers: string;
  readonly scheme: string;
  readonly decode: (bytes: Uint8Array) => Filter;
  readonly encode: (filter: never) => Uint8Array<ArrayBuffer>;
  readonly create: () => Filter;
  /** Keys that the peer takes; DataSketches drops the empty one. */
  readonly keys?: readonly string[];
}

const rows: Row[] = [
  {
    ...guava,
    file: 'guava/strings-utf8.mitz32.bin',
    answers: 'guava/strings-utf8.mitz32.expected.txt',
    scheme: 'guava-32',
    create: () => guava.create({ ...size, strategy: 'mitz32' }),
  },
  {
    ...guava,
    file: 'guava/strings-utf8.mitz64.bin',
    answers: 'guava/strings-utf8.mitz64.expected.txt',
    scheme: 'guava64',
    create: () => guava.create(size),
  },
  {
    ...spark,
    file: 'spark/strings.v1.bin',
    answers: 'spark/strings.v1.expected.txt',
    scheme: 'spark-v1',
    create: () => spark.create(size),
  },
  {
    ...spark,
    file: 'spark/strings.v2.bin',
    answers: 'spark/strings.v2.expected.txt',
    scheme: 'spark-v2',
    create: () => spark.create({ ...size, version: 2 }),
  },
  {
    ...goBloom,
    file: 'go/strings.bin',
    answers: 'go/strings.expected.txt',
    scheme: 'go',
    create: () => goBloom.create(size),
  },
  {
    ...parquet,
    file: 'parquet/duckdb-strings.sbbf.bin',
    answers: 'parquet/duckdb-strings.expected.txt',
    scheme: 'parquet',
    create: () => parquet.create(size),
  },
  {
    ...dataSketches,
    file: 'data-sketches/strings.bin',
    answers: 'data-sketches/strings.expected.txt',
    scheme: 'datasketches',
    create: () => dataSketches.create({ ...size, seed: 123456789n }),
    keys: keys.filter((key) => key !== ''),
  },
];

describe.each(rows.map((row) => [row.file, row] as const))('%s', (_file, row) => {
  const { decode, encode, create, answers, scheme } = row;
  const bytes = bytesOf(row.file);
  const expected = answersOf(answers);
  const own = row.keys ?? keys;
  const read = () => decode(bytes);
  const write = (filter: Filter) => encode(filter as never);

  test('answers as its peer does, one by one and all at once', () => {
    expect(probes).toHaveLength(2000);
    const filter = read();
    expectSame(filter.hasMany(probes), expected);
    expectSame(
      Uint8Array.from(probes, (key) => (filter.has(key) ? 1 : 0)),
      expected,
    );
  });

  test('answers the same for bytes, and for an ArrayBuffer or a part of one', () => {
    const utf8 = probes.map((key) => new TextEncoder().encode(key));
    expectSame(read().hasMany(utf8), expected);
    expectSame(decode(bytes.buffer as never).hasMany(probes), expected);
    const room = new Uint8Array(bytes.length + 9);
    room.set(bytes, 3);
    expectSame(decode(room.subarray(3, -6)).hasMany(probes), expected);
  });

  test('is written again byte for byte', () => {
    const before = new Uint8Array(bytes);
    const filter = read();
    expectSame(write(filter), bytes);
    expectSame(write(filter.clone()), bytes);
    expectSame(bytes, before);
  });

  test('is what tamis makes of the same keys', () => {
    const filter = create();
    expect(filter.count).toBe(0);
    filter.addMany(own);
    expectSame(write(filter), bytes);
    const one = create();
    for (const key of own) one.add(key);
    expectSame(write(one), bytes);
  });

  test('goes through a file of tamis and back', () => {
    const filter = read();
    const file = filter.toBytes();
    const again = fromBytes(file, everyScheme) as Filter;
    expect([again.type, again.scheme]).toEqual([filter.type, scheme]);
    expectSame(again.toBytes(), file);
    expectSame(again.hasMany(probes), expected);
    expectSame(write(again), bytes);
    again.validate();
    const load = () =>
      filter.type === 'bloom' ? BloomFilter.fromBytes(file) : BlockedBloomFilter.fromBytes(file);
    expect(expectCode(load, 'UNSUPPORTED').message).toContain("from 'tamis/schemes'");
  });

  test('has the figures of its bits', () => {
    const filter = read();
    expect(filter.scheme).toBe(scheme);
    // Within 2 % of the 3,000 keys that are in.
    expect(Math.abs(filter.count - 3000)).toBeLessThan(60);
    if (filter instanceof BloomFilter) {
      expect(Math.abs(filter.estimateCount() - filter.count)).toBeLessThanOrEqual(0.5);
      expect(filter.capacity).toBe(Math.floor((filter.bits * Math.LN2) / filter.hashes));
    }
    expect(filter.estimatedFpr).toBeGreaterThan(0.005);
    expect(filter.estimatedFpr).toBeLessThan(0.02);
  });

  test('takes keys, merges, and is cloned, cleared and disposed of', () => {
    const filter = read();
    const absent = probes.filter((key, i) => key !== '' && expected[i] === 0);
    const copy = filter.clone();
    expect(filter.add(absent[0] as string)).toBe(true);
    expect(filter.add(absent[0] as string)).toBe(false);
    expect(filter.has(absent[0] as string)).toBe(true);
    expect(copy.has(absent[0] as string)).toBe(false);

    const other = create();
    other.addMany(absent.slice(1, 100));
    const merged = copy.clone();
    merged.merge(other as never);
    expect(merged.hasMany(absent.slice(1, 100)).every((answer) => answer === 1)).toBe(true);
    expect(merged.hasMany(own).every((answer) => answer === 1)).toBe(true);
    const empty = filter.emptyCopy();
    empty.merge(copy as never);
    expectSame(write(empty), bytes);
    filter.clear();
    expect(filter.count).toBe(0);
    expect(filter.hasMany(own).some((answer) => answer === 1)).toBe(false);
    filter.dispose();
    expectCode(() => write(filter), 'DISPOSED');
  });

  test('has no hashes of its own: those of hashKeys would miss keys', () => {
    const filter = read();
    const error = expectCode(() => filter.hasHashes(new BigUint64Array(1)), 'UNSUPPORTED');
    expect(error.message).toBe('the scheme needs the keys, not hashes');
    expectCode(() => filter.addHashes(new BigUint64Array(1)), 'UNSUPPORTED');
  });
});

describe('Spark', () => {
  test('merges the parts that executors made', () => {
    const [one, other] = [0, 1].map((i) => spark.decode(bytesOf(`spark/strings.v1.part${i}.bin`)));
    expect([one, other].map((part) => part?.hasMany(keys).indexOf(0))).toEqual([1500, 0]);
    expectSame(
      spark.encode((one as BloomFilter).merge(other as BloomFilter)),
      bytesOf('spark/strings.v1.bin'),
    );
  });

  test.each([
    ['golden-spark-testsuite.v1.bin', 'spark-v1', 0n],
    ['longs.v2.bin', 'spark-v2', 2n ** 32n - 7n],
  ])('%s: longs, and the seed', (file, scheme, seed) => {
    const bytes = bytesOf(`spark/${file}`);
    const filter = spark.decode(bytes);
    expect([filter.scheme, filter.seed, filter.bits]).toEqual([scheme, seed, 192]);
    const longs = Array.from({ length: 35 }, (_, i) => BigInt(i + 1));
    const typed = withFunnel(filter, encodings.long);
    expect(typed.hasMany(longs).every((answer) => answer === 1)).toBe(true);
    const made = filter.emptyCopy();
    withFunnel(made, encodings.long).addMany(longs);
    expectSame(spark.encode(made), bytes);
  });

  test('writes the seed of version 2', () => {
    for (const seed of [0, 1, -1, 12345, -(2 ** 31), 2 ** 31 - 1]) {
      const filter = spark.create({ ...size, version: 2, seed });
      const bytes = spark.encode(filter);
      expect(new DataView(bytes.buffer).getInt32(8)).toBe(seed);
      expect(spark.decode(bytes).seed).toBe(BigInt.asUintN(32, BigInt(seed)));
    }
  });
});

describe('Go', () => {
  const text = textOf('go/strings.json').trim();

  test('reads and writes the text of MarshalJSON', () => {
    const filter = goBloom.decode(text);
    expectSame(filter.hasMany(probes), answersOf('go/strings.expected.txt'));
    expect(goBloom.encode(filter, { json: true })).toBe(text);
    expectSame(goBloom.encode(filter), bytesOf('go/strings.bin'));
    expect(goBloom.encode(goBloom.decode(bytesOf('go/strings.bin')), { json: true })).toBe(text);
  });

  test('keeps the alphabet of base64', () => {
    const other = text.replaceAll('-', '+').replaceAll('_', '/');
    expect(other).not.toBe(text);
    expect(goBloom.encode(goBloom.decode(other), { json: true })).toBe(other);
  });

  test('keeps a bitset of whole words, as FromWithM makes it', () => {
    const filter = goBloom.create({ capacity: 10, fpr: 0.1 });
    filter.add('alice');
    const bytes = goBloom.encode(filter);
    expect(filter.bits % 64).not.toBe(0);
    new DataView(bytes.buffer).setBigUint64(16, BigInt(64 * Math.ceil(filter.bits / 64)));
    const again = goBloom.decode(bytes);
    expect([again.bits, again.has('alice')]).toEqual([filter.bits, true]);
    expectSame(goBloom.encode(again), bytes);
  });
});

describe('DataSketches', () => {
  const empty = bytesOf('data-sketches/empty.bin');

  test('reads and writes an empty filter, which has no array', () => {
    const filter = dataSketches.decode(empty);
    expect([filter.count, filter.bits, filter.seed]).toEqual([0, 28_800, 123456789n]);
    expectSame(dataSketches.encode(filter), empty);
    filter.addMany(keys.slice(1));
    expectSame(dataSketches.encode(filter), bytesOf('data-sketches/strings.bin'));
  });

  test('never has the empty key', () => {
    const filter = dataSketches.decode(bytesOf('data-sketches/strings.bin'));
    expect(filter.has('')).toBe(false);
    expect(Array.from(filter.hasMany(['', keys[1] as string]))).toEqual([0, 1]);
    expectCode(() => filter.add(''), 'INVALID_KEY');
  });

  test('keeps a count of set bits where the file has one', () => {
    const bytes = bytesOf('data-sketches/strings.bin');
    const filter = dataSketches.decode(bytes);
    const counted = new Uint8Array(bytes);
    const setBits = BigInt(Math.round(filter.fillRatio * filter.bits));
    new DataView(counted.buffer).setBigInt64(24, setBits, true);
    const again = dataSketches.decode(counted);
    expectSame(dataSketches.encode(again), counted);
    again.add('one more');
    const view = new DataView(dataSketches.encode(again).buffer);
    expect(view.getBigInt64(24, true)).toBeGreaterThan(setBits);
  });

  test('keeps an array without a set bit, counted or not', () => {
    const whole = new Uint8Array(32 + 64);
    whole.set(empty);
    whole.set([4, 1, 21, 0]);
    whole.set([8], 16);
    whole[17] = 0;
    for (const setBits of [0n, -1n]) {
      new DataView(whole.buffer).setBigInt64(24, setBits, true);
      const filter = dataSketches.decode(whole);
      expect([filter.bits, filter.count]).toEqual([512, 0]);
      expectSame(dataSketches.encode(filter), whole);
    }
  });
});

test('Parquet: another order of the fields of the header is kept', () => {
  const bytes = bytesOf('parquet/duckdb-strings.sbbf.bin');
  // The choices first, with ids written out: 2, 3, 4, then 1.
  const header = [0x2c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x05, 2, 0x80, 0x40, 0];
  const other = Uint8Array.from([...header, ...bytes.subarray(16)]);
  const filter = parquet.decode(other);
  expectSame(filter.hasMany(probes), answersOf('parquet/duckdb-strings.expected.txt'));
  expectSame(parquet.encode(filter), other);
  expectSame(parquet.encode(filter.clone()), bytes);
});

test('every codec is frozen, and says its name', () => {
  const { encodings: _, ForeignFilter: __, ...codecs } = interop as Record<string, unknown>;
  const names = Object.values(codecs).map((codec) => (codec as { name: string }).name);
  expect(Object.values(codecs).every(Object.isFrozen)).toBe(true);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(
    expect.arrayContaining(['guava', 'go', 'spark', 'parquet', 'datasketches', 'redis-bitmap']),
  );
});
