/** A killed tamis shard goes on, and makes the files that it would have made. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { folder, put, start, tamis, textOf, waitForEnd } from '../js/support/cli.js';
import { checkFolder, sumsOf } from '../js/support/page-folders.js';

const named = ['--name', 'list'];
const keys = Array.from({ length: 60_000 }, (_, i) => `key-${i}`);
const path = (...names: string[]): string => join(folder, ...names);

/** A number of pages that makes several parts, one for each step. */
const small = ['--pages', '700', '--memory', '1MB'];

/** The files of a run that nothing stops. */
async function wholeRun(...options: string[]): Promise<Record<string, string>> {
  expect(await tamis(['shard', ...named, 'keys', '-o', 'whole', ...options])).toMatchObject({
    code: 0,
  });
  return sumsOf('whole');
}

/** Numbers that are the same in each run. */
function* seeded(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    yield state / 2 ** 32;
  }
}

test('killed at random moments, and given again until it ends', async () => {
  put('keys', textOf([...keys, ...keys.slice(100, 4000)]));
  const sums = await wholeRun(...small);
  const random = seeded(16);
  let kills = 0;
  for (let round = 0; round < 12; round++) {
    const child = start(['shard', ...named, 'keys', '-o', 'out', ...small, '--quiet']);
    const end = waitForEnd(child);
    let hasEnded = false;
    child.once('exit', () => {
      hasEnded = true;
    });
    // From the start of the process to about its end.
    await sleep(60 + 700 * (random.next().value as number));
    if (!hasEnded) kills++;
    child.kill('SIGKILL');
    await end;
    if (hasEnded) rmSync(path('out'), { recursive: true, force: true });
  }
  expect(kills).toBeGreaterThan(0);
  expect(await tamis(['shard', ...named, 'keys', '-o', 'out', ...small])).toMatchObject({
    code: 0,
  });
  expect(sumsOf('out')).toEqual(sums);
  checkFolder('out');
  expect(readdirSync(path('out')).filter((name) => name.startsWith('.spill'))).toEqual([]);
});

/** Runs until all is built, and then fails. It leaves the same files as a killed run. */
async function stopBeforeManifest(...options: string[]): Promise<void> {
  const args = ['shard', ...named, 'keys', '-o', 'out', ...options];
  expect(await tamis(args)).toMatchObject({ code: 0 });
  const [part] = Object.keys(sumsOf('out')) as [string];
  // A folder with the name of a part keeps the part from being written.
  rmSync(path('out', part));
  mkdirSync(path('out', part));
  const stopped = await tamis(args);
  expect(stopped).toMatchObject({ code: 2, err: expect.stringContaining(`${part}: is a folder`) });
  for (const name of readdirSync(path('out'))) {
    if (name !== '.spill') rmSync(path('out', name), { recursive: true });
  }
}

test.each([
  ['ribbon', [] as string[]],
  ['exact', ['--type', 'exact', '--exclude', 'others']],
  ['bloomier', ['--type', 'bloomier', '--value-bits', '4']],
])('stopped behind each line of the journal: %s', async (type, own) => {
  const few = keys.slice(0, 6000);
  put('keys', textOf(type === 'bloomier' ? few.map((key, i) => `${key}\t${i % 16}`) : few));
  put('others', textOf(few.map((key) => `other-${key}`)));
  // Without --pages, since then the keys are counted too.
  const options = [...own, '--memory', '1MB'];
  const sums = await wholeRun(...options);
  await stopBeforeManifest(...options);
  cpSync(path('out'), path('kept'), { recursive: true });
  const journal = readFileSync(path('kept', '.spill', 'journal'), 'utf8')
    .split('\n')
    .slice(0, -1);
  expect(journal.length).toBeGreaterThan(60);
  const step = Math.floor(journal.length / 12);
  for (let lines = 0; lines <= journal.length; lines += step) {
    rmSync(path('out'), { recursive: true });
    cpSync(path('kept'), path('out'), { recursive: true });
    // The next line was being written.
    const next = journal[lines] ?? '';
    const cut = [...journal.slice(0, lines), next.slice(0, next.length / 2)].join('\n');
    writeFileSync(path('out', '.spill', 'journal'), cut);
    // Parts are built only after the last line of the journal.
    for (const name of readdirSync(path('out', '.spill'))) {
      if (lines < journal.length && name.startsWith('part-')) rmSync(path('out', '.spill', name));
    }
    const { code, err } = await tamis(['shard', ...named, 'keys', '-o', 'out', ...options]);
    expect(code).toBe(0);
    expect(err.includes('goes on where an earlier run ended')).toBe(lines > 0);
    expect(sumsOf('out')).toEqual(sums);
  }
});

test('stopped between two parts, with a half of the next', async () => {
  put('keys', textOf(keys.slice(0, 9000)));
  const sums = await wholeRun(...small);
  await stopBeforeManifest(...small);
  const parts = readdirSync(path('out', '.spill')).filter((name) => name.startsWith('part-'));
  expect(parts.length).toBe(3);
  const [first, second, ...others] = parts;
  rmSync(path('out', '.spill', second as string));
  for (const name of others) rmSync(path('out', '.spill', name));
  writeFileSync(path('out', '.spill', '.part-x.tmp'), 'half');
  expect(existsSync(path('out', '.spill', first as string))).toBe(true);
  const { code } = await tamis(['shard', ...named, 'keys', '-o', 'out', ...small]);
  expect(code).toBe(0);
  expect(sumsOf('out')).toEqual(sums);
});

test('what another job left is no start for this one', async () => {
  put('keys', textOf(keys.slice(0, 9000)));
  await stopBeforeManifest(...small);
  cpSync(path('out'), path('kept'), { recursive: true });
  const changes: [string, string[]][] = [
    ['a list that changed', small],
    ['another seed', [...small, '--seed', '3']],
    ['other pages', ['--pages', '300', '--memory', '1MB']],
    ['other bits', [...small, '--fingerprint-bits', '9']],
  ];
  for (const [what, options] of changes) {
    rmSync(path('out'), { recursive: true });
    cpSync(path('kept'), path('out'), { recursive: true });
    put('keys', textOf(keys.slice(what === 'a list that changed' ? 1 : 0, 9000)));
    const { code, err } = await tamis(['shard', ...named, 'keys', '-o', 'out', ...options]);
    expect({ code, what }).toEqual({ code: 0, what });
    expect(err).not.toContain('goes on');
    rmSync(path('whole'), { recursive: true, force: true });
    expect(sumsOf('out')).toEqual(await wholeRun(...options));
  }
});
