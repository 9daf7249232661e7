// An application with the package installed, and its expected answers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import esbuild from 'esbuild';
import { output, project, root } from './workspace.mjs';

export const bin = (name, folder = '.') => join(root, folder, 'node_modules/.bin', name);
export const app = project('app');
export const installed = join(app, 'node_modules/tamis');
export const read = (path) => readFileSync(join(installed, path), 'utf8');
export const manifest = JSON.parse(read('package.json'));

/** The answer of exercise.mjs in Node. The other runtimes must answer the same. */
export const expected = JSON.parse(output('node', ['node.mjs'], { cwd: app }));

/** The answer of urls.mjs. */
export const expectedOfUrls = {
  words: ['maybe', 'safe', 'invalid'],
  canonical: 'http://xn--bcher-kva.example/',
  refusal: ['ERR_TAMIS_WRONG_TYPE', true],
};

/** The answer of check-lists.mjs. */
export const expectedOfLists = {
  words: ['maybe', 'safe', 'invalid'],
  verdicts: ['unsafe', 'safe'],
  after: ['safe', 'maybe'],
};

/** Bundles an entry of the project as an application would, and returns the one resulting file. */
export async function bundle(entry, options = {}) {
  const result = await esbuild.build({
    absWorkingDir: app,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    write: false,
    outdir: 'out',
    logLevel: 'silent',
    ...options,
  });
  assert.deepEqual(result.warnings, []);
  assert.equal(result.outputFiles.length, 1, 'one file, nothing beside it');
  return result.outputFiles[0].text;
}
