/** tamis convert: files of other programs become tamis's own, and the reverse, byte for byte. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { BloomFilter } from 'tamis';
import { goBloom, redisBloom, redisCuckoo } from 'tamis/interop';
import { guava64 } from 'tamis/schemes';
import { built, folder, get, hosts, output, put, refused, tamis } from './support/cli.js';
import { bytesOf, strings, textOf } from './support/interop.js';
import { chunksOf, joinedOf } from './support/redis-dumps.js';

const run = (...args: string[]) => output(args);
const fail = (...args: string[]) => refused(args);

/** Format, the file, and its scheme in tamis. */
const files: ReadonlyArray<readonly [format: string, file: string, scheme: string]> = [
  ['guava', 'guava/strings-utf8.mitz64.bin', 'guava64'],
  ['guava', 'guava/strings-utf8.mitz32.bin', 'guava-32'],
  ['spark', 'spark/strings.v1.bin', 'spark-v1'],
  ['spark', 'spark/longs.v2.bin', 'spark-v2'],
  ['go', 'go/strings.bin', 'go'],
  ['parquet', 'parquet/duckdb-strings.sbbf.bin', 'parquet'],
  ['datasketches', 'data-sketches/strings.bin', 'datasketches'],
];

describe.each(files)('%s %s', (format, file, scheme) => {
  test('is tamis for a while, and then the same bytes again', async () => {
    put('in.bin', bytesOf(file));
    const out = await run('convert', 'in.bin', '--from', format, '-o', 'a.tamis');
    expect(out).toMatch(new RegExp(`^a\\.tamis: in\\.bin, from ${format} to tamis\n`));
    expect(out).toMatch(new RegExp(`^ {2}scheme +${scheme}$`, 'm'));
    await run('convert', 'a.tamis', '--to', format, '-o', 'back.bin');
    expect(get('back.bin').equals(bytesOf(file))).toBe(true);
    // The same without a tamis file in between.
    await run('convert', 'in.bin', '--from', format, '--to', format, '-o', 'copy.bin');
    expect(get('copy.bin').equals(bytesOf(file))).toBe(true);
  });

  test('the .tamis file is one for every other command', async () => {
    put('in.bin', bytesOf(file));
    await run('convert', 'in.bin', '--from', format, '-o', 'a.tamis');
    expect(JSON.parse(await run('inspect', 'a.tamis', '--json'))).toMatchObject({ scheme });
    await run('merge', 'a.tamis', 'a.tamis', '-o', 'b.tamis');
    expect(JSON.parse(await run('inspect', 'b.tamis', '--json'))).toMatchObject({ scheme });
    const foreign = await tamis(['check', 'in.bin', '--from', format], 'a\nb\nc\n');
    expect(await tamis(['check', 'b.tamis'], 'a\nb\nc\n')).toEqual(foreign);
  });
});

test.each([
  ['bloom-filters', 'npm-bloom-filters/strings.BloomFilter.json', 'npm-bloom-filters'],
  ['bloomfilter', 'npm-bloomfilter/strings.json', 'npm-bloomfilter'],
])('%s is read, and not written', async (format, file, scheme) => {
  put('in.json', textOf(file));
  await run('convert', 'in.json', '--from', format, '-o', 'a.tamis');
  const json = JSON.parse(await run('inspect', 'a.tamis', '--json'));
  expect(json).toMatchObject({ type: 'bloom', scheme });
  expect(await fail('convert', 'a.tamis', '--to', format, '-o', 'b')).toBe(
    `tamis: --to ${format}: tamis reads this format, but does not write it\ntry: tamis convert --help\n`,
  );
});

