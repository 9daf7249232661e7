/** Runs pages of docs whose blocks are files that import each other. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as tamis from 'tamis';

import { compile, fileName, type Recipe, runnable } from './examples.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const support = fileURLToPath(new URL('.', import.meta.url));

/**
 * Makes a folder with the page's files, passes it to `act`, and removes it. The files can import `tamis`, the packages
 * for Parquet, and a small `react`.
 */
export async function inFolder<T>(
  { files }: Recipe,
  act: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tamis-recipe-'));
  try {
    const installed = (name: string) => join(root, 'docs/node_modules', name);
    const links = {
      tamis: root,
      react: join(support, 'react'),
      hyparquet: installed('hyparquet'),
      'hyparquet-writer': installed('hyparquet-writer'),
    };
    mkdirSync(join(folder, 'node_modules'));
    for (const [name, target] of Object.entries(links)) {
      symlinkSync(target, join(folder, 'node_modules', name), 'junction');
    }
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    for (const file of files) {
      const name = (fileName(file) as string).replace(/\.tsx?$/, '.js');
      writeFileSync(join(folder, name), compile(file.code));
    }
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs a program in the folder with browser.mjs, and checks the results that it states. */
export async function runProgram(folder: string, code: string): Promise<void> {
  const program = join(folder, 'program.js');
  writeFileSync(program, runnable({ place: dirname(program), code }, Object.keys(tamis)));
  await run(process.execPath, ['--import', join(support, 'browser.mjs'), program], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: '' },
    timeout: 500_000,
  });
}
