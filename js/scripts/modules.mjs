// Writes the modules of dist with Rollup. There is a form for each condition in package.json's exports.
//
// - dist has one module per source (preserveModules), so that a bundler drops code that an import does not use.
// - dist/static is for runtimes that do not compile bytes. It repeats the modules with wasm, with static imports.
// - dist/node has few files and the wasm in one piece, for a fast start. Its readers use TextEncoder for longer texts.
// - dist/cli.mjs and dist/main.mjs are the command line.
//
// cdn.mjs makes dist/cdn from the first form.

import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import commonjs from '@rollup/plugin-commonjs';
import nodeResolve from '@rollup/plugin-node-resolve';
import { transform } from 'esbuild';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { root } from './run.mjs';
import { helperModule, partModule, sameModule } from './wasm/sources.mjs';

const src = join(root, 'js/src');
const source = (...path) => join(src, ...path);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The package's entry points, which are modules in js/src. */
const folders = ['schemes', 'interop', 'url', 'safe-browsing', 'read', 'redis', 'remote', 'feeds'];
const entries = ['index', ...folders.map((name) => `${name}/index`)];
/** The entry points without WebAssembly. */
const plain = ['read/index', 'remote/index'];
/** Modules for Node only. The first is an entry point; the command line loads both as separate files. */
const shared = ['pages/steps', 'disk/index'];
const nodeEntries = [...entries, 'pages/index', ...shared];
const moduleOf = (name) => source(`${name}.ts`);
const inputsOf = (names) => Object.fromEntries(names.map((name) => [name, moduleOf(name)]));

const typescriptOptions = {
  loader: 'ts',
  target: 'es2022',
  define: { TAMIS_VERSION: JSON.stringify(version) },
};
/** Options that keep class names for stack traces, and lines short: Node prints the whole line of an uncaught error. */
const minified = {
  format: 'esm',
  target: 'es2022',
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 250,
};

const typescript = {
  name: 'typescript',
  resolveId: (to, from) =>
    from !== undefined && to.startsWith('.') && from.startsWith(src)
      ? resolve(from, '..', to.replace(/\.js$/, '.ts'))
      : null,
  transform: async (code, id) =>
    id.endsWith('.ts') ? (await transform(code, typescriptOptions)).code : null,
};

/** Resolves an import to the result of `find`, or as usual if that is null. */
const redirect = (find) => ({
  name: 'redirect',
  async resolveId(name, importer) {
    if (importer === undefined) return null;
    const found = await this.resolve(name, importer, { skipSelf: true });
    return find(found?.id, importer);
  },
});
/** Replaces a module by another one, which may itself import the original. */
const instead = (from, to) =>
  redirect((id, importer) => (id === from && importer !== to ? to : null));

/** The modules with wasm, by their ids. `make` writes the code of each. */
const wasmModules = (sources, make) => ({
  name: 'wasm modules',
  load: (id) => (sources.has(id) ? { code: make(sources.get(id)), meta: { isWasm: true } } : null),
});

/**
 * Adds imports of wasm texts to the beginning of each entry, and of each module that is imported later, since adjacent
 * texts compress better: 4 % of an import. Bundlers keep the order of imports, and still drop texts that are not used.
 *
 * A module that is imported later then also imports its importer. So with split code, esbuild puts the importer into
 * its file of shared modules. In a file of its own it would compress worse: both would be 3 % larger.
 */
const textsFirst = (sources) => ({
  name: 'texts first',
  generateBundle(_, bundle) {
    for (const entry of Object.values(bundle)) {
      if (!entry.isEntry && !entry.isDynamicEntry) continue;
      const found = new Set([entry.fileName]);
      for (const file of found) for (const to of bundle[file]?.imports ?? []) found.add(to);
      const texts = [...found]
        .filter((file) => sources.has(bundle[file]?.facadeModuleId))
        .reverse();
      const importers = Object.values(bundle)
        .filter(({ dynamicImports }) => dynamicImports?.includes(entry.fileName))
        .map(({ fileName }) => fileName);
      const named = [...texts, ...importers].map((file, i) => {
        const from = relative(join(entry.fileName, '..'), file);
        return `import{${bundle[file].exports[0]} as first${i}}from"${from.startsWith('.') ? '' : './'}${from}";\n`;
      });
      entry.code = named.join('') + entry.code;
    }
  },
});

function onwarn({ code, message, ids = [] }) {
  // Two warnings are harmless: a module that only re-exports becomes empty, and cli-progress has a circular import.
  const isForeignCircle = code === 'CIRCULAR_DEPENDENCY' && ids[0]?.includes('node_modules');
  if (code !== 'EMPTY_BUNDLE' && !isForeignCircle) throw new Error(`rollup: ${code}: ${message}`);
}

