/** tamis check and inspect on files of other programs, and keys in the encodings of those. */
import { describe, expect, test } from '@jest/globals';
import { BloomFilter, key } from 'tamis';
import { encodings, guava } from 'tamis/interop';
import { built, get, output, put, refused, tamis } from './support/cli.js';
import { answersOf, bytesOf, numbers, strings } from './support/interop.js';
import { chunksOf, joinedOf } from './support/redis-dumps.js';

const hexOf = (text: string): string => Buffer.from(text).toString('hex');

/** Probes as lines of hex, without the empty key: an empty line is no key. */
const lines = strings.probes.map(hexOf).join('\n');

type Peer = readonly [format: string, options: string[], file: string, answers: string];
const peers: readonly Peer[] = [
  ['guava', [], 'guava/strings-utf8.mitz32.bin', 'guava/strings-utf8.mitz32.expected.txt'],
  ['guava', [], 'guava/strings-utf8.mitz64.bin', 'guava/strings-utf8.mitz64.expected.txt'],
  ['spark', [], 'spark/strings.v1.bin', 'spark/strings.v1.expected.txt'],
  ['spark', [], 'spark/strings.v2.bin', 'spark/strings.v2.expected.txt'],
  ['go', [], 'go/strings.bin', 'go/strings.expected.txt'],
  ['go', [], 'go/strings.json', 'go/strings.expected.txt'],
  ['parquet', [], 'parquet/duckdb-strings.sbbf.bin', 'parquet/duckdb-strings.expected.txt'],
  ['datasketches', [], 'data-sketches/strings.bin', 'data-sketches/strings.expected.txt'],
  ['redisbloom', [], 'bf-strings-4layers', 'redisbloom/bf-strings-4layers.expected.txt'],
  ['redis-cuckoo', [], 'cf-strings', 'redisbloom/cf-strings.expected.txt'],
  ['go-cuckoo', [], 'seiflotfy/strings.cap4096.bin', 'seiflotfy/strings.cap4096.expected.txt'],
  [
    'go-cuckoo',
    ['--since', '2018-01'],
    'seiflotfy/old-2018.strings.cap4096.bin',
    'seiflotfy/old-2018.strings.cap4096.expected.txt',
  ],
  [
    'go-cuckoo',
    ['--scalable'],
    'seiflotfy/strings.scalable-default.gob.bin',
    'seiflotfy/strings.scalable-default.gob.expected.txt',
  ],
  [
    'bloom-filters',
    [],
    'npm-bloom-filters/strings.BloomFilter.json',
    'npm-bloom-filters/strings.BloomFilter.expected.txt',
  ],
  ['bloomfilter', [], 'npm-bloomfilter/strings.json', 'npm-bloomfilter/strings.expected.txt'],
];

/** A file of another program, or a dump of Redis as one. */
const contentOf = (file: string): Uint8Array =>
  file.includes('/') ? bytesOf(file) : joinedOf(chunksOf(file));

describe('check --from', () => {
  test.each(peers)('%s %j %s answers as its program does', async (format, options, file, from) => {
    put('in', contentOf(file));
    const args = ['check', 'in', '--from', format, ...options, '--keys', 'bytes', '--json'];
    const out = await output(args, lines);
    const answers = answersOf(from);
    const expected = strings.probes
      .map((probe, i) => ({ key: hexOf(probe), has: answers[i] === 1 }))
      .filter((answer) => answer.key !== '');
    expect(out).toBe(expected.map((answer) => `${JSON.stringify(answer)}\n`).join(''));
    // The empty key, which no line can hold.
    const empty = strings.probes.indexOf('');
    if (empty < 0) return;
    const alone = await tamis([...args, '--', '']);
    expect(alone).toMatchObject({ code: answers[empty] === 1 ? 0 : 1 });
  });

  test.each([
    ['serialize', 'int64.bf8.c-serialize.bin', 'int64.bf8.c.expected.txt'],
    ['serialize', 'int64.bf8.go-save.bin', 'int64.bf8.go.expected.txt'],
    ['pack', 'int64.bf8.c-pack.bin', 'int64.bf8.c.expected.txt'],
  ])('binary-fuse, --layout %s, %s', async (layout, file, from) => {
    put('in', bytesOf(`binary-fuse/${file}`));
    const options = ['--from', 'binary-fuse', '--layout', layout, '--fingerprint-bits', '8'];
    const check = ['check', 'in', ...options, '--json'];
    const { out } = await tamis([...check, '--keys', 'int64'], numbers.join('\n'));
    const found = out
      .trim()
      .split('\n')
      .map((line) => Number(JSON.parse(line).has));
    expect(Uint8Array.from(found)).toEqual(answersOf(`binary-fuse/${from}`));
    // Any key is a number by its hash.
    expect((await tamis([...check, '--xxh64', 'a', 'b', 'c', 'd'])).err).toBe('');
    expect(await refused([...check, 'hello'])).toBe(
      'tamis: in: the keys of this filter have another form: pass --keys (ERR_TAMIS_INVALID_KEY)\n',
    );
  });

  test('has the words and the exit codes of any check', async () => {
    const filter = guava.create({ capacity: 100, fpr: 2 ** -30 });
    filter.add('alice');
    put('in', guava.encode(filter));
    expect(await tamis(['check', 'in', '--from', 'guava', 'alice', 'bob'])).toEqual({
      code: 0,
      out: 'probably present  alice\ncertainly absent  bob\n',
      err: '',
    });
    expect(await tamis(['check', 'in', '--from', 'guava'], 'bob\n')).toEqual({
      code: 1,
      out: 'certainly absent  bob\n',
      err: '',
    });
    expect(await tamis(['check', 'in', '--from', 'spark', 'bob'])).toMatchObject({ code: 2 });
  });
});