describe('figures', () => {
  test('of what was read, and where it went, as JSON', async () => {
    put('in.bin', bytesOf('guava/strings-utf8.mitz64.bin'));
    const args = ['convert', 'in.bin', '--from', 'guava', '-o', 'a.tamis', '--json'];
    const out = await run(...args);
    expect(out.indexOf('\n')).toBe(out.length - 1);
    const filter = BloomFilter.fromBytes(get('a.tamis'), { schemes: [guava64] });
    expect(JSON.parse(out)).toEqual({
      ...JSON.parse(JSON.stringify(filter)),
      content: undefined,
      format: 'tamis',
      countIsEstimate: true,
      fillRatio: filter.fillRatio,
      fileBytes: get('a.tamis').length,
      overfull: false,
      output: 'a.tamis',
      from: 'guava',
      to: 'tamis',
    });
  });

  test('nothing is called designed that nobody designed, and nothing overfull', async () => {
    put('in.bin', bytesOf('guava/strings-utf8.mitz64.bin'));
    const out = await run('convert', 'in.bin', '--from', 'guava', '-o', 'a.tamis');
    expect(out).toMatch(/^ {2}keys +3,0\d\d, as the bits say$/m);
    expect(out).toMatch(/^ {2}capacity +2,851 keys set half of the bits$/m);
    expect(out).toMatch(/^ {2}false positives +0\.78\d+ % \(1 in 128\), at the capacity$/m);
    // It holds more keys than that, 3,000, and the rate of 1 % is the one that Guava got.
    const inspected = await tamis(['inspect', 'a.tamis']);
    expect(inspected).toMatchObject({ code: 0, err: '' });
    expect(inspected.out).toMatch(/^ {2}capacity +2,851 keys set half of the bits$/m);
  });

  test('a filter that is full for everybody is overfull', async () => {
    const filter = new BloomFilter({ bits: 640, hashes: 3, scheme: guava64 });
    filter.addMany(hosts);
    put('a.tamis', filter.toBytes());
    const { code, err } = await tamis(['convert', 'a.tamis', '--to', 'guava', '-o', 'a.bin']);
    expect(code).toBe(0);
    expect(err).toMatch(/^tamis: a\.bin: warning: overfull: /);
  });
});

describe('a filter that tamis built', () => {
  test('is read by the other program as it was built', async () => {
    await built('a.tamis', hosts, '--scheme', 'go');
    await run('convert', 'a.tamis', '--to', 'go', '-o', 'a.bin');
    const filter = goBloom.decode(get('a.bin'));
    expect(filter.hasMany(hosts).every((answer) => answer === 1)).toBe(true);
    expect(filter.scheme).toBe('go');
    await run('convert', 'a.tamis', '--to', 'redis-bitmap', '-o', 'a.bitmap');
    const { bits, hashes } = filter;
    const options = ['--bitmap-bits', `${bits}`, '--hashes', `${hashes}`, '--scheme', 'go'];
    const from = ['--from', 'redis-bitmap', ...options];
    await run('convert', 'a.bitmap', ...from, '--to', 'go', '-o', 'b.bin');
    expect(get('b.bin').equals(get('a.bin'))).toBe(true);
  });

  test('Go has a form in JSON too, told by the name of the output', async () => {
    put('in.json', textOf('go/strings.json'));
    await run('convert', 'in.json', '--from', 'go', '--to', 'go', '-o', 'a.bin');
    expect(get('a.bin').equals(bytesOf('go/strings.bin'))).toBe(true);
    await run('convert', 'a.bin', '--from', 'go', '--to', 'go', '-o', 'b.JSON');
    expect(get('b.JSON').toString()).toBe(textOf('go/strings.json'));
  });

  test('with a seed goes to those that have one', async () => {
    await built('a.tamis', hosts, '--scheme', 'datasketches', '--seed', '0xfeed');
    await run('convert', 'a.tamis', '--to', 'datasketches', '-o', 'a.bin');
    await run('convert', 'a.bin', '--from', 'datasketches', '-o', 'b.tamis');
    const { seed } = JSON.parse(await run('inspect', 'b.tamis', '--json'));
    expect(seed).toBe(String(0xfeed));
    expect((await tamis(['check', 'b.tamis', ...hosts])).out).not.toContain('absent');
  });
});

const asLines = (chunks: ReadonlyArray<readonly [unknown, Uint8Array]>): string =>
  chunks
    .map(([iterator, bytes]) => [iterator, Buffer.from(bytes).toString('base64')])
    .map((pair) => `${JSON.stringify(pair)}\n`)
    .join('');

