/** Threads of one process build pages in one folder: one at a time, and the next may follow one that was terminated. */
import { mkdtempSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { buildPages } from 'tamis/pages';

const entry = new URL('../../dist/node/pages/index.js', import.meta.url).href;
let root: string;
let folder: string;
let lock: string;
let worker: Worker;

/** Builds from keys that never end, and tells once it has the lock. */
const program = `
  const { parentPort, workerData } = require('node:worker_threads');
  async function* keys() {
    yield ['alice'];
    parentPort.postMessage('reading');
    await new Promise(() => {});
  }
  import(workerData.entry).then(({ buildPages }) =>
    buildPages(keys(), workerData.folder, { name: 'users' }));
`;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'tamis-threads-'));
  folder = join(root, 'pages');
  lock = join(folder, '.spill.lock');
  worker = new Worker(program, { eval: true, workerData: { entry, folder } });
  await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
});
afterEach(async () => {
  await worker.terminate();
  rmSync(root, { recursive: true });
});

const build = () => buildPages(['alice', 'bob'], folder, { name: 'users' });
const isBusy = { code: 'ERR_TAMIS_UNAVAILABLE', message: expect.stringContaining('at work') };

test('a thread at work refuses another', async () => {
  await expect(build()).rejects.toMatchObject(isBusy);
});

test('a thread that was terminated refuses none', async () => {
  await worker.terminate();
  expect((await build()).manifest.keys).toBe(2);
});

test('a lock that a live thread did not renew for long is stale', async () => {
  const own = readFileSync(lock, 'utf8');
  // Renamed, since the thread may renew its lock between a change and the next.
  const copy = join(root, 'copy');
  const putLock = (seconds: number) => {
    writeFileSync(copy, own.replace(/\S+\n$/, 'another\n'));
    const now = Date.now() / 1000;
    utimesSync(copy, now, now + seconds);
    renameSync(copy, lock);
  };
  putLock(3600);
  await expect(build()).rejects.toMatchObject(isBusy);
  putLock(-3600);
  expect((await build()).manifest.keys).toBe(2);
});