/** Importing a module of the package has no side effects. */
const treeshake = { moduleSideEffects: false };

/** True for modules that the command line shares with entry points. Stack traces of the command line need no names. */
const isShared = (id) => /\/src\/(disk|pages\/(builder|steps))\b/.test(id.replaceAll('\\', '/'));

/** Removes white space, and splits lists of imports and exports, because esbuild would write one long line. */
const minify = (how) => ({
  name: 'minify',
  async renderChunk(chunk, { moduleIds }) {
    const minifyIdentifiers = moduleIds.every(isShared);
    const { code } = await transform(chunk, { ...minified, minifyIdentifiers, ...how });
    return code.replace(/\b(?:im|ex)port ?\{[^}]{200,}\}/g, (list) => list.replaceAll(',', ',\n'));
  },
});

/**
 * Writes all modules that these inputs import, minified as in dist. `how` has options for esbuild.
 *
 * @returns the written chunks.
 */
export async function write(input, plugins, { external, ...output }, how = {}) {
  const all = [...plugins, minify(how)];
  const bundle = await rollup({ input, plugins: all, treeshake, onwarn, external });
  const written = await bundle.write({
    format: 'es',
    hoistTransitiveImports: false,
    minifyInternalExports: false,
    ...output,
  });
  await bundle.close();
  return written.output;
}

/** The file in dist for a module. */
const fileOf = (id) => relative(src, id).replace(/\.ts$/, '.js');

/** Writes to `dir` one module for each source that these inputs import. @returns the written chunks. */
const writeModules = (dir, input, plugins) =>
  write(input, plugins, {
    dir,
    preserveModules: true,
    preserveModulesRoot: src,
    external: (id) => id.startsWith('#wasm/'),
    entryFileNames: ({ facadeModuleId }) => fileOf(facadeModuleId),
  });

/** The files of the chunks that import none of the modules `ids`, even indirectly. */
function findApart(chunks, ids) {
  const reaching = new Set();
  const reaches = ({ facadeModuleId: id, imports, dynamicImports }) =>
    ids.has(id) || [...imports, ...dynamicImports].some((file) => reaching.has(file));
  for (let size = -1; size < reaching.size; ) {
    size = reaching.size;
    for (const chunk of chunks) if (reaches(chunk)) reaching.add(chunk.fileName);
  }
  return new Set(chunks.map(({ fileName }) => fileName).filter((file) => !reaching.has(file)));
}

/**
 * The file in dist/node for a module that several entry points import, other than with import(). A program that imports
 * only tamis then loads the entry point and two more files. Rollup chooses the other files.
 */
function chunkOf(id, { getModuleInfo }) {
  if (getModuleInfo(id).meta.isWasm) return undefined;
  const importers = new Set([id]);
  for (const one of importers) for (const from of getModuleInfo(one).importers) importers.add(from);
  const by = (names) => names.filter((name) => importers.has(moduleOf(name))).length;
  if (by(['index']) === 0) return by(plain) === plain.length ? 'readers' : undefined;
  if (by(nodeEntries) === 1) return undefined;
  return by([...plain, 'feeds/index']) > 0 ? 'shared' : 'core';
}

/** Replaces a package that consists of one regular expression of 10 kB, which engines now have built in. */
const shortEmoji = {
  name: 'short emoji',
  load: (id) =>
    id.endsWith('/emoji-regex/index.js') ? 'module.exports = () => /\\p{RGI_Emoji}/gv;' : null,
};

/** Writes the command line: one file that starts the process, and one with all other code, which tests can import. */
async function writeCommand(dist) {
  const [cli, main] = [source('node/cli.ts'), source('node/main.ts')];
  const paths = Object.fromEntries(shared.map((name) => [moduleOf(name), `./node/${name}.js`]));
  paths[main] = './main.mjs';
  const isApart = (id) => /^tamis(\/|$)/.test(id) || Object.hasOwn(paths, id);
  const modules = nodeResolve({ exportConditions: ['node'], preferBuiltins: true });
  const plugins = [typescript, shortEmoji, modules, commonjs()];
  const writeOne = (input, name) => {
    const external = (id) => id !== input && isApart(id);
    const output = { file: join(dist, name), paths, external };
    // Stack traces of this file need no names.
    return write(input, plugins, output, { minifyIdentifiers: true });
  };
  await writeOne(cli, 'cli.mjs');
  const [made] = await writeOne(main, 'main.mjs');
  chmodSync(join(dist, 'cli.mjs'), 0o755);
  // js/scripts/documents.mjs reads this file.
  const used = Object.keys(made.modules).filter((id) => made.modules[id].renderedLength > 0);
  const bundled = JSON.stringify(used.map((id) => relative(root, id)));
  writeFileSync(join(root, 'build/bundled.json'), bundled);
}