describe('the chunks of Redis', () => {
  const dumps = [
    ['redisbloom', 'bf-strings-1layer', redisBloom],
    ['redisbloom', 'bf-strings-4layers', redisBloom],
    ['redis-cuckoo', 'cf-strings', redisCuckoo],
  ] as const;

  test.each(dumps)('%s %s: joined, as an array, as lines', async (format, file, codec) => {
    const chunks = chunksOf(file);
    const encoded = codec.encode(codec.decode(chunks) as never);
    const pairs = encoded.map(([at, bytes]) => [at, Buffer.from(bytes).toString('base64')]);
    const joined = joinedOf(chunks);
    put('joined.bin', joined);
    put('array.txt', ` \n${JSON.stringify(pairs)}`);
    put('lines.txt', `${asLines(encoded)}\n`);
    // The iterator as Node's clients may give it.
    put('text.txt', asLines(encoded.map(([at, bytes]) => [String(at), bytes])));
    for (const name of ['joined.bin', 'array.txt', 'lines.txt', 'text.txt']) {
      const convert = ['convert', name, '--from', format, '--to', format, '-o'];
      await run(...convert, 'out.bin');
      expect(get('out.bin').equals(joined)).toBe(true);
      await run(...convert, 'out.json');
      expect(JSON.parse(get('out.json').toString())).toEqual(pairs);
      expect(get('out.json').toString().split('\n').length).toBe(pairs.length + 3);
      await run(...convert, 'out.txt', '--chunks');
      expect(get('out.txt').equals(get('out.json'))).toBe(true);
    }
  });

  test('one layer is a Bloom filter with the count of the file', async () => {
    put('in.txt', asLines(chunksOf('bf-strings-1layer')));
    const out = await run('convert', 'in.txt', '--from', 'redisbloom', '-o', 'a.tamis');
    expect(out).toMatch(/^ {2}keys +2,9\d\d$/m);
    await run('convert', 'a.tamis', '--to', 'redisbloom', '-o', 'b.bin');
    const check = await tamis(['check', 'b.bin', '--from', 'redisbloom', ...strings.keys]);
    expect(check.out).not.toContain('certainly absent');
  });

  const wrong: ReadonlyArray<[string, string, RegExp]> = [
    ['no base64', '[[1,"%%%%"]]', /in\.txt: chunk 1 is not \[iterator, "base64"\]/],
    ['cut base64', '[[1,"AAAA"],[5,"AAA"]]', /in\.txt: chunk 2 is not/],
    ['no iterator', '[["one","AAAA"]]', /in\.txt: chunk 1 is not/],
    ['a line that is cut', '[1,"AAAA"]\n[5,"AA', /in\.txt: chunk 2 is not/],
    ['no pairs', '[1, 2, 3]', /in\.txt: chunk 1 is not/],
    ['no chunk', '[]', /in\.txt: .*ERR_TAMIS_TRUNCATED/],
    ['another iterator', '[[2,"AAAA"]]', /in\.txt: .*ERR_TAMIS_CORRUPT/],
    ['text', 'hello\n', /in\.txt: .*ERR_TAMIS_/],
  ];
  test.each(wrong)('%s is refused', async (_, content, message) => {
    put('in.txt', content);
    for (const args of [
      ['inspect', 'in.txt'],
      ['check', 'in.txt', 'a'],
    ]) {
      expect(await fail(...args, '--from', 'redisbloom')).toMatch(message);
    }
    expect(await fail('convert', 'in.txt', '--from', 'redisbloom', '-o', 'x')).toMatch(message);
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });
});

describe('what tamis built for others', () => {
  const schemes: ReadonlyArray<readonly [scheme: string, format: string]> = [
    ...files.map(([format, , scheme]) => [scheme, format] as const),
    ['redisbloom', 'redisbloom'] as const,
  ].filter(([scheme]) => scheme !== 'parquet');
  test.each(schemes)('--scheme %s has a form in %s', async (scheme, format) => {
    // By default tamis would take a number of bits for these hosts that is no multiple of 64 or 8.
    await built('a.tamis', hosts, '--scheme', scheme);
    await run('convert', 'a.tamis', '--to', format, '-o', 'b.bin');
    expect(await tamis(['check', 'b.bin', '--from', format, ...hosts])).toEqual(
      await tamis(['check', 'a.tamis', ...hosts]),
    );
  });
});

