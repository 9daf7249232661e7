// README's first example in the engines of TAMIS_ENGINES, which package.test.mjs asks more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CSP } from '../../web-demo/serve.mjs';
import { serveBundle } from './bundle.mjs';
import { chosenEngines, outcomeOf, startEngine } from './engines/index.mjs';
import { asPage, blockOf, claims } from './readme.mjs';

const resolveDir = fileURLToPath(new URL('.', import.meta.url));
const example = blockOf('README.md', "from 'tamis'");

for (const name of chosenEngines) {
  test(`README's first example in ${name}`, async (t) => {
    const server = await serveBundle({
      sources: { 'page.js': asPage(example) },
      resolveDir,
      csp: CSP,
    });
    t.after(() => server.close());
    const engine = await startEngine(name);
    t.after(() => engine.close());
    const page = await engine.open(server.url);
    const outcome = await outcomeOf(page);
    assert.equal(outcome.length, claims(example), JSON.stringify(outcome));
    for (const [got, said] of outcome) assert.deepEqual(got, said);
    assert.deepEqual(await page.complaints(), []);
  });
}
