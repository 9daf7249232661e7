/** `npm version` and the first checks of `npm run release`, in a repository of a few files. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const repository = fileURLToPath(new URL('../..', import.meta.url));
/** Without the settings of the `npm test` that runs this. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)),
);
const files = [
  ...['package.json', 'package-lock.json', 'CMakeLists.txt', 'docs/guide/frameworks.md'],
  'cpp/include/tamis/version.hpp',
  ...['js/scripts/version.sh', 'js/scripts/release.sh', '.github/ISSUE_TEMPLATE/config.yml'],
];

test('a release has an owner, its section of CHANGELOG, and one version in all files', () => {
  const root = mkdtempSync(join(tmpdir(), 'release-'));
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: root, env, encoding: 'utf8', stdio: 'pipe' });
  const commit = () => {
    run('git', 'add', '-A');
    run('git', 'commit', '-q', '-m', 'A change');
  };
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  try {
    for (const file of files) cpSync(join(repository, file), join(root, file));
    writeFileSync(join(root, 'CHANGELOG.md'), '# Changelog\n\n## [Unreleased]\n\n- All.\n');
    run('git', 'init', '-q');
    run('git', 'config', 'user.name', 'tests');
    run('git', 'config', 'user.email', 'tests@tamis.invalid');
    run('git', 'config', 'commit.gpgSign', 'false');
    commit();
    expect(() => run('npm', 'version', '1.2.3')).toThrow();
    const releasing = readFileSync(join(repository, 'docs/project/releasing.md'), 'utf8');
    const [naming = ''] = /git grep -lz 'tamis-.*$/m.exec(releasing) ?? [];
    run('sh', '-c', naming.replace('OWNER', 'sieve-makers'));
    expect(run('git', 'grep', '-h', 'sieve-makers.*md')).toMatch(/com\/sieve-makers\/tamis\/blob/);
    expect(() => run('npm', 'version', '1.2.3')).toThrow(/not clean/);
    commit();
    expect(() => run('sh', 'js/scripts/release.sh', 'out')).toThrow(/CHANGELOG\.md says nothing/);
    run('npm', 'version', '1.2.3');
    expect(run('git', 'status', '--porcelain')).toBe('');
    expect(run('git', 'tag')).toBe('v1.2.3\n');
    expect(read('CHANGELOG.md')).toMatch(/\n## \[1\.2\.3\] - \d{4}-\d\d-\d\d\n\n- All\.\n$/);
    expect(read('CMakeLists.txt')).toContain('\nproject(tamis VERSION 1.2.3 LANGUAGES CXX)\n');
    expect(read('cpp/include/tamis/version.hpp').match(/^#define.*/gm)).toEqual([
      '#define TAMIS_VERSION_MAJOR 1',
      '#define TAMIS_VERSION_MINOR 2',
      '#define TAMIS_VERSION_PATCH 3',
      '#define TAMIS_VERSION "1.2.3"',
    ]);
    expect(JSON.parse(read('package-lock.json')).packages[''].version).toBe('1.2.3');
    expect(read('docs/guide/frameworks.md').match(/tamis@[\d.]+/g)).toEqual(
      Array.from({ length: 2 }, () => 'tamis@1.2.3'),
    );
    // Nothing is unreleased.
    expect(() => run('npm', 'version', 'patch')).toThrow();
    const release = () =>
      run('env', 'GITHUB_REF_NAME=v1.2.4', 'sh', 'js/scripts/release.sh', 'out');
    expect(release).toThrow(/the tag is not v1\.2\.3/);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('the address of this repository has one form', () => {
  const {
    homepage,
    bugs,
    repository: own,
  } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  const [, address = '', owner] = /^git\+(.*\/([\w-]+)\/tamis)\.git$/.exec(own.url) ?? [];
  expect(bugs).toBe(`${address}/issues`);
  expect(homepage).toBe(`https://${owner}.github.io/tamis/`);
  const contributing = readFileSync(join(repository, 'CONTRIBUTING.md'), 'utf8');
  expect(contributing).toContain(`git clone ${address} tamis`);
});
