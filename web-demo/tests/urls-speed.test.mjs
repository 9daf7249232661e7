// The cost of the URL check's first answer: the bytes that the server sent until then, and the files that it sent.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launchBrowser } from '../../tests/e2e/browser.mjs';
import { startServer } from '../serve.mjs';
import { buildDemo } from './demo-page.mjs';

const MOST_BYTES = 350_000;

let browser;
let server;
/** The answers of the server, in order: the path, the bytes as sent, and the time. */
const sent = [];

before(async () => {
  await buildDemo();
  const onSent = ({ url }, bytes) => {
    sent.push({
      path: new URL(url).pathname,
      bytes,
      atMs: performance.timeOrigin + performance.now(),
    });
  };
  [browser, server] = await Promise.all([launchBrowser(), startServer({ port: 0, onSent })]);
});

after(async () => {
  await browser?.close();
  await server?.close();
});

/** Opens the page as a new visitor, and waits for its first answer. Returns the answers that were sent until then. */
async function firstAnswer(t, viewport) {
  const context = await browser.newContext({ viewport });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.addInitScript(() => {
    addEventListener('DOMContentLoaded', () => {
      const verdict = document.querySelector('#verdict');
      new MutationObserver((_, observer) => {
        if (verdict.dataset.answer === 'none') return;
        observer.disconnect();
        window.answeredAt = performance.now();
      }).observe(verdict, { attributes: true });
    });
  });
  // The files of the page and its workers. The service worker fetches all files later.
  const requested = [];
  page.on('request', (request) => requested.push(new URL(request.url()).pathname));
  sent.length = 0;
  await page.goto(`${server.url}urls.html`, { waitUntil: 'commit' });
  await page.waitForFunction(() => window.answeredAt !== undefined);
  const [ms, origin] = await page.evaluate(() => [window.answeredAt, performance.timeOrigin]);
  return { page, ms, requested, files: sent.filter(({ atMs }) => atMs <= origin + ms) };
}

for (const [name, viewport] of [
  ['a phone', { width: 390, height: 844 }],
  ['a desktop', { width: 1280, height: 800 }],
]) {
  test(`on ${name} at most 350 kB come before the first answer`, async (t) => {
    const { page, ms, files } = await firstAnswer(t, viewport);
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    t.diagnostic(`${name}: ${bytes} bytes, first answer after ${Math.round(ms)} ms`);
    t.diagnostic(files.map((file) => `${file.path} ${file.bytes}`).join(', '));
    assert.equal(await page.textContent('#verdict-word'), 'Not on the list');
    const paths = files.map(({ path }) => path);
    for (const part of ['/urls.html', '/assets/urls-', '/assets/checker-worker-', '/first-list.']) {
      assert.equal(paths.filter((path) => path.startsWith(part)).length, 1, part);
    }
    assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`);
  });
}

test('what a section needs is fetched when it comes near', async (t) => {
  const { page, requested } = await firstAnswer(t, { width: 1280, height: 800 });
  await page.waitForSelector('#updates tr');
  const isThere = (part) => requested.some((path) => path.includes(part));
  const sections = ['chart', 'feeds', 'guard'];
  assert.deepEqual(
    [...sections.map((name) => `${name}-section`), 'list-maker', 'history'].filter(isThere),
    [],
  );
  for (const [name, filled] of [
    ['chart', '#chart canvas'],
    ['feeds', '#feed-example:not([disabled])'],
    ['guard', '#guard-ask:not([disabled])'],
  ]) {
    await page.locator(`[data-section=${name}]`).scrollIntoViewIfNeeded();
    await page.waitForSelector(filled);
    assert.ok(isThere(`${name}-section`), name);
  }
});
