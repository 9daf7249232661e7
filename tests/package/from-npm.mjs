// Packages of other versions than the repository has, which tests fetch when they first need them.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { output, root } from './workspace.mjs';

/** Says loudly which package of npm is missing, and skips the test. A machine of CI must run all. */
export function skipMissing(t, what, error) {
  console.error(`\nMISSING: ${what}, from npm: ${error.message}\n`);
  if (process.env.CI) throw error;
  t.skip('npm has none for this machine, or does not answer');
}

/**
 * Returns a folder below build/ with a package in its node_modules, such as 'vite@6.4.6'. `finish` gets the folder
 * after npm is done. If npm does not answer or `finish` throws, it skips the test and returns undefined.
 */
export function installed(t, version, finish = () => {}) {
  const home = join(root, 'build', 'engines', version);
  if (existsSync(home)) return home;
  // So no package is ever there by half.
  const partial = `${home}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  writeFileSync(join(partial, 'package.json'), '{ "private": true }');
  try {
    const options = ['--no-audit', '--no-fund', '--no-save', '--ignore-scripts'];
    output('npm', ['install', ...options, version], { cwd: partial });
    finish(partial);
    renameSync(partial, home);
    return home;
  } catch (error) {
    skipMissing(t, version, error);
    return undefined;
  }
}
