/** Only one tamis shard at a time works in a folder. A killed run keeps nobody waiting. */
import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { budget } from '../js/support/budget.js';
import { cli, env, folder, put, start, tamis, textOf, waitForEnd } from '../js/support/cli.js';
import { checkFolder, sumsOf } from '../js/support/page-folders.js';
import { until } from '../js/support/waiting.js';

const path = (...names: string[]): string => join(folder, ...names);
const named = ['--name', 'list'];
const keys = Array.from({ length: 20_000 }, (_, i) => `key-${i}`);
const loud = ['shard', ...named, 'keys', '-o', 'out'];
const args = [...loud, '--quiet'];
const atWork = 'tamis: out/.spill.lock: another process is at work\n';
const lock = (of = 'out'): string => path(of, '.spill.lock');

/** The text of a file; an empty one if there is none. */
function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Starts a run, which then waits for its keys. */
async function startWaiting(to = 'out') {
  const child = start(['shard', ...named, '-', '-o', to, '--quiet']);
  const end = waitForEnd(child);
  // The lock and the journal may be left of an earlier run.
  await until(() => textIn(lock(to)).split(' ')[1]?.split('/')[0] === `${child.pid}`);
  await until(() => textIn(path(to, '.spill', 'journal')) !== '');
  return { child, end };
}

test('a second run is refused while the first works, and the first goes on', async () => {
  put('keys', textOf(keys));
  const { child, end } = await startWaiting();
  // The run reports no wait.
  expect(await tamis(loud)).toEqual({ code: 2, out: '', err: atWork });
  child.stdin?.end(textOf(keys));
  expect(await end).toMatchObject({ code: 0, err: '' });
  checkFolder('out');
  expect(readdirSync(path('out')).filter((name) => name.startsWith('.'))).toEqual([]);
});

/** A run whose process id belongs to no process of this machine, as that of another machine. */
async function checkElsewhere(): Promise<void> {
  const { child, end } = await startWaiting();
  const [, , ...own] = readFileSync(lock(), 'utf8').split(' ');
  // Renamed, since the run may renew its lock between a change and the next.
  put('other.lock', ['elsewhere', '4194305', ...own].join(' '));
  renameSync(path('other.lock'), lock());
  const { code, err } = await tamis(loud);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(atWork) });
  child.stdin?.end(textOf(keys));
  expect(await end).toMatchObject({ code: 0, err: '' });
  checkFolder('out');
}

/** A run that is seen from a PID namespace of its own. */
async function checkNamespace(): Promise<void> {
  const { child, end } = await startWaiting('apart');
  const again = ['shard', ...named, 'keys', '-o', 'apart', '--quiet'];
  const other = spawn('unshare', ['--pid', '--fork', process.execPath, cli, ...again], {
    cwd: folder,
    env,
  });
  expect(await waitForEnd(other)).toMatchObject({
    code: 2,
    err: expect.stringContaining('tamis: apart/.spill.lock: another process is at work\n'),
  });
  child.stdin?.end(textOf(keys));
  expect(await end).toMatchObject({ code: 0, err: '' });
}

/** True if this machine lets a process number its children from 1, as a container does. That needs a right. */
const hasNamespaces = ((): boolean => {
  try {
    execFileSync('unshare', ['--pid', '--fork', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

// A run watches for seconds whether the lock of another machine is renewed, so both are tested side by side.
test('a run of another container or PID namespace is not taken for one that ended', async () => {
  put('keys', textOf(keys));
  // Users of most machines lack the right.
  await Promise.all([checkElsewhere(), hasNamespaces && checkNamespace()]);
});

test('a run goes on at once where one of this machine was killed', async () => {
  put('keys', textOf(keys));
  for (let round = 0; round < 2; round++) {
    const { child, end } = await startWaiting();
    child.kill('SIGKILL');
    await end;
    expect(existsSync(lock())).toBe(true);
  }
  const { code, err } = await tamis(loud);
  expect({ code, err }).toEqual({ code: 0, err: expect.not.stringContaining('waiting') });
  checkFolder('out');
});

test('a lock of elsewhere that nobody renews is of a run that was killed', async () => {
  put('keys', textOf(keys));
  mkdirSync(path('out'));
  for (const left of ['elsewhere 1 5\n', '']) {
    writeFileSync(lock(), left);
    utimesSync(lock(), 0, 0);
    expect(await tamis(args)).toMatchObject({ code: 0, err: '' });
    expect(existsSync(lock())).toBe(false);
  }
});

test('of runs that begin at once each ends well, or says that another works', async () => {
  put('keys', textOf(keys));
  expect(await tamis(['shard', ...named, 'keys', '-o', 'whole', '--quiet'])).toMatchObject({
    code: 0,
  });
  const rounds = budget(8, 2);
  for (let round = 0; round < rounds; round++) {
    // The last round begins after a run was killed.
    if (round === rounds - 1) {
      const { child, end } = await startWaiting();
      child.kill('SIGKILL');
      await end;
    }
    const runs = await Promise.all([1, 2, 3].map(() => waitForEnd(start(args))));
    for (const { code, err } of runs) {
      expect({ code, err }).toEqual(code === 0 ? { code, err: '' } : { code: 2, err: atWork });
    }
    expect(runs.some(({ code }) => code === 0)).toBe(true);
    expect(sumsOf('out')).toEqual(sumsOf('whole'));
    const left = readdirSync(path('out')).filter((name) => !name.endsWith('.pages'));
    expect(left).toEqual(['manifest.json']);
  }
});