describe('what cannot be converted', () => {
  const others = ['guava', 'spark', 'go', 'parquet', 'datasketches', 'redisbloom'];

  test('another hash: the keys must be added anew', async () => {
    put('in.bin', bytesOf('guava/strings-utf8.mitz64.bin'));
    put('out', 'old content');
    for (const to of others.filter((name) => name !== 'guava')) {
      const err = await fail('convert', 'in.bin', '--from', 'guava', '--to', to, '-o', 'out');
      expect(err).toMatch(/^tamis: in\.bin: .*'guava64'|^tamis: in\.bin: parquet: .*bloom/);
      expect(err).toMatch(
        /\(ERR_TAMIS_INCOMPATIBLE\); a filter has no keys to hash again: add your keys/,
      );
    }
    expect(get('out').toString()).toBe('old content');
  });

  test('the scheme of tamis itself, and other types, have no format but a bitmap', async () => {
    await built('a.tamis', hosts);
    await built('c.tamis', hosts, '--type', 'cuckoo');
    for (const name of ['a.tamis', 'c.tamis']) {
      for (const to of others) {
        const err = await fail('convert', name, '--to', to, '-o', 'out');
        expect(err).toMatch(/ERR_TAMIS_INCOMPATIBLE\); a filter has no keys to hash again/);
      }
    }
    await run('convert', 'a.tamis', '--to', 'redis-bitmap', '-o', 'out');
  });

  const onlyAsked: ReadonlyArray<[string, string, RegExp]> = [
    ['redis-cuckoo', 'cf-strings', /with a hash of its own/],
    ['redisbloom', 'bf-strings-4layers', /of several layers/],
    ['go-cuckoo', 'seiflotfy/strings.cap4096.bin', /with a hash of its own/],
    ['binary-fuse', 'binary-fuse/int64.bf8.go-save.bin', /with a hash of its own/],
  ];
  test.each(onlyAsked)('%s %s is only looked up in', async (format, file, why) => {
    put('in', file.includes('/') ? bytesOf(file) : asLines(chunksOf(file)));
    const err = await fail('convert', 'in', '--from', format, '-o', 'a.tamis');
    expect(err).toMatch(why);
    expect(err).toMatch(
      `cannot be converted to tamis; tamis check --from ${format} looks keys up in it\n`,
    );
    expect(await fail('convert', 'in', '--from', format, '--to', 'go', '-o', 'x')).toMatch(
      /cannot be converted to go; /,
    );
  });

  test('a file of tamis, and a file of others without --from', async () => {
    await built('a.tamis', hosts, '--scheme', 'guava64');
    expect(await fail('inspect', 'a.tamis', '--from', 'guava')).toBe(
      'tamis: a.tamis: tamis wrote this file: leave out --from guava\n',
    );
    put('in.bin', bytesOf('guava/strings-utf8.mitz64.bin'));
    for (const args of [
      ['inspect', 'in.bin'],
      ['check', 'in.bin', 'a'],
    ]) {
      expect(await fail(...args)).toMatch(
        /^tamis: in\.bin: .*\(ERR_TAMIS_NOT_TAMIS\): --from FORMAT reads files of other programs\n$/,
      );
    }
  });

  const damaged: ReadonlyArray<[string, string, (bytes: Uint8Array) => Uint8Array, string]> = [
    ['guava', 'guava/strings-utf8.mitz64.bin', (b) => b.subarray(0, 500), 'TRUNCATED'],
    ['guava', 'guava/strings-utf8.mitz64.bin', (b) => Buffer.concat([b, b]), 'CORRUPT'],
    ['guava', 'guava/strings-utf8.small50.javaser.bin', (b) => b, 'UNSUPPORTED'],
    ['guava', 'go/strings.bin', (b) => b, ''],
    ['spark', 'guava/strings-utf8.mitz64.bin', (b) => b, ''],
    ['go', 'go/strings.bin', (b) => b.subarray(0, 3), 'TRUNCATED'],
    ['parquet', 'parquet/duckdb-strings.sbbf.bin', (b) => b.subarray(0, 99), 'TRUNCATED'],
    ['datasketches', 'data-sketches/strings.bin', (b) => b.subarray(0, 40), 'TRUNCATED'],
    ['redis-cuckoo', 'go/strings.bin', (b) => b, ''],
    ['go-cuckoo', 'seiflotfy/strings.cap4096.bin', (b) => b.subarray(0, 4000), 'CORRUPT'],
    ['binary-fuse', 'binary-fuse/int64.bf8.go-save.bin', (b) => b.subarray(0, 99), 'TRUNCATED'],
    ['bloom-filters', 'npm-bloomfilter/strings.json', (b) => b, ''],
    ['bloomfilter', 'npm-bloomfilter/strings.json', (b) => b.subarray(0, 99), ''],
  ];
  test.each(damaged)('%s: %s, damaged or of another: %#', async (format, file, damage, code) => {
    put('in', damage(bytesOf(file)));
    const message = new RegExp(`^tamis: in: .*\\(?ERR_TAMIS_${code}\\w*\\)?.*\n$`);
    expect(await fail('inspect', 'in', '--from', format)).toMatch(message);
    expect(await fail('check', 'in', '--from', format, 'a')).toMatch(message);
    expect(await fail('convert', 'in', '--from', format, '-o', 'x')).toMatch(message);
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  test('six bytes that ask for 17 GB', async () => {
    put('in', Uint8Array.of(1, 7, 0x7f, 0xff, 0xff, 0xff));
    expect(await fail('inspect', 'in', '--from', 'guava')).toMatch(/ERR_TAMIS_TOO_LARGE/);
    expect(await fail('convert', 'none', '--from', 'guava', '-o', 'x')).toBe(
      'tamis: none: no such file or folder\n',
    );
  });
});
