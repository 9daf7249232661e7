// The package in Cloudflare's own runtime, at several compatibility dates. Before 2024-11-11 its fetch
// takes no cache mode. Later it takes 'no-store' alone, and now 'no-cache' too. Before 2025-05-05 it has
// no FinalizationRegistry.
import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import { test } from 'node:test';
import { BloomFilter } from 'tamis';
import { hashExpression } from 'tamis/url';
import { startListServer } from '../../js/examples/list-server.mjs';
import { startWorker } from './workerd.mjs';

const filler = Array.from({ length: 300 }, (_, i) => `h${i}.listed.example`);
const first = ['old.example', ...filler];
const second = ['new.example', ...filler];

/** The checker lives from one request to the next, as in a Worker that keeps it in a variable. */
const worker = `
import { BloomFilter, fromBytes, RibbonFilter } from 'tamis';
import { fromBytes as readBytes, RibbonFilter as RibbonReader } from 'tamis/read';
import { createConfirmHandler, UrlChecker, UrlListBuilder } from 'tamis/url';

const builder = new UrlListBuilder().addHosts(['evil.example']);
const confirming = (timeoutMs) =>
  createConfirmHandler(builder.fullHashes, { cacheSeconds: 300, negativeSeconds: 1800, timeoutMs });
/** The time limit of the first is longer than any machine takes. */
const handlers = { '/confirm': confirming(600_000), '/confirm-soon': confirming(500) };
let checker;

const filters = (keys) => {
  const bloom = BloomFilter.from(keys, { fpr: 0.01 });
  const ribbon = fromBytes(RibbonFilter.from(keys, { fpr: 2 ** -10 }).toBytes());
  return { bytes: [...bloom.toBytes()], found: [...ribbon.hasMany(keys)], isRibbon: ribbon instanceof RibbonFilter };
};

const readers = async (keys) => {
  const bytes = RibbonFilter.from(keys, { fpr: 2 ** -10 }).toBytes();
  const opened = readBytes(BloomFilter.from(keys).toBytes());
  return [...RibbonReader.fromBytes(bytes).hasMany(keys), opened.type, opened.has(keys[0])];
};

const status = ({ version, count, source, error }) => ({ version, count, source, error: error?.message });

const actions = {
  filters,
  readers,
  async open({ manifest, ...options }) {
    checker = await UrlChecker.open(manifest, {
      storage: 'memory',
      whenMissing: 'unknown',
      whenUnconfirmed: 'throw',
      ...options,
    });
    return status(checker.status);
  },
  check: (urls) => checker.checkMany(urls),
  verify: (url) => checker.verify(url),
  update: () => checker.update(),
};

export default {
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname in handlers) return handlers[pathname](request);
    try {
      return Response.json(await actions[pathname.slice(1)](await request.json()));
    } catch (error) {
      return Response.json({ code: error.code, message: String(error.stack), cause: String(error.cause) });
    }
  },
};
`;

/** Calls one of the worker's actions. */
const caller =
  (url) =>
  async (name, body = null) => {
    const response = await fetch(`${url}/${name}`, { method: 'POST', body: JSON.stringify(body) });
    return response.json();
  };

/** A host before the list's server. It may be down, and redirects confirm requests to another address. */
async function startFront(lists) {
  const front = { isDown: false };
  const server = createServer(async ({ url }, outgoing) => {
    if (url === '/confirm') return outgoing.writeHead(307, { Location: lists.confirm }).end();
    if (front.isDown) return outgoing.writeHead(503).end();
    const response = await fetch(`${lists.url}${url}`);
    return outgoing.writeHead(response.status).end(Buffer.from(await response.arrayBuffer()));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(front, {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
}

for (const date of ['2024-06-01', '2024-12-01', '2026-11-01']) {
  test(`at ${date}`, async (t) => {
    const { url, close } = await startWorker(worker, date);
    t.after(close);
    const call = caller(url);

    await t.test('readers', async () => {
      assert.deepEqual(await call('readers', ['ant', 'bee']), [1, 1, 'bloom', true]);
    });
    await t.test('filters', async () => {
      const keys = ['alice', 'bob', 'carol'];
      const bytes = [...BloomFilter.from(keys, { fpr: 0.01 }).toBytes()];
      const expected = { bytes, found: [1, 1, 1], isRibbon: true };
      assert.deepEqual(await call('filters', keys), expected);
    });

    await t.test('a list is fetched, asked, confirmed and updated', async (t) => {
      const lists = await startListServer(first);
      t.after(() => lists.close());
      const front = await startFront(lists);
      t.after(front.close);
      const options = {
        manifest: `${front.url}/lists/manifest.json`,
        name: lists.name,
        publicKeys: [lists.publicKey],
        confirm: lists.confirm,
        confirmTimeoutMs: 600_000,
      };
      const opened = await call('open', options);
      assert.equal(opened.error, undefined);
      assert.deepEqual([opened.count, opened.source], [301, 'network']);
      const pages = ['https://old.example/', 'https://new.example/'];
      assert.deepEqual(await call('check', pages), ['maybe', 'safe']);
      assert.deepEqual(await call('verify', pages[0]), { verdict: 'unsafe', from: 'server' });
      assert.deepEqual(await call('verify', pages[0]), { verdict: 'unsafe', from: 'cache' });
      assert.equal((await call('update')).by, 'none');
      // An update fails, and the next one bypasses the caches.
      await lists.publish(second);
      front.isDown = true;
      assert.equal((await call('update')).code, 'ERR_TAMIS_UNAVAILABLE');
      front.isDown = false;
      assert.equal((await call('update')).by, 'jump');
      assert.deepEqual(await call('check', pages), ['safe', 'maybe']);

      // If the server redirects the question, the client does not follow.
      await call('open', { ...options, confirm: `${front.url}/confirm` });
      lists.asked.length = 0;
      assert.equal((await call('verify', pages[1])).code, 'ERR_TAMIS_UNAVAILABLE');
      assert.deepEqual(lists.asked, []);
    });

    await t.test('a worker confirms', async () => {
      const ask = (body) => fetch(`${url}/confirm`, { method: 'POST', body });
      const answer = Buffer.from(
        await (await ask(hashExpression('evil.example/').slice(0, 4))).arrayBuffer(),
      );
      assert.deepEqual([answer.length, answer.readUInt32LE(8)], [1024, 1]);
      assert.deepEqual(answer.subarray(12, 44), Buffer.from(hashExpression('evil.example/')));
      assert.equal((await ask(new Uint8Array(124))).status, 413);
      assert.equal((await ask('abc')).status, 400);
      const status = await new Promise((resolve, reject) => {
        const hanging = request(`${url}/confirm-soon`, { method: 'POST' }, (response) => {
          resolve(response.statusCode);
          hanging.destroy();
        });
        hanging.on('error', reject);
        hanging.write('a');
      });
      assert.equal(status, 408);
    });
  });
}
