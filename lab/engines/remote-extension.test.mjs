// Uses RemoteFilter in a Manifest V3 extension: its service worker and one of its pages look up keys at a host.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launchWithExtension } from '../../tests/e2e/browser.mjs';
import { makeFolder, writeFiles } from '../folders.mjs';
import { startHost } from './remote-host.mjs';

const MANIFEST = {
  manifest_version: 3,
  name: 'Look-ups',
  version: '1.0',
  background: { service_worker: 'remote.js' },
  // The extension may send requests to these hosts without CORS.
  host_permissions: ['http://127.0.0.1/*'],
  content_security_policy: {
    extension_pages: "script-src 'self' 'wasm-unsafe-eval'; object-src 'self'",
  },
};

let host;
let context;
let worker;

before(async () => {
  host = await startHost();
  const extension = makeFolder('extension');
  writeFiles(extension, {
    'manifest.json': JSON.stringify(MANIFEST),
    'popup.html': '<!doctype html><title>t</title><script src="remote.js"></script>',
  });
  await host.bundle(join(extension, 'remote.js'));
  context = await launchWithExtension(makeFolder('profile'), extension);
  worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
});

after(async () => {
  await context?.close();
  await host?.stop();
});

/** Looks up listed keys and absent keys from a page or worker of the extension. */
async function checkLookUps(place) {
  const { others, ...rest } = await place.evaluate(async () => {
    const filter = await openList();
    const found = await filter.has('key 7');
    const { requests } = filter.status;
    const many = await filter.hasMany(Array.from({ length: 2000 }, (_, i) => `key ${i}`));
    const others = await filter.hasMany(Array.from({ length: 2000 }, (_, i) => `absent ${i}`));
    filter.close();
    return {
      found,
      requests,
      missing: many.indexOf(0),
      others: others.reduce((sum, one) => sum + one, 0),
    };
  });
  assert.deepEqual(rest, { found: true, requests: 2, missing: -1 });
  // 2^-8 of 2,000 keys are 8 on average. The probability of 40 is below 1e-14.
  assert.ok(others < 40, `${others} false positives`);
}

test('in its service worker', async () => {
  await checkLookUps(worker);
  // The client fetched the manifest, a page, and all other pages at once. Chromium has that page already.
  const asked = await host.nextAsked(3);
  assert.ok(asked.length <= 4, `${asked.length} requests`);
  assert.ok(asked.slice(1).every(({ status }) => status === 206));
});

test('in a page of it', async () => {
  const page = await context.newPage();
  await page.goto(new URL('/popup.html', worker.url()).href);
  // The browser may have cached the pages that the worker fetched.
  await checkLookUps(page);
  await page.close();
});
