// Writes the programs of a page in docs/recipes, unchanged, to a folder with the packages that they import.
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../js/scripts/run.mjs';
import { makeFolder, writeFiles } from '../folders.mjs';

/** The programs of the page, by name. */
export function programsOf(page) {
  const text = readFileSync(join(root, 'docs/recipes', `${page}.md`), 'utf8');
  const blocks = text.matchAll(/^```mjs\n(\/\/ ([\w-]+\.mjs)\n[\s\S]*?)^```$/gm);
  return Object.fromEntries([...blocks].map(([, code, name]) => [name, code]));
}

/** Makes a folder with programs, `tamis`, and these packages from lab. */
export function folderOf(programs, packages) {
  const folder = makeFolder('recipe');
  mkdirSync(join(folder, 'node_modules'));
  const targets = Object.fromEntries(
    packages.map((name) => [name, join(root, 'lab/node_modules', name)]),
  );
  for (const [name, target] of Object.entries({ tamis: root, ...targets })) {
    symlinkSync(target, join(folder, 'node_modules', name), 'junction');
  }
  writeFiles(folder, programs);
  return folder;
}
