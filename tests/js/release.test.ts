/** What the command before a release refuses, in a repository of a few files, and the address of this one. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { addressIn, planLinks, siteOf } from '../../js/scripts/release/address.mjs';
import { manifestOf } from '../../js/scripts/release/checks.mjs';
import { release } from '../../js/scripts/release.mjs';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const address = 'https://github.com/sieve-makers/tamis';
const site = 'https://sieve-makers.github.io/tamis';

test('npm run release refuses what is not ready, and writes the address into what is', () => {
  const root = mkdtempSync(join(tmpdir(), 'release-'));
  const git = (...args: string[]) => {
    const settings = ['user.name=tests', 'user.email=tests@tamis.invalid', 'commit.gpgSign=false'];
    const all = [...settings.flatMap((setting) => ['-c', setting]), ...args];
    return execFileSync('git', all, { cwd: root, encoding: 'utf8' });
  };
  const refusal = (to = address): string => release(root, { address: to }, () => {}).join();
  const changelog = (text: string) => writeFileSync(join(root, 'CHANGELOG.md'), text);
  try {
    for (const file of ['package.json', 'package-lock.json', 'CMakeLists.txt'])
      cpSync(join(repository, file), join(root, file));
    const { version } = manifestOf(root);
    changelog('## [Unreleased]\n\n- All.\n');
    git('init', '-q');
    git('add', '-A');
    git('commit', '-q', '-m', 'All');
    expect(refusal()).toMatch(/^CHANGELOG\.md has no section/);
    changelog(`## [${version}] - 2027-01-31\n\n- All.\n`);
    expect(refusal()).toMatch(/^the tree is not clean/);
    git('commit', '-q', '-a', '-m', 'Its section');
    expect(refusal('https://github.com/OWNER/tamis')).toMatch(/OWNER, which is a placeholder$/);
    git('tag', `v${version}`);
    expect(refusal()).toBe(`the tag v${version} exists`);
    git('tag', '-d', `v${version}`);
    expect(git('status', '--porcelain')).toBe('');
    expect(refusal()).toBe('');
    expect(git('status', '--porcelain')).toBe(' M package.json\n');
  } finally {
    rmSync(root, { recursive: true });
  }
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
