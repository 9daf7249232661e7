/** The command that makes the tree ready for a release, in repositories of a few files. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { addressIn, planLinks, readAddress, siteOf } from '../../js/scripts/release/address.mjs';
import { checkTagOf, manifestOf, notesOf } from '../../js/scripts/release/checks.mjs';
import { release } from '../../js/scripts/release.mjs';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const script = join(repository, 'js/scripts/release.mjs');
const folder = mkdtempSync(join(tmpdir(), 'release-'));
afterAll(() => rmSync(folder, { recursive: true }));

const env = {
  PATH: process.env.PATH,
  HOME: folder,
  GIT_CONFIG_NOSYSTEM: '1',
  ...Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((who) => [
      [`GIT_${who}_NAME`, 'tests'],
      [`GIT_${who}_EMAIL`, 'tests@tamis.invalid'],
    ]),
  ),
};

const placeholder = 'tamis-placeholder';
const old = `https://github.com/${placeholder}/tamis`;
const oldSite = `https://${placeholder}.github.io/tamis`;
const address = 'https://github.com/sieve-makers/tamis';
const site = 'https://sieve-makers.github.io/tamis';

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const manifest = {
  name: 'tamis',
  version: '1.2.3',
  homepage: `${oldSite}/`,
  bugs: `${old}/issues`,
  repository: { type: 'git', url: `git+${old}.git` },
};

const files: Readonly<Record<string, string | Uint8Array>> = {
  'package.json': json(manifest),
  'package-lock.json': json({ version: '1.2.3', packages: { '': { version: '1.2.3' } } }),
  'CMakeLists.txt': 'project(tamis VERSION 1.2.3 LANGUAGES CXX)\n',
  'CHANGELOG.md':
    '# Changelog\n\n## [1.2.3] - 2027-01-31\n\n- All.\n\n## [1.2.2] - 2027-01-01\n\n- Some.\n',
  'README.md': `[Try it](${oldSite}/demo/), [code](${old}), ${old}.\n`,
  'docs/others.md': `${old}-fork, ${old}2, ${oldSite}.example\n`,
  'tests/vectors/data.txt': `${old}\n`,
  'picture.png': Uint8Array.of(0, ...Buffer.from(old)),
};

const git = (root: string, ...args: string[]) =>
  execFileSync('git', args, { cwd: root, env, encoding: 'utf8' });

const writeFiles = (root: string, all: typeof files) => {
  for (const [path, content] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
};

const commit = (root: string) => {
  git(root, 'add', '-A');
  git(root, 'commit', '-q', '-m', 'All');
};

let count = 0;
/** Makes a new repository with changes against the first one. All files are committed. */
function makeRepository(changes: typeof files = {}): string {
  const root = join(folder, `${count++}`);
  if (count === 1) {
    writeFiles(root, files);
    git(root, 'init', '-q', '-b', 'main');
    commit(root);
    return root;
  }
  cpSync(first, root, { recursive: true });
  if (Object.keys(changes).length === 0) return root;
  writeFiles(root, changes);
  commit(root);
  return root;
}
const first = makeRepository();

interface Options {
  readonly address?: string;
  readonly site?: string;
  readonly tag?: string;
  readonly 'dry-run'?: boolean;
}

/** Runs the command, and returns the lines of both outputs. */
function run(root: string, options: Options = {}) {
  const lines: string[] = [];
  const problems: string[] = release(root, options, (line: string) => lines.push(line));
  return { lines, problems };
}

const statusOf = (root: string) => git(root, 'status', '--porcelain');
const read = (root: string, file: string) => readFileSync(join(root, file), 'utf8');

