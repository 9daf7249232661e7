// Functions that run each kind of suite.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, run, show } from './run.mjs';

export const node = (args, options) => run(process.execPath, args, options);

/** The flags of Node to run Jest on modules. */
export const jestProgram = [
  '--import',
  './tests/preload.mjs',
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
  '-c',
  'tests/jest.config.mjs',
];

/** Runs Jest on folders of tests, or on the named files, without the files `left`. */
export const jest = (files, { left = [], ...options } = {}) => {
  const ignored = left.map((file) => `--testPathIgnorePatterns=/${file}$`);
  // A flag ends the patterns: Jest would take the files for more of them.
  return node([...jestProgram, ...ignored, '--ci', ...files], options);
};

/** Runs files of Node's own test runner, `atOnce` at a time. */
export const nodeTests = (files, atOnce, options) =>
  node(['--test', `--test-concurrency=${atOnce}`, ...files], options);

/** Runs files of Node's own test runner on one tarball, which is packed and installed once for all of them. */
export async function packageTests(files, atOnce, options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tamis-packed-'));
  try {
    await node(['tests/package/pack.mjs', folder], options);
    const env = { ...(options.env ?? process.env), TAMIS_PACKED: folder };
    await nodeTests(files, atOnce, { ...options, env });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs jobs side by side, to their end also if one fails, and shows the output of each at its end. */
export async function runAll(jobs) {
  const failures = [];
  const runJob = async (job) => {
    const held = [];
    await job((text) => held.push(String(text))).catch(({ message }) => failures.push(message));
    show(held.join(''));
  };
  await Promise.all(jobs.map(runJob));
  if (failures.length > 0) throw new Error(failures.join('\n'));
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

const bin = (name) => join(root, 'node_modules/.bin', name);
/** Checks the types of a project; what did not change is not checked again. */
function compile(project, write) {
  const kept = ['--incremental', '--tsBuildInfoFile', `build/${project}.tsbuildinfo`];
  return node(['node_modules/typescript/bin/tsc', '-p', project, ...kept], { write });
}

/** Style, and the rooms of C++: it needs no build. */
export async function lintSources(write = show) {
  await run(bin('biome'), ['ci', '.'], { write });
  const sources = "git ls-files -z '*.cpp' '*.hpp'";
  const format = `${sources} | xargs -0 "$0" --dry-run -Werror`;
  await run('sh', ['-c', format, bin('clang-format')], { write });
  await node(['js/scripts/check-rooms.mjs'], { write });
}

/** The rooms of TypeScript, the figures of README, and types. */
export async function lintBuilt(write = show) {
  await run(bin('depcruise'), ['js/src', '--config', 'js/rooms.config.mjs'], { write });
  await node(['js/scripts/documents.mjs', '--check', 'README.md'], { write });
  await compile('tests', write);
}

/** The other documents, their English, and the types of the site and the demo, which have packages of their own. */
export async function lintPages(write = show) {
  await run(join(root, 'lab/node_modules/.bin/textlint'), ['**/*.md'], { write });
  await node(['js/scripts/documents.mjs', '--check'], { write });
  for (const project of ['docs', 'web-demo']) await compile(project, write);
}
