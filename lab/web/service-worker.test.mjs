// Runs tamis/read in a service worker, which forbids import(), without WebAssembly, in every engine, bundled and not.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import * as read from 'tamis/read';
import { serveBundle, servePage } from '../../tests/e2e/bundle.mjs';
import { allEngines, describeEngines, openFor, outcomeOf } from '../../tests/e2e/engines/index.mjs';
import { filesOfClasses } from '../../tests/e2e/golden.mjs';
import { project } from '../../tests/package/workspace.mjs';

const consumer = project('service-worker');
const BLOCKING = "script-src 'self'";

const files = filesOfClasses(read);

const page = `
const { serviceWorker } = navigator;
await serviceWorker.register('service-worker.js', { type: 'module' });
const { active } = await serviceWorker.ready;
const { port1, port2 } = new MessageChannel();
port1.onmessage = ({ data }) => {
  globalThis.outcome = data;
};
active.postMessage(${JSON.stringify(files)}, [port2]);
`;

/**
 * The type and answers of each file with `fromBytes` of its class, with `fromBytesOf` and, for filters, with
 * `fromBytes`. The worker reports immediately, because none of these calls waits.
 */
const workerOf = (entry) => `
import * as read from '${entry}';

const fromHex = (hex) => Uint8Array.from((hex.match(/../g) ?? []), (byte) => parseInt(byte, 16));
const answersOf = ({ name, type, bytes, elements }) => {
  const file = fromHex(bytes);
  const Class = read[name];
  return [
    () => Class.fromBytes(file),
    () => read.fromBytesOf([Class], file),
    ...(type === 'bit-array' ? [] : [() => read.fromBytes(file)]),
  ].map((make) => {
    try {
      const made = make();
      const toElement = type === 'bit-array' ? Number : fromHex;
      return [made.type, elements.map((element) => made.has(toElement(element)))];
    } catch (error) {
      return String(error);
    }
  });
};
addEventListener('message', ({ data: files, ports: [port] }) => {
  port.postMessage(files.map(answersOf));
});
`;

async function checkAnswers(t, engine, server) {
  t.after(() => server.close());
  const page = await openFor(t, engine, server.url);
  const told = await outcomeOf(page);
  assert.deepEqual(await page.complaints(), []);
  assert.equal(told.length, files.length);
  for (const [i, { name, type, answers }] of files.entries()) {
    const ways = type === 'bit-array' ? 2 : 3;
    assert.deepEqual(told[i], Array(ways).fill([type, answers]), name);
  }
}

test('the files are one of each class', () => {
  assert.equal(new Set(files.map(({ type }) => type)).size, 14);
});

describeEngines(allEngines, (engine) => {
  test('every class answers from modules as the package has them', async (t) => {
    const sources = {
      'page.js': page,
      'service-worker.js': workerOf('./tamis/dist/read/index.js'),
    };
    const folder = join(consumer, 'node_modules/tamis');
    await checkAnswers(t, engine(), await servePage({ sources, folder, csp: BLOCKING }));
  });

  test('every class answers where a bundler has put them into the one file', async (t) => {
    const sources = { 'page.js': page, 'service-worker.js': workerOf('tamis/read') };
    const resolveDir = consumer;
    await checkAnswers(t, engine(), await serveBundle({ sources, resolveDir, csp: BLOCKING }));
  });
});