describe('npm run release', () => {
  test('writes the address into package.json and into links, and nowhere else', () => {
    const root = makeRepository();
    const { lines, problems } = run(root, { address: `${address}.git` });
    expect(problems).toEqual([]);
    expect(lines.at(-1)).toBe('git tag v1.2.3 && git push origin main v1.2.3');
    expect(JSON.parse(read(root, 'package.json'))).toEqual({
      ...manifest,
      homepage: `${site}/`,
      bugs: `${address}/issues`,
      repository: { type: 'git', url: `git+${address}.git` },
    });
    expect(read(root, 'README.md')).toBe(
      `[Try it](${site}/demo/), [code](${address}), ${address}.\n`,
    );
    expect(statusOf(root)).toBe(' M README.md\n M package.json\n');
  });

  test('needs no address once it is written, and then writes nothing', () => {
    const written = json(manifest).replaceAll(placeholder, 'sieve-makers');
    const root = makeRepository({ 'package.json': written });
    const lines = ['git tag v1.2.3 && git push origin main v1.2.3'];
    expect(run(root)).toEqual({ lines, problems: [] });
    expect(statusOf(root)).toBe('');
  });

  test('with --dry-run writes nothing, and says what it would write', () => {
    const root = makeRepository();
    expect(run(root, { address, 'dry-run': true })).toEqual({
      lines: [
        'release: README.md would be written',
        'release: package.json would be written',
        'release: 1.2.3 can be released',
      ],
      problems: [],
    });
    expect(statusOf(root)).toBe('');
  });

  test('takes --site for a repository that is not on GitHub, and asks for it', () => {
    const elsewhere = 'https://codeberg.org/sieve-makers/tamis';
    const root = makeRepository();
    const missing = ['only GitHub has a site for each address: give --site'];
    expect(run(root, { address: elsewhere }).problems).toEqual(missing);
    expect(statusOf(root)).toBe('');
    const docs = 'https://tamis.dev';
    expect(run(root, { address: elsewhere, site: docs }).problems).toEqual([]);
    expect(read(root, 'README.md')).toContain(`(${docs}/demo/), [code](${elsewhere})`);
  });

  const withTag = (root: string) => {
    git(root, 'tag', 'v1.2.3');
    return root;
  };
  const withOrigin = (root: string, origin: string) => {
    git(root, 'remote', 'add', 'origin', origin);
    return root;
  };
  const withFile = (name: string) => {
    const root = makeRepository();
    writeFileSync(join(root, name), 'other\n');
    return root;
  };
  const refusals: Readonly<Record<string, [() => string, RegExp]>> = {
    'a changed file': [() => withFile('README.md'), /the tree is not clean[\s\S]*M README\.md/],
    'a new file': [() => withFile('new.md'), /the tree is not clean[\s\S]*\?\? new\.md/],
    'a version without its section': [
      () =>
        makeRepository({
          'CHANGELOG.md': '## [Unreleased]\n\n- All.\n\n## [1.2.30] - 2027-01-31\n\n- All.\n',
        }),
      /no section "## \[1\.2\.3\] - "/,
    ],
    'a section without a day': [
      () => makeRepository({ 'CHANGELOG.md': '## [1.2.3]\n\n- All.\n' }),
      /no section/,
    ],
    'a section without a line': [
      () =>
        makeRepository({
          'CHANGELOG.md': '## [1.2.3] - 2027-01-31\n\n## [1.2.2] - 2027-01-01\n\n- All.\n',
        }),
      /says nothing of 1\.2\.3/,
    ],
    'another version in the lock': [
      () =>
        makeRepository({
          'package-lock.json': json({ version: '1.2.3', packages: { '': { version: '1.2.2' } } }),
        }),
      /package-lock\.json has 1\.2\.2/,
    ],
    'another version in C++': [
      () => makeRepository({ 'CMakeLists.txt': 'project(tamis VERSION 1.2.4 LANGUAGES CXX)\n' }),
      /CMakeLists\.txt has 1\.2\.4/,
    ],
    'a tag that exists': [() => withTag(makeRepository()), /the tag v1\.2\.3 exists$/m],
    'a tag that origin has': [
      () => {
        const origin = makeRepository();
        return withOrigin(makeRepository(), withTag(origin));
      },
      /the tag v1\.2\.3 exists in origin/,
    ],
    'an origin that does not answer': [
      () => withOrigin(makeRepository(), join(folder, 'nowhere')),
      /origin does not answer/,
    ],
  };
  test.each(Object.entries(refusals))('refuses %s', (_, [make, message]) => {
    const root = make();
    const before = statusOf(root);
    const { lines, problems } = run(root, { address });
    expect([lines, problems.length]).toEqual([[], 1]);
    expect(problems[0]).toMatch(message);
    expect(statusOf(root)).toBe(before);
  });

  test('refuses the placeholder of package.json', () => {
    expect(run(makeRepository(), { 'dry-run': true })).toEqual({
      lines: [],
      problems: [`the address ${old} has ${placeholder}, which is a placeholder`],
    });
  });

  test('ends with 1 and a sentence if it refuses', () => {
    const args = [script, '--dry-run', '--address', '<address>'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^release: the address <address> is no URL$/m);
  });

  test('in the workflow takes the tag that runs it, and no other', () => {
    const named = json(manifest).replaceAll(placeholder, 'sieve-makers');
    const root = withTag(makeRepository({ 'package.json': named }));
    expect(run(root, { tag: 'v1.2.3' })).toEqual({
      lines: ['release: 1.2.3 can be released'],
      problems: [],
    });
    expect(run(root, { tag: 'v1.2.4' }).problems).toEqual([
      'the tag is v1.2.4, and package.json has 1.2.3',
    ]);
    const of = (GITHUB_REPOSITORY: string) =>
      checkTagOf(root, 'v1.2.3', address, {
        GITHUB_SERVER_URL: 'https://github.com',
        GITHUB_REPOSITORY,
      });
    expect(of('sieve-makers/tamis')).toEqual([]);
    expect(of('somebody/tamis')).toEqual([
      `package.json names ${address}, and this is https://github.com/somebody/tamis`,
    ]);
  });
});

