// Every road of strings into the core, in the engines of TAMIS_ENGINES.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CSP } from '../../web-demo/serve.mjs';
import { serveBundle } from './bundle.mjs';
import { chosenEngines, describeEngines, openFor, outcomeOf } from './engines/index.mjs';

const resolveDir = fileURLToPath(new URL('.', import.meta.url));

const page = `
import { roads } from '../js/support/string-roads.js';

const told = {};
for (const [name, hold] of Object.entries(roads)) {
  try {
    told[name] = hold();
  } catch (error) {
    told[name] = String(error);
  }
}
globalThis.outcome = told;
`;

const withBuiltins = { chromium: true, firefox: true, webkit: false };

describeEngines(chosenEngines, (engine) => {
  test('the roads of strings give the bytes of TextEncoder', async (t) => {
    const server = await serveBundle({ sources: { 'page.js': page }, resolveDir, csp: CSP });
    t.after(() => server.close());
    const told = await outcomeOf(await openFor(t, engine(), server.url));
    const helped = withBuiltins[engine().name] ? 'holds' : 'no js-string builtins';
    assert.deepEqual(told, {
      loop: 'holds',
      helper: helped,
      'helper that asks': helped,
      'one key': 'holds',
      'many keys': 'holds',
    });
  });
});
