/**
 * Leftovers of an earlier run of tamis shard, pages or manifest, and damage to them. No older list is published, and no
 * page that cannot be read.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { folder, get, put, refused, run, tamis, textOf } from './support/cli.js';
import { answersOf, checkFolder, sumsOf } from './support/page-folders.js';

const name = ['--name', 'list'];
const keys = Array.from({ length: 9000 }, (_, i) => `key-${i}`);

const path = (...names: string[]): string => join(folder, ...names);
const partsIn = (where = 'out'): string[] =>
  existsSync(path(where)) ? readdirSync(path(where)).filter((file) => file.endsWith('.part')) : [];

const shard = ['shard', 'keys', '-o', 'out', '--pages', '2', ...name];
const pages = ['pages', '--pages', '2', '-o', 'out', ...name];
const manifest = ['manifest', 'out', ...name];

beforeEach(async () => {
  put('keys', textOf(keys));
  const lines = (await run(['hash', '--pages', '2', 'keys'])).trimEnd().split('\n').sort();
  put('records', textOf(lines));
});

describe('shard goes on from keys of the same list alone', () => {
  /** Starts a run that reads all keys, and cannot write its files. */
  async function stop(): Promise<void> {
    // A whole number of seconds, which can be set again.
    utimesSync(path('keys'), 1e9, 1e9);
    await run(shard);
    const [part] = Object.keys(sumsOf('out')) as [string];
    rmSync(path('out', part));
    mkdirSync(path('out', part));
    await refused(shard);
    rmSync(path('out', part), { recursive: true });
    rmSync(path('out', 'manifest.json'));
    expect(existsSync(path('out', '.spill', 'journal'))).toBe(true);
  }

  const changed = keys.map((key) => key.replace('key', 'new'));

  test.each([
    ['written to', () => put('keys', textOf(changed))],
    [
      'replaced',
      () => {
        put('other', textOf(changed));
        renameSync(path('other'), path('keys'));
      },
    ],
  ])('and not where it was %s, with the size and the time of before', async (_, change) => {
    await stop();
    const { size, mtimeMs } = statSync(path('keys'));
    change();
    utimesSync(path('keys'), 1e9, 1e9);
    expect(statSync(path('keys'))).toMatchObject({ size, mtimeMs });
    await run(shard);
    checkFolder('out');
    const some = changed.slice(0, 300);
    expect(answersOf('out', some)).toEqual(some.map(() => true));
  });

  test('which stayed as it is', async () => {
    await stop();
    const { code, err } = await tamis(shard);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('goes on where') });
  });
});

describe('pages that fails before it reads removes what another run left', () => {
  test.each([
    ['no file of records', [...pages, 'none'], /^tamis: none: no such file or folder\n$/],
    ['a folder for records', [...pages, '.'], /^tamis: \.: is a folder, not a file\n$/],
    [
      'no file of the secret',
      [...pages, '--secret-file', 'none', 'records'],
      /^tamis: none: no such/,
    ],
    [
      'a range of no pages',
      [...pages, '--run', 'b', '--range', '2:2', 'records'],
      /--range 2:2: expected at least one page/,
    ],
    [
      'a wrong range',
      [...pages, '--run', 'b', '--range', '0:3', 'records'],
      /--range 0:3: expected FROM <= TO <= 2/,
    ],
  ])('%s', async (_, args, message) => {
    await run([...pages, 'records']);
    expect(partsIn()).toHaveLength(1);
    expect(await refused(args)).toMatch(message);
    expect(partsIn()).toEqual([]);
    expect(readdirSync(path('out'))).toEqual([]);
    expect(await refused(manifest)).toMatch(/no parts of tamis pages/);
  });

  test('also a part of this range under an old id', async () => {
    const again = [...pages, '--run', 'nightly'];
    await run([...again, 'records']);
    await refused([...again, 'none']);
    expect(partsIn()).toEqual([]);
  });

  test('and a command line that says nothing of a run removes nothing', async () => {
    await run([...pages, 'records']);
    await refused(['pages', '-o', 'out', ...name]);
    await refused(['pages', '--pages', '2', '-o', 'out']);
    await refused([...pages, '--range', '0:1', 'records']);
    await refused([...pages, '--hashes', '0', 'records']);
    await refused([...pages, '--nonsense', 'records']);
    expect(partsIn()).toHaveLength(1);
    await run(manifest);
  });
});

describe('a part with a bit that flipped is not published', () => {
  const damaged = /\.part: damaged: remove it, and run the command that built it again\n$/;

  test('of tamis pages: in its pages, and in what is said of them', async () => {
    await run([...pages, 'records']);
    const part = `out/${partsIn()[0]}`;
    const whole = get(part);
    const seed = whole.lastIndexOf('"seed":"0"') + 8;
    const count = whole.lastIndexOf('"keys":[') + 8;
    for (const at of [0, 300, whole.lastIndexOf('{"format"') - 1, seed, count]) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] as number) ^ 1;
      put(part, bytes);
      expect([at, await refused(manifest)]).toEqual([at, expect.stringMatching(damaged)]);
      expect(readdirSync(path('out'))).toHaveLength(1);
    }
    // The damage is in the digest and in the mark.
    for (let at = whole.length - 40; at < whole.length; at += 13) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] as number) ^ 1;
      put(part, bytes);
      await refused(manifest);
    }
    put(part, whole);
    await run(manifest);
    checkFolder('out');
  });

  test('of tamis shard, which goes on when the part is removed', async () => {
    await run(shard);
    const sums = sumsOf('out');
    const [served] = Object.keys(sums) as [string];
    rmSync(path('out'), { recursive: true });
    mkdirSync(path('out', served), { recursive: true });
    await refused(shard);
    rmSync(path('out', served), { recursive: true });
    const part = `out/.spill/${partsIn('out/.spill')[0]}`;
    const bytes = get(part);
    bytes[500] = (bytes[500] as number) ^ 1;
    put(part, bytes);
    const { code, err } = await tamis(shard);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(damaged) });
    expect(existsSync(path('out', 'manifest.json'))).toBe(false);
    rmSync(path(part));
    expect((await tamis(shard)).code).toBe(0);
    expect(sumsOf('out')).toEqual(sums);
  });
});

test('where the folder of manifest is a file, or its own notes are damaged, one line says so', async () => {
  expect(await refused(['manifest', 'keys', ...name])).toBe(
    'tamis: keys: a part of the path is not a folder\n',
  );
  await run([...pages, 'records']);
  for (const wrong of ['[', '7']) {
    put('out/.published', wrong);
    expect(await refused(manifest)).toMatch(/^tamis: out\/\.published: [^\n]+\n$/);
  }
});
