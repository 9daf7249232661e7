// npm test: set-up, build, and every suite but those of the other modes.
//
// npm test -- NAME...: only the named tests, such as `bloom`, `tests/js/bloom.test.ts`, or a whole suite: js, built,
// package, e2e, native, lint. It builds if the suite runs on the built package; suites of tests/js use the sources.
//
// npm run watch [-- NAME...]: tests/js again after each edit, if the edit can affect them.
//
// npm run test:web: the package's tests in Firefox and WebKitGTK, which npm test runs only in Chromium. In all three it
// tests the parts of the wasm, and the bundles of each import. It also runs the package in Bun and Deno, and the
// outputs of Parcel and Nitro. It clicks through the extension in Chromium and Firefox.
//
// npm run test:long -- [--budget 20m]: the tests that npm test leaves out, within a budget that excludes the builds. It
// runs the long suites, in an order that changes from run to run. The fuzz targets share the rest of the time.
//
// npm run test:mutants: faults put into the format's second implementation, cpp/format, one by one, and into the C++
// positions, fingerprints, seeds, ranges and Rice code. Golden files and FORMAT.md's tables must find each, except
// those that tests/mutants lists as the same program. test:long runs a sample.
//
// npm run test:docs: the documentation's site, which it builds: every page in a browser, and every link.
// It also steps through the figures, uses the demo, and runs the examples and the code of all pages.
//
// npm run test:peers: other libraries read the files that tamis writes in their formats, and tamis reads theirs.
// actionlint checks the workflows of GitHub.
//
// npm run test:engines: tamis/read in Bun, Deno and Hermes, tamis/redis on real servers, alone and as a cluster, and
// tamis/remote with a real host. It also kills tamis shard at many points, changes many pages, and fills the memory
// completely.
//
// npm run test:toolchains [-- --all] [--record]: the package built by other compilers, in a Debian 13, and with --all in a
// Debian testing. With --record, the sizes of their parts go to tests/vectors/part-sizes.json.
//
//   node js/scripts/test.mjs [watch | web | docs | peers | engines | mutants | toolchains | long] [NAME...] [--budget 20m] [--wasm FOLDER]
//
// With --wasm the package is built from parts of an earlier build, as by build.mjs.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build, cmake, nativeOptions } from './build.mjs';
import { root, run, show } from './run.mjs';
import { runs32, setUp } from './setup.mjs';
import {
  fuzz,
  fuzzersIn,
  fuzzTargets,
  fuzzTargets32,
  jest,
  jestInParts,
  jestProgram,
  lint,
  makeCorpus,
  measured,
  node,
  nodeTests,
  packagesFor,
  runBoth,
  sanitized,
  suites,
  testNative,
  testsIn,
} from './suites.mjs';

