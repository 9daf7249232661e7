// Checks before a release. Each check returns a sentence if it fails, and nothing otherwise.

import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const git = (root, ...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trimEnd();

const readJson = (root, file) => JSON.parse(readFileSync(join(root, file), 'utf8'));

/** The manifest of the package in a folder. */
export const manifestOf = (root) => readJson(root, 'package.json');

/** The text of CHANGELOG for a version: the lines below its heading, or undefined without a dated heading. */
export function notesOf(changelog, version) {
  const sections = changelog.split(/^## (?=\[)/m);
  const wanted = new RegExp(`^\\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d\\d-\\d\\d\\n`);
  return sections
    .find((section) => wanted.test(section))
    ?.replace(wanted, '')
    .trim();
}

/** The work tree has no change and no new file since the last commit. */
export function checkTree(root) {
  const changed = git(root, 'status', '--porcelain');
  return changed === '' ? [] : [`the tree is not clean: commit or remove\n${changed}`];
}

/** All files that name the version name the same one. */
export function checkVersions(root) {
  const { version } = manifestOf(root);
  const { version: locked, packages } = readJson(root, 'package-lock.json');
  const cmake = readFileSync(join(root, 'CMakeLists.txt'), 'utf8');
  const [, native] = /^project\(tamis VERSION ([\w.-]+)/m.exec(cmake) ?? [];
  const others = {
    'package-lock.json': locked,
    'the first package of package-lock.json': packages[''].version,
    'CMakeLists.txt': native,
  };
  return Object.entries(others)
    .filter(([, found]) => found !== version)
    .map(([file, found]) => `package.json has the version ${version}, and ${file} has ${found}`);
}

/** CHANGELOG describes the version. */
export function checkChangelog(root) {
  const { version } = manifestOf(root);
  const notes = notesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
  if (notes === undefined)
    return [`CHANGELOG.md has no section "## [${version}] - " with the day of the release`];
  return /^- /m.test(notes) ? [] : [`CHANGELOG.md says nothing of ${version}`];
}

/** The tag of the version is new, here and in the repository that `origin` names. */
export function checkTag(root) {
  const tag = `v${manifestOf(root).version}`;
  const ref = `refs/tags/${tag}`;
  if (git(root, 'tag', '--list', tag) !== '') return [`the tag ${tag} exists`];
  if (!git(root, 'remote').split('\n').includes('origin')) return [];
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0' };
  const options = { cwd: root, encoding: 'utf8', env };
  const { status, stdout } = spawnSync('git', ['ls-remote', 'origin', ref], options);
  if (status !== 0) return ['origin does not answer, and may have the tag'];
  return stdout.trim() === '' ? [] : [`the tag ${tag} exists in origin`];
}

/** The tag of a workflow is that of the version, and package.json and `env` name the same repository. */
export function checkTagOf(root, tag, address, env = {}) {
  const { version } = manifestOf(root);
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = env;
  const problems = [];
  if (tag !== `v${version}`) problems.push(`the tag is ${tag}, and package.json has ${version}`);
  if (repository !== undefined && `${server}/${repository}` !== address)
    problems.push(`package.json names ${address}, and this is ${server}/${repository}`);
  return problems;
}
