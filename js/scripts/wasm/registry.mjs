// Generates modules from the .def files of C++, the only source of the numbers in files and of those JavaScript shares.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run.mjs';

/** The arguments, without quotes, of each use of a macro, or of macros that match. Throws if there is none. */
export function rowsOf(file, macro) {
  const text = readFileSync(join(root, 'cpp/include/tamis', file), 'utf8');
  const rows = [...text.matchAll(new RegExp(`^${macro}\\(([^)]*)`, 'gm'))];
  if (rows.length === 0) throw new Error(`${file} has no line ${macro}(...)`);
  return rows.map(([, columns]) => columns.replaceAll('"', '').split(', '));
}

/** The rows of all hashes. */
const hashes = () => rowsOf('hashes.def', 'TAMIS_(?:HASH|BLOOM_SCHEME|BLOCK_SCHEME)');
export const schemes = () => rowsOf('hashes.def', 'TAMIS_(?:BLOOM|BLOCK)_SCHEME');

/** The names in a list of border.def. Throws if there is none. */
function namesIn(list) {
  const text = readFileSync(join(root, 'bindings/border.def'), 'utf8').replaceAll('\\\n', '');
  const [, line = ''] = new RegExp(`^#define TAMIS_${list}\\(X\\)(.*)$`, 'm').exec(text) ?? [];
  const names = [...line.matchAll(/ X\((\w+)\)/g)].map(([, name]) => camelCase(name));
  if (names.length === 0) throw new Error(`bindings/border.def has no list TAMIS_${list}`);
  return names;
}

/** Converts kSizeBytes, size_bytes and size-bytes to sizeBytes. */
export const camelCase = (name) =>
  name
    .replace(/^k([A-Z])/, (_, first) => first.toLowerCase())
    .replace(/[_-](\w)/g, (_, next) => next.toUpperCase());

const list = (names) => `[\n${names.map((name) => `  '${name}',\n`).join('')}]`;
const table = (rows) => `{\n${rows.map(([name, id]) => `  '${name}': ${id},\n`).join('')}}`;
/** The source of a constant for each row. */
const constants = (rows, ending) =>
  rows.map(([, name, id]) => `export const ${camelCase(name)}${ending} = ${id};\n`).join('');
/** The source of a constant for each name in a list of border.def: its position in the list. */
const placesIn = (list, ending) =>
  constants(
    Object.entries(namesIn(list)).map(([id, name]) => ['', name, id]),
    ending,
  );
/** The name and the number of each row. */
const ids = (rows) => table(rows.map(([, name, id]) => [name, id]));

/** The source of js/src/wasm/registry.ts. */
export const registryModule =
  () => `// Made by js/scripts/wasm/registry.mjs from structures.def, hashes.def, status.def and border.def.

/** The types of this release, as \`type\` names them, with their ids in the wire format. */
export const typeIds = ${ids(rowsOf('structures.def', 'TAMIS_STRUCTURE'))} as const;
export type FilterType = keyof typeof typeIds;

/** How keys are hashed, with the ids of the wire format. */
export const hashIds = ${ids(hashes())} as const;
/** What \`filter.scheme\` may say; cpp/FORMAT.md has each with its source. */
export type BloomSchemeName = 'mcg' | ${schemes()
    .map(([, name]) => `'${name}'`)
    .join(' | ')};

/** The codes of errors: the number of one, from 1 on, is its status. */
export type Codes = readonly ${list(rowsOf('status.def', 'TAMIS_STATUS').map(([, code]) => code))};
`;

/** The types outside `tamis/url`; those that `tamis/read` reads (a table has no look-ups); and those with keys. */
const types = rowsOf('structures.def', 'TAMIS_STRUCTURE').filter(([, , id]) => id < 32);
const readTypes = types.filter(([, type]) => type !== 'iblt');
const filterTypes = readTypes.filter(([, type]) => type !== 'bit-array');
const head = '// Made by js/scripts/wasm/registry.mjs from structures.def.\n\n';
const linesOf = (verb, rows) =>
  rows.map(([Class, type]) => `${verb} { ${Class} } from './${type}.js';\n`).sort();

/** The source of a list of classes. */
const classesModule = (beginning, rows) =>
  `${head}${linesOf('import', rows).join('')}\n${beginning}[\n${rows.map(([Class]) => `  ${Class},\n`).join('')}] as const;\n`;

/** A function, so that a bundle without fromBytes contains only the classes that it uses. */
const asFunction = 'export const filterClasses = () =>\n  ';

/** The sources that are generated from these types, by their paths in js/src. */
export const typeModules = () => ({
  'filters/all.ts': classesModule(asFunction, filterTypes),
  'read/all.ts': classesModule('export const filterClasses = ', filterTypes),
  'read/classes.ts': head + linesOf('export', readTypes).join(''),
  'read/last-id.ts': `${head}export const lastId = ${Math.max(...types.map(([, , id]) => id))};\n`,
});

/** The source of js/src/wasm/figures.ts. */
export const figuresModule =
  () => `// Made by js/scripts/wasm/registry.mjs from border.def, structures.def and hashes.def.

// The numbers that structures give about themselves. One by one, so that a bundler puts a number in the place of each.
${placesIn('FIGURES', 'Figure')}
// What can be asked of a key, and of one place of an array.
${placesIn('KEY_OPERATIONS', 'Operation')}
${placesIn('BIT_OPERATIONS', 'Bit')}
// The types' ids in the wire format.
${constants(rowsOf('structures.def', 'TAMIS_STRUCTURE'), 'Id')}
// Those of hashes.
${constants(hashes(), 'Hash')}`;
