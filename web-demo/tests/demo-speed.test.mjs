// The requests of the first answer: two after the HTML. All other files come when they are needed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSection, shareDemo } from './demo-page.mjs';

const shared = shareDemo();

/**
 * Opens a page. Its requests are recorded by their paths. Those after the first `most` get no answer before the page
 * has shown `answer`: it needs none of them.
 */
async function open(t, name, viewport, most, answer) {
  const page = await shared.browser.newPage({ viewport });
  t.after(() => page.close());
  let release;
  const isAnswered = new Promise((resolve) => {
    release = resolve;
  });
  const requests = [];
  // The icon is a data: URL, which costs no request.
  await page.route(/^http/, async (route) => {
    if (requests.push(new URL(route.request().url()).pathname) > most) await isAnswered;
    await route.continue();
  });
  await page.goto(shared.server.url + name, { waitUntil: 'commit' });
  await page.waitForSelector(answer);
  release();
  return { page, requests };
}

for (const [name, viewport] of [
  ['a phone', { width: 390, height: 844 }],
  ['a desktop', { width: 1280, height: 800 }],
]) {
  test(`on ${name} the first answer takes two requests after the HTML`, async (t) => {
    const { page, requests } = await open(t, '', viewport, 3, '#verdict[data-answer=absent]');
    assert.equal(await page.textContent('#verdict-word'), 'Not on the list');
    const [html, ...others] = requests.slice(0, 3);
    assert.equal(html, '/');
    assert.match(others.sort().join(' '), /^\/assets\/index-[^/]+\.js \/phishing\.tamis$/);
  });
}

test('below the fold nothing is fetched before one scrolls, and each section brings its own', async (t) => {
  const viewport = { width: 1280, height: 500 };
  const { page, requests } = await open(t, '', viewport, 3, '#verdict[data-answer=absent]');
  // What the page begins by itself, it has begun by then: its frame, its timer and its observer are before these.
  await page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    await new Promise((resolve) => new IntersectionObserver(resolve).observe(document.body));
    await fetch('begun');
  });
  assert.deepEqual(requests.slice(3), ['/begun']);
  await openSection(page, 'bits');
  assert.ok(requests.some((path) => path.includes('bits-section')));
  assert.ok(!requests.some((path) => path.includes('once-view')));
});

test('a password is looked up by the fourth request: HTML, script, manifest, page', async (t) => {
  const opened = '#verdict:not([aria-busy=true])';
  const { page, requests } = await open(t, 'pages.html', { width: 1280, height: 800 }, 3, opened);
  await page.click('#picks-listed button');
  await page.waitForSelector('#verdict[data-answer=probable]');
  assert.equal(requests.length, 4, requests.join(' '));
  assert.equal(requests[0], '/pages.html');
  assert.match(requests[1], /^\/assets\/pages-[^/]+\.js$/);
  assert.equal(requests[2], '/passwords/manifest.json');
  assert.match(requests[3], /^\/passwords\/passwords\.[0-9a-f]{16}\.0\.pages$/);
});
