/** Faults of the disk, the folder or the list, as tamis shard, pages and manifest treat them. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isLong } from '../js/support/budget.js';
import {
  cli,
  type Ended,
  env,
  folder,
  get,
  put,
  runProcess,
  tamis,
  textOf,
  waitForEnd,
} from '../js/support/cli.js';
import { checkFolder, sumsOf } from '../js/support/page-folders.js';

const path = (...names: string[]): string => join(folder, ...names);
const named = ['--name', 'list'];
const keys = Array.from({ length: 20_000 }, (_, i) => `key-${i}`);

async function run(...args: string[]): Promise<Ended> {
  const ended = await tamis(args);
  expect({ args, code: ended.code, err: ended.err }).toEqual({ args, code: 0, err: '' });
  return ended;
}

test.each(['shard', 'manifest'])('%s mends a part that was damaged', async (command) => {
  put('keys', textOf(keys));
  const args = ['shard', ...named, 'keys', '-o', 'a'];
  await run(...args);
  const sums = sumsOf('a');
  const [part] = Object.keys(sums) as [string];
  const bytes = get(`a/${part}`);
  bytes[1000] = (bytes[1000] as number) ^ 1;
  if (command === 'manifest') {
    const { out } = await run('hash', '--pages', '2', 'keys');
    put('records', textOf(out.trimEnd().split('\n').sort()));
    await run('pages', '--pages', '2', '-o', 'a', 'records', ...named);
  }
  put(`a/${part}`, bytes);
  await run(...(command === 'manifest' ? ['manifest', ...named, 'a'] : args));
  expect(sumsOf('a')).toEqual(sums);
  checkFolder('a');
  // Whole files are not written again: a folder without write permission would show it.
  expect(readdirSync(path('a')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

describe('a folder that holds something else is refused before any work', () => {
  const cases: [string, string | undefined, RegExp][] = [
    ['another list', undefined, /^tamis: h: the folder contains the list 'list', not 'other'\n$/],
    ['a manifest of others', '{"name":"app","version":"1"}', /^tamis: h\/manifest\.json: not a m/],
    ['what is no JSON', '{', /^tamis: h\/manifest\.json: not a manifest: /],
  ];
  test.each(cases)('%s', async (_, manifest, message) => {
    put('keys', textOf(keys.slice(0, 100)));
    put('records', textOf((await run('hash', '--pages', '1', 'keys')).out.trimEnd().split('\n')));
    if (manifest === undefined) {
      await run('shard', 'keys', '-o', 'h', ...named);
    } else {
      mkdirSync(path('h'));
      put('h/manifest.json', manifest);
    }
    const before = readdirSync(path('h'));
    const refused = await tamis(['shard', 'keys', '-o', 'h', '--name', 'other']);
    expect(refused).toEqual({ code: 2, out: '', err: expect.stringMatching(message) });
    expect(readdirSync(path('h'))).toEqual(before);
    // A signing key is made only if something is published.
    const sign = ['--sign', 'k.pem', '--create-key', '--name', 'other'];
    expect(await tamis(['shard', ...named, 'keys', '-o', 'h', ...sign])).toMatchObject({ code: 2 });
    expect(readdirSync(folder)).not.toContain('k.pem');

    await tamis(['pages', '--pages', '1', '-o', 'p', 'records', '--name', 'other']);
    const args = ['manifest', 'p', '-o', 'h', '--name', 'other'];
    expect(await tamis(args)).toEqual(refused);
    expect(readdirSync(path('h'))).toEqual(before);
  });
});

/** Runs the command with a limit on the length of files, in blocks of 512 bytes. */
function runLimited(blocks: number, args: readonly string[]): Promise<Ended> {
  const script = `ulimit -f ${blocks}; exec "$0" "$@"`;
  const child = spawn('sh', ['-c', script, process.execPath, cli, ...args], { cwd: folder, env });
  child.stdin.end();
  return waitForEnd(child);
}

test('where a file cannot be written, one line names it', async () => {
  put('keys', textOf(keys));
  const { out } = await run('hash', '--pages', '2', 'keys');
  put('records', textOf(out.trimEnd().split('\n').sort()));
  await run('pages', '--pages', '2', '-o', 'built', 'records', ...named);
  const shard = ['shard', ...named, 'keys', '-o', 'a', '--quiet'];
  const cases: [number, string[], RegExp][] = [
    [0, shard, /^tamis: a\/\.spill\.lock: /],
    [4, [...shard, '--memory', '1MB'], /^tamis: a\/\.spill\/keys\.spill: /],
    // All keys take 160 kB, and all pages some 24 kB.
    [
      0,
      ['pages', ...named, '--pages', '2', '-o', 'p', 'records'],
      /^tamis: p\/part-\d{10}-\d{10}\.part: /,
    ],
    [8, ['manifest', ...named, 'built', '-o', 'm'], /^tamis: m\/list\.\w{16}\.0\.pages: /],
  ];
  for (const [blocks, args, message] of cases) {
    const { code, err } = await runLimited(blocks, args);
    expect(err).toMatch(message);
    expect({ code, lines: err.split('\n') }).toEqual({
      code: 2,
      lines: [expect.stringMatching(/: the file is too large$/), ''],
    });
    rmSync(path('a'), { recursive: true, force: true });
  }
});

