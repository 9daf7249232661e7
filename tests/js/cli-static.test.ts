/** tamis build, check and inspect for filters that are built once, and for maps, which programs write. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import {
  BinaryFuseFilter,
  BloomierMap,
  ExactFilter,
  type Filter,
  RibbonFilter,
  type Structure,
} from 'tamis';
import {
  built,
  folder,
  get,
  hosts,
  KEY,
  onTerminal,
  output,
  put,
  refused,
  tamis,
} from './support/cli.js';

const others = Array.from({ length: 2000 }, (_, i) => `benign-${i}.example`);
const lines = (keys: readonly string[]): string => keys.map((key) => `${key}\n`).join('');

/** The type, its options on the command line, and the same filter by a program. */
const types: ReadonlyArray<[string, string[], () => Filter]> = [
  ['ribbon', [], () => RibbonFilter.from(hosts)],
  ['ribbon', ['--fpr', '2^-16'], () => RibbonFilter.from(hosts, { fpr: 2 ** -16 })],
  [
    'ribbon',
    ['--fingerprint-bits', '9', '--seed', '7'],
    () => RibbonFilter.from(hosts, { fingerprintBits: 9, seed: 7n }),
  ],
  ['ribbon', ['--key-file', 'key'], () => RibbonFilter.from(hosts, { hash: 'keyed', key: KEY })],
  ['binary-fuse', [], () => BinaryFuseFilter.from(hosts)],
  [
    'binary-fuse',
    ['--arity', '4', '--fingerprint-bits', '12'],
    () => BinaryFuseFilter.from(hosts, { arity: 4, fingerprintBits: 12 }),
  ],
  ['exact', ['--exclude', 'others'], () => ExactFilter.from({ include: hosts, exclude: others })],
  [
    'exact',
    ['--exclude', 'others', '--fpr', '0.001'],
    () => ExactFilter.from({ include: hosts, exclude: others }, { fpr: 0.001 }),
  ],
  [
    'exact',
    ['--exclude', 'others', '--seed', '0xfeed', '--key-file', 'key'],
    () =>
      ExactFilter.from(
        { include: hosts, exclude: others },
        { seed: 0xfeedn, hash: 'keyed', key: KEY },
      ),
  ],
];

/** Checks that inspect reports the figures of the structure, both as JSON and as text. */
async function expectFigures(structure: Structure, ...options: string[]): Promise<string> {
  const figures = structure.toJSON();
  const json = await tamis(['inspect', 'a.tms', '--json', ...options]);
  expect({ ...json, out: JSON.parse(json.out) }).toEqual({
    code: 0,
    out: { ...figures, fileBytes: structure.toBytes().length, overfull: false },
    err: '',
  });
  const { out } = await tamis(['inspect', 'a.tms', ...options]);
  const rows = out.trimEnd().split('\n').slice(1);
  expect(rows).toHaveLength(Object.keys(figures).length + 1);
  for (const name of Object.keys(figures).filter((name) => /[A-Z]/.test(name))) {
    expect(out).not.toContain(`  ${name} `);
  }
  const columns = rows.map((row) => row.search(/(?<=^ {2}.* {2})\S/));
  expect(new Set(columns).size).toBe(1);
  return out;
}

describe.each(types)('%s %j', (type, options, make) => {
  test('is what the package builds, and can be asked and inspected', async () => {
    put('others', lines(others));
    put('key', KEY);
    await built('a.tms', hosts, '--type', type, ...options);
    const filter = make();
    expect(get('a.tms').equals(filter.toBytes())).toBe(true);

    const asked = [...hosts, ...others, 'stranger.example'];
    const secret = options.includes('--key-file') ? ['--key-file', 'key'] : [];
    const check = await tamis(['check', 'a.tms', '--json', ...secret], asked.join('\n'));
    const answers = filter.hasMany(asked);
    expect(check).toEqual({
      code: 0,
      out: asked.map((key, i) => `${JSON.stringify({ key, has: answers[i] === 1 })}\n`).join(''),
      err: '',
    });
    expect(answers.subarray(0, hosts.length).every((answer) => answer === 1)).toBe(true);
    await expectFigures(filter, ...secret);
  });
});

