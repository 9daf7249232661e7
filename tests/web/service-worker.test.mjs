// tamis/read in a service worker, which refuses import(): in every engine, bundled and not.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import * as read from 'tamis/read';
import { CSP } from '../../web-demo/serve.mjs';
import { serveBundle, servePage } from '../e2e/bundle.mjs';
import { allEngines, describeEngines, openFor, outcomeOf } from '../e2e/engines/index.mjs';
import { project } from '../package/workspace.mjs';
import { golden } from './golden.mjs';

const consumer = project('service-worker');

/** A file of each class, with an element that it has. */
const files = Object.entries(read)
  .filter(([, Class]) => Object.hasOwn(Object(Class), 'define'))
  .map(([name, Class]) => {
    const { type } = Class.define();
    const { bytes, present } = golden.find(
      (one) => one.type === type && one.valid && one.key === undefined && one.present.length > 0,
    );
    return { name, type, bytes, element: present[0] };
  });

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

/** Of each file what `open` says, and whether the class finds the element. */
const workerOf = (entry) => `
import * as read from '${entry}';

const fromHex = (hex) => Uint8Array.from(hex.match(/../g), (byte) => parseInt(byte, 16));
addEventListener('message', async ({ data: files, ports: [port] }) => {
  const told = [];
  for (const { name, type, bytes, element } of files) {
    const opened = await read.open(fromHex(bytes)).then(
      (filter) => filter.type,
      ({ code, message }) => [code, message],
    );
    const loaded = read[name].fromBytes(fromHex(bytes));
    told.push([opened, loaded.has(type === 'bit-array' ? Number(element) : fromHex(element))]);
  }
  port.postMessage(told);
});
`;

async function answersOf(t, engine, server) {
  t.after(() => server.close());
  const page = await openFor(t, engine, server.url);
  const told = await outcomeOf(page);
  assert.deepEqual(await page.complaints(), []);
  assert.equal(told.length, files.length);
  return told.map(([opened, has], i) => ({ ...files[i], opened, has }));
}

describeEngines(allEngines, (engine) => {
  test('open is refused, and names the class, which works', async (t) => {
    const sources = {
      'page.js': page,
      'service-worker.js': workerOf('./tamis/dist/read/index.js'),
    };
    const folder = join(consumer, 'node_modules/tamis');
    const server = await servePage({ sources, folder, csp: CSP });
    for (const { name, opened, has } of await answersOf(t, engine(), server)) {
      const [code, message] = opened;
      assert.equal(code, 'ERR_TAMIS_UNSUPPORTED', name);
      assert.ok(message.includes(`\`import { ${name} } from 'tamis/read'\``), message);
      assert.equal(has, true, name);
    }
  });

  test('open works where a bundler has put the classes into the one file', async (t) => {
    const sources = { 'page.js': page, 'service-worker.js': workerOf('tamis/read') };
    const server = await serveBundle({ sources, resolveDir: consumer, csp: CSP });
    for (const { name, type, opened, has } of await answersOf(t, engine(), server)) {
      assert.deepEqual([opened, has], [type, true], name);
    }
  });
});
