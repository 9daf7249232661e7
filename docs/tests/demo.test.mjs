// The demo as a part of the site: how visitors come to it and back, and whether it answers there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complaintsOf, insertScript } from '../../tests/e2e/browser.mjs';
import { pages, shareSite } from './site.mjs';

const POLICY = "script-src 'self' 'wasm-unsafe-eval'";

const shared = shareSite();

/** A page of the site; it is closed, and its console looked at, when the test ends. */
async function open(t, path) {
  const page = await shared.browser.newPage({ viewport: { width: 1280, height: 800 } });
  const complaints = complaintsOf(page);
  t.after(async () => {
    await page.close();
    assert.deepEqual(complaints, []);
  });
  await page.goto(shared.site.url + path);
  return page;
}

test('one click leads from any page to the demo, which answers; one more leads back', async (t) => {
  for (const path of ['', 'guide/choose.html', 'benchmarks.html']) {
    const page = await open(t, path);
    await page.locator('nav').getByRole('link', { name: 'Try it' }).first().click();
    await page.waitForSelector('#verdict[data-answer=absent]');
    assert.match(new URL(page.url()).pathname, /^\/demo\/(index\.html)?$/);
    await page.fill('#host', 'myetheerwallet.pw');
    await page.waitForSelector('#verdict[data-answer=probable]:not([aria-busy=true])');
    assert.equal(await page.textContent('#verdict-word'), 'On the list');
    await page.click('.site-name');
    await page.waitForSelector('.VPHome, .vp-doc');
    assert.match(new URL(page.url()).pathname, /^\/(index\.html)?$/);
  }
});

test('its other pages answer too', async (t) => {
  for (const [name, sign] of [
    ['urls.html', '#verdict[data-answer=absent]'],
    ['calculator.html?n=1e6&p=1+%25', '#calculator-sizes tr'],
    ['figures.html', 'tamis-figure svg'],
    ['pages.html', '#verdict:not([aria-busy=true])'],
  ]) {
    const page = await open(t, `demo/${name}`);
    await page.waitForSelector(sign, { state: 'attached' });
  }
});

test('each of its pages has a strict policy of its own', async (t) => {
  const ours = pages.filter((page) => page.startsWith('demo/'));
  assert.equal(ours.length, 5);
  for (const path of ours) {
    const page = await shared.browser.newPage();
    t.after(() => page.close());
    await page.goto(shared.site.url + path);
    const policy = await page.getAttribute('meta[http-equiv=Content-Security-Policy]', 'content');
    assert.equal(policy, POLICY);
    assert.equal(await insertScript(page), 'script-src-elem');
  }
});
