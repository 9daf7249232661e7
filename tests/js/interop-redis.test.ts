/** RedisBloom's Bloom filters: dumps of Redis, chunks that LOADCHUNK takes, and bytes that are no such filter. */
import { describe, expect, test } from '@jest/globals';
import { BloomFilter } from 'tamis';
import { ForeignFilter, type LoadChunk, redisBloom } from 'tamis/interop';
import { redisbloom } from 'tamis/schemes';

import { expectSame } from './support/bytes.js';
import { type Code, expectCode } from './support/errors.js';
import { answersOf, bytesOf, changed, joined, strings } from './support/interop.js';
import { mutationCount, runMutations } from './support/mutations.js';
import { chunksOf, joinedOf, splitAt } from './support/redis-dumps.js';

const { keys, probes } = strings;
const one = chunksOf('bf-strings-1layer');
const four = chunksOf('bf-strings-4layers');
const cuckoo = chunksOf('cf-strings');

const decodeOne = (data: LoadChunk[] | Uint8Array) => redisBloom.decode(data) as BloomFilter;

describe.each([
  ['bf-strings-1layer', BloomFilter],
  ['bf-strings-nonscaling', BloomFilter],
  ['bf-strings-4layers', ForeignFilter],
] as const)('%s', (name, Class) => {
  const chunks = chunksOf(name);
  const answers = answersOf(`redisbloom/${name}.expected.txt`);

  test.each([
    ['chunks', chunks],
    ['chunks with text iterators', chunks.map(([at, bytes]) => [`${at}`, bytes] as const)],
    ['chunks with bigint iterators', chunks.map(([at, bytes]) => [BigInt(at), bytes] as const)],
    ['chunks to the end of SCANDUMP', [...chunks, [0, new Uint8Array(0)] as const]],
    ['buffers', chunks.map(([at, bytes]) => [at, bytes.buffer] as const)],
    ['all bytes', joinedOf(chunks)],
  ])('answers from %s as Redis does', (_how, data) => {
    const filter = redisBloom.decode(data);
    expect(filter).toBeInstanceOf(Class);
    expectSame(filter.hasMany(probes), answers);
    expectSame(
      Uint8Array.from(probes, (key) => (filter.has(key) ? 1 : 0)),
      answers,
    );
  });

  test('is written again byte for byte', () => {
    expect(redisBloom.encode(redisBloom.decode(chunks))).toEqual(chunks);
    expect(redisBloom.encode(redisBloom.decode(joinedOf(chunks)))).toEqual(chunks);
  });
});

test('one layer is what create makes of the same keys', () => {
  for (const [name, scaling] of [
    ['bf-strings-1layer', true],
    ['bf-strings-nonscaling', false],
  ] as const) {
    const filter = redisBloom.create({ capacity: 3000, fpr: 0.01, scaling });
    filter.addMany(keys);
    expect(redisBloom.encode(filter)).toEqual(chunksOf(name));
  }
});

test('the sixteen shards of a cluster hold 32,000 keys', () => {
  const all = bytesOf('distributed/redis-cluster-16shards.bin');
  // The keys of each. Redis counts none that it has already; false positives are rare at 0.1 %.
  const filters = [
    ...[1936, 1940, 2091, 1986, 2029, 2039, 1938, 2077],
    ...[1890, 2037, 2049, 1986, 2066, 1929, 1981, 2026],
  ].map((items, i) => {
    const filter = decodeOne(all.subarray(4033 * i, 4033 * (i + 1)));
    expect(items - filter.count).toBeGreaterThanOrEqual(0);
    expect(items - filter.count).toBeLessThan(5);
    return filter;
  });
  const users = Array.from({ length: 32_000 }, (_, i) => `user:${i}`);
  const found = new Uint8Array(users.length);
  for (const filter of filters) {
    filter.hasMany(users).forEach((answer, i) => {
      if (answer === 1) found[i] = 1;
    });
  }
  expect(found.every((answer) => answer === 1)).toBe(true);
});

