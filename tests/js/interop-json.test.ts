/** Filters that npm packages saved as JSON. */
import { describe, expect, test } from '@jest/globals';
import { BloomFilter } from 'tamis';
import { bloomFiltersJson, bloomfilterJson } from 'tamis/interop';
import { npmBloomFilters } from 'tamis/schemes';

import { expectSame } from './support/bytes.js';
import { type Code, expectCode } from './support/errors.js';
import { answersOf, bytesOf, strings, textOf } from './support/interop.js';
import { runMutations } from './support/mutations.js';

const { probes } = strings;

const rows = [
  [
    bloomFiltersJson,
    'npm-bloom-filters/strings.BloomFilter.json',
    'npm-bloom-filters/strings.BloomFilter.expected.txt',
    { scheme: 'npm-bloom-filters', bits: 28756, hashes: 7, seed: 0x1234567890n },
  ],
  [
    bloomfilterJson,
    'npm-bloomfilter/strings.json',
    'npm-bloomfilter/strings.expected.txt',
    { scheme: 'npm-bloomfilter', bits: 28768, hashes: 7, seed: 0n },
  ],
] as const;

describe.each(rows.map((row) => [row[0].name, ...row] as const))(
  '%s',
  (name, codec, file, answers, about) => {
    const text = textOf(file);
    const bytes = bytesOf(file);
    const object = () => JSON.parse(text);

    test.each([
      ['text', text],
      ['bytes', bytes],
      ['a buffer', bytes.buffer],
      ['an object', object()],
    ])('answers from %s as the package does', (_how, data) => {
      const filter = codec.decode(data as never);
      expect(filter).toBeInstanceOf(BloomFilter);
      expectSame(filter.hasMany(probes), answersOf(answers));
      expectSame(
        Uint8Array.from(probes, (key) => (filter.has(key) ? 1 : 0)),
        answersOf(answers),
      );
      const { scheme, bits, hashes, seed } = filter;
      expect({ scheme, bits, hashes, seed }).toEqual(about);
      expect(Math.abs(filter.count - 3000)).toBeLessThan(100);
    });

    test('what is no JSON of an object is refused', () => {
      for (const data of [
        '',
        '{',
        '[]',
        '1',
        'null',
        '"text"',
        text.slice(0, -1),
        `${text}x`,
        [],
      ]) {
        expectCode(() => codec.decode(data as never), 'CORRUPT');
      }
      expectCode(() => codec.decode(Uint8Array.of(0xff, 0xfe)), 'CORRUPT');
      for (const data of [undefined, null, 7, true]) {
        expectCode(() => codec.decode(data as never), 'INVALID_OPTION');
      }
    });

    test('the limit is kept', () => {
      for (const data of [text, bytes]) {
        expectCode(() => codec.decode(data, { maxBytes: text.length - 1 }), 'TOO_LARGE');
        codec.decode(data, { maxBytes: text.length }).dispose();
      }
      expectCode(() => codec.decode(object(), { maxBytes: 3000 }), 'TOO_LARGE');
      codec.decode(object(), { maxBytes: 4000 }).dispose();
      expectCode(() => codec.decode(text, { maxBytes: 1.5 }), 'INVALID_OPTION');
    });

    test('every truncation is refused', () => {
      for (let size = 0; size < text.length; size += 23) {
        expectCode(() => codec.decode(text.slice(0, size)), 'CORRUPT');
      }
    });

    test('members that the object inherits are none', () => {
      const data = Object.create(object());
      expectCode(() => codec.decode(data), name === 'bloomfilter' ? 'UNSUPPORTED' : 'CORRUPT');
    });

    test('whatever is changed is refused with a code or answers', () => {
      const small = new TextEncoder().encode(
        name === 'bloomfilter'
          ? '{"version":1,"m":64,"k":3,"buckets":[5,4294967295]}'
          : '{"type":"BloomFilter","_size":20,"_nbHashes":3,"_filter":{"size":24,"content":"AQID"},"_seed":7}',
      );
      const { taken } = runMutations({
        files: [small],
        headerBytes: small.length,
        lengths: [],
        decode: (data, maxBytes) => codec.decode(data, { maxBytes }),
      });
      expect(taken).toBeGreaterThan(0);
    });
  },
);

