// Packages of other versions than the repository has, which tests fetch when they first need them.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { output, root } from './workspace.mjs';

/**
 * A folder with a package in its node_modules, such as 'vite@6.4.6': kept below build/. `finish` gets the folder once
 * npm is done. Skips the test and gives undefined where npm does not answer, or `finish` throws.
 */
export function installed(t, version, finish = () => {}) {
  const home = join(root, 'build', 'engines', version);
  if (existsSync(home)) return home;
  // So that none is there by half.
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
    console.error(`\nMISSING: ${version}, from npm: ${error.message}\n`);
    t.skip('npm has none for this machine, or does not answer');
    return undefined;
  }
}
