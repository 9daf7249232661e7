// Runs tamis/read and tamis/remote in a worker as Vite builds it by default: one classic script, which must not use
// import(). Run by `npm run test:web`; Vite 5 and 6 come from npm.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { allEngines, describeEngines, openFor, outcomeOf } from '../../tests/e2e/engines/index.mjs';
import { installed } from '../../tests/package/from-npm.mjs';
import { project, root } from '../../tests/package/workspace.mjs';
import { startServer } from '../../web-demo/serve.mjs';
import { writeFiles } from '../folders.mjs';
import { programs, rows } from './rows.mjs';

const versions = { 'Vite 5': 'vite@5.4.9', 'Vite 6': 'vite@6.4.6', 'Vite 7': undefined };
const readers = rows
  .map((row, i) => ({ ...row, i }))
  .filter(({ name }) => /^tamis\/re(ad|mote)\b/.test(name));
const folder = project('vite-workers');

/** A worker module that reports the answers of a row's program. */
const workerOf = (i) => `import './given.js';
import './row-${i}.mjs';
globalThis.answer.then(postMessage, (error) => postMessage(String(error)));
`;
const page = `const outcomeOf = (worker) => new Promise((resolve, reject) => {
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = ({ message }) => reject(new Error(message));
});
const workers = [${readers
  .map(({ i }) => `new Worker(new URL('./worker-${i}.js', import.meta.url), { type: 'module' })`)
  .join(', ')}];
globalThis.outcome = await Promise.all(workers.map(outcomeOf)).catch(String);
`;
writeFiles(folder, {
  ...programs,
  'index.html': `<!doctype html><title>t</title><link rel="icon" href="data:,">
<script type="module" src="page.js"></script>`,
  'page.js': page,
  ...Object.fromEntries(readers.map(({ i }) => [`worker-${i}.js`, workerOf(i)])),
});

const built = new Map();

/** Builds the page with a version of Vite, and returns the output folder. */
async function build(home, name) {
  if (built.has(name)) return built.get(name);
  const found = createRequire(join(home, 'package.json')).resolve('vite/package.json');
  const { build } = await import(pathToFileURL(join(found, '../dist/node/index.js')));
  const outDir = join(folder, 'built', name);
  mkdirSync(outDir, { recursive: true });
  await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    build: { outDir, target: 'es2022', emptyOutDir: true },
  });
  built.set(name, outDir);
  return outDir;
}

test('the rows are those of both entries', () => {
  assert.ok(readers.length >= 7, `${readers.length}`);
});

describeEngines(allEngines, (engine) => {
  for (const [name, version] of Object.entries(versions)) {
    test(`workers as ${name} builds them answer`, async (t) => {
      const home = version === undefined ? root : installed(t, version);
      if (home === undefined) return;
      const server = await startServer({
        root: await build(home, name),
        port: 0,
        csp: "script-src 'self'",
      });
      t.after(() => server.close());
      const opened = await openFor(t, engine(), server.url);
      const answers = await outcomeOf(opened);
      assert.equal(answers.length, readers.length, answers);
      for (const [i, { name: row, expected }] of readers.entries()) {
        assert.deepEqual(answers[i], expected, row);
      }
      assert.deepEqual(await opened.complaints(), []);
    });
  }
});