const { values, positionals } = parseArgs({
  options: {
    budget: { type: 'string', default: '20m' },
    wasm: { type: 'string' },
    all: { type: 'boolean' },
    record: { type: 'boolean' },
  },
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
const wasm = values.wasm && resolve(values.wasm);
const buildPackage = () => build({ wasm });

/** Runs all suites on the built package. */
async function testPackage() {
  await buildPackage();
  await lint();
  // The tests in browsers wait half of their time.
  await runBoth(
    () => jestInParts([suites.js, suites.built, suites.prose]),
    (write) => nodeTests([...testsIn(suites.package), ...testsIn(suites.e2e)], 1, { write }),
  );
}

/** The test files of a name: those with that name in the first suite that has one, else those with it in their path. */
function filesOf(name) {
  if (Object.hasOwn(suites, name)) return testsIn(suites[name]);
  const all = Object.values(suites).map(testsIn);
  const isCalled = (file) => file === name || basename(file).split('.')[0] === name;
  const called = all.map((files) => files.filter(isCalled)).find((files) => files.length > 0);
  const found = called ?? all.flat().filter((file) => file.includes(name));
  if (found.length === 0) throw new Error(`no suite and no test file is called ${name}`);
  return found;
}

/** Runs the tests of these names, with no more set-up and building than they need. */
async function testNamed(names) {
  const whole = { lint, native: testNative };
  const isWhole = (name) => Object.hasOwn(whole, name);
  const files = [...new Set(names.filter((name) => !isWhole(name)).flatMap(filesOf))];
  const onSources = files.filter((file) => /^(tests\/js|lab\/prose)\//.test(file));
  const onDist = files.filter((file) => !onSources.includes(file));
  const isReady = onDist.length === 0 && existsSync(join(root, 'js/src/wasm/parts'));
  const isOfJest = files.every((file) => file.endsWith('.ts')) && !names.some(isWhole);
  const group = isOfJest ? (isReady || wasm ? 'modules' : 'base') : 'test';
  await setUp(group, ...new Set([...names, ...files].flatMap(packagesFor)));
  if (!isReady || names.includes('lint')) await buildPackage();
  const [ofJest, ofNode] = [/\.ts$/, /\.mjs$/].map((kind) =>
    files.filter((file) => kind.test(file)),
  );
  if (ofJest.length > 0) await jest(ofJest);
  if (ofNode.length > 0) await nodeTests(ofNode, 1);
  for (const name of names.filter(isWhole)) await whole[name]();
}

const python = (program, ...args) => run('python3', ['-B', `tests/mutants/${program}.py`, ...args]);

/** Runs the long suites until the deadline. A failure before it fails the run. */
async function testLong(long, left) {
  // Each format of feeds gets a tenth of the budget.
  const cases = Math.max(10_000, 16 * budget);
  const env = { TAMIS_CASES: String(cases), ...process.env, TAMIS_LONG: '1' };
  await run(long, ['--gtest_brief=1', '--gtest_filter=-*Long*']);
  const names = [
    ...['feeds-fuzz', 'format', 'model-filters', 'read-fuzz', 'sizes'],
    ...['static-filters', 'url-guard-equal', 'url-guard-policy', 'url-history', 'url-plain'],
  ];
  await jest(names.flatMap(filesOf), { env });
  await python('run', '--sample', String(Math.ceil(left() / 20_000)));
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

/** Builds the demo once for all tests of its pages. */
async function buildDemo() {
  await node(['web-demo/build-data.mjs']);
  await node(['node_modules/vite/bin/vite.js', 'build', 'web-demo']);
}

/** Prints the missing peers, so that nobody overlooks them. */
function reportMissing(missing) {
  for (const { name, from, missing: why } of missing) {
    console.error(`\n!!! NOT TESTED: ${name}, from ${from}: ${why}`);
  }
}

const modes = {
  all: () => runBoth(testPackage, testNative),

  named: testNamed,

  // With the keys and the colours of Jest's own watch.
  async watch(names) {
    const args = [...jestProgram, '--watch', '--selectProjects', 'js', '--', ...names];
    spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  },

  async web() {
    await buildPackage();
    const env = { ...process.env, TAMIS_ENGINES: 'firefox,webkit' };
    const pages = ['csp', 'first-example', 'package', 'strings'].map(
      (name) => `tests/e2e/${name}.test.mjs`,
    );
    await nodeTests(pages, 1, { env });
    await nodeTests(testsIn(suites.web), 1);
  },

  async docs() {
    await buildPackage();
    const { buildDocs } = await import('./docs.mjs');
    await buildDocs();
    await node(['node_modules/typescript/bin/tsc', '-p', 'docs/tsconfig.json']);
    await buildDemo();
    const env = { ...process.env, TAMIS_DEMO: 'built' };
    const files = ['docs', 'figures', 'demo', 'examples'].flatMap((name) => testsIn(suites[name]));
    const pages = files.filter((file) => file.endsWith('.mjs'));
    await nodeTests(pages, 2, { env });
    await jest([suites.examples]);
  },

  async toolchains() {
    const { testToolchains } = await import('./toolchains.mjs');
    await testToolchains({ all: values.all, recording: values.record });
  },

  async peers() {
    try {
      await setUp('peers');
    } catch (error) {
      console.error(error.message);
    }
    await buildPackage();
    const { preparePeers } = await import('../../lab/peers/prepare.mjs');
    const missing = await preparePeers();
    try {
      await nodeTests(testsIn(suites.peers), 2);
    } finally {
      reportMissing(missing);
    }
    // Registries without a part of the project need not answer.
    const needed = missing.filter(({ from }) => !['PyPI', 'Maven', 'Cargo', 'Go'].includes(from));
    if (process.env.CI && needed.length > 0) {
      throw new Error(`CI has no ${needed.map(({ name }) => name).join(', ')}`);
    }
  },

  async engines() {
    await setUp('engines');
    await buildPackage();
    await nodeTests(testsIn(suites.engines), 1);
    const env = { ...process.env, TAMIS_LONG: '1', TAMIS_MUTATIONS: '20000' };
    await jest([suites.faults], { env });
  },

  async mutants() {
    await buildPackage();
    await jest(['read-mutants', 'format-mutants'].flatMap(filesOf));
    await python('cpp', 'build/mutants');
    await python('run');
  },

  async long() {
    const target = 'tamis_long_tests';
    const long = join(await cmake('native', nativeOptions, { target }), target);
    const asan = await cmake('asan', sanitized);
    const fuzzers = fuzzersIn(asan, fuzzTargets);
    if (runs32) {
      const folder = await cmake('asan32', { ...sanitized, TAMIS_32: 'ON' });
      fuzzers.push(...fuzzersIn(folder, fuzzTargets32, '_32'));
    }
    const corpus = await makeCorpus();
    await buildPackage();
    await python('cpp', 'build/mutants-ranges', '--only-ranges');
    await run(join(asan, 'tamis_tests'), ['--gtest_brief=1', `--gtest_filter=${measured}`]);
    const deadline = Date.now() + 1000 * budget;
    const left = () => Math.max(0, deadline - Date.now());
    const seconds = () => Math.max(1, Math.floor(left() / 1000 / fuzzers.length));
    await runBoth(
      () => testLong(long, left),
      (write) => fuzz(fuzzers, seconds(), { corpus, write }),
    );
  },
};

/** The folders whose packages a mode needs beside those of the root. */
const packages = {
  all: ['lab', 'web-demo'],
  web: ['lab'],
  docs: ['docs', 'lab', 'web-demo'],
  peers: ['lab'],
  engines: ['lab'],
};

const [first = 'all', ...others] = positionals;
const [mode, names] = Object.hasOwn(modes, first) ? [first, others] : ['named', positionals];
const command = {
  all: 'npm test',
  named: `npm test -- ${names.join(' ')}`,
  watch: 'npm run watch',
};
const label = command[mode] ?? `npm run test:${mode}`;
const started = Date.now();
try {
  if (!['named', 'watch', 'toolchains'].includes(mode))
    await setUp('test', ...(packages[mode] ?? []));
  await modes[mode](names);
  console.log(`\n${label}: all passed in ${Math.round((Date.now() - started) / 1000)} s`);
} catch (error) {
  console.error(`\n${label}: ${error.message}`);
  process.exitCode = 1;
}
