import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as read from 'tamis/read';
import { CSP } from '../../web-demo/serve.mjs';
import { serveBundle } from './bundle.mjs';
import { chosenEngines, describeEngines, openFor, outcomeOf } from './engines/index.mjs';
import { filesOfClasses } from './golden.mjs';

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

const files = filesOfClasses(read);

/** The answers of tamis/read for a file of each of its classes, and then those of `tamis`. */
const readPage = `
import { fromBytes } from 'tamis';
import * as read from 'tamis/read';

const fromHex = (hex) => Uint8Array.from((hex.match(/../g) ?? []), (byte) => parseInt(byte, 16));
globalThis.outcome = ${JSON.stringify(files)}.map(({ name, type, bytes, elements }) => {
  const file = fromHex(bytes);
  const reader = read[name].fromBytes(file);
  const answers = elements.map((one) => reader.has(type === 'bit-array' ? Number(one) : fromHex(one)));
  try {
    return { type: reader.type, answers, byTamis: fromBytes(file).type };
  } catch ({ code }) {
    return { type: reader.type, answers, byTamis: code };
  }
});
`;

describeEngines(chosenEngines, (engine) => {
  async function outcomeUnder(t, csp, script = page) {
    const server = await serveBundle({ sources: { 'page.js': script }, resolveDir, csp });
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

  test("without 'wasm-unsafe-eval' tamis/read answers, by each of its classes", async (t) => {
    const outcome = await outcomeUnder(t, BLOCKING, readPage);
    assert.equal(new Set(outcome.map(({ type }) => type)).size, 14);
    for (const [i, { name, type, answers }] of files.entries()) {
      const byTamis = 'ERR_TAMIS_WASM_BLOCKED';
      assert.deepEqual(outcome[i], { type, answers, byTamis }, name);
    }
  });
});
