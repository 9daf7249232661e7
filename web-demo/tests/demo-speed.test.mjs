// The cost of the first answer. The test counts two requests after the HTML, and prints the time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareDemo } from './demo-page.mjs';

/** Slow 4G, as Lighthouse defines it. */
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6e6 * 0.9) / 8,
  uploadThroughput: (750e3 * 0.9) / 8,
};

const shared = shareDemo();

for (const [name, viewport] of [
  ['a phone', { width: 390, height: 844 }],
  ['a desktop', { width: 1280, height: 800 }],
]) {
  test(`on ${name} the first answer takes two requests after the HTML`, async (t) => {
    const context = await shared.browser.newContext({ viewport });
    t.after(() => context.close());
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', SLOW_4G);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    const requests = [];
    devtools.on('Network.requestWillBeSent', ({ request, wallTime }) => {
      // The icon is a data: URL, which costs no request.
      if (!request.url.startsWith('http')) return;
      requests.push({ path: new URL(request.url).pathname, atMs: 1000 * wallTime });
    });
    await page.addInitScript(() => {
      addEventListener('DOMContentLoaded', () => {
        const verdict = document.querySelector('#verdict');
        new MutationObserver((_, observer) => {
          if (verdict.dataset.answer === 'none') return;
          observer.disconnect();
          requestAnimationFrame(() => {
            window.answeredAt = performance.now();
          });
        }).observe(verdict, { attributes: true });
      });
    });
    await page.goto(shared.server.url, { waitUntil: 'commit' });
    await page.waitForFunction(() => window.answeredAt !== undefined);
    const [at, origin] = await page.evaluate(() => [window.answeredAt, performance.timeOrigin]);
    const untilAnswer = requests.filter(({ atMs }) => atMs <= origin + at).map(({ path }) => path);
    t.diagnostic(`${name}: first answer after ${Math.round(at)} ms at 4x CPU and slow 4G`);
    assert.equal(await page.textContent('#verdict-word'), 'Not on the list');
    assert.equal(untilAnswer.length, 3, untilAnswer.join(' '));
    assert.equal(untilAnswer[0], '/');
    assert.ok(untilAnswer.some((path) => /^\/assets\/index-[^/]+\.js$/.test(path)));
    assert.ok(untilAnswer.includes('/phishing.tamis'));
  });
}

test('below the fold nothing is fetched before one scrolls, and each section brings its own', async (t) => {
  const page = await shared.browser.newPage({ viewport: { width: 1280, height: 500 } });
  t.after(() => page.close());
  const requests = [];
  page.on('request', (request) => {
    if (request.url().startsWith('http')) requests.push(new URL(request.url()).pathname);
  });
  await page.goto(shared.server.url, { waitUntil: 'networkidle' });
  await page.waitForSelector('#verdict[data-answer=absent]');
  assert.equal(requests.length, 3, requests.join(' '));
  await page.locator('[data-section=bits]').scrollIntoViewIfNeeded();
  await page.waitForSelector('#positions button');
  assert.ok(requests.some((path) => path.includes('bits-section')));
  assert.ok(!requests.some((path) => path.includes('once-section')));
});

test('a password is looked up by the fourth request: HTML, script, manifest, page', async (t) => {
  const page = await shared.browser.newPage();
  t.after(() => page.close());
  const requests = [];
  page.on('request', (request) => {
    if (request.url().startsWith('http')) requests.push(new URL(request.url()).pathname);
  });
  await page.goto(`${shared.server.url}pages.html`, { waitUntil: 'networkidle' });
  await page.waitForSelector('#verdict:not([aria-busy=true])');
  await page.click('#picks-listed button');
  await page.waitForSelector('#verdict[data-answer=probable]');
  assert.equal(requests.length, 4, requests.join(' '));
  assert.equal(requests[0], '/pages.html');
  assert.match(requests[1], /^\/assets\/pages-[^/]+\.js$/);
  assert.equal(requests[2], '/passwords/manifest.json');
  assert.match(requests[3], /^\/passwords\/passwords\.[0-9a-f]{16}\.0\.pages$/);
});
