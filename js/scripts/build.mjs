// Builds dist/: the wasm by CMake and Emscripten, the modules by Rollup, the types by tsc and Rollup. Files that
// are up to date stay as they are.
//
//   node js/scripts/build.mjs [--wasm FOLDER]
//
// With --wasm it needs no compiler: FOLDER has the parts of the wasm from build/parts of another build.

import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isProgram, root, run, show } from './run.mjs';
import { setUp } from './setup.mjs';

const at = (...path) => join(root, ...path);

// Debian's Emscripten needs its acorn there, and does not say so.
export const toolchain = {
  ...process.env,
  NODE_PATH: [process.env.NODE_PATH, '/usr/share/nodejs'].filter(Boolean).join(':'),
};

/** The tree of the tools and benches. Its compiler is the one that does not build the tests. */
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

/** The folder of the parts that the wasm stage writes. */
const partsFolder = at('build/parts');

/** Compiles and links the wasm. Returns its folder. It needs no module of npm. */
export const compileWasm = (write = show) =>
  cmake('wasm', { CMAKE_BUILD_TYPE: 'None' }, { write, command: ['emcmake', 'cmake'] });

/** Links the wasm, and returns the function that cuts it. */
async function linkWasm(write) {
  const { makeParts } = await import('./wasm/parts.mjs');
  const folder = await compileWasm(write);
  return () => makeParts(join(folder, 'bindings'), partsFolder);
}

/** One digest of all files in these folders, and of these files, with their names. Missing ones are left out. */
function digestOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths.filter((name) => existsSync(at(name)))) {
    const isFolder = statSync(at(path)).isDirectory();
    const names = isFolder ? readdirSync(at(path), { recursive: true }).sort() : [''];
    for (const name of names.map((below) => join(path, below))) {
      if (statSync(at(name)).isDirectory()) continue;
      const content = readFileSync(at(name));
      hash.update(`${name}\0${content.length}\0`).update(content);
    }
  }
  return hash.digest('hex');
}

/** The inputs of dist beside programs, and the outputs of the build. */
const sources = ['js', 'bindings', 'cpp/include', 'package.json', 'package-lock.json'].concat(
  ['wasm/bindings/core.wasm', 'parts'].map((name) => `build/${name}`),
);
const results = ['dist', 'build/types', 'build/bundled.json'];
/** The digests of both at the end of the last build. */
const lastBuild = at('build/dist.json');
const digestsNow = () => JSON.stringify([sources, results].map(digestOf));
const isUpToDate = () => existsSync(lastBuild) && readFileSync(lastBuild, 'utf8') === digestsNow();

/** Builds the package. `wasm` is a folder with parts of an earlier build. */
export async function build({ write = show, wasm } = {}) {
  const cut = wasm === undefined ? await linkWasm(write) : undefined;
  if (wasm && wasm !== partsFolder) cpSync(wasm, partsFolder, { recursive: true });
  if (isUpToDate()) return;
  rmSync(at('dist'), { recursive: true, force: true });
  cut?.();
  const { readParts } = await import('./wasm/parts.mjs');
  const { writeSources } = await import('./wasm/sources.mjs');
  const { writeDist, writeTypes } = await import('./modules.mjs');
  const { writeCdn } = await import('./cdn.mjs');
  const { parts } = readParts(partsFolder);
  const helper = writeSources({ parts });
  for (const folder of ['build', 'dist/wasm']) mkdirSync(at(folder), { recursive: true });
  for (const { file, wasm: bytes } of parts) writeFileSync(at('dist/wasm', file), bytes);
  await writeDist(at('dist'), { parts, helper });
  await writeCdn(at('dist'));
  rmSync(at('build/types'), { recursive: true, force: true });
  await run(process.execPath, [at('node_modules/typescript/bin/tsc'), '-p', at('js')], { write });
  await writeTypes(at('dist'), at('build/types'));
  writeFileSync(lastBuild, digestsNow());
}

if (isProgram(import.meta)) {
  const { values } = parseArgs({ options: { wasm: { type: 'string' } } });
  const wasm = values.wasm && resolve(values.wasm);
  try {
    await setUp(wasm === undefined ? 'base' : 'modules');
    await build({ wasm });
  } catch (error) {
    console.error(`build: ${error.message}`);
    process.exitCode = 1;
  }
}
