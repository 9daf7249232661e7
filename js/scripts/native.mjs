// The native trees, and what npm test and npm run test:long run of them.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cmake, nativeOptions } from './build.mjs';
import { root, run } from './run.mjs';
import { runs32 } from './setup.mjs';

const sanitized = { CMAKE_CXX_COMPILER: 'clang++', TAMIS_TESTS: 'ON', TAMIS_SANITIZE: 'ON' };

/** The tests and fuzz targets under ASan and UBSan: the folder that holds them. */
export function buildSanitized(write) {
  return cmake('asan', sanitized, { write });
}

/** The long suite, optimised and without sanitizers, by the other compiler: its program. */
export async function buildLong(write) {
  const target = 'tamis_long_tests';
  return join(await cmake('native', nativeOptions, { write, target }), target);
}

/**
 * Installs the library that buildLong made, and runs an example that finds it there. That the example takes
 * the sources as well is configured, not built.
 */
export async function runExample(write) {
  const folder = mkdtempSync(join(tmpdir(), 'tamis-'));
  const cmake = (...args) => run('cmake', args, { write });
  const configure = (build, option) =>
    cmake('-S', 'cpp/examples', '-B', join(folder, build), '-G', 'Ninja', `-D${option}`);
  try {
    await cmake('--install', join(root, 'build', 'native'), '--prefix', join(folder, 'prefix'));
    await configure('sources', `TAMIS_SOURCE=${root}`);
    await configure('build', `CMAKE_PREFIX_PATH=${join(folder, 'prefix')}`);
    await cmake('--build', join(folder, 'build'));
    await run(join(folder, 'build', 'blocklist'), ['README.md', join(folder, 'list')], { write });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Makes the seeds of all fuzz targets: their folder. */
export async function makeCorpus(write) {
  const corpus = join(root, 'build', 'corpus');
  await run(process.execPath, ['tests/cpp/fuzz/make-corpus.mjs', corpus], { write });
  return corpus;
}

const fuzzTargets = ['from_bytes', 'model', 'url', 'rice', 'url_list', 'key_lines'];
/** Those that are also built for 32 bits, which wasm has. */
const fuzzTargets32 = ['from_bytes', 'rice'];

/** The fuzz targets of the tree that buildSanitized made: a program, and the name of its seeds. */
export function fuzzersIn(folder) {
  return fuzzTargets.map((name) => ({ name, seeds: name, program: join(folder, `fuzz_${name}`) }));
}

/** Builds the fuzz targets for 32 bits, where this machine has them. */
export async function buildFuzzers32(write) {
  if (!runs32) return [];
  const folder = await cmake('asan32', { ...sanitized, TAMIS_32: 'ON' }, { write });
  return fuzzTargets32.map((name) => ({
    name: `${name}_32`,
    seeds: name,
    program: join(folder, `fuzz_${name}`),
  }));
}

/** Runs a fuzz target for some seconds; what it finds stays in build/fuzz. */
export async function fuzz({ name, seeds, program }, seconds, { corpus, write }) {
  const found = join(root, 'build', 'fuzz', name);
  mkdirSync(found, { recursive: true });
  const options = [
    found,
    join(corpus, seeds),
    `-max_total_time=${seconds}`,
    '-max_len=512',
    '-timeout=50',
    '-malloc_limit_mb=64',
    '-rss_limit_mb=512',
    '-print_final_stats=1',
    '-verbosity=0',
    `-artifact_prefix=${found}-`,
  ];
  await run(program, options, { write });
}
