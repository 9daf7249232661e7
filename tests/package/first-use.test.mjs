// The packed tarball as its first users have it: in Node, and README's first example in the engines of TAMIS_ENGINES.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CSP } from '../../web-demo/serve.mjs';
import { serveBundle } from '../e2e/bundle.mjs';
import { chosenEngines, outcomeOf, startEngine } from '../e2e/engines/index.mjs';
import { asPage, blockOf, claims } from '../e2e/readme.mjs';
import { app, expected } from './app.mjs';

const example = blockOf('README.md', "from 'tamis'");

test('Node imports it, and its answers are right', () => {
  assert.equal(expected.added, 100);
  assert.equal(expected.count, 100);
  assert.deepEqual(expected.hits, Array(100).fill(1));
  assert.deepEqual(expected.misses, [0, 0, 0]);
  assert.equal(expected.type, 'bit-array');
  assert.equal(expected.bits, '0001000000');
  assert.equal(expected.refusal, 'ERR_TAMIS_TRUNCATED');
  assert.deepEqual(expected.bytes.slice(0, 4), [0x89, 0x54, 0x4d, 0x53]);
  assert.deepEqual(expected.listed, [...Array(100).fill(1), 0]);
  assert.ok(expected.shipped.length < 64 + 1.05 * 200, `${expected.shipped.length} bytes`);
});

for (const name of chosenEngines) {
  test(`README's first example in ${name}`, async (t) => {
    const server = await serveBundle({
      sources: { 'page.js': asPage(example) },
      resolveDir: app,
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
