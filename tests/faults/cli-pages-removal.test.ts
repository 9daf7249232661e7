/** Kills tamis manifest while it removes the parts that it published. The next run recognises them. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { folder, put, run, tamis, textOf } from '../js/support/cli.js';
import { runHooked } from '../js/support/hooked.js';
import { checkFolder } from '../js/support/page-folders.js';

const path = (...names: string[]): string => join(folder, ...names);
const name = ['--name', 'list'];
const manifest = ['manifest', 'out', ...name];
const keys = Array.from({ length: 900 }, (_, i) => `key-${i}`);
const COUNT = 3;

let lines: string[] = [];

/** Builds pages, each a part of its own. */
async function build(from: number, to: number, id: string): Promise<void> {
  for (let page = from; page < to; page++) {
    const own = lines.filter((line) => /^~/.test(line) || Number.parseInt(line, 16) === page);
    const range = ['--range', `${page}:${page + 1}`, '--run', id];
    await run(['pages', '--pages', `${COUNT}`, '-o', 'out', ...name, ...range], textOf(own));
  }
}

const left = (): string[] =>
  readdirSync(path('out')).filter((file) => file.endsWith('.part') || file === '.published');

/** The step at which tamis manifest begins to remove the parts, and the number of its steps. */
async function stepsOf(): Promise<{ from: number; to: number }> {
  await build(0, COUNT, 'first');
  expect(await runHooked(manifest, { TAMIS_TRACE: path('trace') })).toBe(false);
  const steps = readFileSync(path('trace'), 'utf8').trimEnd().split('\n');
  const from = steps.findIndex((step) => /^rm\t.*\.part$/.test(step));
  expect(from).toBeGreaterThan(0);
  rmSync(path('out'), { recursive: true });
  return { from, to: steps.length };
}

/** Kills tamis manifest before that step, when the parts of pages are built. */
async function killAt(step: number): Promise<void> {
  rmSync(path('out'), { recursive: true, force: true });
  await build(0, COUNT, 'first');
  const hooked = { TAMIS_KILL_AT: `${step}`, TAMIS_KILL_HOW: 'before' };
  expect(await runHooked(manifest, hooked)).toBe(true);
  checkFolder('out');
}

beforeEach(async () => {
  put('keys', textOf(keys));
  lines = (await run(['hash', '--pages', `${COUNT}`, 'keys'])).trimEnd().split('\n').sort();
});

test('the next manifest, renewal or run removes what is left, and says what was', async () => {
  const { from, to } = await stepsOf();
  for (let step = from + 1; step < to; step++) {
    await killAt(step);
    const { length } = left();
    if (step === from + 1) expect(length).toBeGreaterThan(1);
    const { code, err } = await tamis(manifest);
    const what =
      length > 0 ? /^tamis: out: was published by a run that was killed while/ : /no parts/;
    expect({ step, code, err }).toEqual({ step, code: 2, err: expect.stringMatching(what) });
    expect(left()).toEqual([]);
    await run([...manifest, '--renew']);
    checkFolder('out');

    await killAt(step);
    await run([...manifest, '--renew']);
    expect(left()).toEqual([]);
  }
});

test('the parts of a new run are not taken for them, also under the old id', async () => {
  const { from } = await stepsOf();
  await killAt(from + 1);
  // These have the names of parts that are gone, and of one that remains.
  await build(0, COUNT - 1, 'first');
  const { code, err } = await tamis(manifest);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/page 2 is missing/) });
  await build(COUNT - 1, COUNT, 'first');
  await run(manifest);
  checkFolder('out');
  expect(left()).toEqual([]);
});