test('rates and sizes are those of Redis to the last bit', () => {
  // Results of C's logarithm: -ln(error) / 0.480453013918201. The logarithm of an engine may differ.
  const headerOf = (fpr: number, scaling: boolean) =>
    new DataView(
      (redisBloom.encode(redisBloom.create({ capacity: 1000, fpr, scaling }))[0] as LoadChunk)[1]
        .buffer,
    );
  for (const [fpr, bitsPerKey] of [
    [0.01, 9.585058377367446],
    [0.0015, 13.53366506715475],
    [0.09, 5.0118232977966795],
  ] as const) {
    expect(headerOf(fpr, false).getFloat64(52, true)).toBe(bitsPerKey);
  }
  const view = headerOf(0.01, true);
  expect(view.getFloat64(44, true)).toBe(0.005);
  expect([view.getUint32(12, true), view.getUint32(16, true), view.getUint32(60, true)]).toEqual([
    5, 2, 8,
  ]);
});

test('create takes the words of BF.RESERVE', () => {
  const optionsOf = (options: object) => {
    const header = (
      redisBloom.encode(redisBloom.create({ capacity: 10, fpr: 0.01, ...options }))[0] as LoadChunk
    )[1];
    const view = new DataView(header.buffer);
    return [view.getUint32(12, true), view.getUint32(16, true)];
  };
  expect(optionsOf({})).toEqual([5, 2]);
  expect(optionsOf({ growth: 4 })).toEqual([5, 4]);
  expect(optionsOf({ scaling: false })).toEqual([13, 2]);
  expect(optionsOf({ growth: 0 })).toEqual([13, 0]);
  expectCode(
    () => redisBloom.create({ capacity: 10, fpr: 0.01, scaling: false, growth: 2 }),
    'INVALID_OPTION',
  );
  expectCode(() => redisBloom.create({ capacity: 10 } as never), 'INVALID_OPTION');
  expectCode(() => redisBloom.create({ capacity: 10, fpr: 0.01, growth: -1 }), 'INVALID_OPTION');
});

test('a decoded filter that got more keys says how many it has', () => {
  const filter = decodeOne(one);
  const fresh = filter.addMany(['one more', 'and another']);
  expect(fresh).toBe(2);
  const [[, header], [, table]] = redisBloom.encode(filter) as [LoadChunk, LoadChunk];
  const before = (one[0] as LoadChunk)[1];
  const expected = changed(before, (view) => {
    for (const at of [0, 36]) view.setBigUint64(at, BigInt(filter.count), true);
  });
  expectSame(header, expected);
  expect(table).not.toEqual((one[1] as LoadChunk)[1]);
  expect(
    decodeOne([
      [1, header],
      [1 + table.length, table],
    ]).has('one more'),
  ).toBe(true);
});

test('a filter that tamis sized has a header that LOADCHUNK takes', () => {
  for (const [bits, hashes] of [
    [8, 1],
    [1000, 7],
    [64, 64],
    [128, 3],
  ] as const) {
    const filter = new BloomFilter({ bits, hashes, scheme: redisbloom });
    filter.add('a');
    const chunks = redisBloom.encode(filter);
    const [[, header], [iterator, table]] = chunks as [LoadChunk, LoadChunk];
    const view = new DataView(header.buffer);
    expect([header.length, table.length, iterator]).toEqual([73, bits / 8, 1 + bits / 8]);
    expect(view.getUint32(12, true)).toBe(13);
    // biome-ignore lint/suspicious/noApproximativeNumericConstant: RedisBloom has no more digits
    expect(Math.ceil(0.693147180559945 * view.getFloat64(52, true))).toBe(hashes);
    const error = view.getFloat64(44, true);
    expect(error > 0 && error < 1).toBe(true);
    const again = decodeOne(chunks);
    expect([again.bits, again.hashes, again.count]).toEqual([bits, hashes, 1]);
    expect(redisBloom.encode(again)).toEqual(chunks);
  }
  const odd = new BloomFilter({ bits: 1001, hashes: 7, scheme: redisbloom });
  expect(expectCode(() => redisBloom.encode(odd), 'INCOMPATIBLE').message).toContain('got 1001');
  const other = new BloomFilter({ capacity: 10 });
  expect(expectCode(() => redisBloom.encode(other), 'INCOMPATIBLE').message).toContain("'mcg'");
});

