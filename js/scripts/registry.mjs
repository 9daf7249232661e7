// The .def files of C++, the one source of every number that crosses the border or stands in a file, for
// TypeScript: the build writes js/src/wasm/registry.ts from them.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The first three arguments of each use of a macro, without quotes. Throws where there is none. */
function rowsOf(root, file, macro) {
  const row = new RegExp(`^${macro}\\((\\w+)(?:, "?([\\w-]+)"?)?(?:, (\\d+))?`, 'gm');
  const rows = [...readFileSync(join(root, file), 'utf8').matchAll(row)];
  if (rows.length === 0) throw new Error(`${file} has no line ${macro}(...)`);
  return rows.map(([, ...columns]) => columns);
}

/** kSizeBytes, size_bytes: sizeBytes. */
const camelCase = (name) =>
  name
    .replace(/^k([A-Z])/, (_, first) => first.toLowerCase())
    .replace(/_(\w)/g, (_, next) => next.toUpperCase());

/** What the .def files of a repository say. */
export function readRegistry(root) {
  const core = (name, macro) => rowsOf(root, `cpp/include/tamis/${name}.def`, macro);
  const text = readFileSync(join(root, 'bindings/border.def'), 'utf8').replaceAll('\\\n', '');
  const border = (list) => {
    const line = new RegExp(`^#define TAMIS_${list}\\(X\\)(.*)$`, 'm').exec(text)?.[1] ?? '';
    const names = [...line.matchAll(/ X\((\w+)\)/g)].map(([, name]) => camelCase(name));
    if (names.length === 0) throw new Error(`bindings/border.def has no list TAMIS_${list}`);
    return names;
  };
  return {
    structures: core('structures', 'TAMIS_STRUCTURE').map(([type, slug, id]) => ({
      type,
      slug,
      id,
    })),
    codes: core('status', 'TAMIS_STATUS').map(([, code]) => code),
    hashes: core('hashes', 'TAMIS_HASH').map(([, slug, id]) => ({ slug, id })),
    figures: border('FIGURES'),
    keyOperations: border('KEY_OPERATIONS'),
    bitOperations: border('BIT_OPERATIONS'),
    scratchParts: [...border('SCRATCH_PARTS'), ...border('SCRATCH_LIMITS')],
  };
}

/** The source of registry.ts. */
export function registryModule(registry) {
  const { structures, codes, hashes, figures, keyOperations, bitOperations, scratchParts } =
    registry;
  const list = (names) => `[\n${names.map((name) => `  '${name}',\n`).join('')}]`;
  const table = (rows) => `{\n${rows.map(({ slug, id }) => `  '${slug}': ${id},\n`).join('')}}`;
  const numbered = (names) => table(names.map((slug, id) => ({ slug, id })));
  return `// Made by js/scripts/registry.mjs from structures.def, hashes.def, status.def and border.def.

/** The types of this release, as \`type\` names them, with their ids in the wire format. */
export const typeIds = ${table(structures)} as const;
export type FilterType = keyof typeof typeIds;

/** How keys are hashed, with the ids of the wire format. */
export const hashIds = ${table(hashes)} as const;

/** The codes of errors: the number of one, from 1 on, is its status. */
export type Codes = readonly ${list(codes)};

/** The numbers that structures give about themselves. */
export const figureNames = ${list(figures)} as const;
export type FigureName = (typeof figureNames)[number];

/** What can be asked of one key, beside add and has. */
export const keyOperations = ${numbered(keyOperations)} as const;

/** What can be asked of one place of an array. */
export const bitOperations = ${numbered(bitOperations)} as const;

// The parts of the scratch memory, and its limits. One by one, since a bundler puts a number in the place of each.
${scratchParts.map((name, i) => `export const ${name}Part = ${i};\n`).join('')}`;
}

export function writeRegistry(root) {
  writeFileSync(join(root, 'js/src/wasm/registry.ts'), registryModule(readRegistry(root)));
}
