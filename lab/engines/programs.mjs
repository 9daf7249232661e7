// JavaScript engines beside Node, as npm has them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installed } from '../../tests/package/from-npm.mjs';
import { output } from '../../tests/package/workspace.mjs';

/** Machines that Hermes has a program for. */
const hermesOf = { 'linux-x64': 'linux64-bin/hermes', 'darwin-x64': 'osx-bin/hermes' };

/** By name the npm package that holds the engine, and where in node_modules its program lies. */
const engines = {
  // Its program is put in its place by a script, which not every npm runs.
  Bun: { version: 'bun@1.4.5', program: '.bin/bun', script: 'bun/install.js' },
  Deno: { version: 'deno@2.9.6', program: '.bin/deno' },
  Hermes: {
    version: 'hermes-engine-cli@0.12.0',
    program: `hermes-engine-cli/${hermesOf[`${process.platform}-${process.arch}`]}`,
  },
};

/** The path of an engine's program; undefined, and the test is skipped, where there is none to be had. */
export function programOf(t, name) {
  const { version, program, script } = engines[name];
  const pathIn = (home) => join(home, 'node_modules', program);
  const home = installed(t, version, (folder) => {
    if (script) output('node', [join(folder, 'node_modules', script)]);
    if (!existsSync(pathIn(folder))) throw new Error('it has no program for this machine');
  });
  return home && pathIn(home);
}

/** A program that something keeps alive is ended, and its test fails. */
const timeout = 600_000;

/** By name of an engine for servers: runs a module of a folder by its program, and gives what it printed. */
export const runners = {
  Bun: (program, file, folder) => output(program, ['run', file], { cwd: folder, timeout }),
  Deno: (program, file, folder) => {
    const own = { DENO_DIR: join(folder, 'deno'), DENO_NO_UPDATE_CHECK: '1' };
    const env = { ...process.env, ...own };
    return output(program, ['run', '--allow-read', file], { cwd: folder, env, timeout });
  },
};