/** Writes all JavaScript of `dist` from these parts of the wasm and the helper for strings. */
export async function writeDist(dist, { parts, helper }) {
  const idOf = ({ name }) => source('wasm/parts', `${name}.ts`);
  const helperId = source('wasm/string-helper.ts');
  const named = parts.filter(({ name }) => name !== undefined);
  const sources = new Map(named.map((part) => [idOf(part), part]));
  const texts = wasmModules(sources, (part) => partModule(part, `'${part.text}'`));
  const sorted = textsFirst(new Set([...sources.keys(), helperId]));
  const inline = source('wasm/inline.ts');
  const chunks = await writeModules(dist, inputsOf(entries), [texts, typescript, sorted]);
  const apart = findApart(chunks, new Set([...sources.keys(), helperId, inline]));
  // Modules that do not depend on the wasm are already in dist.
  const elsewhere = redirect((id = src) => {
    if (sources.has(id)) return { id: `#wasm/${sources.get(id).name}`, external: true };
    return apart.has(fileOf(id)) ? { id: join(src, '..', fileOf(id)), external: 'relative' } : null;
  });
  const reaching = inputsOf(entries.filter((name) => !apart.has(`${name}.js`)));
  const compiledAhead = instead(inline, source('wasm/static.ts'));
  const ahead = [compiledAhead, elsewhere, typescript];
  await writeModules(join(dist, 'static'), reaching, ahead);
  for (const part of named) {
    for (const [condition, query] of Object.entries({ workerd: '', 'edge-light': '?module' })) {
      const imports = `import module from './${part.file}${query}';\n`;
      const text = partModule(part, 'module', { imports, ending: `.${condition}.js` });
      const { code } = await transform(text, minified);
      writeFileSync(join(dist, 'wasm', `${part.name}.${condition}.js`), code);
    }
  }
  // The base module contains everything and stands for every part, because one wasm module starts sooner than several.
  const { wasm: whole } = parts.find(({ name }) => name === undefined);
  const base64 = (wasm) => `'${wasm.toString('base64')}'`;
  const inOnePiece = wasmModules(new Map([...sources, [helperId]]), (part) => {
    if (part === undefined) return helperModule(base64(helper));
    if (part.name !== 'base') return sameModule(part.name, 'base');
    return partModule({ name: 'base', needs: [] }, base64(whole));
  });
  const decoded = instead(source('wasm/text.ts'), source('wasm/base64.ts'));
  const encoded = instead(source('read/utf8.ts'), source('read/utf8-node.ts'));
  await write(inputsOf(nodeEntries), [decoded, encoded, inOnePiece, typescript], {
    dir: join(dist, 'node'),
    external: (id) => id.startsWith('node:'),
    manualChunks: chunkOf,
    chunkFileNames: '[name].js',
  });
  await writeCommand(dist);
}

/**
 * Writes a file of types for each entry point, from the types of all sources in `from`. Types that several entry points
 * use are in shared files, because two declarations of a class with private members would be two different types.
 */
export async function writeTypes(dist, from) {
  const files = [...entries, 'pages/index'].map((name) => join(from, `${name}.d.ts`));
  const input = Object.fromEntries(files.map((file) => [relative(from, file).slice(0, -3), file]));
  // The plugin warns about types that no entry point exports, such as base classes.
  const bundle = await rollup({ input, plugins: [dts()], logLevel: 'silent' });
  const { output } = await bundle.write({
    dir: dist,
    banner: '/// <reference lib="esnext.disposable" preserve="true" />',
    entryFileNames: '[name].ts',
    chunkFileNames: 'types/[name].ts',
    minifyInternalExports: false,
    // In a file of its own, because not every program has the types of WebCrypto.
    manualChunks: (id) => /^core(\/signed)?/.exec(relative(from, id))?.[0].concat('.d'),
  });
  await bundle.close();
  // The plugin exports classes as values that an entry point exports only as types, so mark those as types.
  for (const { fileName, code } of output.filter(({ isEntry }) => isEntry)) {
    const values = await import(join(dist, 'node', fileName.replace(/d\.ts$/, 'js')));
    const mark = (text, name) => (name in values ? text : ` type${text}`);
    const markAll = (list) => list.replace(/(?: \w+ as)? (\w+)/g, mark);
    writeFileSync(join(dist, fileName), code.replace(/(?<=^export \{)[^}]+(?= \})/gm, markAll));
  }
}
