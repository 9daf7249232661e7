/** Run from the repository's root: node --experimental-vm-modules node_modules/jest/bin/jest.js */
export default {
  rootDir: '..',
  testEnvironment: 'node',
  // The package as browsers get it, in parts; tests/package and tests/e2e have Node's form of it.
  testEnvironmentOptions: { customExportConditions: ['default'] },
  testMatch: ['<rootDir>/tests/js/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  // TypeScript sources are imported as './x.js', as Node would ask for them once compiled.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.ts', '$1.js'] },
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
  maxWorkers: 2,
  // Ten times what the slowest needs on a busy machine: it ends what hangs, and nothing that is slow.
  testTimeout: 600_000,
};