describe('an address', () => {
  test.each([
    [address, address],
    [`${address}/`, address],
    [`${address}.git`, address],
    ['https://gitlab.com/group/part/tamis', 'https://gitlab.com/group/part/tamis'],
  ])('%s is read', (text, read) => expect(readAddress(text)).toBe(read));

  test.each([
    ['<address>', 'is no URL'],
    ['TODO', 'is no URL'],
    ['git@github.com:sieve-makers/tamis.git', 'is no URL'],
    ['http://github.com/sieve-makers/tamis', 'https'],
    ['https://github.com/<owner>/tamis', 'no name'],
    ['https://github.com/$OWNER/tamis', 'no name'],
    ['https://example.com/sieve-makers/tamis', 'placeholder'],
    ['https://git.example.org/sieve-makers/tamis', 'placeholder'],
    ['https://git.example/sieve-makers/tamis', 'nobody else reaches'],
    ['https://localhost/sieve-makers/tamis', 'nobody else reaches'],
    ['https://git.localhost/sieve-makers/tamis', 'nobody else reaches'],
    ['https://127.0.0.1/sieve-makers/tamis', 'nobody else reaches'],
    ['https://[::1]/sieve-makers/tamis', 'nobody else reaches'],
    ['https://git.test/sieve-makers/tamis', 'nobody else reaches'],
    ['https://github.com/your-name/tamis', 'placeholder'],
    ['https://github.com/YOUR_ORG/tamis', 'placeholder'],
    ['https://github.com/OWNER/tamis', 'placeholder'],
    ['https://github.com/TODO/tamis', 'placeholder'],
    ['https://github.com/username/tamis', 'placeholder'],
    ['https://github.com/xxx/tamis', 'placeholder'],
    [old, 'placeholder'],
    ['https://github.com/sieve-makers/REPO', 'placeholder'],
    ['https://github.com/tamis', 'no owner'],
    ['https://github.com', 'no owner'],
    ['https://me:secret@github.com/sieve-makers/tamis', 'more than'],
    ['https://github.com/sieve-makers/tamis?tab=readme', 'more than'],
    ['https://github.com/sieve-makers/tamis#readme', 'more than'],
  ])('%s is refused', (text, message) => expect(() => readAddress(text)).toThrow(message));

  test('of GitHub has a site', () => {
    expect(siteOf('https://github.com/Sieve-Makers/Tamis')).toBe(
      'https://sieve-makers.github.io/Tamis',
    );
    expect(siteOf('https://github.com/sieve/sieve.github.io')).toBe('https://sieve.github.io');
    expect(siteOf('https://codeberg.org/sieve-makers/tamis')).toBeUndefined();
  });
});

test('notes are those of one version', () => {
  const text = files['CHANGELOG.md'] as string;
  expect(notesOf(text, '1.2.3')).toBe('- All.');
  expect(notesOf(text, '1.2.2')).toBe('- Some.');
  expect(notesOf(text, '1.2')).toBeUndefined();
});

test('this repository has its address in one form, and a release leaves no other', () => {
  const { homepage, bugs, ...own } = manifestOf(repository);
  const now = addressIn(own);
  expect(own.repository.url).toBe(`git+${now}.git`);
  expect(bugs).toBe(`${now}/issues`);
  expect(homepage).toBe(`${siteOf(now)}/`);
  const plan = planLinks(repository, [
    [now, address],
    [siteOf(now) as string, site],
  ]);
  for (const file of ['package.json', 'CONTRIBUTING.md', '.github/ISSUE_TEMPLATE/config.yml'])
    expect([...plan.keys()]).toContain(file);
  const owner = now.split('/').at(-2) as string;
  for (const [file, text] of plan) expect([file, text.includes(owner)]).toEqual([file, false]);
});
