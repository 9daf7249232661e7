/** tamis check and inspect, and files that cannot be answered from. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, truncateSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { BitArray, BloomFilter } from 'tamis';
import {
  built,
  type Ended,
  figuresOf,
  folder,
  hosts,
  KEY,
  output,
  put,
  refused,
  tamis,
} from './support/cli.js';

const absentKeys = ['stranger.example', 'other.test', 'nobody.invalid'];

describe('check', () => {
  test('answers each key in order, in honest words, and exits as grep does', async () => {
    await built('a.tms', hosts, '--fpr', '2^-30');
    expect(
      await tamis(['check', 'a.tms', 'host-1.example', 'no.example', 'host-2.example']),
    ).toEqual({
      code: 0,
      out:
        'probably present  host-1.example\n' +
        'certainly absent  no.example\n' +
        'probably present  host-2.example\n',
      err: '',
    });
    expect(await tamis(['check', 'a.tms', ...absentKeys])).toEqual({
      code: 1,
      out: absentKeys.map((key) => `certainly absent  ${key}\n`).join(''),
      err: '',
    });
  });

  test('takes keys from standard input: alone, or where - stands', async () => {
    await built('a.tms', hosts, '--fpr', '2^-30');
    const alone = await tamis(['check', 'a.tms', '--json'], '\ufeffhost-7.example\r\n\nx\n');
    expect(alone).toEqual({
      code: 0,
      out: '{"key":"host-7.example","has":true}\n{"key":"x","has":false}\n',
      err: '',
    });
    const mixed = await tamis(['check', 'a.tms', 'one', '-', 'two', '--json'], 'in\n');
    expect(mixed).toEqual({
      code: 1,
      out: ['one', 'in', 'two'].map((key) => `{"key":"${key}","has":false}\n`).join(''),
      err: '',
    });
    const zipped = await tamis(['check', 'a.tms', '-'], gzipSync('host-7.example\n'));
    expect(zipped).toEqual({ code: 0, out: 'probably present  host-7.example\n', err: '' });
  });

  test('has no false negative on a long list, and reports each key once', async () => {
    const keys = Array.from({ length: 30_000 }, (_, i) => `key-\u20ac-${i}`);
    await built('a.tms', keys);
    const out = await output(['check', 'a.tms', '--json'], keys.join('\n'));
    const expected = keys.map((key) => `{"key":"${key}","has":true}\n`).join('');
    expect(out === expected).toBe(true);
  });

  test('keys of every kind: empty, with a hyphen, beyond ASCII, with control characters', async () => {
    await built('a.tms', ['-dash', '\u00e9', 'tab\there', '\u001b[31mred'], '--fpr', '2^-30');
    expect(await tamis(['check', 'a.tms', '--', '-dash', '\u00e9', 'tab\there', ''])).toEqual({
      code: 0,
      out:
        'probably present  -dash\nprobably present  \u00e9\n' +
        'probably present  tab\\x09here\ncertainly absent  \n',
      err: '',
    });
    const red = await tamis(['check', 'a.tms'], '\u001b[31mred\n');
    expect(red.out).toBe('probably present  \\x1b[31mred\n');
  });

  test('a key that turns the direction of the text, or hides some, is shown with that escaped', async () => {
    await built('a.tms', hosts);
    const controls =
      '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069' +
      '\u00ad\u200b\u200d\u2028\u2029\u2060\ufeff';
    const { out } = await tamis(['check', 'a.tms', `a${controls}b`]);
    const escaped = [...controls].map(
      (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    const json = await tamis(['check', 'a.tms', '--json', `a${controls}\u009b\u{e0041}b`]);
    expect(json.out).toBe(`{"key":"a${escaped.join('')}\\u009b\\udb40\\udc41b","has":false}\n`);
    expect(out).toBe(`certainly absent  a${escaped.join('').replace('\\u00ad', '\\xad')}b\n`);
    const { err } = await tamis(['check', 'exe\u202egnp.tms', 'a']);
    expect(err).toBe('tamis: exe\\u202egnp.tms: no such file or folder\n');
  });

  describe('--all', () => {
    const words = ['--fpr', '2^-30'];

    test('warns of the name of a file in the place of keys', async () => {
      put('keys.txt', hosts.join('\n'));
      await output(['build', 'keys.txt', '-o', 'a.tms']);
      expect(await tamis(['check', '--all', 'a.tms', 'keys.txt'])).toMatchObject({
        code: 1,
        err: 'tamis: keys.txt: warning: looked up as a key; to look up the keys in this file, pass < FILE\n',
      });
    });

    test('exits with 0 if the filter misses no key', async () => {
      await built('a.tms', hosts, ...words);
      const list = hosts.map((host) => `${host}\n`).join('');
      const count = hosts.length.toLocaleString('en-US');
      expect(await output(['check', '--all', 'a.tms'], list)).toBe(
        `0 of ${count} keys are missing\n`,
      );
      expect(await output(['check', '--all', '--json', 'a.tms', 'host-1.example'])).toBe(
        '{"keys":1,"missing":0,"firstMissing":[]}\n',
      );
    });

    test('exits with 1 if it misses one, which it prints', async () => {
      await built('a.tms', hosts, ...words);
      const asked = ['host-1.example', 'no\u202e.example', 'host-2.example'];
      expect(await tamis(['check', '--all', 'a.tms', ...asked])).toEqual({
        code: 1,
        out: 'certainly absent  no\\u202e.example\n1 of 3 keys is missing\n',
        err: '',
      });
    });

    test('prints the first 20, and counts all', async () => {
      await built('a.tms', hosts, ...words);
      const absent = Array.from({ length: 30_000 }, (_, i) => `absent-${i}`);
      const input = ['host-1.example', ...absent].join('\n');
      const { code, out } = await tamis(['check', 'a.tms', '--all'], input);
      expect(code).toBe(1);
      expect(out.split('\n').slice(-4)).toEqual([
        'certainly absent  absent-19',
        'and 29,980 more',
        '30,000 of 30,001 keys are missing',
        '',
      ]);
      const json = await tamis(['check', 'a.tms', '--all', '--json'], input);
      expect({ code: json.code, figures: JSON.parse(json.out) }).toEqual({
        code: 1,
        figures: { keys: 30_001, missing: 30_000, firstMissing: absent.slice(0, 20) },
      });
    });

    test.each([
      ['', /standard input: an empty list/],
      ['x\n\0\n', /standard input: not text/],
    ])('exits with 2 for a list of %j', async (input, message) => {
      await built('a.tms', hosts);
      const { code, out, err } = await tamis(['check', '--all', 'a.tms'], input);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(message);
    });
  });

  const unanswered: ReadonlyArray<[string, string | Uint8Array, RegExp]> = [
    ['no key at all', '', /standard input: an empty list/],
    ['no text', Buffer.from('ab\xff\n', 'latin1'), /standard input: not text/],
    ['no text after a while', `x\n${'yes\n'.repeat(20_000)}\0\n`, /standard input: not text/],
    ['no text after a hit', `host-1.example\n${'yes\n'.repeat(20_000)}\0\n`, /not text/],
  ];
  test.each(unanswered)('%s is an error, never an answer', async (_, input, message) => {
    await built('a.tms', hosts);
    const { code, err } = await tamis(['check', 'a.tms'], input);
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });

  test('a bit array has no keys', async () => {
    put('bits.tms', new BitArray(8).set(1).toBytes());
    const err = await refused(['check', 'bits.tms', 'a']);
    expect(err).toMatch(/^tamis: bits\.tms: a bit-array has no keys to look up: try inspect\n$/);
  });
});

describe('inspect', () => {
  test('gives the figures that the filter gives', async () => {
    await built('a.tms', hosts, '--fpr', '2^-10');
    const filter = BloomFilter.from(hosts, { fpr: 2 ** -10 });
    const out = await output(['inspect', 'a.tms', '--json']);
    expect(JSON.parse(out)).toEqual(figuresOf(filter));
    const forPeople = (await tamis(['inspect', 'a.tms'])).out;
    expect(forPeople).not.toMatch(/content|undefined/);
    expect(forPeople).toMatch(/^a\.tms\n {2}type +bloom\n/);
    expect(forPeople).toMatch(
      new RegExp(`^ {2}bits +${filter.bits.toLocaleString('en-US')}$`, 'm'),
    );
  });

  test('--bits prints a stretch of the bits', async () => {
    await built('a.tms', hosts);
    const filter = BloomFilter.from(hosts);
    const { bits } = filter;
    const ranges: ReadonlyArray<[string, number, number]> = [
      ['0:64', 0, 64],
      ['5:200', 5, 200],
      ['7:7', 7, 7],
      [`${bits - 3}:`, bits - 3, bits],
      [':10', 0, 10],
      [':', 0, bits],
    ];
    for (const [range, from, to] of ranges) {
      const expected = filter.toBitString(from, to);
      const { out } = await tamis(['inspect', 'a.tms', '--json', '--bits', range]);
      expect(JSON.parse(out)).toMatchObject({ bitsFrom: from, bitsTo: to, bitString: expected });
      const rows = (await tamis(['inspect', 'a.tms', '--bits', range])).out.split('\n\n')[1] ?? '';
      const printed = [...rows.matchAll(/^ *(\d+) {2}([01 ]+)$/gm)];
      expect(printed.map(([, , row = '']) => row.replaceAll(' ', '')).join('')).toBe(expected);
      expect(printed.map(([, index]) => Number(index))).toEqual(
        Array.from({ length: Math.ceil((to - from) / 64) }, (_, i) => from + 64 * i),
      );
    }
    for (const range of ['5', '5:4', `0:${bits + 1}`, '-1:4', 'a:b', '1:2:3', '0.5:2']) {
      const err = await refused(['inspect', 'a.tms', `--bits=${range}`]);
      expect(err).toContain(`tamis: --bits ${range}: expected FROM`);
    }
  });

  test('fits a terminal, also where a rate is next to nothing', async () => {
    const filter = new BloomFilter({ capacity: 5000 });
    filter.add('a');
    put('a.tms', filter.toBytes());
    const { out } = await tamis(['inspect', 'a.tms', '--bits', '0:200']);
    expect(out).toMatch(/ % \(1 in \d\.\de\d+\), as filled now$/m);
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('--bits of more bits than a string has characters', async () => {
    const array = new BitArray(2 ** 29).set(1).set(2 ** 29 - 1);
    put('long.tms', array.toBytes());
    array.dispose();
    const range = `${2 ** 29 - 8}:`;
    const out = await output(['inspect', 'long.tms', '--json', '--bits', range]);
    expect(JSON.parse(out)).toMatchObject({ bitString: '00000001' });
  });

  test('knows a bit array', async () => {
    const array = new BitArray(70);
    for (const i of [0, 3, 64, 69]) array.set(i);
    put('bits.tms', array.toBytes());
    const out = await output(['inspect', 'bits.tms', '--bits', '60:70']);
    expect(out).toMatch(/^ {2}type +bit-array$/m);
    expect(out).toMatch(/^ {2}bits set +4$/m);
    expect(out).toMatch(/^ {2}60 {2}00001000 01$/m);
    const json = await tamis(['inspect', 'bits.tms', '--bits', ':', '--json']);
    expect(JSON.parse(json.out)).toMatchObject({
      type: 'bit-array',
      count: 4,
      bitString: array.toString(),
    });
  });

  test('warns where a filter holds more than it was designed for, and only there', async () => {
    const filter = BloomFilter.from(hosts);
    put('at-capacity.tms', filter.toBytes());
    put('full.tms', filter.clone().fill().toBytes());
    filter.addMany(Array.from({ length: 100 }, (_, i) => `more-${i}`));
    put('over.tms', filter.toBytes());
    expect(filter.estimatedFpr).toBeGreaterThan(filter.fpr);
    expect((await tamis(['inspect', 'at-capacity.tms'])).err).toBe('');
    for (const name of ['over.tms', 'full.tms']) {
      const { code, err } = await tamis(['inspect', name]);
      expect(code).toBe(0);
      expect(err).toMatch(
        new RegExp(`^tamis: ${name}: warning: overfull: .*: rebuild it larger\n$`),
      );
      const json = await tamis(['inspect', name, '--json']);
      expect(JSON.parse(json.out)).toMatchObject({ overfull: true });
    }
  });
});

describe('files that cannot be answered from', () => {
  const bytes = (): Uint8Array => BloomFilter.from(hosts).toBytes();
  const keyed = (): Uint8Array => BloomFilter.from(hosts, { secret: KEY }).toBytes();
  const changed = (at: number): Uint8Array => {
    const copy = bytes();
    copy[at] = (copy[at] as number) ^ 1;
    return copy;
  };
  const cases: ReadonlyArray<[string, string, () => string | Uint8Array, string[]]> = [
    ['a text', 'NOT_TAMIS', () => 'host-1.example\n', []],
    ['an empty file', 'NOT_TAMIS', () => '', []],
    ['another version', 'UNSUPPORTED_VERSION', () => changed(8), []],
    ['a damaged header', 'CORRUPT', () => changed(33), []],
    ['a damaged payload', 'CORRUPT', () => changed(100), []],
    ['half a header', 'TRUNCATED', () => bytes().subarray(0, 40), []],
    ['half a payload', 'TRUNCATED', () => bytes().subarray(0, 200), []],
    ['something appended', 'CORRUPT', () => Buffer.concat([bytes(), Buffer.from('x')]), []],
    ['a keyed filter, and no key', 'KEY_REQUIRED', keyed, []],
    ['a keyed filter, and another key', 'WRONG_KEY', keyed, ['--secret-file', 'other']],
    ['a key for a filter without', 'WRONG_KEY', bytes, ['--secret-file', 'key']],
  ];
  test.each(cases)('%s: %s', async (_, code, content, options) => {
    put('a.tms', content());
    put('key', KEY);
    put(
      'other',
      KEY.map((byte) => byte ^ 1),
    );
    for (const args of [
      ['check', 'a.tms', 'host-1.example'],
      ['inspect', 'a.tms'],
    ]) {
      const { code: status, out, err } = await tamis([...args, ...options]);
      expect({ status, out }).toEqual({ status: 2, out: '' });
      expect(err).toMatch(new RegExp(`^tamis: a\\.tms: .*ERR_TAMIS_${code}\\b.*\n$`));
    }
  });

  test('a file of others is not read on, however long it is', async () => {
    // More than Node reads into one buffer.
    put('huge', '');
    truncateSync('huge', 2 ** 32);
    const endless = existsSync('/dev/zero') ? ['/dev/zero'] : [];
    for (const path of ['huge', ...endless]) {
      const commands = [
        ['inspect', path],
        ['check', path, 'a'],
        ['merge', path, path, '-o', 'out'],
        ['url', 'check', path, 'a.example', '--rule', 'labels5'],
      ];
      for (const command of commands) {
        const { code, err } = await tamis(command);
        expect(code).toBe(2);
        expect(err).toMatch(new RegExp(`^tamis: ${path}: .*ERR_TAMIS_NOT_TAMIS\\b.*\n$`));
      }
    }
  });

  // Windows has no mkfifo.
  const onUnix = process.platform === 'win32' ? test.skip : test;
  onUnix('a pipe is read once, in whatever pieces', async () => {
    execFileSync('mkfifo', ['pipe']);
    const all = bytes();
    const pieces = [all.subarray(0, 5), all.subarray(5, 70), all.subarray(70)];
    const writing = writeFile(
      'pipe',
      (async function* () {
        for (const piece of pieces) {
          yield piece;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })(),
    );
    const { out } = await tamis(['check', 'pipe', 'host-1.example']);
    await writing;
    expect(out).toBe('probably present  host-1.example\n');
  });

  test('a keyed filter answers with its key', async () => {
    put('a.tms', keyed());
    put('key', KEY);
    const args = ['a.tms', 'host-1.example', '--secret-file', 'key'];
    expect((await tamis(['check', ...args])).out).toBe('probably present  host-1.example\n');
    const { out } = await tamis(['inspect', 'a.tms', '--secret-file', 'key', '--json']);
    expect(JSON.parse(out)).toMatchObject({ hash: 'keyed' });
    expect(out).not.toContain(Buffer.from(KEY).toString('hex'));
  });

  test('a file that is missing, a folder, a key file that holds no key', async () => {
    mkdirSync(join(folder, 'sub'));
    put('a.tms', keyed());
    put('short', 'abc');
    for (const command of ['check', 'inspect']) {
      const run = (...args: string[]): Promise<Ended> => tamis([command, ...args], 'a\n');
      expect(await run('none.tms')).toEqual({
        code: 2,
        out: '',
        err: 'tamis: none.tms: no such file or folder\n',
      });
      expect((await run('sub')).err).toBe('tamis: sub: is a folder, not a file\n');
      expect(await run('a.tms', '--secret-file', 'none')).toEqual({
        code: 2,
        out: '',
        err: 'tamis: none: no such file or folder\n',
      });
      expect(await run('a.tms', '--secret-file', 'short')).toEqual({
        code: 2,
        out: '',
        err: 'tamis: short: a secret is 16 bytes or 32 hex digits, got 3 bytes\n',
      });
    }
  });
});
