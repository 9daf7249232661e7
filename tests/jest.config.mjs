/** Run by `npm test -- NAME`, which gives Node its flags. */

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

const rootDir = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** A folder of suites, and what they take by these names. */
const project = (folder, modules) => ({
  displayName: basename(folder),
  // The folders of packages and builds elsewhere take a quarter of a second to list.
  roots: [`<rootDir>/${folder}`, '<rootDir>/js'],
  rootDir,
  testEnvironment: 'node',
  // The package as browsers get it, in parts; tests/package and tests/e2e have Node's form of it.
  testEnvironmentOptions: { customExportConditions: ['default'] },
  testMatch: [`<rootDir>/${folder}/**/*.test.ts`],
  setupFiles: ['<rootDir>/tests/short-stacks.mjs'],
  setupFilesAfterEnv: ['<rootDir>/tests/typed-arrays.mjs'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    ...modules,
    // TypeScript sources are imported as './x.js', as Node would ask for them once compiled.
    '^(\\.{1,2}/.*)\\.js$': ['$1.ts', '$1.js'],
  },
  globals: { TAMIS_VERSION: version },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        module: { type: 'es6' },
      },
    ],
  },
  transformIgnorePatterns: ['/node_modules/', '<rootDir>/dist/'],
  modulePathIgnorePatterns: ['<rootDir>/build/'],
});

export default {
  rootDir,
  projects: [
    // On the sources, so that nothing is built between an edit and a test.
    project('tests/js', {
      '^tamis$': '<rootDir>/js/src/index.ts',
      '^tamis/(feeds|interop|pages|read|remote|safe-browsing|schemes|url)$':
        '<rootDir>/js/src/$1/index.ts',
      '^#command$': '<rootDir>/js/src/node/main.ts',
    }),
    // On the built package: it alone has forms for Node and for other processes. npm test has the first alone, and
    // test:docs, test:engines and test:mutants have the others.
    ...['built', 'examples', 'faults', 'mutants'].map((folder) =>
      project(`tests/${folder}`, {
        '^#command$': '<rootDir>/dist/main.mjs',
        // For Node alone.
        '^tamis/pages$': '<rootDir>/dist/node/pages/index.js',
      }),
    ),
  ],
  // A single one would be the process itself, which does not begin anew.
  maxWorkers: Math.max(2, availableParallelism()),
  // Node keeps the modules of files that have ended, and becomes slower with them: a new process costs less.
  workerIdleMemoryLimit: '400MB',
  // After many files the end of a worker's process takes longer than Jest's half second, on a busy machine. One that
  // a leak keeps is still named.
  workerGracefulExitTimeout: 30_000,
  // Ten times what the slowest needs on a busy machine: it ends what hangs, and nothing that is slow.
  testTimeout: 600_000,
};