test('inspect says what is particular to a type', async () => {
  put('others', lines(others));
  const shown = async (type: string, ...options: string[]): Promise<string> => {
    await built('a.tms', hosts, '--type', type, ...options);
    return (await tamis(['inspect', 'a.tms'])).out;
  };
  expect(await shown('ribbon')).toMatch(/^ {2}fingerprint +7 bits$/m);
  expect(await shown('binary-fuse')).toMatch(/^ {2}places +3 per key$/m);
  expect(await shown('exact', '--exclude', 'others')).toMatch(/^ {2}excluded +2,000 keys$/m);
});

test('an exact filter answers no for every excluded key', async () => {
  put('hosts', lines(hosts));
  await output(
    ['build', 'hosts', '-o', 'a.tms', '--type', 'exact', '--exclude', '-'],
    gzipSync(lines(others)),
  );
  expect(await tamis(['check', 'a.tms'], lines(others))).toEqual({
    code: 1,
    out: others.map((key) => `certainly absent  ${key}\n`).join(''),
    err: '',
  });
});

test('a list that repeats keys says how many are distinct', async () => {
  put('twice', lines([...hosts, ...hosts]));
  put('others', lines([...others, ...others]));
  for (const [type, ...options] of [
    ['ribbon'],
    ['binary-fuse'],
    ['exact', '--exclude', 'others'],
  ] as const) {
    const build = ['build', 'twice', '-o', 'a.tms', '--type', type, ...options];
    const out = await output(build);
    expect(out).toMatch(/^a\.tms: 1,000 lines of twice \(500 distinct keys\), [\d.]+ m?s\n/);
    const json = JSON.parse((await tamis([...build, '--json'])).out);
    expect(json).toMatchObject({ type, lines: 1000, count: 500, capacity: 500, output: 'a.tms' });
    await built('once', hosts, '--type', type, ...options);
    expect(get('a.tms').equals(get('once'))).toBe(true);
  }
  const { out } = await tamis(['build', 'once.txt', '-o', 'a.tms', '--type', 'ribbon']);
  expect(out).toMatch(/^a\.tms: 500 lines of once\.txt, [\d.]+ m?s\n/);
});

test('standard input is streamed', async () => {
  const keys = Array.from({ length: 50_000 }, (_, i) => `key-\u20ac-${i}`);
  const build = ['build', '-', '-o', 'a.tms', '--type', 'binary-fuse', '--fpr', '2^-8'];
  const out = await output(build, lines(keys));
  expect(out).toMatch(/^a\.tms: 50,000 lines of standard input, /);
  expect(get('a.tms').equals(BinaryFuseFilter.from(keys, { fpr: 2 ** -8 }).toBytes())).toBe(true);
});

