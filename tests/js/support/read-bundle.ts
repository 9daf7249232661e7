/** Bundles sources into one module to run in a process of its own, because globals such as Math are slow in Jest. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { runModule } from './child.js';
import { goldenWithBytes } from './golden.js';
import { keyVectors } from './hash-vectors.mjs';
import type { Found } from './read-golden.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
export const sources = `${root}js/src/`;

/** Writes a module that contains all its imports. */
export async function bundle(entry: string, outfile: string): Promise<void> {
  await promisify(execFile)(`${root}node_modules/.bin/esbuild`, [
    entry,
    `--outfile=${outfile}`,
    '--bundle',
    '--format=esm',
    '--platform=node',
    '--target=es2022',
    '--external:#wasm',
    '--define:TAMIS_VERSION="0"',
    `--alias:tamis/read=${sources}read/index.ts`,
    `--alias:tamis=${sources}index.ts`,
    '--log-level=warning',
  ]);
}

/**
 * Checks modules against the published hashes and the golden files. `only` limits a module's check to golden files with
 * that text in their names. The check stops after `mostFaults` faults.
 */
export async function checkModules(
  modules: readonly {
    readonly path: string;
    readonly mostFaults: number;
    readonly only?: string;
  }[],
): Promise<Found[]> {
  const data = join(dirname(String(modules[0]?.path)), 'golden.json');
  writeFileSync(data, JSON.stringify([goldenWithBytes(), keyVectors]));
  const check = new URL('read-golden.mjs', import.meta.url).href;
  const out = await runModule(`
    import { readFileSync } from 'node:fs';
    import { checkGolden } from ${JSON.stringify(check)};
    const [golden, vectors] = JSON.parse(readFileSync(${JSON.stringify(data)}, 'utf8'));
    const found = [];
    for (const { path, mostFaults, only = '' } of ${JSON.stringify(modules)}) {
      const files = golden.filter(({ file }) => file.includes(only));
      found.push(checkGolden(await import(path), files, vectors, mostFaults));
    }
    console.log(JSON.stringify(found));
  `);
  return JSON.parse(out);
}
