/** A publisher stands still until another run takes its lock. Then it publishes nothing, and leaves the lock alone. */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { cli, env, folder, hosts, put, run, textOf, waitForEnd } from '../js/support/cli.js';
import { listOf, PEM } from '../js/support/cli-url.js';

const hook = fileURLToPath(new URL('../js/support/take-lock.mjs', import.meta.url));
const path = (...names: string[]): string => join(folder, ...names);
const spill = 'out/.spill.lock';
const publish = 'out/publish.lock';

/** Starts the command with the hook. */
const start = (args: readonly string[], hooked: Record<string, string> = {}): ChildProcess =>
  spawn(process.execPath, ['--import', hook, cli, ...args], {
    cwd: folder,
    env: { ...env, ...hooked },
  });

/** Runs it, while another run takes over a lock when a step is done. */
const runTaken = (args: readonly string[], lock: string, step: string) =>
  waitForEnd(start(args, { TAMIS_TAKE: lock, TAMIS_TAKE_AT: step }));

const other = 'elsewhere 1 5 other\n';
const takenOver = (lock: string): string =>
  `tamis: ${lock}: another run took this lock while this run was suspended (ERR_TAMIS_LOST): check its result before you run this again\n`;

/** The lock is as the other run left it. */
function expectUntouched(lock: string): void {
  expect(readFileSync(path(lock), 'utf8')).toBe(other);
  expect(statSync(path(lock)).mtimeMs).toBe(1e12);
}

const named = ['-o', 'out', '--name', 'list', '--pages', '2', '--quiet'];
const shard = ['shard', 'keys', ...named];
const keys = Array.from({ length: 9000 }, (_, i) => `key-${i}`);
const more = [...keys, ...hosts];

/** Shards a first list, and replaces it by another. */
async function prepareShard(): Promise<string[]> {
  put('keys', textOf(keys));
  await run(shard);
  put('keys', textOf(more));
  return shard;
}

async function prepareManifest(): Promise<string[]> {
  await prepareShard();
  const lines = (await run(['hash', '--pages', '2', '--quiet', 'keys'])).trimEnd().split('\n');
  put('records', textOf(lines.sort()));
  await run(['pages', '--pages', '2', '-o', 'built', '--name', 'list', 'records']);
  return ['manifest', 'built', '-o', 'out', '--name', 'list'];
}

async function prepareUrl(): Promise<string[]> {
  put('k.pem', PEM);
  put('bad.tamis', listOf(hosts.slice(1)).toBytes());
  const args = ['url', 'publish', 'bad.tamis', '--to', 'out', '--sign', 'k.pem', '--name', 'bad'];
  await run(args);
  put('bad.tamis', listOf(hosts).toBytes());
  return args;
}

const commands: [what: string, lock: string, prepare: () => Promise<string[]>][] = [
  ['shard, by the lock of its work', spill, prepareShard],
  ['shard, by the lock of manifests', publish, prepareShard],
  ['manifest', publish, prepareManifest],
  [
    'manifest --renew',
    publish,
    async () => {
      await prepareShard();
      return ['manifest', 'out', '--name', 'list', '--renew'];
    },
  ],
  ['url publish', publish, prepareUrl],
];

test.each(commands)('%s publishes nothing any more', async (_, lock, prepare) => {
  const args = await prepare();
  const before = readFileSync(path('out', 'manifest.json'), 'utf8');
  const { code, out, err } = await runTaken(args, lock, '^write .*manifest\\.json.*tmp$');
  expect({ code, out, err }).toEqual({ code: 2, out: '', err: takenOver(lock) });
  expect(readFileSync(path('out', 'manifest.json'), 'utf8')).toBe(before);
  expectUntouched(lock);
});

test('url publish removes no old file any more', async () => {
  const args = await prepareUrl();
  const old = `snapshot-${'0'.repeat(64)}.tamis`;
  put(`out/${old}`, 'old');
  put('out/files.json', JSON.stringify({ [old]: 1e12 }));
  const { code, err } = await runTaken(args, publish, '^read .*files\\.json$');
  expect({ code, err }).toEqual({ code: 2, err: takenOver(publish) });
  expect(existsSync(path('out', old))).toBe(true);
  rmSync(path(publish));
  await run(args);
  expect(existsSync(path('out', old))).toBe(false);
});

