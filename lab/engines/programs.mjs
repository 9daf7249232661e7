// JavaScript engines other than Node, installed from npm.
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installed } from '../../tests/package/from-npm.mjs';
import { output } from '../../tests/package/workspace.mjs';

/** The machines for which npm has a Hermes program. */
const hermesOf = { 'linux-x64': 'linux64-bin/hermes', 'darwin-x64': 'osx-bin/hermes' };

/** The npm package of each engine, and where its program is in node_modules. */
const engines = {
  // Bun's install script puts the program in place, but not every npm runs that script.
  Bun: { version: 'bun@1.4.5', program: '.bin/bun', script: 'bun/install.js' },
  Deno: { version: 'deno@2.9.6', program: '.bin/deno' },
  Hermes: {
    version: 'hermes-engine-cli@0.12.0',
    program: `hermes-engine-cli/${hermesOf[`${process.platform}-${process.arch}`]}`,
  },
};

/** The path of an engine's program. If there is none for this machine, returns undefined, and the test skips. */
export function programOf(t, name) {
  const { version, program, script } = engines[name];
  const pathIn = (home) => join(home, 'node_modules', program);
  const home = installed(t, version, (folder) => {
    if (script) output('node', [join(folder, 'node_modules', script)]);
    if (!existsSync(pathIn(folder))) throw new Error('it has no program for this machine');
  });
  return home && pathIn(home);
}

/** After this many milliseconds a program is ended, and its test fails. */
const timeout = 600_000;

/** For each server engine, a function that runs a module in a folder and returns its output. */
export const runners = {
  Bun: (program, file, folder) => output(program, ['run', file], { cwd: folder, timeout }),
  Deno: (program, file, folder) => {
    const own = { DENO_DIR: join(folder, 'deno'), DENO_NO_UPDATE_CHECK: '1' };
    const env = { ...process.env, ...own };
    // On a busy machine, some programs with wasm print everything but never end, because Deno misses that V8 has
    // finished. The run in Bun shows if the package keeps a program alive.
    const ending = join(folder, 'ending.mjs');
    const { href } = pathToFileURL(resolve(folder, file));
    writeFileSync(ending, `await import('${href}');\nDeno.exit();\n`);
    return output(program, ['run', '--allow-read', ending], { cwd: folder, env, timeout });
  },
};