test('progress is shown for each list', async () => {
  put('hosts', lines(hosts));
  put('others', lines(others));
  const build = ['build', 'hosts', '-o', 'a.tms', '--type', 'exact', '--exclude', 'others'];
  const { out, err } = await onTerminal(build);
  expect(err.match(/reading \[/g)?.length).toBeGreaterThanOrEqual(2);
  expect(out).toContain('a.tms: 500 lines of hosts');
});

test('a map is inspected and asked for its keys', async () => {
  const entries = hosts.map((host, i) => [host, i % 32] as const);
  const map = BloomierMap.from(entries, { valueBits: 5, checkBits: 20 });
  put('a.tms', map.toBytes());
  const out = await expectFigures(map);
  expect(out).toMatch(/^ {2}value +5 bits$/m);
  expect(out).toMatch(/^ {2}check +20 bits$/m);
  const absentKeys = others.slice(0, 50).filter((key) => !map.has(key));
  expect(absentKeys.length).toBeGreaterThan(40);
  expect(await tamis(['check', 'a.tms', ...absentKeys])).toEqual({
    code: 1,
    out: absentKeys.map((key) => `certainly absent  ${key}\n`).join(''),
    err: '',
  });
  expect(await tamis(['check', 'a.tms'], lines(hosts))).toEqual({
    code: 0,
    out: hosts.map((key) => `probably present  ${key}\n`).join(''),
    err: '',
  });
});

describe('mistakes', () => {
  const exact = ['--type', 'exact', '--exclude', 'others'];
  const wrong: ReadonlyArray<[string[], RegExp]> = [
    [
      ['--type', 'ribbon', '--capacity', '500'],
      /--capacity: --type ribbon counts the keys in LIST/,
    ],
    [[...exact, '--capacity', '500'], /--capacity: --type exact counts the keys in LIST/],
    [['--type', 'ribbon', '--fpr', '2^-33'], /fpr is below 2\^-32.*ERR_TAMIS_INVALID_OPTION/],
    [
      ['--type', 'ribbon', '--fpr', '0.01', '--fingerprint-bits', '8'],
      /fpr and fingerprintBits.*ERR_TAMIS_INVALID_OPTION/,
    ],
    [['--type', 'ribbon', '--fingerprint-bits', '33'], /fingerprintBits.*INVALID_OPTION/],
    [
      ['--type', 'ribbon', '--arity', '3'],
      /--arity: an option of --type binary-fuse, not of ribbon/,
    ],
    [['--type', 'binary-fuse', '--arity', '5'], /arity.*INVALID_OPTION/],
    [['--type', 'binary-fuse', '--arity', 'x'], /--arity x: expected a whole/],
    [
      ['--fingerprint-bits', '8'],
      /--fingerprint-bits: an option of --type cuckoo, ribbon, binary-fuse, not of bloom/,
    ],
    [['--type', 'exact'], /expected --exclude LIST2/],
    [[...exact, '--fpr', '2^-34'], /fpr is below 2\^-33.*INVALID_OPTION/],
    [['--type', 'ribbon', '--exclude', 'others'], /--exclude: an option of --type exact/],
  ];
  test.each(wrong)('%j', async (options, message) => {
    put('list', lines(hosts));
    put('others', lines(others));
    const err = await refused(['build', 'list', '-o', 'x', ...options]);
    expect(err).toMatch(message);
    expect(err).toMatch(/\ntry: tamis build --help\n$/);
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  test('are found before a list is read', async () => {
    put('binary', 'a\0b\n');
    for (const type of ['ribbon', 'binary-fuse']) {
      const args = ['build', 'binary', '-o', 'x', '--type', type];
      expect((await tamis([...args, '--fpr', '2^-33'])).err).toMatch(/fpr is below/);
      expect((await tamis(args)).err).toMatch(/not text/);
    }
  });

  const lists: ReadonlyArray<[string, string, string]> = [
    ['list', 'none', 'none: no such file or folder'],
    ['none', 'others', 'none: no such file or folder'],
    ['list', 'empty', 'empty: an empty list: expected a key on each line'],
    ['empty', 'others', 'empty: an empty list: expected a key on each line'],
    ['list', 'binary', 'binary: not text (a NUL byte at offset 1): a list is lines of UTF-8'],
    ['list', 'some', '3 keys in both list and some (ERR_TAMIS_CONFLICT)'],
    ['-', '-', 'build: standard input can be read once only, so give - once'],
  ];
  test.each(lists)('include %s, exclude %s', async (include, exclude, message) => {
    put('list', lines(hosts));
    put('others', lines(others));
    put('some', lines([...others, ...hosts.slice(0, 3)]));
    put('empty', '\n\n');
    put('binary', 'a\0b\n');
    const err = await refused(
      ['build', include, '-o', 'x', '--type', 'exact', '--exclude', exclude],
      lines(hosts),
    );
    expect(err.split('\n')[0]).toBe(`tamis: ${message}`);
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  test('what is built once cannot be merged', async () => {
    await built('a.tms', hosts, '--type', 'ribbon');
    await built('b.tms', others, '--type', 'ribbon');
    expect(await refused(['merge', 'a.tms', 'b.tms', '-o', 'x'])).toBe(
      'tamis: a.tms: ribbon cannot be merged: tamis merge --help says what can\n',
    );
  });
});
