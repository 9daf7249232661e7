// Functions that run each kind of suite.

import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
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

/** Runs files of Node's own test runner, `atOnce` at a time. */
export const nodeTests = (files, atOnce, options) =>
  node(['--test', `--test-concurrency=${atOnce}`, ...files], options);

/**
 * Runs jobs side by side, `lanes` at a time, and shows the output of each at its end. All of them run to their end,
 * also if one fails. Resolves to what they printed. Some jobs wait for timers, so there is a lane more than cores.
 */
export async function runAll(jobs, lanes = availableParallelism() + 1) {
  const waiting = [...jobs];
  const printed = [];
  const failures = [];
  const takeJobs = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const held = [];
      await job((text) => held.push(String(text))).catch(({ message }) => failures.push(message));
      printed.push(held.join(''));
      show(printed.at(-1));
    }
  };
  await Promise.all(Array.from({ length: lanes }, takeJobs));
  if (failures.length > 0) throw new Error(failures.join('\n'));
  return printed;
}

/** The folders of the suites, those of Jest first. */
export const suites = {
  js: 'tests/js',
  built: 'tests/built',
  examples: 'tests/examples',
  faults: 'tests/faults',
  mutants: 'tests/mutants',
  package: 'tests/package',
  e2e: 'tests/e2e',
  web: 'lab/web',
  peers: 'lab/peers',
  engines: 'lab/engines',
  demo: 'web-demo/tests',
  figures: 'web-demo/tests/figures',
  docs: 'docs/tests',
};

/** The folders whose packages a test file needs beside those of the root. */
export const packagesFor = (path) =>
  Object.entries({
    lab: /^(lab\/|tests\/(package|e2e)\/|docs\/tests\/benchmarks)/,
    docs: /^(docs|tests\/examples)\//,
    'web-demo': /^(web-demo|docs)\//,
  }).flatMap(([folder, users]) => (users.test(path) ? [folder] : []));

export const testsIn = (folder) =>
  readdirSync(join(root, folder))
    .filter((name) => /\.test\.(mjs|ts)$/.test(name))
    .map((name) => `${folder}/${name}`);

/** The files of these suites whose text matches. */
export const testsWith = (pattern, folders = [suites.js, suites.built]) =>
  folders.flatMap(testsIn).filter((file) => pattern.test(readFileSync(join(root, file), 'utf8')));

/** The number of Jest's processes that share the files. */
const parts = 16;

/**
 * The jobs of files or folders for `runAll`, without the files `left`. Node keeps the modules of suites that have
 * ended. With one process for all, the last tests would take several times as long.
 */
export const jestJobs = (files, { left = [], ...options } = {}) =>
  Array.from({ length: parts }, (_, i) => (write) => {
    const flags = [`--shard=${i + 1}/${parts}`, '--runInBand', '--passWithNoTests'];
    const ignored = left.map((file) => `--testPathIgnorePatterns=/${file}$`);
    return jest([...flags, ...ignored, ...files], { ...options, write });
  });

/** One line of the numbers in the closing lines of Jest's processes. */
export function sumOfTests(printed) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const text of printed) {
    const [line = ''] = /^Tests: .*/m.exec(text) ?? [];
    for (const [, number, outcome] of line.matchAll(/(\d+) (passed|failed|skipped)/g))
      counts[outcome] += Number(number);
  }
  return `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
}

const bin = (name) => join(root, 'node_modules/.bin', name);
const compile = (project, write) =>
  node(['node_modules/typescript/bin/tsc', '-p', `${project}/tsconfig.json`], { write });

/** Style and rooms: it needs no build. */
export async function lintSources(write = show) {
  await run(bin('biome'), ['ci', '.'], { write });
  const sources = "git ls-files -z '*.cpp' '*.hpp'";
  const format = `${sources} | xargs -0 "$0" --dry-run -Werror`;
  await run('sh', ['-c', format, bin('clang-format')], { write });
  await node(['js/scripts/check-rooms.mjs'], { write });
}

/** The documents that the built package writes into, and types. */
export async function lintBuilt(write = show) {
  const documents = ['README.md', 'cpp/FORMAT.md'];
  await node(['js/scripts/documents.mjs', '--check', ...documents], { write });
  await compile('tests', write);
}

/** The other documents, their English, and the types of the site and the demo, which have packages of their own. */
export async function lintPages(write = show) {
  await run(join(root, 'lab/node_modules/.bin/textlint'), ['**/*.md'], { write });
  await node(['js/scripts/documents.mjs', '--check'], { write });
  for (const project of ['docs', 'web-demo']) await compile(project, write);
}
