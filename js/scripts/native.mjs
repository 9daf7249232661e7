// The native trees, and what npm test and npm run test:long run of them.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cmake, nativeOptions } from './build.mjs';
import { root, run } from './run.mjs';

/** The tests and fuzz targets under ASan and UBSan: the folder that holds them. */
export function buildSanitized(write) {
  return cmake('asan', { CMAKE_CXX_COMPILER: 'clang++', TAMIS_SANITIZE: 'ON' }, { write });
}

/** The long suite, optimised and without sanitizers, by the other compiler: its program. */
export async function buildLong(write) {
  const target = 'tamis_long_tests';
  return join(await cmake('native', nativeOptions, { write, target }), target);
}

/** Makes the seeds of all fuzz targets: their folder. */
export async function makeCorpus(write) {
  const corpus = join(root, 'build', 'corpus');
  await run(process.execPath, ['cpp/fuzz/make-corpus.mjs', corpus], { write });
  return corpus;
}

export const fuzzTargets = ['from_bytes', 'model', 'url', 'rice', 'url_list'].map((name) => ({
  name,
  seeds: name,
}));

/** Runs one of `fuzzTargets` of the tree in `folder` for some seconds; what it finds stays in build/fuzz. */
export async function fuzz({ name, seeds }, seconds, { folder, corpus, write }) {
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
  await run(join(folder, `fuzz_${name}`), options, { write });
}
