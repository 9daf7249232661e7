// Builds dist/: the wasm by CMake and Emscripten, the modules by esbuild, the types by tsc. What CMake
// finds up to date is left alone; the rest takes three seconds.

import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle, transform } from 'esbuild';
import { minify } from 'terser';
import { root, run, show } from './run.mjs';
import { camelCase, makeParts, staticPart } from './wasm/parts.mjs';
import { figuresModule, registryModule } from './wasm/registry.mjs';

const at = (...path) => join(root, ...path);

// Debian's Emscripten looks for its acorn there and does not say so.
const toolchain = {
  ...process.env,
  NODE_PATH: [process.env.NODE_PATH, '/usr/share/nodejs'].filter(Boolean).join(':'),
};

/** The tree of the tools and benches, by the other compiler than the tests'. */
export const nativeOptions = {
  CMAKE_BUILD_TYPE: 'Release',
  CMAKE_CXX_COMPILER: 'g++',
  TAMIS_TESTS: 'ON',
};

/** Configures and builds one of the CMake trees, or one target of it; the options are its cache entries. */
export async function cmake(tree, options, { write = show, command = ['cmake'], target } = {}) {
  const folder = at('build', tree);
  if (!existsSync(join(folder, 'build.ninja'))) {
    const entries = Object.entries(options).map(([name, value]) => `-D${name}=${value}`);
    const [program, ...first] = [...command, '-S', root, '-B', folder, '-G', 'Ninja', ...entries];
    await run(program, first, { write, env: toolchain });
  }
  const what = target === undefined ? [] : ['--target', target];
  await run('cmake', ['--build', folder, ...what], { write, env: toolchain });
  return folder;
}

/**
 * Makes a function of the glue that is ready at once: it takes the imports to `instantiate`, which gives the
 * exports. Views that nothing here reads go, since no minifier may drop them. It is checked that each was there.
 */
function adaptGlue(glue) {
  const changes = [
    [
      /^var Module=\s*function\(Module\) \{\s*Module = Module \|\| \{\};/,
      'export default function(Module){',
    ],
    [/var Module=Module;var readyPromiseResolve.*?function ready\(\)\{[^}]*\}/s, ''],
    [
      /WebAssembly\.instantiate\(Module\["wasm"\],imports\)\.then\(function\(output\)\{asm=output\.instance\.exports;/,
      'asm=Module["instantiate"](imports);',
    ],
    [/ready\(\)\}\);/, ''],
    [/HEAP8=new Int8Array\(b\);HEAP16=new Int16Array\(b\);/, ''],
    [/HEAPU16=new .*?HEAPF64=new Float64Array\(b\)/, ''],
    [/export default Module;\s*$/, ''],
  ];
  return changes.reduce((text, [pattern, replacement]) => {
    if (!pattern.test(text)) throw new Error(`the glue has no ${pattern}`);
    return text.replace(pattern, replacement);
  }, glue);
}

/** Makes js/src/wasm/core.js of Emscripten's glue, and whatever the package holds of the wasm. */
async function buildWasm(write) {
  const folder = await cmake(
    'wasm',
    { CMAKE_BUILD_TYPE: 'None' },
    { write, command: ['emcmake', 'cmake'] },
  );
  const made = (name) => readFileSync(join(folder, 'bindings', name));
  const { code } = await minify(adaptGlue(made('glue.js').toString()), {
    module: true,
    compress: { passes: 3, ecma: 2020, pure_getters: true },
  });
  writeFileSync(at('js/src/wasm/core.js'), code);
  writeFileSync(at('js/src/wasm/registry.ts'), registryModule());
  writeFileSync(at('js/src/wasm/figures.ts'), figuresModule());
  const links = { core: made('core.wasm'), readers: made('readers.wasm') };
  return makeParts(links, at('js/src/wasm'), at('dist/wasm'));
}

const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
const common = {
  format: 'esm',
  target: 'es2022',
  // The glue comes minified; names of our own classes stay as they are, for stack traces. There are no maps, which
  // would be a tenth of the package.
  minifyWhitespace: true,
  minifySyntax: true,
  define: { TAMIS_VERSION: JSON.stringify(version) },
  logLevel: 'warning',
};

function writeModule(path, text) {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}

