// Builds dist/: the wasm by CMake and Emscripten, the bundles by esbuild, the types by tsc. What CMake
// finds up to date is left alone; the rest takes three seconds.

import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'esbuild';
import { minify } from 'terser';
import { embedHelper } from './embed-helper.mjs';
import { embedWasm } from './embed-wasm.mjs';
import { writeRegistry } from './registry.mjs';
import { root, run, show } from './run.mjs';

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

async function buildWasm() {
  const folder = await cmake(
    'wasm',
    { CMAKE_BUILD_TYPE: 'None' },
    { command: ['emcmake', 'cmake'] },
  );
  const made = (name) => join(folder, 'bindings', name);
  const sources = at('js', 'src', 'wasm');
  // Its own loaders, which look at these globals, are never used: runtime.ts hands the module over.
  const absent = ['document', 'window', 'importScripts', 'process'];
  // Nor is what compiles bytes where nothing hands it over, and what looks for the file: nothing calls that
  // any more, and it goes.
  const unused = [
    [/\binstantiateSync\(wasmBinaryFile, ?info\)/, '[]'],
    [/\bwasmBinaryFile ?= ?"core\.wasm";\s*if ?\(!isDataURI\(wasmBinaryFile\)\) ?\{[^}]*\}/, ''],
    [/\bModule\["preloadedImages"\] ?= ?\{\};\s*Module\["preloadedAudios"\] ?= ?\{\};/, ''],
  ];
  const glue = unused.reduce(
    (text, [pattern, replacement]) => text.replace(pattern, replacement),
    readFileSync(made('core.js'), 'utf8'),
  );
  const { code } = await minify(glue, {
    module: true,
    compress: {
      passes: 3,
      ecma: 2020,
      pure_getters: true,
      global_defs: Object.fromEntries(absent.map((name) => [`@${name}`, 'undefined'])),
    },
  });
  writeFileSync(join(sources, 'core.js'), code);
  embedWasm(made('core.wasm'), join(sources, 'core-text.ts'));
  embedHelper(join(sources, 'string-helper.wat'), join(sources, 'string-helper.ts'));
  writeRegistry(root);
  mkdirSync(at('dist', 'wasm'), { recursive: true });
  copyFileSync(made('core.wasm'), at('dist', 'wasm', 'core.wasm'));
  chmodSync(at('dist', 'wasm', 'core.wasm'), 0o644);
}

/** An esbuild plugin: what runtime.ts loads the core by is this instead of js/src/wasm/inline.ts. */
const loadBy = (found) => ({
  name: 'load by',
  setup({ onResolve }) {
    onResolve({ filter: /\/wasm\/inline\.js$/ }, () => found);
    onResolve({ filter: /^#wasm$/ }, () => ({ path: '#wasm', external: true }));
  },
});

/** An esbuild plugin: the command's process finds all the rest of it beside itself. */
const besideIt = {
  name: 'beside it',
  setup({ onResolve }) {
    onResolve({ filter: /\/main\.js$/ }, () => ({ path: './main.mjs', external: true }));
  },
};

async function bundleAll() {
  const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
  const common = {
    absWorkingDir: root,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    // The glue comes minified; names of our own classes stay as they are, for stack traces: without maps,
    // which would be a tenth of the package.
    minifyWhitespace: true,
    minifySyntax: true,
    define: { TAMIS_VERSION: JSON.stringify(version) },
    logLevel: 'warning',
  };
  /** Both entries, with what they share in one file, so that there is one core for both. */
  const entries = (outdir, plugin) =>
    bundle({
      ...common,
      entryPoints: ['js/src/index.ts', 'js/src/url/index.ts'],
      splitting: true,
      chunkNames: 'core',
      plugins: [plugin],
      outdir,
    });
  const loader = (entry) =>
    bundle({
      ...common,
      entryPoints: [`js/src/wasm/${entry}.ts`],
      external: ['./core.wasm', './core.wasm?module'],
      outfile: `dist/wasm/${entry}.js`,
    });
  await Promise.all([
    entries('dist', loadBy({ path: './wasm/inline.js', external: true })),
    entries('dist/static', loadBy({ path: at('js/src/wasm/static.ts') })),
    ...['inline', 'workerd', 'edge-light'].map(loader),
    bundle({
      ...common,
      entryPoints: ['js/src/node/cli.ts'],
      plugins: [besideIt],
      platform: 'node',
      sourcemap: false,
      outfile: 'dist/cli.mjs',
    }),
    // The whole command line but for its process, so that the tests need none. Nobody reads its stack traces.
    bundle({
      ...common,
      entryPoints: ['js/src/node/main.ts'],
      external: ['tamis'],
      platform: 'node',
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

async function buildTypes() {
  await run(process.execPath, [
    at('node_modules', 'typescript', 'bin', 'tsc'),
    '-p',
    at('js', 'tsconfig.json'),
  ]);
  copyFileSync(at('js', 'src', 'wasm', 'core.d.ts'), at('dist', 'wasm', 'core.d.ts'));
  for (const ending of ['d.ts', 'd.ts.map'])
    rmSync(at('dist', 'wasm', `core-text.${ending}`), { force: true });
}

/** Builds the package. */
export async function build() {
  rmSync(at('dist'), { recursive: true, force: true });
  await buildWasm();
  await bundleAll();
  await buildTypes();
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  await build();
