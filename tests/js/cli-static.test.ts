/** tamis build for filters that are built once: their lists, and what is wrong with these. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { BinaryFuseFilter } from 'tamis';
import {
  built,
  folder,
  get,
  hosts,
  onTerminal,
  output,
  put,
  refused,
  tamis,
  textOf,
} from './support/cli.js';

const others = Array.from({ length: 2000 }, (_, i) => `benign-${i}.example`);

test('inspect says what is particular to a type', async () => {
  put('others', textOf(others));
  const shown = async (type: string, ...options: string[]): Promise<string> => {
    await built('a.tms', hosts, '--type', type, ...options);
    return (await tamis(['inspect', 'a.tms'])).out;
  };
  expect(await shown('ribbon')).toMatch(/^ {2}fingerprint +7 bits$/m);
  expect(await shown('binary-fuse')).toMatch(/^ {2}places +3 per key$/m);
  expect(await shown('exact', '--exclude', 'others')).toMatch(/^ {2}excluded +2,000 keys$/m);
});

test('an exact filter answers no for every excluded key', async () => {
  put('hosts', textOf(hosts));
  await output(
    ['build', 'hosts', '-o', 'a.tms', '--type', 'exact', '--exclude', '-'],
    gzipSync(textOf(others)),
  );
  expect(await tamis(['check', 'a.tms'], textOf(others))).toEqual({
    code: 1,
    out: others.map((key) => `certainly absent  ${key}\n`).join(''),
    err: '',
  });
});

test('a list that repeats keys says how many are distinct', async () => {
  put('twice', textOf([...hosts, ...hosts]));
  put('others', textOf([...others, ...others]));
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
  const out = await output(build, textOf(keys));
  expect(out).toMatch(/^a\.tms: 50,000 lines of standard input, /);
  expect(get('a.tms').equals(BinaryFuseFilter.from(keys, { fpr: 2 ** -8 }).toBytes())).toBe(true);
});

test('progress is shown for each list', async () => {
  put('hosts', textOf(hosts));
  put('others', textOf(others));
  const build = ['build', 'hosts', '-o', 'a.tms', '--type', 'exact', '--exclude', 'others'];
  const { out, err } = await onTerminal(build);
  expect(err.match(/reading \[/g)?.length).toBeGreaterThanOrEqual(2);
  expect(out).toContain('a.tms: 500 lines of hosts');
});

describe('mistakes', () => {
  test('are found before a list is read', async () => {
    put('binary', 'a\0b\n');
    for (const type of ['ribbon', 'binary-fuse']) {
      const args = ['build', 'binary', '-o', 'x', '--type', type];
      expect((await tamis([...args, '--fpr', '2^-33'])).err).toMatch(/fpr must be at least/);
      expect((await tamis(args)).err).toMatch(/not text/);
    }
  });

  const lists: ReadonlyArray<[string, string, string]> = [
    ['list', 'none', 'none: no such file or folder'],
    ['none', 'others', 'none: no such file or folder'],
    ['list', 'empty', 'empty: an empty list: expected a key on each line'],
    ['empty', 'others', 'empty: an empty list: expected a key on each line'],
    ['list', 'binary', 'binary: not text (a NUL byte at offset 1): a list must be lines of UTF-8'],
    ['list', 'some', '3 keys in both list and some (ERR_TAMIS_CONFLICT)'],
    ['-', '-', 'build: standard input can be read only once: pass - once'],
  ];
  test.each(lists)('include %s, exclude %s', async (include, exclude, message) => {
    put('list', textOf(hosts));
    put('others', textOf(others));
    put('some', textOf([...others, ...hosts.slice(0, 3)]));
    put('empty', '\n\n');
    put('binary', 'a\0b\n');
    const err = await refused(
      ['build', include, '-o', 'x', '--type', 'exact', '--exclude', exclude],
      textOf(hosts),
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
