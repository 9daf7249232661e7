// The single files of dist/cdn, for pages without a bundler: each is one module, with all that it needs.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { write } from './modules.mjs';
import { root } from './run.mjs';

/** The exports of each file, as a module of dist. */
const files = {
  'bloom.js': "export { BloomFilter, TamisError } from './index.js';",
  'read.js': "export * from './read/index.js';",
  'tamis.js': "export * from './index.js';",
};

/** The named classes of a chunk. */
function findClasses(node, found = []) {
  if (node === null || typeof node !== 'object') return found;
  if (/^Class(Declaration|Expression)$/.test(node.type) && node.id) found.push(node);
  for (const child of Object.values(node)) findClasses(child, found);
  return found;
}
const byPlace = (one, other) => other.body.start - one.body.start;

/** Classes keep their names, which stack traces and inspectors show, though their identifiers become one letter. */
const keepClassNames = {
  name: 'keep class names',
  renderChunk(code) {
    let text = code;
    // From the last one on, so that the places of the others stay.
    for (const { id, body } of findClasses(this.parse(code)).toSorted(byPlace)) {
      const at = body.start + 1;
      text = `${text.slice(0, at)}static name = '${id.name}';${text.slice(at)}`;
    }
    return text;
  },
};

/** A module from a text, which lies in a folder. */
const textModule = (id, text) => ({
  name: 'text module',
  resolveId: (name) => (name === id ? id : null),
  load: (name) => (name === id ? text : null),
});

/** Writes dist/cdn from the modules in `dist`. */
export async function writeCdn(dist) {
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  // The first line of each file, which travels without the package.
  const banner = `/*! tamis ${version}, ${license}. Notices: THIRD-PARTY-NOTICES.md of the package. */`;
  for (const [name, text] of Object.entries(files)) {
    const input = join(dist, `cdn of ${name}`);
    const output = { file: join(dist, 'cdn', name), banner };
    await write(input, [textModule(input, text), keepClassNames], output, {
      minifyIdentifiers: true,
    });
  }
}
