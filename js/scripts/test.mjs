// npm test: set-up, build, and every suite but those of the other modes.
//
// npm run test:web: the package's tests in Firefox and WebKitGTK, which npm test runs in Chromium alone. In all
// three it tests the parts of the wasm, and what bundlers make of each import.
//
// npm run test:long -- [--budget 20m]: what npm test does not run, for as long as is given. The builds' time comes
// on top. It runs the long suites, in an order that changes from run to run. The fuzz targets share what is left.
//
// npm run test:docs: the documentation's site, which it builds: every page in a browser, and every link.
// It also steps through the figures, and uses the demo.
//
// npm run test:peers: what tamis writes, read by the libraries whose formats it writes, and what they write, read by
// tamis.
//
// npm run test:engines: tamis/redis on real servers, alone and as a cluster, and tamis/remote over a real host. It also
// kills tamis shard at many points, and changes many pages.
//
//   node js/scripts/test.mjs [web | docs | peers | engines | long [--budget 20m]]

import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, run, show } from './run.mjs';
import { runs32, setUp } from './setup.mjs';

const { values, positionals } = parseArgs({
  options: { budget: { type: 'string', default: '20m' } },
  allowPositionals: true,
});

/** Seconds of '90s', '20m' or '2h'. */
function secondsOf(text) {
  const [, number, unit] = /^(\d+)([smh])$/.exec(text) ?? [];
  if (number === undefined)
    throw new Error(`--budget: expected such as 90s, 20m or 2h, got ${text}`);
  return number * { s: 1, m: 60, h: 3600 }[unit];
}
const budget = secondsOf(values.budget);
const [mode = 'all'] = positionals;
if (!['all', 'web', 'docs', 'peers', 'engines', 'long'].includes(mode))
  throw new Error(`expected web, docs, peers, engines or long, got ${mode}`);

await setUp('test');
// Not at the top: before the set-up there is no esbuild to import.
const { build, cmake, nativeOptions } = await import('./build.mjs');

const node = (args, options) => run(process.execPath, args, options);

/** Runs Jest on all of tests/js, or on the files that are named. */
function jest(files = [], options = {}) {
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const program = 'node_modules/jest/bin/jest.js';
  return node([...flags, program, '-c', 'tests/jest.config.mjs', '--ci', ...files], options);
}

/** Runs files of Node's own test runner, so many of them at a time. */
const nodeTests = (files, atOnce, options) =>
  node(['--test', `--test-concurrency=${atOnce}`, ...files], options);

const testsIn = (folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.test.mjs'))
    .map((name) => `${folder}/${name}`);

const sanitized = { CMAKE_CXX_COMPILER: 'clang++', TAMIS_TESTS: 'ON', TAMIS_SANITIZE: 'ON' };

/** Builds the long suite, optimised and without sanitizers, by the other compiler: its program. */
async function buildLong(write) {
  const target = 'tamis_long_tests';
  return join(await cmake('native', nativeOptions, { write, target }), target);
}

/** The fuzz targets; those of wasm's width too, where this machine can build for 32 bits. */
const fuzzTargets = ['from_bytes', 'model', 'url', 'rice', 'url_list', 'key_lines', 'foreign'];
const fuzzTargets32 = ['from_bytes', 'rice'];

const fuzzersIn = (folder, targets, suffix = '') =>
  targets.map((seeds) => ({
    name: seeds + suffix,
    seeds,
    program: join(folder, `fuzz_${seeds}`),
  }));

/** Makes the seeds of all fuzz targets: their folder. */
async function makeCorpus(write) {
  const corpus = join(root, 'build', 'corpus');
  await node(['tests/cpp/fuzz/make-corpus.mjs', corpus], { write });
  return corpus;
}

/** Runs each fuzz target for some seconds, one after the other; what they find stays in build/fuzz. */
async function fuzz(fuzzers, seconds, { corpus, write }) {
  for (const { name, seeds, program } of fuzzers) {
    const found = join(root, 'build', 'fuzz', name);
    rmSync(found, { recursive: true, force: true });
    mkdirSync(found, { recursive: true });
    const options = [
      `-max_total_time=${seconds}`,
      '-max_len=512',
      '-timeout=50',
      '-malloc_limit_mb=64',
      '-rss_limit_mb=512',
      '-print_final_stats=1',
      '-verbosity=0',
      `-artifact_prefix=${found}-`,
    ];
    await run(program, [found, join(corpus, seeds), ...options], { write });
  }
}

/**
 * Installs the library that buildLong made, and runs an example that finds it there. That the example takes
 * the sources as well is configured, not built.
 */
async function runExample(write) {
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

/** The native suite under ASan and UBSan, the long one in short, an example, and the fuzz targets. */
async function testNative(write) {
  const folder = await cmake('asan', sanitized, { write });
  const long = await buildLong(write);
  const shards = Math.min(2, availableParallelism());
  await Promise.all(
    Array.from({ length: shards }, (_, i) => {
      const env = { ...process.env, GTEST_TOTAL_SHARDS: `${shards}`, GTEST_SHARD_INDEX: `${i}` };
      return run(join(folder, 'tamis_tests'), ['--gtest_brief=1'], { write, env });
    }),
  );
  await run(long, ['--gtest_brief=1'], { write });
  await runExample(write);
  const corpus = await makeCorpus(write);
  const halves = [fuzzTargets.slice(0, 3), fuzzTargets.slice(3)];
  await Promise.all(
    halves.map((targets) => fuzz(fuzzersIn(folder, targets), 10, { corpus, write })),
  );
}

/** Everything that runs on the built package. */
async function testPackage() {
  await build();
  await run(join(root, 'node_modules', '.bin', 'biome'), ['ci', '.']);
  const sources = "git ls-files -z '*.cpp' '*.hpp'";
  await run('sh', ['-c', `${sources} | xargs -0 clang-format --dry-run -Werror`]);
  await node(['js/scripts/check-rooms.mjs']);
  await node(['js/scripts/documents.mjs', '--check']);
  await node(['js/scripts/lint-prose.mjs']);
  await node(['node_modules/typescript/bin/tsc', '-p', 'tests/tsconfig.json']);
  await node(['node_modules/typescript/bin/tsc', '-p', 'web-demo/tsconfig.json']);
  // The tests in browsers wait for them half of their time.
  await runBoth(jest, (write) =>
    nodeTests([...testsIn('tests/package'), ...testsIn('tests/e2e')], 1, { write }),
  );
}

/** The long suites until the deadline. What failed before that fails the run. */
async function testLong(long, left) {
  const env = { ...process.env, TAMIS_LONG: '1' };
  await jest(['tests/js/url-history.test.ts'], { env });
  let printed = '';
  const write = (text) => {
    printed += text;
    show(text);
  };
  const signal = AbortSignal.timeout(left());
  const flags = ['--gtest_filter=*Long*', '--gtest_shuffle', '--gtest_fail_fast'];
  try {
    await run(long, flags, { write, env, signal });
  } catch (error) {
    if (!signal.aborted || /: Failure$/m.test(printed)) throw error;
  }
  const passed = printed.match(/^\[ {7}OK \]/gm)?.length ?? 0;
  const [, all = 'all'] = /^\[=+\] Running (\d+) tests/m.exec(printed) ?? [];
  console.log(`long suite: ${passed} of ${all} tests passed within the budget`);
}

/** Runs two tracks side by side to the end of both; the output of the second is shown when it is done. */
async function runBoth(first, second) {
  const held = [];
  const results = await Promise.allSettled([
    first(),
    second((text) => held.push(String(text))).finally(() => show(held.join(''))),
  ]);
  const failures = results.filter(({ status }) => status === 'rejected');
  if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason.message).join('\n'));
}

