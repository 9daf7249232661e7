/** Overrides of several processes in one folder: none that was stored is lost, and a removed one holds nowhere. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { fileStorage, type ListSource, UrlGuard } from 'tamis/url';

import { addInProcesses, endAll, start } from '../js/support/override-processes.js';
import { until } from '../js/support/waiting.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tamis-overrides-'));
});
afterEach(() => {
  endAll();
  rmSync(folder, { recursive: true });
});

const source = { check: () => 'maybe' } as unknown as ListSource;
const nothing = { verify: () => {}, update: () => {}, onUpdate: () => {}, status: {} };
const openGuard = () =>
  UrlGuard.open({
    lists: { all: { source: { ...nothing, ...source } as never, action: 'block' } },
    storage: fileStorage(folder),
    whenMissing: 'throw',
    whenUnconfirmed: 'throw',
  });

test('three processes at once', async () => {
  const stored = await addInProcesses(folder, { processes: 3, each: 20, killEvery: 15 });
  expect(new Set(stored).size).toBe(60);
  const guard = await openGuard();
  const targets = new Set(guard.overrides.list().map(({ target }) => target));
  expect(stored.filter((i) => !targets.has(`h${i}.example/`))).toEqual([]);
  guard.close();
});

test('another process goes by an allow, and not by one that was removed', async () => {
  const guard = await openGuard();
  const url = 'https://evil.example/';
  const told: string[][] = [[], []];
  const followers = told.map((lines) => start([folder, 'follow', url], (line) => lines.push(line)));
  await until(() => told.every((lines) => lines.join() === 'maybe'));
  const allow = await guard.overrides.add({ url, scope: 'site', verdict: 'allow' });
  await until(() => told.every((lines) => lines.join() === 'maybe,safe'));
  await guard.overrides.remove(allow);
  expect(await Promise.all(followers.map(({ ended }) => ended))).toEqual([0, 0]);
  expect(told).toEqual(Array(2).fill(['maybe', 'safe', 'maybe']));
  guard.close();
  expect(readdirSync(folder)).toEqual(['tamis-overrides.json']);
});
