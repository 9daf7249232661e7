// Makes what the package holds of the linked module: a base and parts, as files and as text, and all of it in
// one piece.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from 'watr';
import { root } from '../run.mjs';
import { readLinkedModule } from './linked-module.mjs';
import { rowsOf } from './registry.mjs';
import { composites, packers, split, whole } from './split.mjs';
import { alphabetModule, orderOf, textOf } from './text.mjs';

/** The schemes of BloomFilter, which are no part of it: all hashes that are not here. */
const otherHashes = ['none', 'fast', 'keyed', 'prefix', 'parquet'];
function planSchemes() {
  const parts = { parquet: { words: { tamis_block_hashes: [0] } } };
  for (const [, slug, id] of rowsOf('hashes.def', 'TAMIS_HASH')) {
    if (otherHashes.includes(slug)) continue;
    parts[slug] = { words: { tamis_bloom_schemes: [Number(id)] } };
  }
  return parts;
}

/** The parts: a type each, a scheme each, what all filters have, the pieces of tamis/url, and what no type needs. */
function planParts() {
  const parts = {
    filters: {
      constructors: /^__embind_init_tamis_filters$/,
      exports: /^tamis_(add|delete|has|get|hash|key|bit|print)/,
    },
    'url-text': { exports: /^tamis_(url_(parse|finish|expressions)$|sha256)/ },
    url: {
      words: { tamis_entries: [] },
      constructors: /^__embind_init_tamis_url_list$/,
      exports: /^tamis_url/,
    },
    'url-build': { constructors: /^__embind_init_tamis_url_build$/ },
    rice: { exports: /^tamis_rice/ },
    'bloom-formulas': { constructors: /^__embind_init_tamis_bloom_formulas$/ },
    lines: { exports: /^tamis_split_lines$/ },
    routes: { exports: /^tamis_route/ },
    'interop-bloom': { exports: /^tamis_(prepare|adopt)_bits$/, needs: ['filters'] },
    'interop-blocked-bloom': { exports: /^tamis_(prepare|adopt)_blocks$/, needs: ['filters'] },
    foreign: { exports: /^tamis_(foreign|unpack)$/, needs: ['filters'] },
  };
  for (const [, slug, id] of rowsOf('structures.def', 'TAMIS_STRUCTURE')) {
    if (slug.startsWith('url-')) parts.url.words.tamis_entries.push(Number(id));
    else {
      const name = `__embind_init_tamis_${slug.replaceAll('-', '_')}`;
      parts[slug] = {
        words: { tamis_entries: [Number(id)] },
        constructors: new RegExp(`^${name}$`),
        needs: ['filters'],
      };
    }
  }
  return { ...parts, ...planSchemes() };
}

/** The parts of the readers: a type each, of those that answer questions, and the hashing of keys for their routes. */
const planReaders = () => ({
  ...Object.fromEntries(
    rowsOf('structures.def', 'TAMIS_STRUCTURE')
      .filter(([, slug]) => slug !== 'iblt' && !slug.startsWith('url-'))
      .map(([, slug, id]) => [slug, { words: { tamis_entries: [Number(id)] } }]),
  ),
  routes: { exports: /^_tamis_(hash|route)$/ },
  'block-routes': { exports: /^_tamis_(hash_many|route_blocks)$/, needs: ['routes'] },
});

/** Fewer and larger modules than the core's: a reader is so small that a module's own bytes count. */
const readerFamilies = {
  composites,
  bloom: ['bloom', ...composites],
  'blocked-bloom': ['blocked-bloom', ...composites],
  bits: ['bloom', 'counting-bloom', 'deletable-bloom', 'bit-array', ...composites],
  'packed-array': packers,
  retrieval: ['ribbon', 'exact', 'bloomier'],
  // What rates are computed by, where they are not powers of two.
  rates: [
    'bloom',
    'blocked-bloom',
    'counting-bloom',
    'deletable-bloom',
    'd-left-counting',
    'cuckoo',
    ...composites,
  ],
};

const wasmOpt = join(
  execFileSync('em-config', ['BINARYEN_ROOT'], { encoding: 'utf8' }).trim(),
  'bin',
  'wasm-opt',
);

/** The linked module's own features, of which only the parts use the last: they import the stack pointer. */
const features = ['simd', 'bulk-memory', 'mutable-globals'].map((name) => `--enable-${name}`);

/** Without the passes that reorder functions and locals: in the linker's order gzip finds more. */
const passes = ['-Oz', '--converge', '--low-memory-unused'];

function optimize(wasm, path) {
  execFileSync(wasmOpt, ['-', ...features, ...passes, '-o', path], {
    input: wasm,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  return readFileSync(path);
}

export const camelCase = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

const imports = (needs) =>
  needs.map((name) => `import { ${camelCase(name)} } from './${name}.js';\n`).join('');
const needed = (needs) => `[${needs.map(camelCase).join(', ')}]`;

/** The source of NAME.ts in js/src/wasm/parts or readers. */
const textPart = ({ name, needs }, text) => `// Made by js/scripts/wasm/parts.mjs.
import type { Part } from '../part.js';
${imports(needs)}
export const ${camelCase(name)}: Part = {
  needs: ${needed(needs)},
  code: '${text}',
};
`;

/** The source of js/src/wasm/string-helper.ts. */
const helperModule = (text) => `// Made by js/scripts/wasm/parts.mjs.
export const stringHelper = '${text}';
`;

/** The module of dist/static that stands in its place. */
export const staticPart = ({ name, needs, file }) => `import { module } from '#wasm/${file}';
${imports(needs)}export const ${camelCase(name)} = { needs: ${needed(needs)}, code: module };
`;

/**
 * Cuts the linked modules, and writes the files of js/src/wasm and of dist/wasm.
 *
 * @returns of each part its name, its needs, its folder in js/src/wasm and its file in dist/wasm. For the path of
 *   each module in js/src/wasm that has all of a link, its wasm.
 */
export function makeParts({ core, readers }, sources, dist) {
  const links = [
    { folder: 'parts', prefix: '', modules: split(readLinkedModule(core), planParts()) },
    {
      folder: 'readers',
      prefix: 'read-',
      modules: split(readLinkedModule(readers), planReaders(), readerFamilies, 'base'),
    },
  ];
  for (const folder of [...links.map(({ folder }) => join(sources, folder)), dist]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
  const made = links.flatMap(({ folder, prefix, modules }) =>
    [...modules].map(([name, { wasm, needs }]) => {
      const file = `${prefix}${name}`;
      return { name, needs, folder, file, wasm: optimize(wasm, join(dist, `${file}.wasm`)) };
    }),
  );
  const pieces = new Map([
    ['parts/base', optimize(whole(readLinkedModule(core)), join(dist, 'core.wasm'))],
    [
      'readers/base',
      optimize(whole(readLinkedModule(readers)), join(root, 'build', 'readers.wasm')),
    ],
  ]);
  const helper = Buffer.from(compile(readFileSync(join(sources, 'string-helper.wat'), 'utf8')));
  const order = orderOf([helper, ...made.map(({ wasm }) => wasm)]);
  writeFileSync(join(sources, 'alphabet.ts'), alphabetModule(order));
  writeFileSync(join(sources, 'string-helper.ts'), helperModule(textOf(helper, order)));
  for (const part of made) {
    const path = join(sources, part.folder, `${part.name}.ts`);
    writeFileSync(path, textPart(part, textOf(part.wasm, order)));
  }
  return { parts: made, pieces: pieces.set('string-helper', helper) };
}
