// Uses RemoteFilter in Chromium, with pages that nginx serves.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { complaintsOf, launchBrowser } from '../../tests/e2e/browser.mjs';
import { count, startHost } from './remote-host.mjs';

let host;
let browser;
let manifest;

before(async () => {
  host = await startHost();
  ({ manifest } = host);
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await host?.stop();
});

/** A page in a new context, so with an empty cache. */
async function openPage() {
  const context = await browser.newContext();
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  await page.goto(`${host.url}index.html`);
  return {
    run: (action, more) => page.evaluate(action, more),
    setOffline: (isOffline) => context.setOffline(isOffline),
    /** Closes the page. The console may have only the errors that the test expects. */
    async close(expected = /^$/) {
      await context.close();
      assert.deepEqual(
        complaints.filter((text) => !expected.test(text)),
        [],
      );
    },
  };
}

test('a page is as long as that of a billion keys', () => {
  // With 83,334 pages, a proof would have 11 more hashes, and a stride 352 more bytes.
  assert.ok(manifest.stride >= 13_000 && manifest.stride <= 13_700 - 352, `${manifest.stride}`);
});

test('a cold look-up is two round trips with the manifest, and one of at most 14,200 bytes', async () => {
  const page = await openPage();
  const found = await page.run(async () => {
    globalThis.filter = await openList();
    return filter.has('key 7');
  });
  assert.equal(found, true);
  const asked = await host.nextAsked(2);
  assert.deepEqual(
    asked.map(({ status, path }) => [status, path.replace(/[0-9a-f]{16}/, 'ROOT')]),
    [
      [200, '/manifest.json'],
      [206, '/list.ROOT.0.pages'],
    ],
  );
  assert.ok(asked[0].body < 1024, `a manifest of ${asked[0].body} bytes`);
  assert.equal(asked[1].body, manifest.stride);
  // The bound includes the 11 hashes that a list of a billion keys would add.
  assert.ok(asked[1].bytes + 352 <= 14_200, `${asked[1].bytes} bytes with the headers`);
  // Other keys in the same page need no request.
  const more = await page.run(async () => {
    const { requests } = filter.status;
    let free = 0;
    for (let i = 0; i < 2000; i++) {
      const before = filter.status.requests;
      if (!(await filter.has(`key ${i}`))) throw new Error(`key ${i} is absent`);
      if (filter.status.requests === before) free++;
    }
    return { free, sent: filter.status.requests - requests, pages: filter.status.cachedPages };
  });
  assert.equal(more.free + more.sent, 2000);
  assert.equal(more.pages, 50);
  assert.equal((await host.nextAsked(49)).length, 49);
  await page.close();
});

test('10,000 random keys: no false negative, and one request for all pages', async () => {
  const page = await openPage();
  const indexes = Array.from({ length: 10_000 }, () => Math.floor(Math.random() * count));
  const { missing, others } = await page.run(async (indexes) => {
    const filter = await openList();
    const answers = await filter.hasMany(indexes.map((i) => `key ${i}`));
    const absent = await filter.hasMany(indexes.map((i) => `absent ${i}`));
    return {
      missing: indexes.filter((_, i) => answers[i] !== 1),
      others: absent.reduce((sum, one) => sum + one, 0),
    };
  }, indexes);
  assert.deepEqual(missing, []);
  // 2^-8 of 10,000 keys are 39 on average. The probability of 100 is below 1e-15.
  assert.ok(others < 100, `${others} false positives`);
  const asked = await host.nextAsked(2);
  assert.deepEqual(
    asked.slice(1).map(({ status, body }) => [status, body]),
    [[206, 50 * manifest.stride]],
  );
  await page.close();
});

test('in a worker, and with decoys', async () => {
  const page = await openPage();
  const script = `importScripts('${host.url}page.js');
    onmessage = async () => {
      const filter = await openList({ decoys: 4 });
      const found = await filter.has('key 1');
      while (filter.status.cachedPages < 5) await new Promise((resolve) => setTimeout(resolve));
      postMessage({ found, requests: filter.status.requests });
    };`;
  const { found, requests } = await page.run(
    (script) =>
      new Promise((resolve, reject) => {
        const worker = new Worker(URL.createObjectURL(new Blob([script])));
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.postMessage('start');
      }),
    script,
  );
  assert.equal(found, true);
  // Pages that are near each other are fetched with one request.
  const [first, ...others] = await host.nextAsked(requests);
  assert.equal(first.status, 200);
  assert.equal(others.length, requests - 1);
  assert.ok(others.every(({ status }) => status === 206));
  assert.ok(others.reduce((sum, { body }) => sum + body, 0) >= 5 * manifest.stride);
  await page.close();
});

