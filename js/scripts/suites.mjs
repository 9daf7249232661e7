// Functions that run each kind of suite.

import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { cmake, nativeOptions } from './build.mjs';
import { root, run, show } from './run.mjs';

export const node = (args, options) => run(process.execPath, args, options);

/** The flags of Node to run Jest on modules. */
export const jestProgram = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
  '-c',
  'tests/jest.config.mjs',
];

/** Runs Jest on folders of tests, or on the named files. */
export const jest = (files, options = {}) => node([...jestProgram, '--ci', ...files], options);

/** The number of Jest's processes that share the folders of tests. */
const parts = 20;

/**
 * Runs folders of tests, two parts at a time, and shows the output of a part at its end. Node keeps the modules of
 * suites that have ended. With one process for all, the last tests would take several times as long.
 */
export async function jestInParts(folders) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failures = [];
  let begun = 0;
  const takeParts = async () => {
    while (begun < parts) {
      const part = `${++begun}/${parts}`;
      let printed = '';
      const write = (text) => {
        printed += text;
      };
      await jest([`--shard=${part}`, '--runInBand', ...folders], { write }).catch(({ message }) =>
        failures.push(`part ${part}: ${message}`),
      );
      show(printed);
      const [line = ''] = /^Tests: .*/m.exec(printed) ?? [];
      for (const [, number, outcome] of line.matchAll(/(\d+) (passed|failed|skipped)/g))
        counts[outcome] += Number(number);
    }
  };
  await Promise.all([takeParts(), takeParts()]);
  const { passed, failed, skipped } = counts;
  show(`\nall parts: ${passed} tests passed, ${failed} failed, ${skipped} skipped\n`);
  if (failures.length > 0) throw new Error(failures.join('\n'));
}

/** Runs files of Node's own test runner, `atOnce` at a time. */
export const nodeTests = (files, atOnce, options) =>
  node(['--test', `--test-concurrency=${atOnce}`, ...files], options);

/** The folders of the suites, those of Jest first. */
export const suites = {
  js: 'tests/js',
  built: 'tests/built',
  examples: 'tests/examples',
  faults: 'tests/faults',
  prose: 'lab/prose',
  package: 'tests/package',
  e2e: 'tests/e2e',
  web: 'lab/web',
  peers: 'lab/peers',
  engines: 'lab/engines',
  demo: 'web-demo/tests',
  figures: 'web-demo/tests/figures',
  docs: 'docs/tests',
};

/** The folders whose packages a suite, a test file or `lint` needs beside those of the root. */
export const packagesFor = (path) =>
  Object.entries({
    lab: /^(lint$|lab\/|tests\/(package|e2e)\b|docs\/tests\/benchmarks)/,
    docs: /^(docs|tests\/examples)\//,
    'web-demo': /^(lint$|(web-demo|docs)\/)/,
  }).flatMap(([folder, users]) => (users.test(path) ? [folder] : []));

export const testsIn = (folder) =>
  readdirSync(join(root, folder))
    .filter((name) => /\.test\.(mjs|ts)$/.test(name))
    .map((name) => `${folder}/${name}`);

/** Style, rooms, documents, English and types. */
export async function lint() {
  const [biome, format] = ['biome', 'clang-format'].map((name) =>
    join(root, 'node_modules/.bin', name),
  );
  await run(biome, ['ci', '.']);
  const sources = "git ls-files -z '*.cpp' '*.hpp'";
  await run('sh', ['-c', `${sources} | xargs -0 "$0" --dry-run -Werror`, format]);
  await node(['js/scripts/check-rooms.mjs']);
  await node(['js/scripts/documents.mjs', '--check']);
  await node(['js/scripts/lint-prose.mjs']);
  await node(['node_modules/typescript/bin/tsc', '-p', 'tests/tsconfig.json']);
  await node(['node_modules/typescript/bin/tsc', '-p', 'web-demo/tsconfig.json']);
}

export const sanitized = {
  CMAKE_CXX_COMPILER: 'clang++',
  TAMIS_TESTS: 'ON',
  TAMIS_SANITIZE: 'ON',
};

/** The fuzz targets, also in wasm's width if this machine can build for 32 bits. */
export const fuzzTargets = [
  'from_bytes',
  'model',
  'url',
  'rice',
  'url_list',
  'key_lines',
  'foreign',
  'image',
];
export const fuzzTargets32 = ['from_bytes', 'rice', 'image'];

export const fuzzersIn = (folder, targets, suffix = '') =>
  targets.map((seeds) => ({
    name: seeds + suffix,
    seeds,
    program: join(folder, `fuzz_${seeds}`),
  }));

/** Makes the seeds of all fuzz targets. Returns their folder. */
export async function makeCorpus(write) {
  const corpus = join(root, 'build', 'corpus');
  await node(['tests/cpp/fuzz/make-corpus.mjs', corpus], { write });
  return corpus;
}

/**
 * Runs each fuzz target for some seconds, one after the other. Their findings stay in build/fuzz. Their output goes to
 * a log there, which is shown if one fails.
 */