test('a file that is not there is one line', async () => {
  for (const where of ['out', '-']) {
    const args = ['pages', '--pages', '2', '-o', where, ...named, 'nosuch.rec'];
    expect(await runProcess(args)).toEqual({
      code: 2,
      out: '',
      err: 'tamis: nosuch.rec: no such file or folder\n',
    });
  }
});

test('where a folder stands in the way of a file, one line names it', async () => {
  put('keys', textOf(keys));
  await run('shard', 'keys', '-o', 'a', ...named);
  const [part] = Object.keys(sumsOf('a')) as [string];
  rmSync(path('a', part));
  mkdirSync(path('a', part));
  const { code, err } = await tamis(['shard', ...named, 'keys', '-o', 'a']);
  expect({ code, err }).toEqual({ code: 2, err: `tamis: a/${part}: is a folder, not a file\n` });
});

test.each([
  ['hash', ['--pages', '1']],
  ['shard', ['-o', 'a', ...named]],
])('%s refuses --keys where base64 gives the bytes', async (command, options) => {
  put('keys', 'MQ==\n');
  for (const encoding of ['int64', 'utf8']) {
    const args = [command, 'keys', ...options, '--keys', encoding, '--input', 'base64'];
    expect(await tamis(args)).toEqual({
      code: 2,
      out: '',
      err: `tamis: --keys works only with --input text\ntry: tamis ${command} --help\n`,
    });
  }
  expect((await tamis(['hash', '--pages', '1', '--input', 'base64', 'keys'])).code).toBe(0);
});

describe('a list of which few keys make up most lines', () => {
  /** The bytes of the hashes on disk, for a run that cannot write its part. Buckets of them are in memory. */
  async function spilled(...options: string[]): Promise<number> {
    await run('shard', 'keys', '-o', 'b', '--memory', '1MB', ...named, ...options);
    const [part] = Object.keys(sumsOf('b')) as [string];
    rmSync(path('b', part));
    mkdirSync(path('b', part));
    const args = ['shard', ...named, 'keys', '-o', 'b', '--memory', '1MB', ...options];
    expect((await tamis(args)).code).toBe(2);
    return statSync(path('b', '.spill', 'keys.spill')).size;
  }

  /** Every 50th line is another key. */
  const mixed = (count: number, hot: number): string[] =>
    Array.from({ length: count }, (_, i) => (i % 50 === 0 ? `key-${i}` : `hot-${i % hot}`));

  test.each([
    ...(isLong ? [['one key', Array.from({ length: 300_000 }, () => 'same')] as const] : []),
    ['seven keys and others', mixed(300_000, 7)],
  ])('%s: takes as little disk and memory as its distinct keys', async (_, lines) => {
    const distinct = [...new Set(lines)];
    put('keys', textOf(lines));
    // 300,000 hashes are 2.4 MB. A bucket may have twice the mean size of the 64 buckets, plus some blocks.
    const bytes = await spilled();
    expect(bytes).toBeLessThan(1_500_000);
    put('keys', textOf(distinct));
    await run('shard', 'keys', '-o', 'a', ...named);
    put('keys', textOf(lines));
    rmSync(path('b'), { recursive: true });
    await run('shard', 'keys', '-o', 'b', '--memory', '1MB', ...named);
    expect(sumsOf('b')).toEqual(sumsOf('a'));
  });

  const map = ['--type', 'bloomier', '--value-bits', '4'];

  test('of a map: repeats are one, and two values are refused', async () => {
    const lines = mixed(300_000, 3).map((key) => `${key}\t${key.length}`);
    put('keys', textOf(lines));
    expect(await spilled(...map)).toBeLessThan(1_200_000);
    const args = ['shard', ...named, 'keys', ...map, '--memory', '1MB', '-o'];
    rmSync(path('b'), { recursive: true });
    await run(...args, 'b');
    put('keys', textOf([...new Set(lines)]));
    await run(...args, 'a');
    expect(sumsOf('b')).toEqual(sumsOf('a'));
    for (const at of [0, 150_001, ...(isLong ? [lines.length] : [])]) {
      put('keys', textOf([...lines.slice(0, at), 'hot-1\t2', ...lines.slice(at)]));
      expect(await tamis([...args, 'c'])).toMatchObject({
        code: 2,
        err: expect.stringMatching(
          /^tamis: page \d: 1 key with two values \(ERR_TAMIS_CONFLICT\)\n$/,
        ),
      });
    }
  });

  test('--pages may be as many as the lines, with any --memory', async () => {
    put('keys', textOf(Array.from({ length: 4000 }, () => 'same')));
    for (const memory of ['1MB', '200MB']) {
      const args = ['shard', ...named, 'keys', '-o', `p${memory}`, '--memory', memory, '--pages'];
      expect((await tamis([...args, '4000'])).code).toBe(0);
      expect(await tamis([...args, '4001'])).toMatchObject({
        code: 2,
        err: expect.stringContaining('--pages 4001: expected at most 4000, one per key'),
      });
    }
  });
});
