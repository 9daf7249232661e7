// npm start: set-up, build, and the main job on real lists. It prints a line for each step. The output of the build
// goes to build/start.log.

import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';
import { setUp } from './setup.mjs';

const LAST_LINES = 20;
const log = 'build/start.log';

const say = (text) => console.log(`start: ${text}`);

/** Builds the package. If that fails, the error ends with the last lines of the log. */
async function buildQuietly() {
  mkdirSync(join(root, 'build'), { recursive: true });
  const file = openSync(join(root, log), 'w');
  try {
    // The import is not at the top: before the set-up there is no esbuild.
    const { build } = await import('./build.mjs');
    await build({
      write: (text) => writeSync(file, text),
      begin: (step) => say(`  ${step}`),
    });
  } catch (error) {
    const lines = readFileSync(join(root, log), 'utf8').trimEnd().split('\n').slice(-LAST_LINES);
    throw new Error(`${error.message}\nThe last lines of ${log}:\n${lines.join('\n')}`);
  } finally {
    closeSync(file);
  }
}

try {
  say('1 of 3: finds the tools and packages that the build needs, and installs what is missing');
  await setUp('base');
  say(`2 of 3: builds the package, which takes two minutes the first time; the log is ${log}`);
  await buildQuietly();
  say(
    '3 of 3: builds filters of real lists, and of a feed a list for URLs; looks up a million hosts\n',
  );
  const example = join(root, 'js/examples/blocklist.mjs');
  process.exitCode = spawnSync(process.execPath, [example], { stdio: 'inherit' }).status ?? 1;
} catch (error) {
  console.error(`start: ${error.message}`);
  process.exitCode = 1;
}