/** Builds the demo once for all tests of its pages. */
async function buildDemo() {
  await node(['web-demo/build-data.mjs']);
  await node(['node_modules/vite/bin/vite.js', 'build', 'web-demo']);
}

/** Says loudly which peers were not there. */
function reportMissing(missing) {
  for (const { name, from, missing: why } of missing) {
    console.error(`\n!!! NOT TESTED: ${name}, from ${from}: ${why}`);
  }
}

const modes = {
  all: () => runBoth(testPackage, testNative),

  async web() {
    await build();
    const env = { ...process.env, TAMIS_ENGINES: 'firefox,webkit' };
    const pages = ['csp', 'package', 'service-worker', 'strings'].map(
      (name) => `tests/e2e/${name}.test.mjs`,
    );
    await nodeTests(pages, 1, { env });
    await nodeTests(testsIn('tests/web'), 1);
  },

  async docs() {
    await build();
    const { buildDocs } = await import('./docs.mjs');
    await buildDocs();
    await node(['node_modules/typescript/bin/tsc', '-p', 'docs/tsconfig.json']);
    await buildDemo();
    const env = { ...process.env, TAMIS_DEMO: 'built' };
    const pages = ['docs', 'figures', 'demo'].flatMap((name) => testsIn(`tests/${name}`));
    await nodeTests(pages, 2, { env });
  },

  async peers() {
    try {
      await setUp('peers');
    } catch (error) {
      console.error(error.message);
    }
    await build();
    const { preparePeers } = await import('../../tests/peers/prepare.mjs');
    const missing = await preparePeers();
    try {
      await nodeTests(testsIn('tests/peers'), 2);
    } finally {
      reportMissing(missing);
    }
    // Registries that hold no part of the project need not answer.
    const needed = missing.filter(({ from }) => !['PyPI', 'Maven'].includes(from));
    if (process.env.CI && needed.length > 0) {
      throw new Error(`CI has no ${needed.map(({ name }) => name).join(', ')}`);
    }
  },

  async engines() {
    await setUp('engines');
    await build();
    await nodeTests(testsIn('tests/engines'), 1);
    const env = { ...process.env, TAMIS_LONG: '1', TAMIS_MUTATIONS: '20000' };
    await jest(['tests/js/cli-pages-kills.test.ts', 'tests/js/remote-mutations.test.ts'], { env });
  },

  async long() {
    const long = await buildLong();
    const fuzzers = fuzzersIn(await cmake('asan', sanitized), fuzzTargets);
    if (runs32) {
      const folder = await cmake('asan32', { ...sanitized, TAMIS_32: 'ON' });
      fuzzers.push(...fuzzersIn(folder, fuzzTargets32, '_32'));
    }
    const corpus = await makeCorpus();
    await build();
    const deadline = Date.now() + 1000 * budget;
    const left = () => Math.max(0, deadline - Date.now());
    const seconds = () => Math.max(1, Math.floor(left() / 1000 / fuzzers.length));
    await runBoth(
      () => testLong(long, left),
      (write) => fuzz(fuzzers, seconds(), { corpus, write }),
    );
  },
};

const name = mode === 'all' ? 'npm test' : `npm run test:${mode}`;
const started = Date.now();
try {
  await modes[mode]();
  console.log(`\n${name}: all passed in ${Math.round((Date.now() - started) / 1000)} s`);
} catch (error) {
  console.error(`\n${name}: ${error.message}`);
  process.exitCode = 1;
}
