/**
 * Kills tamis url publish before, during and after each of its steps on disk. The manifest in the folder is whole, and
 * so is each file that it names. The next run has the same jumps as a run that was never killed.
 */
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { UrlDelta, type UrlList } from 'tamis/url';
import { isLong } from '../js/support/budget.js';
import { folder, get, hosts, put, run } from '../js/support/cli.js';
import { listOf, manifest, PEM } from '../js/support/cli-url.js';
import { runHooked } from '../js/support/hooked.js';
import { random } from '../js/support/keys.js';
import { expectWhole } from '../js/support/url-place.js';

const path = (...names: string[]): string => join(folder, ...names);
const args = ['url', 'publish', 'bad.tamis', '--to', 'pub', '--sign', 'k.pem', '--name', 'bad'];

const listAt = (i: number): UrlList => listOf([...hosts, `new${i}.example`]);
const digitsOf = (list: UrlList): string => Buffer.from(list.identity).toString('hex').slice(0, 16);

async function publish(i: number): Promise<void> {
  put('bad.tamis', listAt(i).toBytes());
  await run([...args, '--jumps', '6']);
}

const filesIn = (name: string): Map<string, Uint8Array> =>
  new Map(readdirSync(path(name)).map((file) => [file, readFileSync(path(name, file))]));

/** Checks that the folder is whole and each jump leads to the list in its name. Counts jumps to the current list. */
async function checkFolder(): Promise<number> {
  const files = filesIn('pub');
  const standing = await manifest();
  expectWhole(standing, files);
  const lists = new Map([0, 1, 2, 3, 4, 5].map((i) => [digitsOf(listAt(i)), listAt(i)]));
  let count = 0;
  for (const [name, bytes] of files) {
    const [, from = '', to = ''] = /^jump-(\w{16})-(\w{16})\.tamis$/.exec(name) ?? [];
    if (to === '') continue;
    const made = (lists.get(from) as UrlList).apply(UrlDelta.fromBytes(bytes));
    expect([name, digitsOf(made)]).toEqual([name, to]);
    if (standing.sha256.startsWith(to)) count++;
  }
  return count;
}

/** Ages the lock. A lock without an owner may come from a process that was killed while it made the lock. */
function ageLock(): void {
  const lock = path('pub', 'publish.lock');
  if (existsSync(lock) && statSync(lock).size === 0) utimesSync(lock, 0, 0);
}

test('at each step', async () => {
  put('k.pem', PEM);
  for (const i of [0, 1, 2, 3]) await publish(i);
  expect(await checkFolder()).toBe(3);
  cpSync(path('pub'), path('before'), { recursive: true });
  const restore = () => {
    rmSync(path('pub'), { recursive: true });
    cpSync(path('before'), path('pub'), { recursive: true });
  };
  put('bad.tamis', listAt(4).toBytes());
  const trace = path('trace');
  const traced = [...args, '--jumps', '6'];
  expect(await runHooked(traced, { TAMIS_TRACE: trace })).toBe(false);
  expect(await checkFolder()).toBe(4);
  const steps = readFileSync(trace, 'utf8').trimEnd().split('\n');
  const renamed = steps.flatMap((step) => /^rename\t(?:.*\/)?pub\/([a-z]+)/.exec(step)?.[1] ?? []);
  const jumps = Array(4).fill('jump');
  expect(renamed).toEqual(['files', 'snapshot', 'delta', ...jumps, 'manifest']);
  // Each step is killed in one of the ways, and in the long suite in all of them.
  const next = random(30);
  const hows = ['before', 'half', 'after'] as const;
  const last = JSON.parse(get('before/manifest.json').toString()).seq as number;
  const kills = steps.flatMap((_, at) =>
    (isLong ? hows : [hows[next() % 3] as string]).map((how) => ({ at, how })),
  );
  for (const { at, how } of kills) {
    restore();
    put('bad.tamis', listAt(4).toBytes());
    const hooked = { TAMIS_KILL_AT: `${at}`, TAMIS_KILL_HOW: how };
    expect([at, how, await runHooked(traced, hooked)]).toEqual([at, how, true]);
    const isNew = (await manifest()).seq > last;
    expect([at, how, await checkFolder()]).toEqual([at, how, isNew ? 4 : 3]);
    ageLock();
    await publish(5);
    expect([at, how, await checkFolder()]).toEqual([at, how, isNew ? 5 : 4]);
  }
});
