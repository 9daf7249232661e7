// The cost of the URL check's first answer: the bytes of the files that the page asks for until then.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSection, shareDemo } from './demo-page.mjs';

const MOST_BYTES = 350_000;

/** The bytes of each file as sent, by its path. */
const sent = new Map();
const shared = shareDemo({ onSent: ({ url }, bytes) => sent.set(new URL(url).pathname, bytes) });

/**
 * Opens the page as a new visitor, and waits for its first answer. Returns the paths that the page and its workers
 * requested, and how many they were at the answer. The service worker fetches all files later.
 */
async function firstAnswer(t, viewport) {
  const context = await shared.browser.newContext({ viewport });
  t.after(() => context.close());
  const page = await context.newPage();
  const requested = [];
  page.on('request', (request) => requested.push(new URL(request.url()).pathname));
  let count;
  // The browser tells of the call in the order of the requests.
  await page.exposeFunction('tellAnswer', () => {
    count = requested.length;
  });
  await page.addInitScript(() => {
    addEventListener('DOMContentLoaded', () => {
      const verdict = document.querySelector('#verdict');
      new MutationObserver((_, observer) => {
        if (verdict.dataset.answer === 'none') return;
        observer.disconnect();
        tellAnswer();
      }).observe(verdict, { attributes: true });
    });
  });
  await page.goto(`${shared.server.url}urls.html`);
  await page.waitForSelector('#updates tr');
  return { page, requested, count };
}

for (const [name, viewport] of [
  ['a phone', { width: 390, height: 844 }],
  ['a desktop', { width: 1280, height: 800 }],
]) {
  test(`on ${name} at most 350 kB come before the first answer`, async (t) => {
    const { page, requested, count } = await firstAnswer(t, viewport);
    const paths = requested.slice(0, count);
    const bytes = paths.reduce((sum, path) => sum + sent.get(path), 0);
    t.diagnostic(`${name}: ${bytes} bytes`);
    assert.equal(await page.textContent('#verdict-word'), 'Not on the list');
    for (const part of ['/urls.html', '/assets/urls-', '/assets/checker-worker-', '/first-list.']) {
      assert.equal(paths.filter((path) => path.startsWith(part)).length, 1, part);
    }
    assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`);
  });
}

test('what a section needs is fetched when it comes near', async (t) => {
  const { page, requested } = await firstAnswer(t, { width: 1280, height: 800 });
  const isThere = (part) => requested.some((path) => path.includes(part));
  const scripts = ['entries-chart', 'feeds-view', 'guard-section', 'list-maker', 'history'];
  assert.deepEqual(scripts.filter(isThere), []);
  for (const [name, filled, script] of [
    ['chart', '#chart canvas', 'entries-chart'],
    ['feeds', '#feed-example:not([disabled])', 'feeds-view'],
    ['guard', '#guard-ask:not([disabled])', 'guard-section'],
  ]) {
    await openSection(page, name, filled);
    assert.ok(isThere(script), name);
  }
});