/** The modules that a source imports by a relative path, from js/src on. */
function importsOf(path) {
  const text = readFileSync(at('js/src', path), 'utf8').replaceAll(/^import type [^;]*;/gm, '');
  return [...text.matchAll(/(?:from |import\()'(\.[^']+)\.js'/g)]
    .map(([, to]) => `${join(dirname(path), to)}.ts`)
    .filter((to) => existsSync(at('js/src', to)));
}

/** What stands in the place of a module of the core where the readers' wasm is used, and of its base. */
const replaced = new Map([
  ['core/border/runtime.ts', 'read/runtime.ts'],
  ['core/border/parts.ts', 'read/parts.ts'],
]);
const forReaders = new Map([...replaced, ['wasm/parts/base.ts', 'wasm/readers/base.ts']]);

/** The entries whose wasm is the readers', each a folder of js/src. */
const onReaders = ['read', 'redis', 'remote'];
const isOnReaders = (path) => onReaders.includes(path.split('/')[0]);

/**
 * What these entries have of their own: their folders, and a second copy of each module of the core that reaches
 * the wasm. These copies use the readers' runtime, and so are one page's only ones. A path of js/src as a key, and
 * the path in dist.
 */
function modulesOnReaders() {
  const sees = (path) =>
    path === 'core/border/memory.ts' ||
    replaced.has(path) ||
    (path.startsWith('core/') && importsOf(path).some((to) => to !== path && sees(to)));
  const found = new Set([...onReaders.map((name) => `${name}/index.ts`), 'core/keys/routes.ts']);
  for (const path of found) {
    for (const to of importsOf(path)) {
      if (isOnReaders(to) || sees(to)) found.add(replaced.get(to) ?? to);
    }
  }
  return new Map([...found].map((path) => [path, isOnReaders(path) ? path : `read/${path}`]));
}

/** The code of one of these modules, with its imports as they lie in dist. */
function relink(code, path, modules) {
  const out = dirname(modules.get(path));
  return code.replaceAll(/(from|import\()( ?)"(\.[^"]+)\.js"/g, (_, how, space, to) => {
    const source = `${join(dirname(path), to)}.ts`;
    const wanted = forReaders.get(source) ?? source;
    const found = relative(out, modules.get(wanted) ?? wanted).replace(/\.ts$/, '.js');
    return `${how}${space}"${found.startsWith('.') ? found : `./${found}`}"`;
  });
}

/**
 * A module per source file, so that a bundler leaves out what an import does not use. Each is written twice: with
 * the wasm as text and, below dist/static, with static imports of wasm. Two runtimes take those in their own ways.
 */
async function transformAll(parts) {
  const sources = readdirSync(at('js/src'), { recursive: true }).filter(
    (path) => /(?<!\.d)\.[jt]s$/.test(path) && !path.startsWith('node/') && !isOnReaders(path),
  );
  const codeOf = async (path) => {
    const text = readFileSync(at('js/src', path), 'utf8');
    const { code } = await transform(text, { ...common, loader: 'ts' });
    // What has types alone is empty.
    if (code.trim() === '' && !path.endsWith('part.ts')) throw new Error(`${path} is empty`);
    return code;
  };
  const modules = modulesOnReaders();
  await Promise.all([
    ...sources.map(async (path) => {
      const code = await codeOf(path);
      const file = path.replace(/\.ts$/, '.js');
      if (path !== 'wasm/static.ts') writeModule(`dist/${file}`, code);
      const isReplaced = /^wasm\/(parts\/|readers\/|inline)/.test(path);
      const target = path === 'wasm/static.ts' ? 'wasm/inline.js' : file;
      if (!isReplaced) writeModule(`dist/static/${target}`, code);
    }),
    ...[...modules].map(async ([path, file]) => {
      const code = relink(await codeOf(path), path, modules);
      for (const form of ['dist', 'dist/static']) {
        writeModule(`${form}/${file.replace(/\.ts$/, '.js')}`, code);
      }
    }),
  ]);
  for (const part of parts) {
    writeModule(`dist/static/wasm/${part.folder}/${part.name}.js`, staticPart(part));
    for (const [condition, query] of [
      ['workerd', ''],
      ['edge-light', '?module'],
    ]) {
      const text = `export { default as module } from './${part.file}.wasm${query}';\n`;
      writeModule(`dist/wasm/${part.file}.${condition}.js`, text);
    }
  }
}

/** An esbuild plugin: what is imported when it is wanted is left out. */
const apart = {
  name: 'apart',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
};

/**
 * Makes an entry name its texts of wasm before all else. Bundlers keep the order in which modules are named, and
 * texts side by side compress better, by 4 % of an import. What the import does not use is left out all the same.
 */
async function nameTextsFirst(entry) {
  const { metafile } = await bundle({
    ...common,
    absWorkingDir: root,
    bundle: true,
    entryPoints: [`dist/${entry}`],
    plugins: [apart],
    metafile: true,
    write: false,
  });
  const texts = Object.keys(metafile.inputs).filter((path) =>
    /^dist\/wasm\/(parts\/|readers\/|string-helper)/.test(path),
  );
  if (texts.length < 3) throw new Error(`${entry} has no texts of wasm`);
  const named = texts.map((path, i) => {
    const from = relative(dirname(`dist/${entry}`), path);
    const text = from.startsWith('.') ? from : `./${from}`;
    // By a name of its own: a part may be called as an export is.
    return `import{${camelCase(basename(path, '.js'))} as text${i}}from"${text}";`;
  });
  writeModule(`dist/${entry}`, named.join('') + readFileSync(at('dist', entry), 'utf8'));
}