test('chunks are of at most 16 MiB, and none has bytes of two layers', () => {
  const bits = 8 * (2 ** 24 + 24);
  const filter = new BloomFilter({ bits, hashes: 3, scheme: redisbloom });
  filter.addMany(['a', 'b', 'c']);
  const chunks = redisBloom.encode(filter);
  expect(chunks.map(([at, bytes]) => [at, bytes.length])).toEqual([
    [1, 73],
    [1 + 2 ** 24, 2 ** 24],
    [25 + 2 ** 24, 24],
  ]);
  const again = decodeOne(chunks);
  expectSame(again.hasMany(['a', 'b', 'c', 'd']), Uint8Array.of(1, 1, 1, 0));
  expect(redisBloom.encode(again).length).toBe(3);
  const layers = redisBloom.encode(redisBloom.decode(four));
  expect(layers.map(([, { length }]) => length)).toEqual([232, 352, 784, 1744, 3840]);
});

test('a layer of a power of two uses so many bits', () => {
  // n2: positions modulo 2^n2, of as many bits or more.
  const make = (log2: number, bytes: number) => {
    const filter = new BloomFilter({ bits: 2 ** log2, hashes: 3, scheme: redisbloom });
    filter.addMany(['a', 'b', 'c']);
    const like = new BloomFilter({ bits: 8 * bytes, hashes: 3, scheme: redisbloom });
    const header = changed((redisBloom.encode(like)[0] as LoadChunk)[1], (view) => {
      for (const at of [0, 36]) view.setBigUint64(at, BigInt(filter.count), true);
      view.setUint8(72, log2);
    });
    const table = new Uint8Array(bytes);
    table.set((redisBloom.encode(filter)[1] as LoadChunk)[1]);
    return {
      chunks: [
        [1, header],
        [1 + bytes, table],
      ] as LoadChunk[],
      table,
    };
  };
  const { chunks, table } = make(10, 200);
  const filter = decodeOne(chunks);
  expect(filter.bits).toBe(1024);
  expectSame(filter.hasMany(['a', 'b', 'c', 'd']), Uint8Array.of(1, 1, 1, 0));
  expect(redisBloom.encode(filter)).toEqual(chunks);
  table[199] = 1;
  expectCode(() => redisBloom.decode(chunks), 'CORRUPT');
});

test('a foreign filter lives and dies as the others', () => {
  const filter = redisBloom.decode(four) as ForeignFilter;
  expect(filter.format).toBe('redisbloom');
  expectSame(filter.toBytes(), joinedOf(four));
  expect(filter.sizeBytes).toBe(joinedOf(four).length);
  expect(JSON.parse(JSON.stringify(filter))).toEqual({
    type: 'foreign',
    content: 'not in JSON: use toBytes()',
    format: 'redisbloom',
    count: 2972,
    layers: 4,
    bits: 53760,
    hashes: [8, 9, 10, 11],
    sizeBytes: filter.sizeBytes,
  });
  expect(Object.prototype.toString.call(filter)).toBe('[object ForeignFilter]');
  expect(() => structuredClone(filter)).toThrow(/could not be cloned/);
  expectCode(() => filter.has(7 as never), 'INVALID_KEY');
  expectCode(() => filter.has('\ud800'), 'INVALID_KEY');
  expectCode(
    () => new (ForeignFilter as never as new (of: unknown) => unknown)({}),
    'INVALID_OPTION',
  );
  filter.dispose();
  filter.dispose();
  for (const act of [
    () => filter.has('a'),
    () => filter.hasMany(['a']),
    () => filter.toBytes(),
    () => filter.sizeBytes,
    () => redisBloom.encode(filter),
  ]) {
    expectCode(act, 'DISPOSED');
  }
  expect(filter.format).toBe('redisbloom');
});

const whole = joinedOf(one);
const view = (at: number, set: (view: DataView, at: number) => void) =>
  changed(whole, (data) => set(data, at));
const u32 = (at: number, value: number) => view(at, (data) => data.setUint32(at, value, true));
const u64 = (at: number, value: bigint) => view(at, (data) => data.setBigUint64(at, value, true));
const f64 = (at: number, value: number) => view(at, (data) => data.setFloat64(at, value, true));

