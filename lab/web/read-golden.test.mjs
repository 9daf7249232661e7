// Checks the golden files and published hashes with tamis/read in every engine, under a policy without WebAssembly.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serveBundle } from '../../tests/e2e/bundle.mjs';
import { allEngines, describeEngines, openFor, outcomeOf } from '../../tests/e2e/engines/index.mjs';
import { assertFound, checkPath, given } from '../../tests/e2e/read-golden.mjs';
import { project } from '../../tests/package/workspace.mjs';

const resolveDir = project('read-golden');
const page = `
import * as read from 'tamis/read';
import { checkGolden } from ${JSON.stringify(checkPath)};

globalThis.outcome = checkGolden(read, ...${given});
`;

describeEngines(allEngines, (engine) => {
  test('every golden file and every published hash', async (t) => {
    const sources = { 'page.js': page };
    const server = await serveBundle({ sources, resolveDir, csp: "script-src 'self'" });
    t.after(() => server.close());
    const open = await openFor(t, engine(), server.url);
    assertFound(await outcomeOf(open));
    assert.deepEqual(await open.complaints(), []);
  });
});
