/** The workflows of GitHub: they run existing commands, have few rights and name no host. lab/peers has actionlint. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { imageOf, problemsOf, type Workflow } from './support/workflows.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const folder = '.github/workflows';
const names = readdirSync(join(root, folder)).sort();
const workflowOf = (name: string): Workflow => parse(read(`${folder}/${name}`));

test.each(names)('%s runs what exists, pins what it uses, and names no host', (name) => {
  expect(problemsOf(read(`${folder}/${name}`), root)).toEqual([]);
});

test('CI has the modes of .ci/run, which are all that npm has but stress', () => {
  const lines = [...read('.ci/run').matchAll(/^ *run npm (?:run )?([\w:]+)/gm)].map(
    ([, mode]) => mode,
  );
  expect(workflowOf('ci.yml').jobs.test?.strategy?.matrix.mode).toEqual(lines);
  const scripts = Object.keys(JSON.parse(read('package.json')).scripts);
  const modes = scripts.filter((name) => /^test/.test(name) && !/:(all|stress)$/.test(name));
  expect(lines.toSorted()).toEqual(modes.sort());
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

test('a release is built by the Emscripten that its page names, tested, and published with its provenance', () => {
  const { jobs } = workflowOf('release.yml');
  const { build, test: tested, npm, github, pages } = jobs;
  if (!build || !tested || !npm || !github || !pages) throw new Error('a job is missing');
  const [, emscripten] =
    /^Releases are made with Emscripten ([\d.]+\d)\b/m.exec(read('docs/project/releasing.md')) ??
    [];
  expect(imageOf(build)).toMatch(`emscripten/emsdk:${emscripten}@`);
  expect([tested.needs, npm.needs, github.needs]).toEqual(['build', 'test', 'npm']);
  expect(pages.needs).toContain('npm');
  const publish = npm.steps.find(({ run }) => run?.startsWith('npm publish'));
  expect(publish?.run).toMatch(/ --provenance /);
});
