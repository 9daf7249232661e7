/**
 * Overrides in files, by processes that are killed: before, during and after each step on disk, and many times while
 * they all write. No override that was stored is lost, and nobody waits for long.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { fileStorage, type ListSource, UrlGuard } from 'tamis/url';
import { isLong } from '../js/support/budget.js';
import { folder } from '../js/support/cli.js';
import { runHooked } from '../js/support/hooked.js';
import { random } from '../js/support/keys.js';
import { addInProcesses } from '../js/support/override-processes.js';

const program = fileURLToPath(new URL('../js/support/override-files.mjs', import.meta.url));
const path = (...names: string[]): string => join(folder, ...names);

/** Opens a guard on these files. */
const openGuard = (files: string) => {
  const source = { check: () => 'maybe', verify() {}, update() {}, onUpdate() {}, status: {} };
  return UrlGuard.open({
    lists: { all: { source: source as unknown as ListSource, action: 'block' } },
    storage: fileStorage(files),
    whenMissing: 'throw',
    whenUnconfirmed: 'throw',
  });
};
const targetOf = (i: number) => `h${i}.example/`;

test('killed at each step of an add', async () => {
  const run = (files: string, hooked: Record<string, string>, first: number) =>
    runHooked([files, 'add', `${first}`, '1'], hooked, program);
  const trace = path('trace');
  expect(await run(path('traced'), { TAMIS_TRACE: trace }, 0)).toBe(false);
  const steps = readFileSync(trace, 'utf8').trimEnd().split('\n');
  expect(steps.filter((step) => step.startsWith('rename')).length).toBe(2);
  const next = random(31);
  const hows = ['before', 'half', 'after'] as const;
  const sizes = new Set<number>();
  for (const at of steps.keys()) {
    for (const how of isLong ? hows : [hows[next() % 3] as string]) {
      const files = path(`killed-${at}-${how}`);
      await run(files, {}, 7);
      const hooked = { TAMIS_KILL_AT: `${at}`, TAMIS_KILL_HOW: how };
      expect([at, how, await run(files, hooked, 0)]).toEqual([at, how, true]);
      const guard = await openGuard(files);
      expect(guard.overrides.error).toBeUndefined();
      const targets = () => guard.overrides.list().map(({ target }) => target);
      sizes.add(targets().length);
      expect([at, how, targets()[0]]).toEqual([at, how, targetOf(7)]);
      await guard.overrides.add({ url: 'http://next.example', scope: 'host', verdict: 'block' });
      expect(targets().at(-1)).toBe('next.example/');
      guard.close();
      // What a killed process left has a time in its name. Later writes delete it.
      const left = readdirSync(files).filter((name) => !/\.\d+\.[0-9a-f-]{36}\.tmp$/.test(name));
      expect(left).toEqual(['tamis-overrides.json']);
    }
  }
  expect(sizes).toEqual(new Set([1, 2]));
});

test.each([2, 4])('%i processes, killed while they add 1,000', async (processes) => {
  const files = path(`shared-${processes}`);
  const stored = await addInProcesses(files, { processes, each: 1000 / processes, killEvery: 47 });
  expect(new Set(stored).size).toBe(1000);
  const guard = await openGuard(files);
  const targets = new Set(guard.overrides.list().map(({ target }) => target));
  expect(stored.filter((i) => !targets.has(targetOf(i)))).toEqual([]);
  guard.close();
});
