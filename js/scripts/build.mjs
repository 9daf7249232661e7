// Builds dist/: the wasm with CMake and Emscripten, the modules with Rollup, and the types with tsc and Rollup. Files
// that are up to date are not written again.
//
//   node js/scripts/build.mjs [--wasm FOLDER]
//
// With --wasm no compiler is needed: FOLDER contains the parts of the wasm, copied from build/parts of another build.

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

// Debian's Emscripten needs Debian's acorn, but does not look for it in this folder.
export const toolchain = {
  ...process.env,
  NODE_PATH: [process.env.NODE_PATH, '/usr/share/nodejs'].filter(Boolean).join(':'),
};

/** The build tree of the tools and benches. The tests use the other compiler. */
export const nativeOptions = {
  CMAKE_BUILD_TYPE: 'Release',
  CMAKE_CXX_COMPILER: 'g++',
  TAMIS_TESTS: 'ON',
};

/** Configures and builds a CMake tree, or one of its targets. `options` are CMake cache entries. */
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

/** Where the wasm stage writes its parts. */
const partsFolder = at('build/parts');

/** Compiles and links the wasm. It needs no npm package. Returns the build folder. */
export const compileWasm = (write = show) =>
  cmake('wasm', { CMAKE_BUILD_TYPE: 'None' }, { write, command: ['emcmake', 'cmake'] });

/** Links the wasm, and returns the function that cuts it. */
async function linkWasm(write) {
  const { makeParts } = await import('./wasm/parts.mjs');
  const folder = await compileWasm(write);
  return () => makeParts(join(folder, 'bindings'), partsFolder);
}

/** One digest of all these files, and of all files in these folders, with their names. Missing ones are ignored. */
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

/** What dist is made from, apart from programs, and what the build writes. */
const sources = ['js', 'bindings', 'cpp/include', 'package.json', 'package-lock.json'].concat(
  ['wasm/bindings/core.wasm', 'parts'].map((name) => `build/${name}`),
);
const results = ['dist', 'build/types', 'build/bundled.json'];
/** Where the build stores the digests of both when it ends. */
const lastBuild = at('build/dist.json');
const digestsNow = () => JSON.stringify([sources, results].map(digestOf));
const isUpToDate = () => existsSync(lastBuild) && readFileSync(lastBuild, 'utf8') === digestsNow();

/** Builds the package. If `wasm` is given, it is a folder with the parts from an earlier build. */
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
