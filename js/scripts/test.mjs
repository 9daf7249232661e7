// Runs the tests: `npm test`, and the modes that `npm test -- --help` lists.
//
//   node js/scripts/test.mjs [MODE | NAME...] [options]
//
// NAME is a test file or a suite, such as `bloom`, `tests/js/bloom.test.ts`, `js`, `package` or `lint`: only these run.
// The package is built if a test needs it; suites of tests/js use the sources.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build, cmake, compileWasm, nativeOptions } from './build.mjs';
import { runLong } from './long.mjs';
import {
  fuzz,
  fuzzersIn,
  fuzzTargets,
  fuzzTargets32,
  makeCorpus,
  measured,
  runShards,
  sanitized,
  testContract,
  testNative,
} from './native.mjs';
import { root, run, show } from './run.mjs';
import {
  adviceFor,
  findMissing,
  installMissing,
  namesOf,
  runs32,
  setUp,
  setUpModules,
} from './setup.mjs';
import {
  jest,
  jestProgram,
  lintBuilt,
  lintPages,
  lintSources,
  node,
  nodeTests,
  packagesFor,
  packageTests,
  runAll,
  suites,
  testsIn,
  testsWith,
} from './suites.mjs';

const options = {
  help: { type: 'boolean', short: 'h' },
  wasm: { type: 'string' },
  budget: { type: 'string', default: '20m' },
  sample: { type: 'string' },
  all: { type: 'boolean' },
  record: { type: 'boolean' },
  loops: { type: 'string' },
  'one-core': { type: 'boolean' },
};
function readArguments() {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch ({ message }) {
    console.error(`npm test: ${message}; npm test -- --help lists the options`);
    return process.exit(1);
  }
}
const { values, positionals } = readArguments();

const help = `
--wasm FOLDER  builds the package from the parts of the wasm that another build made: no compiler is needed
--budget 20m   of long: the time for its suites and fuzz targets, without the builds; under a minute, not for 32 bits
--sample 2m    of mutants: those of ranges, and others for so long, drawn by a seed that is printed
--all          of toolchains: Debian testing too; of web: Angular, SvelteKit and Nuxt too
--record       of toolchains: the sizes of the parts go to tests/vectors/part-sizes.json
--loops 6      of stress: the number of busy loops
--one-core     of stress: all of it on one core, in the place of the loops`;

/** The seconds in a text such as '90s', '20m' or '2h'. */
function secondsOf(text) {
  const [, number, unit] = /^(\d+)([smh])$/.exec(text) ?? [];
  if (number === undefined) throw new Error(`expected a time such as 90s, 20m or 2h, got ${text}`);
  return number * { s: 1, m: 60, h: 3600 }[unit];
}
const wasm = values.wasm && resolve(values.wasm);
const buildPackage = (write = show) => build({ wasm, write });

/** Parts of the quick run that need a program: a description, or a pattern for the Jest tests that need it. */
const served = {
  contract: 'the native contract tests and golden files',
  page: 'the packed tarball in a page of Chromium',
  python: /python\.js'|'python3'/,
  emscripten: /linked\.js'/,
};

/** What this machine cannot run: the groups of setup.mjs with missing needs, and the tests that need them. */
function findLacking() {
  const groups = wasm === undefined ? { base: 'what needs the package', ...served } : served;
  return Object.entries(groups).flatMap(([group, what]) => {
    const needs = findMissing(group);
    const files = typeof what === 'string' ? [] : testsWith(what);
    return needs.length > 0 ? [{ group, needs, files, what }] : [];
  });
}

/** Prints a warning for everything that was not run. In CI nothing may be left out. */
function reportLacking(lacking) {
  for (const { what, needs, files } of lacking) {
    const named = files.length > 0 ? files.join(', ') : what;
    console.error(`\n!!! NOT RUN, because ${namesOf(needs)} is missing: ${named}`);
  }
  if (lacking.length === 0) return;
  const needs = new Set(lacking.flatMap((one) => one.needs));
  console.error(`\n!!! This installs what is missing: ${adviceFor([...needs])}`);
  if (lacking.some(({ group }) => group === 'base'))
    console.error(
      '!!! With the wasm of a release, most of it runs without: npm test -- --wasm FOLDER',
    );
  if (process.env.CI) throw new Error('In CI, nothing may be left out');
}