export async function fuzz(fuzzers, seconds, { corpus, write = show }) {
  for (const { name, seeds, program } of fuzzers) {
    const found = join(root, 'build', 'fuzz', name);
    const log = `${found}.log`;
    for (const path of [found, log]) rmSync(path, { recursive: true, force: true });
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
    const keep = { write: (text) => appendFileSync(log, text) };
    try {
      await run(program, [found, join(corpus, seeds), ...options], keep);
    } catch (error) {
      write(readFileSync(log));
      throw error;
    }
    write(`fuzz ${name}: passed ${seconds} s\n`);
  }
}

/**
 * Installs the library of build/native, and runs the examples, which find it there. That they take the sources as well
 * is configured, not built.
 */
async function runCppExamples(write) {
  const folder = mkdtempSync(join(tmpdir(), 'tamis-'));
  const configure = (build, option) =>
    run('cmake', ['-S', 'cpp/examples', '-B', join(folder, build), '-G', 'Ninja', `-D${option}`], {
      write,
    });
  try {
    const prefix = join(folder, 'prefix');
    await run('cmake', ['--install', join(root, 'build', 'native'), '--prefix', prefix], { write });
    await configure('sources', `TAMIS_SOURCE=${root}`);
    await configure('build', `CMAKE_PREFIX_PATH=${prefix}`);
    await run('cmake', ['--build', join(folder, 'build')], { write });
    const examples = ['blocklist', 'usernames', 'usernames'];
    for (const name of examples) {
      const file = join(folder, `${name}.tamis`);
      await run(join(folder, 'build', name), [file], { write, input: join(root, 'README.md') });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * The native tests that measure rates, sizes and times, or build again and again. They take half of the time, and the
 * sanitizers find nothing in them.
 */
export const measured = [
  '*Rate*',
  '*TimeIsLinear*',
  // The fuzz target `model` does the same.
  'Model/*.RandomCommands',
  'StaticContract/*.NumbersInsteadOfHashesBuild',
  'StaticContract/*.EveryTenthNumberOfKeysBuilds',
  'StaticContract/*.ThePlateauEdgesBuild',
  'Builds.GiveTheBytesThatTheFileStates',
  'Ribbon.Size*',
  'PrefixSet.BytesAnEntry',
  'UrlList.BytesOfALargeList',
  '*UrlListMemory.AListOf*',
  'BloomSizing.Monotone',
  'BloomSizing.KeepsTheExactExpectation',
  'CuckooSizing.EveryCapacityUpToAThousandHolds',
  'DLeftFull.EveryCapacityHolds',
  'IbltDecode.TheDesignedNumberInNearlyEveryCase',
  'Retrieval.Levels',
  'Retrieval.EveryWidth',
].join(':');

/**
 * Throws if a library has data that a program may write: an attacker could use a table of functions there. Only the
 * loader writes `.data.rel.ro`. The table of CRC-32C has only numbers, and is made on first use.
 */
export async function refuseWritable(library) {
  let symbols = '';
  const write = (text) => {
    symbols += text;
  };
  await run('nm', ['--demangle', '--format=sysv', library], { write });
  const found = symbols
    .split('\n')
    .filter((line) => /\|\.t?(data|bss)(?!\.rel\.ro)[^|]*$/.test(line))
    .filter((line) => !/\btamis::crc32c\(.*::tables *\|/.test(line));
  if (!symbols.includes('tamis::crc32c(') || found.length > 0)
    throw new Error([`${library}: what is there must be constant`, ...found].join('\n'));
}

/** Runs the native suite under ASan and UBSan, the other compiler's library, an example of it, and the fuzz targets. */
export async function testNative(write = show) {
  const folder = await cmake('asan', sanitized, { write });
  await refuseWritable(
    join(await cmake('native', nativeOptions, { write, target: 'tamis' }), 'libtamis.a'),
  );
  const shards = Math.min(2, availableParallelism());
  await Promise.all(
    Array.from({ length: shards }, (_, i) => {
      const env = { ...process.env, GTEST_TOTAL_SHARDS: `${shards}`, GTEST_SHARD_INDEX: `${i}` };
      const flags = ['--gtest_brief=1', `--gtest_filter=-${measured}`];
      return run(join(folder, 'tamis_tests'), flags, { write, env });
    }),
  );
  await runCppExamples(write);
  const corpus = await makeCorpus(write);
  const halves = [fuzzTargets.slice(0, 3), fuzzTargets.slice(3)];
  await Promise.all(
    halves.map((targets) => fuzz(fuzzersIn(folder, targets), 3, { corpus, write })),
  );
}

/** Runs two tracks side by side to the end of both. The output of the second is shown at its end. */
export async function runBoth(first, second) {
  const held = [];
  const results = await Promise.allSettled([
    first(),
    second((text) => held.push(String(text))).finally(() => show(held.join(''))),
  ]);
  const failures = results.filter(({ status }) => status === 'rejected');
  if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason.message).join('\n'));
}