test('in Node, over the same host', async () => {
  const filter = await host.open();
  assert.equal(await filter.has('key 3'), true);
  assert.equal((await host.nextAsked(2)).length, 2);
  filter.close();
});

test('a page that goes offline: a throw, and what is in memory stays', async () => {
  const page = await openPage();
  const first = await page.run(async () => {
    globalThis.filter = await openList({ retries: 0 });
    return filter.has('key 1');
  });
  assert.equal(first, true);
  const askAll = () =>
    page.run(async () => {
      const answers = [];
      for (let i = 0; i < 200; i++) {
        answers.push(await filter.has(`key ${i}`).catch(({ code }) => code));
      }
      const many = await filter.hasMany(['key 1', 'key 2', 'key 3']).catch(({ code }) => code);
      return { known: answers[1], kinds: [...new Set(answers)].map(String).sort(), many };
    });
  const unavailable = 'ERR_TAMIS_UNAVAILABLE';
  await page.setOffline(true);
  assert.deepEqual(await askAll(), {
    known: true,
    kinds: [unavailable, 'true'],
    many: unavailable,
  });
  await page.setOffline(false);
  const online = await askAll();
  assert.deepEqual(online.kinds, ['true']);
  const fetched = await page.run(() => filter.status.cachedPages);
  assert.equal((await host.nextAsked(fetched + 1)).length, fetched + 1);
  // The browser reports for each request that there is no network.
  await page.close(/ERR_INTERNET_DISCONNECTED/);
});

test('a page of another origin: one request for each page, without a preflight', async () => {
  const page = await openPage();
  const elsewhere = host.url.replace('127.0.0.1', 'localhost');
  const found = await page.run(
    async (url) => (await openList({}, url)).has('key 7'),
    `${elsewhere}cors/manifest.json`,
  );
  assert.equal(found, true);
  const asked = await host.nextAsked(2);
  assert.deepEqual(
    asked.map(({ status }) => status),
    [200, 206],
  );
  await page.close();
});

/** Hosts that answer incorrectly; nginx plays all of them. */
const bad = [
  ['that answers no ranges', 'whole', /^ERR_TAMIS_UNAVAILABLE$/],
  ['whose pages are compressed files', 'gzip', /^ERR_TAMIS_(CORRUPT|UNAVAILABLE)$/],
];
for (const [what, place, expected] of bad) {
  test(`a host ${what}: a throw, in Node and in Chromium`, async () => {
    const url = `${host.url}${place}/manifest.json`;
    const codesOf = (filter) => {
      const asked = [filter.has('key 7'), filter.hasMany(['key 1', 'key 7'])];
      return Promise.all(asked.map((answer) => answer.catch(({ code }) => code)));
    };
    const filter = await host.open({ retries: 0 }, url);
    const codes = await codesOf(filter);
    filter.close();
    const page = await openPage();
    const codesInPage = await page.run(`openList({ retries: 0 }, '${url}').then(${codesOf})`);
    for (const code of [...codes, ...codesInPage]) assert.match(String(code), expected);
    // The browser also reports bytes that it cannot decode.
    await page.close(/ERR_CONTENT_DECODING_FAILED/);
    await host.nextAsked(4);
  });
}

test('a host that would compress pages is told not to, and one that sends all is used where wanted', async () => {
  for (const [place, options] of [
    ['zipping', { retries: 0 }],
    ['whole', { retries: 0, fullResponses: 'use' }],
  ]) {
    const url = `${host.url}${place}/manifest.json`;
    const filter = await host.open(options, url);
    assert.equal(await filter.has('key 7'), true);
    filter.close();
    const page = await openPage();
    const found = await page.run(
      async ([options, url]) => (await openList(options, url)).has('key 7'),
      [options, url],
    );
    assert.equal(found, true);
    await page.close();
    await host.nextAsked(4);
  }
});

test('in the service worker of a page', async () => {
  const page = await openPage();
  const found = await page.run(async () => {
    await navigator.serviceWorker.register('worker.js');
    const { active } = await navigator.serviceWorker.ready;
    const { port1, port2 } = new MessageChannel();
    active.postMessage(['key 1', 'key 2', 'key 3'], [port2]);
    return new Promise((resolve) => {
      port1.onmessage = ({ data }) => resolve(data);
    });
  });
  assert.deepEqual(found, [1, 1, 1]);
  const asked = await host.nextAsked(2);
  assert.ok(asked.slice(1).every(({ status }) => status === 206));
  await page.close();
});
