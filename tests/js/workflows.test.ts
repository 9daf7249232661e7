/** The workflows of GitHub: they run existing commands, have few rights and name no host. lab/peers has actionlint. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { emscriptenOf } from '../../js/scripts/release/files.mjs';
import { imageOf, missingIn, problemsOf, type Workflow } from './support/workflows.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const folder = '.github/workflows';
const names = readdirSync(join(root, folder)).sort();
const workflowOf = (name: string): Workflow => parse(read(`${folder}/${name}`));

test('there are two workflows, in files that GitHub reads', () => {
  expect(names).toEqual(['ci.yml', 'release.yml']);
});

test.each(names)('%s runs what exists, pins what it uses, and names no host', (name) => {
  expect(problemsOf(read(`${folder}/${name}`), root)).toEqual([]);
});

test('CI is .ci/run', () => {
  const commands = Object.values(workflowOf('ci.yml').jobs).flatMap(({ steps }) =>
    steps.map(({ run }) => run),
  );
  expect(commands).toContain('.ci/run');
});

test('no job may do more than its task needs', () => {
  const rights = names.flatMap((name) =>
    Object.entries(workflowOf(name).jobs).flatMap(([job, { permissions }]) =>
      permissions === undefined ? [] : [[`${name} ${job}`, permissions]],
    ),
  );
  expect(Object.fromEntries(rights)).toEqual({
    'release.yml npm': { 'id-token': 'write' },
    'release.yml github': { contents: 'write' },
    'release.yml site': { contents: 'read', pages: 'read' },
    'release.yml pages': { 'id-token': 'write', pages: 'write' },
  });
});

test('a release is built by the Emscripten that CONTRIBUTING names, tested, and published with its provenance', () => {
  const { jobs } = workflowOf('release.yml');
  const { build, test: tested, npm, github, pages } = jobs;
  if (!build || !tested || !npm || !github || !pages) throw new Error('a job is missing');
  expect(imageOf(build)).toBe(`emscripten/emsdk:${emscriptenOf(read('CONTRIBUTING.md'))}`);
  expect([tested.needs, npm.needs, github.needs]).toEqual(['build', 'test', 'npm']);
  expect(pages.needs).toContain('npm');
  const publish = npm.steps.find(({ run }) => run?.startsWith('npm publish'));
  expect(publish?.run).toMatch(/ --provenance /);
});

describe('what is wrong is found', () => {
  const good = read(`${folder}/release.yml`);
  const changes: Readonly<Record<string, [string | RegExp, string, string]>> = {
    'a script that npm has not': ['npm run build', 'npm run built', 'there is no npm run built'],
    'a file that is gone': [
      'js/scripts/release/files.mjs',
      'js/scripts/gone.mjs',
      'there is no js/scripts/gone.mjs',
    ],
    'a tag in the place of a commit': [
      /checkout@[0-9a-f]{40}/,
      'checkout@v5',
      'actions/checkout@v5 has no commit',
    ],
    'a commit without its version': [/ # v5\.0\.0/g, '', 'does not say its version'],
    'a registry': ['node-version: 24', 'registry-url: https://npm.invalid', 'names a host'],
    'a host of images': ['emscripten/emsdk', 'ghcr.io/emsdk', 'build names a host of images'],
    'a right for all jobs': [/contents: read/, 'contents: write', 'it may do more than read'],
    'a job without an end': [/timeout-minutes: 60/, 'continue-on-error: true', 'build has no end'],
    'an artifact from a job that may run later': [
      'needs: test',
      'needs: []',
      'npm downloads release, which no job before it has made',
    ],
  };
  test.each(Object.entries(changes))('%s', (_, [from, to, problem]) => {
    const changed = good.replace(from, to);
    expect(changed).not.toBe(good);
    expect(problemsOf(changed, root).join('\n')).toContain(problem);
  });

  test('a script of .ci/run that npm has not, and a program that is not there', () => {
    expect(missingIn('npm run nothing && npm test', root)).toEqual(['npm run nothing']);
    expect(missingIn('.ci/gone', root)).toEqual(['.ci/gone']);
    expect(missingIn('.ci/run', root)).toEqual([]);
  });
});
