// Builds and runs the native tests, their fuzz targets and the C++ examples.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { cmake, nativeOptions } from './build.mjs';
import { root, run, show } from './run.mjs';
import { node } from './suites.mjs';

export const sanitized = { CMAKE_CXX_COMPILER: 'clang++', TAMIS_TESTS: 'ON', TAMIS_SANITIZE: 'ON' };

/** The fuzz targets. If this machine can build for 32 bits, also with the pointer width of wasm. */
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

/** Makes the seed inputs of all fuzz targets. Returns their folder. */
export async function makeCorpus(write) {
  const corpus = join(root, 'build', 'corpus');
  await node(['tests/cpp/fuzz/make-corpus.mjs', corpus], { write });
  return corpus;
}

/** Runs each fuzz target for some seconds, one after the other. Findings are left in build/fuzz. */
export async function fuzz(fuzzers, seconds, { corpus, write = show }) {
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
      '-verbosity=0',
      `-artifact_prefix=${found}-`,
    ];
    await run(program, [found, join(corpus, seeds), ...options], { write });
    write(`fuzz ${name}: passed ${seconds} s\n`);
  }
}

/** Installs a library, and then builds and runs the programs that use the installed library. */
async function testInstalled(library, write) {
  const folder = mkdtempSync(join(tmpdir(), 'tamis-'));
  try {
    await run('sh', ['tests/cpp/installed/test.sh', library, folder], { write });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Native tests of rates, sizes, times and many builds. They take half of the time, and sanitizers find nothing in them.
 */
export const measured = [
  '*Rate*',
  '*TimeIsLinear*',
  // The fuzz target `model` tests the same.
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
 * Throws if a library contains writable data, where an attacker could overwrite a table of functions. `.data.rel.ro` is
 * allowed, because only the loader writes it, and so is the table of CRC-32C, which has only numbers.
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
    throw new Error([`${library}: data must not be writable`, ...found].join('\n'));
}

/** Runs the native suite under ASan and UBSan and for other machines, and tests the library as users install it. */
export async function testNative(write = show) {
  const asan = await cmake('asan', sanitized, { write, target: 'tamis_tests' });
  const native = await cmake('native', nativeOptions, { write, target: 'tamis' });
  const shared = await cmake('shared', { BUILD_SHARED_LIBS: 'ON' }, { write, target: 'tamis' });
  await refuseWritable(join(native, 'libtamis.a'));
  await run('sh', ['tests/cpp/installed/warnings.sh'], { write });
  await runShards(join(asan, 'tamis_tests'), `-${measured}`, write);
  for (const library of [native, shared]) await testInstalled(library, write);
  await run('sh', ['tests/cpp/cross.sh', `-${measured}`], { write });
}

/** Runs the tests of a program that match `filter`. With two cores, runs two halves side by side. */
export async function runShards(program, filter, write = show) {
  const shards = Math.min(2, availableParallelism());
  const halves = Array.from({ length: shards }, (_, i) => {
    const env = { ...process.env, GTEST_TOTAL_SHARDS: `${shards}`, GTEST_SHARD_INDEX: `${i}` };
    return run(program, ['--gtest_brief=1', `--gtest_filter=${filter}`], { write, env });
  });
  await Promise.all(halves);
}

/** The tree of the contract tests: any compiler builds it in a minute, and its code is close to what users get. */
const quick = { CMAKE_BUILD_TYPE: 'None', CMAKE_CXX_FLAGS: '-O1', TAMIS_TESTS: 'ON' };

/** Runs the contract tests and the golden files in a small program. */
export async function testContract(write = show) {
  const target = 'tamis_contract_tests';
  const folder = await cmake('contract', quick, { write, target });
  await run(join(folder, target), ['--gtest_brief=1', `--gtest_filter=-${measured}`], { write });
}