/** `npm test`: runs the quick tests. Returns false if something is missing here and may not be installed. */
async function testQuickly() {
  await installMissing('test').catch(({ message }) => console.error(`setup: ${message}`));
  const lacking = findLacking();
  const has = (group) => lacking.every((one) => one.group !== group);
  // At the same time, because npm uses one core and the compilers need no npm package.
  await Promise.all([setUpModules(), has('base') && wasm === undefined && compileWasm()]);
  const contract = has('contract') ? [testContract] : [];
  if (!has('base')) await runAll([lintSources, ...contract]);
  else {
    await runAll([buildPackage, ...contract, lintSources]);
    const left = lacking.flatMap(({ files }) => files);
    const packed = ['tarball', 'types'].map((name) => `tests/package/${name}.test.mjs`);
    if (has('page')) packed.push('tests/package/first-use.test.mjs');
    await runAll([
      lintBuilt,
      (write) => packageTests(packed, 1, { write }),
      // Not through `write`, so that its lines appear at once.
      () => jest([suites.js, suites.built], { left }),
    ]);
  }
  reportLacking(lacking);
  return lacking.length === 0;
}

/** The test files for a name: those called so in the first suite that has one, or all with the name in their path. */
function filesOf(given) {
  const name = given.replace(/^\.\//, '');
  if (Object.hasOwn(suites, name)) return testsIn(suites[name]);
  const all = Object.values(suites).map(testsIn);
  const isCalled = (file) => file === name || basename(file).split('.')[0] === name;
  const called = all.map((files) => files.filter(isCalled)).find((files) => files.length > 0);
  const found = called ?? all.flat().filter((file) => file.includes(name));
  if (found.length === 0) throw new Error(`no suite and no test file is called ${name}`);
  return found;
}

/** Runs the tests with these names. It sets up and builds only what they need. */
async function testNamed(names) {
  if (names.includes('lint')) {
    await setUp(wasm ? 'modules' : 'base');
    await lintSources();
    await buildPackage();
    await lintBuilt();
  }
  const files = [...new Set(names.filter((name) => name !== 'lint').flatMap(filesOf))];
  const onDist = files.filter((file) => !file.startsWith('tests/js/'));
  const isReady = onDist.length === 0 && existsSync(join(root, 'js/src/wasm/parts'));
  const [ofJest, ofNode] = [/\.ts$/, /\.mjs$/].map((kind) =>
    files.filter((file) => kind.test(file)),
  );
  const group = ofNode.length > 0 ? 'package' : isReady || wasm ? 'modules' : 'base';
  await setUp(group, ...new Set(files.flatMap(packagesFor)));
  if (!isReady) await buildPackage();
  if (ofJest.length > 0) await jest(ofJest);
  if (ofNode.length > 0) await nodeTests(ofNode, 1);
}

const python = (program, ...args) => run('python3', ['-B', `tests/mutants/${program}.py`, ...args]);

/** Prints a warning for each missing peer. */
function reportMissing(missing) {
  for (const { name, from, missing: why } of missing) {
    console.error(`\n!!! NOT TESTED: ${name}, from ${from}: ${why}`);
  }
}

/** Runs a mode beside busy loops, or on a single core. */
async function testUnderStress([mode = 'quick', ...more]) {
  const loops = values['one-core'] ? 0 : Number(values.loops ?? 6);
  const busy = Array.from({ length: loops }, () => spawn(process.execPath, ['-e', 'for (;;);']));
  const { budget, sample } = values;
  const flags = Object.entries({ wasm, budget, sample }).flatMap(([name, value]) =>
    value ? [`--${name}`, value] : [],
  );
  const script = join(root, 'js/scripts/test.mjs');
  const program = [process.execPath, script, mode, ...more, ...flags];
  const [command, ...args] = values['one-core'] ? ['taskset', '-c', '0', ...program] : program;
  try {
    await run(command, args);
  } finally {
    for (const loop of busy) loop.kill();
  }
}

const modes = {
  quick: testQuickly,

  named: testNamed,

  // Connects the terminal, so that the keys and colours of Jest's watch mode work.
  async watch(names) {
    const args = [...jestProgram, '--watch', '--selectProjects', 'js', '--', ...names];
    spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  },

  native: () => testNative(),

  async package() {
    await buildPackage();
    await packageTests([...testsIn(suites.package), ...testsIn(suites.e2e)], 2);
  },

  async web() {
    await buildPackage();
    const env = { ...process.env, TAMIS_ENGINES: 'firefox,webkit' };
    if (values.all) process.env.TAMIS_ALL = '1';
    const pages = ['csp', 'package', 'strings'].map((name) => `tests/e2e/${name}.test.mjs`);
    await packageTests([...pages, 'tests/package/first-use.test.mjs'], 2, { env });
    await packageTests(testsIn(suites.web), 2);
  },

  async docs() {
    await buildPackage();
    const { buildDocs } = await import('./docs.mjs');
    await runAll([lintPages, buildDocs]);
    // Builds the demo once for all tests of its pages. Its data are the same as on the site.
    await node(['node_modules/vite/bin/vite.js', 'build', 'web-demo']);
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
    await setUpFor('modules', ['lab']);
    await installMissing('peers').catch(({ message }) => console.error(message));
    await buildPackage();
    const { preparePeers } = await import('../../lab/peers/prepare.mjs');
    const missing = await preparePeers();
    try {
      await nodeTests(testsIn(suites.peers), 2);
    } finally {
      reportMissing(missing);
    }
    // A registry from which nothing is needed may be unreachable.
    const needed = missing.filter(({ from }) => !['PyPI', 'Maven', 'Cargo', 'Go'].includes(from));
    if (process.env.CI && needed.length > 0) {
      throw new Error(`CI has no ${needed.map(({ name }) => name).join(', ')}`);
    }
  },

  async engines() {
    await buildPackage();
    await packageTests(testsIn(suites.engines), 2);
    await jest([suites.faults]);
  },

  async mutants() {
    await buildPackage();
    await jest([suites.mutants]);
    if (values.sample === undefined) {
      await python('cpp', 'build/mutants');
      await python('run');
    } else {
      await python('cpp', 'build/mutants-ranges', '--only-ranges');
      await python('run', '--sample', String(secondsOf(values.sample)));
    }
  },

  async long() {
    const budget = secondsOf(values.budget);
    const target = 'tamis_long_tests';
    const long = join(await cmake('native', nativeOptions, { target }), target);
    const asan = await cmake('asan', sanitized);
    const fuzzers = fuzzersIn(asan, fuzzTargets);
    // The 32-bit build alone takes a minute.
    if (runs32 && budget >= 60) {
      const folder = await cmake('asan32', { ...sanitized, TAMIS_32: 'ON' });
      fuzzers.push(...fuzzersIn(folder, fuzzTargets32, '_32'));
    }
    const corpus = await makeCorpus();
    await buildPackage();
    await runShards(join(asan, 'tamis_tests'), measured);
    await runShards(long, '-*Long*');
    const seconds = Math.max(1, Math.floor(budget / fuzzers.length));
    await runAll([
      () => runLong(long, budget),
      (write) => fuzz(fuzzers, seconds, { corpus, write }),
    ]);
  },

  stress: testUnderStress,
};

/** The folders whose npm packages a mode needs, besides those of the root. Other modes do their own set-up. */
const packages = {
  native: [],
  package: ['lab'],
  web: ['lab'],
  docs: ['docs', 'lab', 'web-demo'],
  engines: ['lab'],
  mutants: [],
  long: [],
};
/** Sets up a mode, and the build if the mode needs one. */
async function setUpFor(group, folders) {
  if (wasm === undefined) await setUp('base');
  await setUp(group, ...folders);
}

function showHelp() {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const [name, text] of Object.entries(manifest['scripts-info'])) {
    const command = name === 'test' ? 'npm test' : `npm run ${name}`;
    console.log(`${command.padEnd(24)} ${text}`);
  }
  console.log(help);
}

const [first = 'quick', ...others] = positionals;
const [mode, names] = Object.hasOwn(modes, first) ? [first, others] : ['named', positionals];
const label = ['npm test', ...positionals].join(' ');
const started = Date.now();
try {
  if (values.help) showHelp();
  else {
    if (mode in packages) await setUpFor(mode, packages[mode]);
    const isWhole = (await modes[mode](names)) !== false;
    const seconds = Math.round((Date.now() - started) / 1000);
    console.log(`\n${label}: ${isWhole ? 'all' : 'all that was run'} passed in ${seconds} s`);
  }
} catch (error) {
  console.error(`\n${label}: ${error.message}`);
  process.exitCode = 1;
}
