/** tamis build: its options, the lists it takes and refuses, the file that it writes. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { BloomFilter } from 'tamis';
import { guava64 } from 'tamis/schemes';
import { built, figuresOf, folder, get, hosts, KEY, put, refused, tamis } from './support/cli.js';

describe('build', () => {
  test('gives the bytes that the package gives, and says so in figures', async () => {
    put('hosts.txt', hosts.join('\n'));
    const { code, out, err } = await tamis(['build', 'hosts.txt', '-o', 'hosts.tms']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const filter = BloomFilter.from(hosts);
    expect(get('hosts.tms').equals(filter.toBytes())).toBe(true);
    expect(filter.count).toBe(499);
    expect(out).toMatch(
      /^hosts\.tms: 500 lines of hosts\.txt \(1 looked present already\), [\d.]+ m?s\n/,
    );
    expect(out).toMatch(new RegExp(`^ {2}keys +${filter.count}$`, 'm'));
    expect(out).toMatch(/^ {2}capacity +500 keys$/m);
    expect(out).toMatch(new RegExp(`^ {2}hashes +${filter.hashes} per key$`, 'm'));
    expect(out).toMatch(/as designed\n.*as filled now\n/);
    const columns = out.split('\n').slice(1, -1);
    expect(new Set(columns.map((row) => /^ {2}(.{15}) {2}\S/.test(row)))).toEqual(new Set([true]));
  });

  const variants: ReadonlyArray<[string, string[], ConstructorParameters<typeof BloomFilter>[0]]> =
    [
      ['a rate', ['--fpr', '0.001'], { capacity: 500, fpr: 0.001 }],
      ['a rate as a power of two', ['--fpr', '2^-16'], { capacity: 500, fpr: 2 ** -16 }],
      ['a rate with an exponent', ['--fpr', '1e-5'], { capacity: 500, fpr: 1e-5 }],
      ['a capacity', ['--capacity', '2000'], { capacity: 2000 }],
      ['a seed', ['--seed', '77'], { capacity: 500, seed: 77n }],
      [
        'a seed in hex',
        ['--seed', '0xfedcba9876543210'],
        { capacity: 500, seed: 0xfedc_ba98_7654_3210n },
      ],
      ['a scheme', ['--scheme', 'guava64'], { capacity: 500, scheme: guava64 }],
      ['a type', ['--type', 'bloom'], { capacity: 500 }],
      ['a key', ['--secret-file', 'key'], { capacity: 500, secret: KEY }],
      ['a key in hex', ['--secret-file', 'key.hex'], { capacity: 500, secret: KEY }],
    ];
  test.each(variants)('takes %s', async (_, options, expected) => {
    put('key', KEY);
    put('key.hex', `${Buffer.from(KEY).toString('hex')}\n`);
    await built('a.tms', hosts, ...options);
    const filter = new BloomFilter(expected);
    filter.addMany(hosts);
    expect(get('a.tms').equals(filter.toBytes())).toBe(true);
  });

  test('--json gives the figures in one line', async () => {
    put('hosts.txt', hosts.join('\n'));
    const { code, out, err } = await tamis(['build', 'hosts.txt', '-o', 'a.tms', '--json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.indexOf('\n')).toBe(out.length - 1);
    const filter = BloomFilter.from(hosts);
    expect(JSON.parse(out)).toEqual({
      ...figuresOf(filter),
      output: 'a.tms',
      lines: 500,
      comments: 0,
      blanks: 0,
      buildMs: expect.any(Number),
    });
  });

  test('says how many keys looked present already', async () => {
    put('hosts.txt', [...hosts, ...hosts.slice(0, 7)].join('\n'));
    const args = ['build', 'hosts.txt', '-o', 'a.tms', '--fpr', '0.1', '--capacity', '500'];
    const { out } = await tamis(args);
    const filter = BloomFilter.from(hosts, { fpr: 0.1 });
    const present = 507 - filter.count;
    expect(present).toBeGreaterThan(7);
    expect(out).toMatch(
      new RegExp(`^a\\.tms: 507 lines of hosts\\.txt \\(${present} looked present already\\), `),
    );
    // It counts the keys that it stores, and a repeated key again.
    const cuckoo = await tamis([...args, '--type', 'cuckoo']);
    expect(cuckoo.out).toMatch(/^a\.tms: 507 lines of hosts\.txt, /);
  });

  test('warns of a capacity that is too small', async () => {
    put('hosts.txt', hosts.join('\n'));
    const args = ['build', 'hosts.txt', '-o', 'a.tms', '--capacity', '50'];
    const { code, err } = await tamis(args);
    expect(code).toBe(0);
    expect(err).toMatch(/^tamis: a\.tms: warning: overfull: .* keys of 50: rebuild it larger\n$/);
    const { out } = await tamis([...args, '--json']);
    expect(JSON.parse(out)).toMatchObject({ capacity: 50, overfull: true });
  });
});

describe('lists', () => {
  const text = `${hosts.join('\n')}\n`;
  const forms: ReadonlyArray<[string, string | Uint8Array]> = [
    ['as it is', text],
    ['without a last line end', hosts.join('\n')],
    ['with CRLF', `${hosts.join('\r\n')}\r\n`],
    ['with a BOM', `\ufeff${text}`],
    ['with empty lines', `\n\n${hosts.join('\n\r\n\n')}\n\n`],
    ['gzipped', gzipSync(text)],
    [
      'gzipped in two members',
      Buffer.concat([gzipSync(text.slice(0, 99)), gzipSync(text.slice(99))]),
    ],
  ];
  test.each(forms)('a list %s, from a file or from standard input', async (_, content) => {
    const expected = BloomFilter.from(hosts).toBytes();
    put('list', content);
    for (const [list, input, options] of [
      ['list', '', []],
      ['-', content, ['--capacity', '500']],
    ] as const) {
      const { code, err } = await tamis(['build', list, '-o', 'a.tms', ...options], input);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(get('a.tms').equals(expected)).toBe(true);
      rmSync(join(folder, 'a.tms'));
    }
  });

  test('characters of several bytes, whatever the borders of the chunks', async () => {
    const keys = Array.from({ length: 40_000 }, (_, i) => `${i}-\u00e9\u20ac\u{1f600}`);
    await built('a.tms', keys);
    expect(get('a.tms').equals(BloomFilter.from(keys).toBytes())).toBe(true);
  });

  // createReadStream reads 64 KiB at a time: these lie on and after the first border.
  const chunk = 'x'.repeat(65_534);
  const bad: ReadonlyArray<[string, string | Uint8Array, RegExp]> = [
    ['is empty', '', /an empty list/],
    ['has empty lines only', '\r\n\n\n', /an empty list/],
    ['is a BOM only', '\ufeff', /an empty list/],
    ['holds a NUL byte', 'a\nb\0c\n', /not text \(a NUL byte at offset 3\)/],
    ['holds a NUL byte late', `${chunk}\n${chunk}\0`, /a NUL byte at offset 131069/],
    ['is UTF-16', Buffer.from('\ufeffhost\n', 'utf16le'), /not text/],
    ['holds Latin-1', Buffer.from('caf\xe9\nb\n', 'latin1'), /not text \(invalid UTF-8/],
    [
      'breaks a character at the border of two chunks',
      Buffer.concat([Buffer.from(`${chunk}\n\xe2`, 'latin1'), Buffer.from('\x82x\n', 'latin1')]),
      /not text \(invalid UTF-8/,
    ],
    [
      'ends within a character',
      Buffer.from('a\ncaf\xc3', 'latin1'),
      /not text \(the last character is cut short\)/,
    ],
    ['holds a surrogate', Buffer.from('\xed\xa0\x80\n', 'latin1'), /not text/],
    ['is gzip that is cut short', gzipSync(text).subarray(0, 300), /gzip data is cut short/],
    ['is damaged gzip', gzipSync(text).fill(0x55, 200, 220), /gzip data is damaged/],
    ['is gzip of what is not text', gzipSync('a\0b'), /not text/],
  ];
  test.each(bad)('a list that %s is refused', async (_, content, message) => {
    put('list', content);
    put('kept.tms', 'old content');
    for (const [list, input, name, options] of [
      ['list', '', 'list', []],
      ['-', content, 'standard input', ['--capacity', '500']],
    ] as const) {
      const args = ['build', list, '-o', 'kept.tms', ...options];
      const err = await refused(args, input);
      expect(err).toMatch(message);
      expect(err).toMatch(new RegExp(`^tamis: ${name}: .*\n$`));
      expect(get('kept.tms').toString()).toBe('old content');
      expect(readdirSync(folder).sort()).toEqual(['kept.tms', 'list']);
    }
  });

  test('a list that is missing, or a folder, is refused', async () => {
    mkdirSync(join(folder, 'sub'));
    expect(await refused(['build', 'none.txt', '-o', 'a.tms'])).toBe(
      'tamis: none.txt: no such file or folder\n',
    );
    expect(await refused(['build', 'sub', '-o', 'a.tms'])).toBe(
      'tamis: sub: is a folder, not a list\n',
    );
    expect(readdirSync(folder)).toEqual(['sub']);
  });
});

describe('the file that build writes', () => {
  test('replaces an old one, whose mode stays; a link stays a link', async () => {
    put('real.tms', 'old content');
    chmodSync(join(folder, 'real.tms'), 0o640);
    symlinkSync('real.tms', join(folder, 'link.tms'));
    put('hosts.txt', hosts.join('\n'));
    expect((await tamis(['build', 'hosts.txt', '-o', 'link.tms'])).code).toBe(0);
    expect(lstatSync(join(folder, 'link.tms')).isSymbolicLink()).toBe(true);
    expect(statSync(join(folder, 'real.tms')).mode & 0o777).toBe(0o640);
    expect(get('real.tms').equals(BloomFilter.from(hosts).toBytes())).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['hosts.txt', 'link.tms', 'real.tms']);
  });

  test('may be a pipe, which stays one', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    put('hosts.txt', hosts.join('\n'));
    const [bytes, { code }] = await Promise.all([
      readFile(pipe),
      tamis(['build', 'hosts.txt', '-o', 'pipe']),
    ]);
    expect(code).toBe(0);
    expect(bytes.equals(BloomFilter.from(hosts).toBytes())).toBe(true);
    expect(lstatSync(pipe).isFIFO()).toBe(true);
  });

  test('cannot be a folder, nor lie in one that is not there', async () => {
    mkdirSync(join(folder, 'sub'));
    put('hosts.txt', hosts.join('\n'));
    for (const output of ['sub', 'none/a.tms']) {
      const err = await refused(['build', 'hosts.txt', '-o', output]);
      expect(err).toMatch(new RegExp(`^tamis: ${output}: .*folder`));
    }
    expect(readdirSync(folder).sort()).toEqual(['hosts.txt', 'sub']);
  });
});
