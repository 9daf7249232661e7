// Runs the browser programs of docs/recipes in Chromium: one for a WebView, and a service worker that checks URLs.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { build } from 'esbuild';
import { UrlListBuilder } from 'tamis/url';
import { serve } from '../../js/examples/serve.mjs';
import { launchBrowser } from '../../tests/e2e/browser.mjs';
import { settles } from '../../tests/e2e/patience.mjs';
import { folderOf, programsOf } from '../engines/recipe-files.mjs';
import { publish } from '../lists.mjs';

const LIST = 'https://lists.example/bad';
const KEY = /[0-9a-f]{64}/;

/** The requests to hosts of other owners. */
const asked = [];
const other = await serve(async (request) => {
  asked.push(new URL(request.url).pathname);
  return new Response('hello', { headers: { 'access-control-allow-origin': '*' } });
});
after(other.close);
const builder = new UrlListBuilder({ prefixBytes: 8 }).addHosts(['evil.example']);
builder.addUrls([`${other.url}/bad.png`, `${other.url}/bad`]);
const { storage, publicKey } = await publish(builder.build(), 'bad');
const browser = await launchBrowser();
after(() => browser.close());

/** Bundles the program of a page into one file, with the key of this test instead of the one on the page. */
async function bundle(page, name) {
  const code = programsOf(page)[name];
  assert.match(code, KEY);
  assert.ok(code.includes(`${LIST}/manifest.json`));
  const folder = folderOf({ [name]: code.replace(KEY, publicKey) }, []);
  const options = { bundle: true, format: 'esm', write: false };
  const { outputFiles } = await build({ ...options, entryPoints: [join(folder, name)] });
  return outputFiles[0].text;
}

/** A browser context in which the host of the list answers, unless `isDown`. */
async function newContext(t, isDown = false) {
  const context = await browser.newContext();
  t.after(() => context.close());
  await context.route(`${LIST}/*`, async (route) => {
    const bytes = await storage.get(route.request().url().split('/').at(-1));
    const headers = { 'access-control-allow-origin': '*' };
    if (isDown) await route.abort();
    else await route.fulfill({ status: 200, headers, body: Buffer.from(bytes) });
  });
  return context;
}

/** Serves these files at their paths. */
async function serveFiles(t, files) {
  const { url, close } = await serve(async (request) => {
    const { pathname } = new URL(request.url);
    const type = pathname.endsWith('.js') ? 'text/javascript' : 'text/html';
    const headers = { 'content-type': type };
    return new Response(files[pathname] ?? '', { status: pathname in files ? 200 : 404, headers });
  });
  t.after(close);
  return url;
}

for (const isDown of [false, true]) {
  test(`the page of a WebView answers its app${isDown ? ', without a list too' : ''}`, async (t) => {
    const context = await newContext(t, isDown);
    const page = await context.newPage();
    const said = [];
    await page.exposeFunction('fromPage', (text) => said.push(JSON.parse(text)));
    // The object that `addWebMessageListener` adds to a page.
    await page.addInitScript(() => {
      globalThis.app = { postMessage: (text) => fromPage(text) };
    });
    const files = {
      '/': '<!doctype html><script type="module" src="check.js"></script>',
      '/check.js': await bundle('apps', 'check.mjs'),
    };
    const isSaid = (count) => settles(() => assert.ok(said.length >= count));
    await page.goto(await serveFiles(t, files));
    await isSaid(1);
    assert.deepEqual(said.splice(0), [{ isReady: true }]);
    const urls = ['https://LOGIN.evil.example/%61', 'https://good.example/', 'javascript:x'];
    for (const [id, url] of urls.entries()) {
      await page.evaluate((data) => app.onmessage({ data }), JSON.stringify({ id, url }));
    }
    await isSaid(3);
    const verdicts = said.sort((a, b) => a.id - b.id).map(({ verdict }) => verdict);
    const without = ['unknown', 'unknown', 'invalid'];
    assert.deepEqual(verdicts, isDown ? without : ['unsafe', 'safe', 'invalid']);
  });
}

test('a service worker refuses what its pages load, and sees no navigation to others', async (t) => {
  const files = {
    '/': '<!doctype html><title>own</title>',
    '/worker.js': await bundle('workers', 'checking-worker.mjs'),
  };
  const context = await newContext(t);
  const page = await context.newPage();
  await page.goto(await serveFiles(t, files));
  await page.evaluate(async () => {
    const { serviceWorker } = navigator;
    const isControlled = new Promise((resolve) =>
      serviceWorker.addEventListener('controllerchange', resolve),
    );
    await serviceWorker.register('/worker.js', { type: 'module' });
    await isControlled;
  });
  const load = (path) =>
    page.evaluate(async (url) => (await fetch(url)).status, `${other.url}${path}`);
  const show = (path) => page.addScriptTag({ url: `${other.url}${path}` });
  assert.equal(await load('/good'), 200);
  await assert.rejects(load('/bad'), /Failed to fetch/);
  await show('/good.js');
  await assert.rejects(show('/bad'), /Failed to load script/);
  assert.deepEqual(asked.splice(0), ['/good', '/good.js']);
  // A frame and a link open pages of another origin, which the worker does not check.
  await page.evaluate((url) => {
    const frame = document.createElement('iframe');
    frame.src = url;
    return new Promise((resolve) => {
      frame.onload = resolve;
      document.body.append(frame);
    });
  }, `${other.url}/bad`);
  await page.goto(`${other.url}/bad`);
  assert.deepEqual(
    asked.splice(0).filter((path) => path === '/bad'),
    ['/bad', '/bad'],
  );
});
