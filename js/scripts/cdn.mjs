// Writes the files of dist/cdn, for pages without a bundler. Each file is one module that needs no other.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { write } from './modules.mjs';
import { root } from './run.mjs';

/** The exports of each file, as the source of a module. */
const files = {
  'bloom.js': "export { BloomFilter, TamisError } from './index.js';",
  'read.js': "export * from './read/index.js';",
  'tamis.js': "export * from './index.js';",
};

/** Finds the named classes in the syntax tree of a chunk. */
function findClasses(node, found = []) {
  if (node === null || typeof node !== 'object') return found;
  if (/^Class(Declaration|Expression)$/.test(node.type) && node.id) found.push(node);
  for (const child of Object.values(node)) findClasses(child, found);
  return found;
}
const byPlace = (one, other) => other.body.start - one.body.start;

/** Keeps the names of classes, which stack traces and inspectors show, although their identifiers become one letter. */
const keepClassNames = {
  name: 'keep class names',
  renderChunk(code) {
    let text = code;
    // Starts with the last class, so that the positions of the others do not change.
    for (const { id, body } of findClasses(this.parse(code)).toSorted(byPlace)) {
      const at = body.start + 1;
      text = `${text.slice(0, at)}static name = '${id.name}';${text.slice(at)}`;
    }
    return text;
  },
};

/** Makes a module from a text, as if it were in a folder. */
const textModule = (id, text) => ({
  name: 'text module',
  resolveId: (name) => (name === id ? id : null),
  load: (name) => (name === id ? text : null),
});

/** Writes dist/cdn from the modules in `dist`. */
export async function writeCdn(dist) {
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  // The first line of each file, since files are copied without the rest of the package.
  const banner = `/*! tamis ${version}, ${license}. Notices: THIRD-PARTY-NOTICES.md of the package. */`;
  for (const [name, text] of Object.entries(files)) {
    const input = join(dist, `cdn of ${name}`);
    const output = { file: join(dist, 'cdn', name), banner };
    await write(input, [textModule(input, text), keepClassNames], output, {
      minifyIdentifiers: true,
    });
  }
}
