// Lints the English that people read: documents, comments and docstrings, error messages, the command line's help
// and the demo's pages. lab/prose/rules.mjs has the rules.
//
//   node js/scripts/lint-prose.mjs [--root FOLDER] [FILE]...     (default: all of this repository)

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { lintProse } from '../../lab/prose/lint.mjs';
import { isLinted } from '../../lab/prose/sources.mjs';
import { root as repository } from './run.mjs';

const { values, positionals } = parseArgs({
  options: { root: { type: 'string', default: repository } },
  allowPositionals: true,
});
const { root } = values;
const at = (file) => resolve(root, file);

/** All files that git has, or would add. */
function listFiles() {
  const flags = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  return execFileSync('git', flags, { cwd: root, encoding: 'utf8' }).split('\0');
}

const named = positionals.map((file) => relative(root, at(file)));
const files = (named.length > 0 ? named : listFiles().filter(isLinted)).filter((file) =>
  existsSync(at(file)),
);
let found = 0;
for (const file of files) {
  const text = readFileSync(at(file), 'utf8');
  for (const { line, message } of await lintProse(text, file)) {
    console.error(`${file}:${line}: ${message}`);
    found++;
  }
}
if (found > 0) {
  console.error(`prose: ${found} to mend in ${files.length} files`);
  process.exitCode = 1;
} else console.log(`prose: ${files.length} files pass`);
