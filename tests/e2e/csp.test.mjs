import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CSP } from '../../web-demo/serve.mjs';
import { serveBundle } from './bundle.mjs';
import { chosenEngines, describeEngines, openFor, outcomeOf } from './engines/index.mjs';

const resolveDir = fileURLToPath(new URL('.', import.meta.url));
const BLOCKING = "script-src 'self'";

/** Tries twice: a failed start must not leave something half-made behind. */
const page = `
import { BloomFilter, init } from 'tamis';

const describe = ({ name, code, message, cause }) => ({ name, code, message, cause: cause?.name });
const attempt = async (run) => {
  try {
    return await run();
  } catch (error) {
    return describe(error);
  }
};
const build = () => {
  const filter = new BloomFilter({ capacity: 10 });
  filter.add('a');
  return [filter.has('a'), filter.has('b')];
};
globalThis.outcome = [await attempt(build), await attempt(build), await attempt(async () => init())];
`;

describeEngines(chosenEngines, (engine) => {
  async function outcomeUnder(t, csp) {
    const server = await serveBundle({ sources: { 'page.js': page }, resolveDir, csp });
    t.after(() => server.close());
    return outcomeOf(await openFor(t, engine(), server.url));
  }

  test("without 'wasm-unsafe-eval' every start fails, and says which header to send", async (t) => {
    const outcome = await outcomeUnder(t, BLOCKING);
    assert.equal(outcome.length, 3);
    for (const { name, code, message } of outcome) {
      assert.equal(name, 'TamisError');
      assert.equal(code, 'ERR_TAMIS_WASM_BLOCKED');
      assert.match(message, /Content-Security-Policy/i);
      assert.match(message, /script-src[^\n]*'wasm-unsafe-eval'/);
    }
    assert.equal(outcome[0].cause, 'CompileError');
  });

  test("with 'wasm-unsafe-eval' the same page works", async (t) => {
    const [first, second] = await outcomeUnder(t, CSP);
    assert.deepEqual(first, [true, false]);
    assert.deepEqual(second, [true, false]);
  });
});
