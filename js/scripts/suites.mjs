// Runs each kind of test suite.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, run, show } from './run.mjs';

export const node = (args, options) => run(process.execPath, args, options);

/** The arguments of Node that run Jest on ES modules. */
export const jestProgram = [
  '--import',
  './tests/preload.mjs',
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
  '-c',
  'tests/jest.config.mjs',
];

/** Runs Jest on folders of tests or on single files, except the files in `left`. */
export const jest = (files, { left = [], ...options } = {}) => {
  const ignored = left.map((file) => `--testPathIgnorePatterns=/${file}$`);
  // An option has to end the list of ignored patterns, or Jest would take the files for more patterns.
  return node([...jestProgram, ...ignored, '--ci', ...files], options);
};

/** Runs files with Node's own test runner, `atOnce` at a time. */
export const nodeTests = (files, atOnce, options) =>
  node(['--test', `--test-concurrency=${atOnce}`, ...files], options);

/** Runs files with Node's own test runner on the packed package, which is installed once for all of them. */
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

/** Runs jobs side by side, and shows the output of each at its end. If one fails, the others still run to their end. */
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

/** The folders of the suites; those for Jest come first. */
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

/** The folders whose npm packages a test file needs, besides those of the root. */
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

/** The files of these suites whose text matches `pattern`. */
export const testsWith = (pattern, folders = [suites.js, suites.built]) =>
  folders.flatMap(testsIn).filter((file) => pattern.test(readFileSync(join(root, file), 'utf8')));

const bin = (name) => join(root, 'node_modules/.bin', name);
/** Checks the types of a project. What did not change is not checked again. */
function compile(project, write) {
  const kept = ['--incremental', '--tsBuildInfoFile', `build/${project}.tsbuildinfo`];
  return node(['node_modules/typescript/bin/tsc', '-p', project, ...kept], { write });
}

/** Checks style and the rules for C++ folders. It needs no build. */
export async function lintSources(write = show) {
  await run(bin('biome'), ['ci', '.'], { write });
  const sources = "git ls-files -z '*.cpp' '*.hpp'";
  const format = `${sources} | xargs -0 "$0" --dry-run -Werror`;
  await run('sh', ['-c', format, bin('clang-format')], { write });
  await node(['js/scripts/check-rooms.mjs'], { write });
}

/** Checks the rules for TypeScript folders, the figures in README, and types. It needs a build. */
export async function lintBuilt(write = show) {
  await run(bin('depcruise'), ['js/src', '--config', 'js/rooms.config.mjs'], { write });
  await node(['js/scripts/documents.mjs', '--check', 'README.md'], { write });
  await compile('tests', write);
}

/** Checks the other documents, their English, and the types of the site and the demo, which are separate packages. */
export async function lintPages(write = show) {
  await run(join(root, 'lab/node_modules/.bin/textlint'), ['**/*.md'], { write });
  await node(['js/scripts/documents.mjs', '--check'], { write });
  for (const project of ['docs', 'web-demo']) await compile(project, write);
}
