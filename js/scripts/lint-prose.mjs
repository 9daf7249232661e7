// Lints the English that people read: documents, comments and docstrings, error messages, the command line's help
// and the demo's pages. js/scripts/prose/rules.mjs says what holds.
//
//   node js/scripts/lint-prose.mjs [file ...]    those files, or all

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { lintProse } from './prose/lint.mjs';
import { isLinted } from './prose/sources.mjs';
import { root } from './run.mjs';

const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
const tracked = () => execFileSync('git', listed, { cwd: root, encoding: 'utf8' }).split('\0');

const named = process.argv.slice(2).map((file) => relative(root, resolve(file)));
const files = named.length > 0 ? named : tracked().filter(isLinted);
let found = 0;
for (const file of files.filter((name) => existsSync(join(root, name)))) {
  const text = readFileSync(join(root, file), 'utf8');
  for (const { line, message } of await lintProse(text, file)) {
    console.error(`${file}:${line}: ${message}`);
    found++;
  }
}
if (found > 0) {
  console.error(`prose: ${found} to mend in ${files.length} files`);
  process.exitCode = 1;
} else console.log(`prose: ${files.length} files pass`);
