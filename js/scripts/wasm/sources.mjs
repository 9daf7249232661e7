// Writes the sources that the build generates: shared numbers, and the parts of the wasm as modules.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from 'watr';
import { root } from '../run.mjs';
import { camelCase, figuresModule, registryModule, typeModules } from './registry.mjs';
import { alphabetModule, orderOf, textOf } from './text.mjs';

const sources = join(root, 'js/src/wasm');

/** Makes the helper for strings, which is not built with Emscripten. */
const compileHelper = () =>
  Buffer.from(compile(readFileSync(join(sources, 'string-helper.wat'), 'utf8')));

/** The module of a part; `code` is an expression. The long text is on a line of its own. */
export function partModule(
  { name, needs },
  code,
  { imports = '', type = '', ending = '.js' } = {},
) {
  const names = needs.map(camelCase);
  const needed = needs.map((part, i) => `import { ${names[i]} } from './${part}${ending}';\n`);
  return `${imports}${needed.join('')}
export const ${camelCase(name)}${type} = {
  needs: [${names.join(', ')}],
  code:
${code},
};
`;
}

/** The module of a part that is another part under its own name. */
export const sameModule = (name, other) =>
  `export { ${camelCase(other)} as ${camelCase(name)} } from './${other}.js';\n`;

/** The module of the helper. */
export const helperModule = (code) => `export const stringHelper =\n${code};\n`;

/**
 * Writes the sources that are generated from the .def files: js/src/wasm/registry.ts, figures.ts, the lists of all
 * classes, and what js/src/read needs. Also writes each part as text, and adds that text to the part.
 *
 * @returns the helper's wasm.
 */
export function writeSources({ parts }) {
  const head = '// Made by js/scripts/wasm/sources.mjs.\n';
  const write = (path, text) => writeFileSync(join(sources, path), text);
  write('registry.ts', registryModule());
  write('figures.ts', figuresModule());
  for (const [path, text] of Object.entries(typeModules())) write(join('..', path), text);
  const helper = compileHelper();
  const named = parts.filter(({ name }) => name !== undefined);
  const order = orderOf([helper, ...named.map(({ wasm }) => wasm)]);
  write('alphabet.ts', alphabetModule(order));
  write('string-helper.ts', head + helperModule(`  '${textOf(helper, order)}'`));
  rmSync(join(sources, 'parts'), { recursive: true, force: true });
  mkdirSync(join(sources, 'parts'));
  const types = { imports: `${head}import type { Part } from '../part.js';\n`, type: ': Part' };
  for (const part of named) {
    part.text = textOf(part.wasm, order);
    write(`parts/${part.name}.ts`, partModule(part, `    '${part.text}'`, types));
  }
  return helper;
}