test.each<[string, Uint8Array<ArrayBuffer>, Code]>([
  ['no layers', u32(8, 0), 'CORRUPT'],
  // The second layer is read from the bits.
  ['two layers of one', u32(8, 2), 'TOO_LARGE'],
  ['layers for 200 GB', u32(8, 0xffffffff), 'TOO_LARGE'],
  ['an unknown option', u32(12, 5 | 16), 'UNSUPPORTED'],
  ['the hash of 32 bits', u32(12, 1), 'UNSUPPORTED'],
  ['another number of keys', u64(0, 2999n), 'CORRUPT'],
  ['keys of a layer', u64(36, 3001n), 'CORRUPT'],
  [
    'bytes that are not there',
    view(20, (data) => {
      data.setBigUint64(20, 5000n, true);
      data.setBigUint64(28, 40_000n, true);
    }),
    'TRUNCATED',
  ],
  [
    'fewer bytes',
    view(20, (data) => {
      data.setBigUint64(20, 64n, true);
      data.setBigUint64(28, 512n, true);
    }),
    'CORRUPT',
  ],
  [
    '2^61 bytes',
    view(20, (data) => {
      data.setBigUint64(20, 1n << 60n, true);
      data.setBigUint64(28, 1n << 63n, true);
    }),
    'TOO_LARGE',
  ],
  ['bits that the bytes do not have', u64(28, 100n), 'CORRUPT'],
  ['no bits', u64(28, 0n), 'CORRUPT'],
  ['a rate of 0', f64(44, 0), 'CORRUPT'],
  ['a rate of 1', f64(44, 1), 'CORRUPT'],
  ['no rate', f64(44, Number.NaN), 'CORRUPT'],
  ['bits a key of another k', f64(52, 20), 'CORRUPT'],
  ['bits a key without end', f64(52, Infinity), 'CORRUPT'],
  ['no hash', u32(60, 0), 'CORRUPT'],
  ['65 hashes', u32(60, 65), 'UNSUPPORTED'],
  ['2^40 bits in use', changed(whole, (_, copy) => copy.set([40], 72)), 'CORRUPT'],
  ['2^64 bits in use', changed(whole, (_, copy) => copy.set([64], 72)), 'CORRUPT'],
  ['keys and no bit', changed(whole, (_, copy) => copy.fill(0, 73)), 'CORRUPT'],
  [
    'bits and no key',
    view(0, (data) => {
      data.setBigUint64(0, 0n, true);
      data.setBigUint64(36, 0n, true);
    }),
    'CORRUPT',
  ],
  ['a byte behind', joined(whole, Uint8Array.of(0)), 'CORRUPT'],
  ['a cuckoo filter', joinedOf(cuckoo), 'UNSUPPORTED'],
  ['Dragonfly', joined(Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64), whole), 'UNSUPPORTED'],
])('%s is refused, joined and in chunks', (_what, bytes, code) => {
  expectCode(() => redisBloom.decode(bytes), code);
  if (code === 'UNSUPPORTED') return;
  const inChunks = bytes[8] === 2 ? 'TRUNCATED' : code;
  expectCode(() => redisBloom.decode(splitAt(bytes, 73)), inChunks);
});

test.each([16, 20, 73])(
  '%i bytes of a header without layers are corrupt, joined and in a chunk',
  (size) => {
    const header = changed(whole.slice(0, size), (data) => data.setUint32(8, 0, true));
    expectCode(() => redisBloom.decode(header), 'CORRUPT');
    expectCode(() => redisBloom.decode([[1, header]]), 'CORRUPT');
  },
);

test('other dumps are named, and what helps', () => {
  const messageOf = (data: LoadChunk[] | Uint8Array) =>
    expectCode(() => redisBloom.decode(data), 'UNSUPPORTED').message;
  expect(messageOf(cuckoo)).toContain('use redisCuckoo');
  expect(messageOf(joinedOf(cuckoo))).toContain('use redisCuckoo');
  const dragonfly = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64);
  expect(messageOf([[1, dragonfly]])).toContain('Dragonfly');
  const [[, header], [, table]] = one as [LoadChunk, LoadChunk];
  // 2.0: no growth, and 32 bits of capacity; 2.2.0: growth.
  const layer = joined(header.subarray(20, 68), header.subarray(72));
  for (const old of [
    joined(header.subarray(0, 16), layer),
    joined(header.subarray(0, 20), layer),
  ]) {
    expect(
      messageOf([
        [1, old],
        [1 + table.length, table],
      ]),
    ).toContain('before 2.2.4');
    expect(messageOf(joined(old, table))).toContain('before 2.2.4');
  }
  expect(
    messageOf([
      [1, joined(header, Uint8Array.of(0))],
      [1 + table.length, table],
    ]),
  ).toContain('1 bytes too many');
});

