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

/**
 * Classes keep their names, which stack traces and inspectors show, though their identifiers become one letter. A
 * static block would do it too, but Safari has those from 16.4 on alone.
 */
const keepClassNames = {
  name: 'keep class names',
  renderChunk(code) {
    const helper = 'nameClass';
    if (code.includes(helper)) throw new Error(`cdn: the package has a ${helper} of its own`);
    const places = findClasses(this.parse(code)).flatMap(({ type, id, start, end }) =>
      type === 'ClassDeclaration'
        ? [[end, `\n${helper}(${id.name}, '${id.name}');`]]
        : [
            [start, `${helper}(`],
            [end, `, '${id.name}')`],
          ],
    );
    let text = '';
    let done = 0;
    for (const [at, added] of places.sort(([a], [b]) => a - b)) {
      text += code.slice(done, at) + added;
      done = at;
    }
    // A declaration, which is there before the classes above it.
    return `${text}${code.slice(done)}
function ${helper}(value, name) {
  return Object.defineProperty(value, 'name', { value: name, configurable: true });
}`;
  },
};

/** A module from a text, which lies in a folder. */
const textModule = (id, text) => ({
  name: 'text module',
  resolveId: (name) => (name === id ? id : null),
  load: (name) => (name === id ? text : null),
});

/** The first line of each file, which travels without the package. */
function bannerOf({ version, license }) {
  return `/*! tamis ${version}, ${license}. Notices: THIRD-PARTY-NOTICES.md of the package. */`;
}

/** Writes dist/cdn from the modules in `dist`. */
export async function writeCdn(dist) {
  const banner = bannerOf(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  for (const [name, text] of Object.entries(files)) {
    const input = join(dist, `cdn of ${name}`);
    const file = join(dist, 'cdn', name);
    await write(
      input,
      [textModule(input, text), keepClassNames],
      { file, banner },
      { minifyIdentifiers: true },
    );
  }
}
