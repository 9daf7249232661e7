// Output of the fuzz targets in npm test: one line for each that passes, and everything for one that fails.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { runModule } from './support/child.js';

const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
const kept = fileURLToPath(new URL('../../build/fuzz/', import.meta.url));
const name = 'fuzz-output-test';
afterAll(() => {
  for (const path of [folder, join(kept, name), join(kept, `${name}.log`)])
    rmSync(path, { recursive: true, force: true });
});

/** Runs a target that prints a statistic and ends with a status: what is shown. */
async function shownOf(status: number): Promise<string> {
  const program = join(folder, 'target');
  writeFileSync(program, `#!/bin/sh\necho 'stat::number: 7' >&2\nexit ${status}\n`);
  chmodSync(program, 0o755);
  const target = { name, seeds: 'none', program };
  return runModule(`
    // The scripts ask whether they are the program.
    process.argv.length = 1;
    const { fuzz } = await import('./js/scripts/suites.mjs');
    let shown = '';
    const write = (text) => { shown += text; };
    await fuzz([${JSON.stringify(target)}], 1, { corpus: '.', write }).catch((error) => {
      shown += error.message;
    });
    console.log(shown);`);
}

test('statistics of a target go to its log', async () => {
  expect(await shownOf(0)).toBe(`fuzz ${name}: passed 1 s\n\n`);
  expect(readFileSync(join(kept, `${name}.log`), 'utf8')).toMatch(/^stat::number: 7$/m);
});

test('those of one that fails are shown', async () => {
  expect(await shownOf(77)).toMatch(/\bstat::number: 7\n.*target .* ended with 77\n$/s);
});