test('shard removes no built part and no keys on disk any more', async () => {
  const args = await prepareManifest().then(() => prepareShard());
  await run(['pages', '--pages', '2', '-o', 'out', '--name', 'list', 'records']);
  const { code, err } = await runTaken(args, spill, '^rename .*manifest\\.json.*tmp$');
  expect({ code, err }).toEqual({ code: 2, err: takenOver(spill) });
  const left = readdirSync(path('out'));
  expect(left.filter((name) => name.endsWith('.part'))).toHaveLength(1);
  expect(left).toContain('.spill');
});

test('what was published before ends well, and the lock of another stays', async () => {
  const args = await prepareUrl();
  const { code, err } = await runTaken(args, publish, '^rename .*manifest\\.json.*tmp$');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expectUntouched(publish);
});

/** A run that renews its lock often, and waits for its keys. */
async function startWaiting(hooked: Record<string, string>) {
  const child = start(['shard', '-', ...named], hooked);
  const end = waitForEnd(child);
  const journal = path('out', '.spill', 'journal');
  while (!existsSync(journal) || statSync(journal).size === 0) await sleep(5);
  return { child, end };
}

function takeSpill(): void {
  rmSync(path(spill));
  put(spill, other);
  utimesSync(path(spill), 1e9, 1e9);
}

test('a run that renews its lock stops where that is of another', async () => {
  const { end } = await startWaiting({ TAMIS_HURRY: '100' });
  takeSpill();
  expect(await end).toEqual({ code: 2, out: '', err: takenOver(spill) });
  expectUntouched(spill);
});

test('a run that gets a signal leaves the lock of another', async () => {
  const { child, end } = await startWaiting({});
  takeSpill();
  child.kill('SIGTERM');
  expect(await end).toMatchObject({ code: null });
  expectUntouched(spill);
});

test('shard takes no live lock of elsewhere, whatever the clock says', async () => {
  put('keys', textOf(keys));
  const { child, end } = await startWaiting({ TAMIS_HURRY: '100' });
  const own = readFileSync(path(spill), 'utf8').split(' ');
  // Renamed, since the run may renew its lock between a change and the next.
  put('other.lock', ['elsewhere', '4194305', ...own.slice(2)].join(' '));
  renameSync(path('other.lock'), path(spill));
  for (const ahead of ['120000', '-120000']) {
    // On a slow machine it says first that it waits.
    expect(await waitForEnd(start(shard, { TAMIS_AHEAD: ahead }))).toEqual({
      code: 2,
      out: '',
      err: expect.stringMatching(
        `^(.*: waiting: .*\n)?tamis: ${spill}: another process is at work\n$`,
      ),
    });
  }
  child.stdin?.end(textOf(keys));
  expect(await end).toMatchObject({ code: 0, err: '' });
  expect(existsSync(path(spill))).toBe(false);
});

/** Makes the lock of another, renewed so many seconds from now by the clock of the file system. */
function putLock(seconds: number): void {
  put(publish, other);
  const time = statSync(path(publish)).mtimeMs / 1000 + seconds;
  utimesSync(path(publish), time, time);
}

test('url publish waits for a live lock where its clock is ahead', async () => {
  const args = await prepareUrl();
  // It does not look abandoned, however slow the command starts.
  putLock(60);
  const child = start(args, { TAMIS_AHEAD: '120000' });
  child.stderr?.once('data', () => rmSync(path(publish)));
  expect(await waitForEnd(child)).toMatchObject({
    code: 0,
    err: `tamis: ${publish}: waiting: another process is at work, or was killed\n`,
  });
});

test('and takes one that nobody renews at once where its clock is behind', async () => {
  const args = await prepareUrl();
  putLock(-60);
  const child = start(args, { TAMIS_AHEAD: '-120000' });
  expect(await waitForEnd(child)).toMatchObject({ code: 0, err: '' });
});
