// npm test: set-up, build, and every suite. Two tracks side by side, one for each core: the native
// suite and fuzz targets, whose output is shown when they are done, and everything in JavaScript.
// --long fuzzes for ten minutes a target instead of twenty seconds, and runs all of tests/cpp/long.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run, show } from './run.mjs';
import { setUp } from './setup.mjs';

const bin = (name) => join(root, 'node_modules', '.bin', name);
const isLong = process.argv.includes('--long');
const fuzzSeconds = isLong ? 600 : 20;

/** The native suite under ASan and UBSan, the long one by the other compiler, and the fuzz targets. */
async function native(write) {
  // Not at the top: before the set-up there is no esbuild to import.
  const { cmake, nativeOptions } = await import('./build.mjs');
  const sanitized = { CMAKE_CXX_COMPILER: 'clang++', TAMIS_SANITIZE: 'ON' };
  const folder = await cmake('asan', sanitized, { write });
  const optimised = await cmake('native', nativeOptions, { write });
  await run('ctest', ['--test-dir', folder, '--output-on-failure', '--progress', '-j2'], { write });
  const env = { ...process.env, ...(isLong && { TAMIS_LONG: '1' }) };
  await run(join(optimised, 'tamis_long_tests'), ['--gtest_brief=1'], { write, env });

  const corpus = join(root, 'build', 'corpus');
  await run(process.execPath, ['cpp/fuzz/make-corpus.mjs', corpus], { write });
  const fuzz = (name) => {
    const found = join(root, 'build', 'fuzz', name);
    mkdirSync(found, { recursive: true });
    const options = [
      found,
      join(corpus, name),
      `-max_total_time=${fuzzSeconds}`,
      '-max_len=512',
      '-timeout=5',
      '-malloc_limit_mb=64',
      '-rss_limit_mb=512',
      '-print_final_stats=1',
      '-verbosity=0',
      `-artifact_prefix=${found}-`,
    ];
    return run(join(folder, `fuzz_${name}`), options, { write });
  };
  for (const target of ['from_bytes', 'model', 'url', 'rice', 'url_list']) await fuzz(target);
}

/** Everything that runs on the built package. */
async function javascript() {
  const node = (...args) => run(process.execPath, args);
  await node('js/scripts/build.mjs');
  await run(bin('biome'), ['ci', '.']);
  await node('js/scripts/check-rooms.mjs');
  await node('js/scripts/check-registry.mjs');
  await node('js/scripts/format-dump.mjs', '--check');
  await node('js/scripts/readme-tables.mjs', '--check');
  await run(bin('tsc'), ['-p', 'tests/tsconfig.json']);
  await run(bin('tsc'), ['-p', 'web-demo/tsconfig.json']);
  await node(
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
    '-c',
    'tests/jest.config.mjs',
    '--ci',
  );
  await node('--test', 'tests/package/package.test.mjs');
  const names = ['csp', 'demo', 'demo-build', 'demo-once', 'examples', 'package', 'urls'];
  const pages = names.map((name) => `tests/e2e/${name}.test.mjs`);
  await node('--test', '--test-concurrency=1', ...pages);
}

await setUp('test');
rmSync(join(root, 'build', 'fuzz'), { recursive: true, force: true });

const held = [];
const started = Date.now();
const results = await Promise.allSettled([
  native((text) => held.push(String(text))).finally(() => show(held.join(''))),
  javascript(),
]);
const failures = results.filter(({ status }) => status === 'rejected');
for (const { reason } of failures) console.error(`\nnpm test: ${reason.message}`);
if (failures.length > 0) process.exitCode = 1;
else console.log(`\nnpm test: all suites passed in ${Math.round((Date.now() - started) / 1000)} s`);