describe('inspect --from', () => {
  test('of a Bloom filter has the format, and what the filter says', async () => {
    put('in', bytesOf('spark/strings.v2.bin'));
    const out = await output(['inspect', 'in', '--from', 'spark', '--json']);
    expect(JSON.parse(out)).toMatchObject({
      format: 'spark',
      countIsEstimate: true,
      scheme: 'spark-v2',
      bits: 28_800,
      hashes: 7,
      sizeBytes: 3600,
      fileBytes: 3616,
      overfull: false,
    });
    const forPeople = (await tamis(['inspect', 'in', '--from', 'spark'])).out;
    expect(forPeople).toMatch(/^in\n {2}format +spark\n {2}type +bloom\n/);
    expect(forPeople.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const bits = await tamis(['inspect', 'in', '--from', 'spark', '--bits', '0:64']);
    expect(bits.out).toMatch(/^ {2} 0 {2}([01]{8} ){7}[01]{8}$/m);
  });

  const others: ReadonlyArray<[string, string[], string, object]> = [
    [
      'redisbloom',
      [],
      'bf-strings-4layers',
      { count: 2972, layers: 4, bits: 53_760, hashes: [8, 9, 10, 11] },
    ],
    [
      'redis-cuckoo',
      [],
      'cf-strings',
      { count: 3000, layers: 2, fingerprintBits: 8, bucketSize: 2 },
    ],
    [
      'go-cuckoo',
      ['--scalable'],
      'seiflotfy/strings.scalable-default.gob.bin',
      { layers: 1, fingerprintBits: 8, bucketSize: 4 },
    ],
    [
      'binary-fuse',
      ['--layout', 'pack'],
      'binary-fuse/int64.bf8.c-pack.bin',
      { fpr: 2 ** -8, fingerprintBits: 8 },
    ],
  ];
  test.each(others)('of %s %j', async (format, options, file, figures) => {
    const content = contentOf(file);
    put('in', content);
    const args = ['inspect', 'in', '--from', format, ...options];
    const out = await output([...args, '--json']);
    expect(JSON.parse(out)).toMatchObject({
      format,
      countIsEstimate: false,
      ...figures,
      fileBytes: content.length,
    });
    expect((await tamis(args)).out).toMatch(new RegExp(`^in\n {2}format +${format}\n`));
    expect((await tamis([...args, '--bits', ':'])).err).toMatch(
      /^tamis: in: --bits shows the bits/,
    );
  });

  test('of a Redis bitmap, whose geometry the options say', async () => {
    const filter = BloomFilter.from(['alice'], { bits: 1000, hashes: 7 });
    put('a.tamis', filter.toBytes());
    await tamis(['convert', 'a.tamis', '--to', 'redis-bitmap', '-o', 'in']);
    const options = ['--from', 'redis-bitmap', '--bitmap-bits', '1000', '--hashes', '7'];
    const { out } = await tamis(['inspect', 'in', ...options, '--json']);
    expect(JSON.parse(out)).toMatchObject({ scheme: 'mcg', bits: 1000, hashes: 7, count: 1 });
    expect((await tamis(['check', 'in', ...options, 'alice'])).code).toBe(0);
    const short = ['--from', 'redis-bitmap', '--bitmap-bits', '8', '--hashes', '7'];
    expect((await tamis(['inspect', 'in', ...short])).err).toMatch(/ERR_TAMIS_CORRUPT/);
  });
});

describe('--keys', () => {
  /** An encoding, lines of keys, and the same keys as a program passes them. */
  const cases: ReadonlyArray<[string, string[], Uint8Array[]]> = [
    ['utf8', ['a', '\u00e9'], [Buffer.from('a'), Buffer.from('\u00e9')]],
    ['utf16', ['a\u20ac', '\ud83d\ude00'], ['a\u20ac', '\ud83d\ude00'].map(key.utf16)],
    ['bytes', ['00ff', 'ABcd'], [Uint8Array.of(0, 255), Uint8Array.of(0xab, 0xcd)]],
    ['int32', ['-2147483648', '007'], [-(2 ** 31), 7].map(key.int32)],
    ['int64', ['-9223372036854775808', '12'], [-(2n ** 63n), 12n].map(key.int64)],
    ['long', ['9223372036854775807'], [key.int64(2n ** 63n - 1n)]],
    ['decimal', ['0012', '-5'], [12, -5].map(encodings.decimal)],
    ['float', ['1.5', '-2e3', 'NaN'], [1.5, -2000, Number.NaN].map(encodings.float)],
    ['double', ['0.1', '-Infinity'], [0.1, Number.NEGATIVE_INFINITY].map(encodings.double)],
  ];
  test.each(cases)('%s, to build and to check', async (encoding, texts, keys) => {
    await built('a.tms', texts, '--keys', encoding, '--fpr', '2^-30');
    const filter = BloomFilter.from(keys, { fpr: 2 ** -30 });
    expect(get('a.tms').equals(filter.toBytes())).toBe(true);
    const args = ['check', 'a.tms', '--keys', encoding];
    const answers = texts.map((text) => `probably present  ${text}\n`).join('');
    expect(await tamis(args, texts.join('\n'))).toEqual({ code: 0, out: answers, err: '' });
    expect(await tamis([...args, '--', ...texts])).toEqual({ code: 0, out: answers, err: '' });
  });

  const wrong: ReadonlyArray<[string, string, string]> = [
    ['bytes', 'abc', 'hex digits, two for each byte'],
    ['bytes', 'xy', 'hex digits, two for each byte'],
    ['int32', '2147483648', 'a whole number from -2^31 to 2^31 - 1'],
    ['int32', '1.5', 'a whole number from -2^31 to 2^31 - 1'],
    ['int64', '9223372036854775808', 'a whole number from -2^63 to 2^63 - 1'],
    ['long', '1e3', 'a whole number from -2^63 to 2^63 - 1'],
    ['decimal', '0x10', 'a whole number'],
    ['float', 'one', 'a number'],
    ['double', '1,5', 'a number'],
  ];
  test.each(wrong)('%s: %s is no such key', async (encoding, text, expected) => {
    put('list', `7\n${text}\n`.replace('7', encoding === 'bytes' ? '77' : '7'));
    const build = await tamis(['build', 'list', '-o', 'a.tms', '--keys', encoding]);
    const what = `${text}: expected ${expected}, as --keys requires`;
    expect(build).toEqual({ code: 2, out: '', err: `tamis: list: line 2: key ${what}\n` });
    put('b.tms', BloomFilter.from(['a']).toBytes());
    const check = await tamis(['check', 'b.tms', '--keys', encoding, text]);
    expect(check).toEqual({ code: 2, out: '', err: `tamis: key ${what}\n` });
  });

  test('builds fixed lists, and both lists of an exact filter', async () => {
    put('other.txt', '3\n4\n');
    const options = ['--keys', 'int64', '--type'];
    await built('e.tms', ['1', '2'], ...options, 'exact', '--exclude', 'other.txt');
    await built('r.tms', ['1', '2'], ...options, 'ribbon');
    for (const name of ['e.tms', 'r.tms']) {
      const { out } = await tamis(['check', name, '--keys', 'int64', '1', '2']);
      expect(out).toBe('probably present  1\nprobably present  2\n');
    }
    expect((await tamis(['check', 'e.tms', '--keys', 'int64', '3', '4'])).code).toBe(1);
  });
});