describe('bloom-filters', () => {
  const made = (change: object) => ({
    type: 'BloomFilter',
    _size: 20,
    _nbHashes: 3,
    _filter: { size: 24, content: 'AQID' },
    _seed: 7,
    ...change,
  });

  test.each<[string, object, Code]>([
    ['another type', made({ type: 'CuckooFilter' }), 'UNSUPPORTED'],
    ['no type', made({ type: undefined }), 'CORRUPT'],
    ['the array of version 1', made({ _filter: [0, 1] }), 'UNSUPPORTED'],
    ['no filter', made({ _filter: null }), 'CORRUPT'],
    ['no size', made({ _size: 0 }), 'CORRUPT'],
    ['a size as text', made({ _size: '20' }), 'CORRUPT'],
    ['a size that is not there', made({ _size: 25 }), 'TRUNCATED'],
    ['a smaller size', made({ _size: 16 }), 'CORRUPT'],
    ['2^50 bits', made({ _size: 2 ** 50 }), 'TOO_LARGE'],
    ['bits behind the last', made({ _filter: { size: 24, content: 'AAAQ' } }), 'CORRUPT'],
    ['another size of the array', made({ _filter: { size: 20, content: 'AQID' } }), 'CORRUPT'],
    ['no hash', made({ _nbHashes: 0 }), 'CORRUPT'],
    ['65 hashes', made({ _nbHashes: 65 }), 'UNSUPPORTED'],
    ['half a hash', made({ _nbHashes: 1.5 }), 'CORRUPT'],
    ['no seed', made({ _seed: undefined }), 'CORRUPT'],
    ['half a seed', made({ _seed: 0.5 }), 'UNSUPPORTED'],
    ['a seed below 0', made({ _seed: -1 }), 'UNSUPPORTED'],
    ['a seed that 2 is not added to exactly', made({ _seed: 2 ** 53 - 1 }), 'UNSUPPORTED'],
    ['no base64', made({ _filter: { size: 24, content: 'AQI*' } }), 'CORRUPT'],
    ['no content', made({ _filter: { size: 24 } }), 'CORRUPT'],
  ])('%s is refused', (_what, data, code) => {
    expectCode(() => bloomFiltersJson.decode(data), code);
    expectCode(() => bloomFiltersJson.decode(JSON.stringify(data)), code);
  });

  test('what version 1 wrote is to be built anew', () => {
    const { message } = expectCode(
      () => bloomFiltersJson.decode(made({ _filter: [0, 1] })),
      'UNSUPPORTED',
    );
    expect(message).toMatch(/1\.x used another hash; rebuild the filter from its keys/);
  });

  test('a file of tamis comes of it', () => {
    const file = bloomFiltersJson.decode(made({})).toBytes();
    const again = BloomFilter.fromBytes(file, { schemes: [npmBloomFilters] });
    expect([again.seed, again.bits, again.toBitString()]).toEqual([7n, 20, '10000000010000001100']);
  });
});

describe('bloomfilter', () => {
  const made = (change: object) => ({ version: 1, m: 64, k: 3, buckets: [5, 0], ...change });

  test.each<[string, object, Code]>([
    ['no version', made({ version: undefined }), 'UNSUPPORTED'],
    ['version 2', made({ version: 2 }), 'UNSUPPORTED'],
    ['no bits', made({ m: 0 }), 'CORRUPT'],
    ['bits that are no words', made({ m: 63 }), 'CORRUPT'],
    ['more bits', made({ m: 65 }), 'TRUNCATED'],
    ['2^50 bits', made({ m: 2 ** 50 }), 'TOO_LARGE'],
    ['no hash', made({ k: 0 }), 'CORRUPT'],
    ['65 hashes', made({ k: 65 }), 'UNSUPPORTED'],
    ['no buckets', made({ buckets: undefined }), 'CORRUPT'],
    ['too few buckets', made({ buckets: [5] }), 'TRUNCATED'],
    ['too many buckets', made({ buckets: [5, 0, 0] }), 'CORRUPT'],
    ['buckets of text', made({ buckets: ['5', 0] }), 'CORRUPT'],
    ['half a bucket', made({ buckets: [0.5, 0] }), 'CORRUPT'],
    ['a bucket of 33 bits', made({ buckets: [2 ** 32, 0] }), 'CORRUPT'],
    ['a bucket below 32 bits', made({ buckets: [-(2 ** 31) - 1, 0] }), 'CORRUPT'],
  ])('%s is refused', (_what, data, code) => {
    expectCode(() => bloomfilterJson.decode(data), code);
    expectCode(() => bloomfilterJson.decode(JSON.stringify(data)), code);
  });

  test('buckets may be signed', () => {
    const [one, other] = [
      [-1, 5],
      [2 ** 32 - 1, 5],
    ].map((buckets) => bloomfilterJson.decode(made({ buckets })).toBytes());
    expectSame(one as Uint8Array, other as Uint8Array);
  });
});

test('ten megabytes are decoded, and answer', () => {
  const buckets = Array.from({ length: 950_000 }, (_, i) => Math.imul(i, 0x9e3779b1) >>> 0);
  const m = 32 * buckets.length;
  const text = JSON.stringify({ version: 1, m, k: 7, buckets });
  expect(text.length).toBeGreaterThan(10e6);
  const filter = bloomfilterJson.decode(text);
  expect(filter.bits).toBe(m);
});