test('every truncation is TRUNCATED', () => {
  const small = redisBloom.create({ capacity: 10, fpr: 0.1 });
  small.addMany(['a', 'b']);
  for (const bytes of [whole, joinedOf(four), joinedOf(redisBloom.encode(small))]) {
    const step = bytes.length > 1000 ? 7 : 1;
    for (let size = 0; size < bytes.length; size += size < 300 ? 1 : step) {
      expectCode(() => redisBloom.decode(bytes.subarray(0, size)), 'TRUNCATED');
    }
  }
  for (const data of [[], [[0, new Uint8Array(0)]], one.slice(0, 1), four.slice(0, -1)]) {
    expectCode(() => redisBloom.decode(data as LoadChunk[]), 'TRUNCATED');
  }
});

test('chunks that are missing, changed in order or of a wrong type are refused', () => {
  const [header, first, second, ...rest] = four as [LoadChunk, LoadChunk, LoadChunk];
  for (const data of [
    [header, second, ...rest],
    [header, second, first, ...rest],
    [first, header],
    [header, header],
    [header, first, [0, second[1]]],
  ]) {
    expectCode(() => redisBloom.decode(data as LoadChunk[]), 'CORRUPT');
  }
  for (const data of [
    undefined,
    null,
    7,
    'text',
    {},
    [1, 2],
    [[1]],
    [[1, 'text']],
    [[1, header[1], 3]],
    [['x', header[1]]],
    [[{}, header[1]]],
  ]) {
    expectCode(() => redisBloom.decode(data as never), 'INVALID_OPTION');
  }
});

test('the limit is kept, and told before what is missing', () => {
  for (const data of [whole, one]) {
    expectCode(() => redisBloom.decode(data, { maxBytes: whole.length - 1 }), 'TOO_LARGE');
    expect(decodeOne(data).count).toBe(
      redisBloom.decode(data, { maxBytes: whole.length }) instanceof BloomFilter
        ? decodeOne(whole).count
        : -1,
    );
  }
  expectCode(() => redisBloom.decode(whole.subarray(0, 73), { maxBytes: 1000 }), 'TOO_LARGE');
  expectCode(() => redisBloom.decode(whole, { maxBytes: 0 }), 'INVALID_OPTION');
});

test('keys of a layer without a bit are refused', () => {
  const bytes = joinedOf(four);
  const header = (four[0] as LoadChunk)[1].length;
  // The last layer's table.
  expectCode(
    () => redisBloom.decode(changed(bytes, (_, copy) => copy.fill(0, bytes.length - 3840))),
    'CORRUPT',
  );
  expect(header).toBe(232);
});

describe('whatever is changed is refused with a code or answers', () => {
  const small = redisBloom.create({ capacity: 10, fpr: 0.1 });
  small.addMany(['a', 'b', 'c']);
  const files = [joinedOf(redisBloom.encode(small)), joinedOf(four)];
  const lengths = [
    { at: 8, bytes: 4 },
    { at: 20, bytes: 8 },
    { at: 28, bytes: 8 },
    { at: 60, bytes: 4 },
    { at: 72, bytes: 1 },
  ] as const;

  test.each([
    ['joined', (bytes: Uint8Array, maxBytes: number) => redisBloom.decode(bytes, { maxBytes })],
    [
      'in chunks',
      (bytes: Uint8Array, maxBytes: number) =>
        redisBloom.decode(splitAt(new Uint8Array(bytes), 73), { maxBytes }),
    ],
  ])('%s', (_how, decode) => {
    const { cases, taken } = runMutations({ files, headerBytes: 232, lengths, decode });
    expect(cases).toBeGreaterThanOrEqual(mutationCount);
    expect(taken).toBeGreaterThan(0);
  });
});