/** An esbuild plugin: what is imported when it is wanted lies in the same file. */
const together = {
  name: 'together',
  setup({ onResolve }) {
    // What lies elsewhere stays apart: wasm, for which a module of its own stands, or another room's chunk.
    onResolve({ filter: /^\.\// }, ({ kind, importer }) =>
      kind === 'dynamic-import' ? { path: join(dirname(importer), 'index.js') } : undefined,
    );
  },
};

/**
 * An esbuild plugin: all of a link in one module, as base64. Every part is the base: one module starts sooner than
 * several, and Node decodes base64 itself.
 */
const inOnePiece = (pieces) => ({
  name: 'in one piece',
  setup({ onLoad }) {
    const load = (filter, make) =>
      onLoad({ filter }, ({ path }) => ({ contents: make(basename(path, '.js'), path) }));
    const base64 = (name) => JSON.stringify(pieces.get(name).toString('base64'));
    load(
      /\/wasm\/text\.js$/,
      () =>
        "import{Buffer}from'node:buffer';export const decode=(text)=>Buffer.from(text,'base64');",
    );
    load(/\/wasm\/string-helper\.js$/, (name) => `export const stringHelper=${base64(name)};`);
    load(/\/wasm\/(parts|readers)\//, (name, path) =>
      name === 'base'
        ? `export const base={needs:[],code:${base64(`${basename(dirname(path))}/base`)}};`
        : `export{base as ${camelCase(name)}}from'./base.js';`,
    );
  },
});

/**
 * For Node, few files in the place of many, and one module of wasm: there each file costs half a millisecond, and
 * nobody downloads them.
 */
const bundleForNode = (pieces) =>
  bundle({
    ...common,
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    // The last is no entry of the package: the command line has it from here.
    entryPoints: ['.', 'schemes', 'interop', 'url', ...onReaders, 'pages'].map(
      (name) => `dist/${name}/index.js`,
    ),
    plugins: [together, inOnePiece(pieces)],
    splitting: true,
    chunkNames: 'core-[hash]',
    outdir: 'dist/node',
  });

/** An esbuild plugin: the command's process finds all the rest of it beside itself. */
const besideIt = {
  name: 'beside it',
  setup({ onResolve }) {
    onResolve({ filter: /\/main\.js$/ }, () => ({ path: './main.mjs', external: true }));
  },
};

/** An esbuild plugin: what builds pages shares the modules of the package, which lie below dist/node. */
const besideThePackage = {
  name: 'beside the package',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/pages\/index\.js$/ }, () => ({
      path: './node/pages/index.js',
      external: true,
    }));
  },
};

/** The command line, in two files. */
async function bundleCommand() {
  const node = { ...common, absWorkingDir: root, bundle: true, platform: 'node' };
  await Promise.all([
    bundle({
      ...node,
      entryPoints: ['js/src/node/cli.ts'],
      plugins: [besideIt],
      outfile: 'dist/cli.mjs',
    }),
    // The whole command line but for its process, so that the tests need none. Nobody reads its stack traces.
    bundle({
      ...node,
      entryPoints: ['js/src/node/main.ts'],
      external: ['tamis'],
      plugins: [besideThePackage],
      // cli-progress and what it uses are CommonJS and call require for Node's own modules.
      banner: {
        js: "import { createRequire as requirer } from 'node:module'; const require = requirer(import.meta.url);",
      },
      minifyIdentifiers: true,
      outfile: 'dist/main.mjs',
    }),
  ]);
  chmodSync(at('dist', 'cli.mjs'), 0o755);
}

async function buildTypes(write) {
  const compiler = at('node_modules', 'typescript', 'bin', 'tsc');
  await run(process.execPath, [compiler, '-p', at('js', 'tsconfig.json')], { write });
  // Nothing that has a path for users says anything of these.
  for (const name of ['alphabet', 'string-helper']) {
    for (const ending of ['d.ts', 'd.ts.map']) rmSync(at(`dist/wasm/${name}.${ending}`));
  }
  for (const folder of ['dist/wasm/parts', 'dist/wasm/readers']) {
    for (const name of readdirSync(at(folder))) {
      if (!name.endsWith('.js')) rmSync(at(folder, name));
    }
  }
  copyFileSync(at('js', 'src', 'wasm', 'core.d.ts'), at('dist', 'wasm', 'core.d.ts'));
}

/** Builds the package; what the programs print goes to `write`, and `begin` is told of each step. */
export async function build({ write = show, begin = () => {} } = {}) {
  rmSync(at('dist'), { recursive: true, force: true });
  begin('the WebAssembly, by CMake and Emscripten');
  const { parts, pieces } = await buildWasm(write);
  begin('the modules and the command line, by esbuild');
  await transformAll(parts);
  await Promise.all([bundleForNode(pieces), bundleCommand()]);
  await Promise.all(
    ['.', 'interop', 'url', ...onReaders].map((name) => nameTextsFirst(join(name, 'index.js'))),
  );
  begin('the types, by TypeScript');
  await buildTypes(write);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  await build();
