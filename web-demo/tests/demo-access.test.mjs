// Accessibility and privacy of the demo: narrow screens, forced colours, screen readers, and a private history.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, axeOf, openDemo, STILL, says, shareDemo, showAll } from './demo-page.mjs';

const shared = shareDemo();

const open = (t, options) => openDemo(t, shared, options);

test('320 pixels are wide enough for every section, each type and long texts', async (t) => {
  const { page } = await open(t, { viewport: { width: 320, height: 640 } });
  const assertWidth = async () =>
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
  await showAll(page);
  for (const summary of await page.$$('summary')) await summary.click();
  const long = 'long-'.repeat(40);
  await ask(page, `${long}host.example`);
  for (const id of ['hand-key', 'once-list', 'once-key']) await page.fill(`#${id}`, long);
  for (const keys of ['1', '9007199254740991', long]) {
    await page.fill('#chooser-keys', keys);
    await assertWidth();
  }
  for (const radio of await page.$$('input[name=type]')) {
    await radio.check();
    await page.click('#hand-add');
    await assertWidth();
  }
  for (const radio of await page.$$('input[name=once-type]')) {
    await radio.check();
    await page.click('#once-build');
    await says(page, 'once-note', 'Built from 1 key ');
    await assertWidth();
  }
});

test('forced colours keep the dots, the bars and the bits apart', async (t) => {
  const { page } = await open(t, { forcedColors: 'active' });
  await showAll(page);
  await ask(page, 'metamask.io');
  const paint = (selector) =>
    page.$eval(selector, (element) => getComputedStyle(element).backgroundColor);
  assert.notEqual(await paint('.pip-set'), await paint('.pip:not(.pip-set)'));
  for (const bar of ['#bar-text', '#bar-gzip', '#bar-filter', '#once-sizes .bar']) {
    assert.notEqual(await paint(bar), await paint('body'), bar);
  }
  assert.notEqual(await paint('.neighbours .on'), await paint('.neighbours .off'));
  assert.notEqual(await paint('.swatch-on'), await paint('.swatch-off'));
});

test('loading calls out one thing at most, and what is done is called out', async (t) => {
  const context = await shared.browser.newContext(STILL);
  t.after(() => context.close());
  const page = await context.newPage();
  await page.addInitScript(() => {
    window.calls = [];
    const live = '[role=status], [role=alert], [aria-live]:not([aria-live=off])';
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const region = (target.parentElement ?? target).closest?.(live) ?? target.closest?.(live);
        if (region?.textContent.trim()) window.calls.push(`${region.id}: ${region.textContent}`);
      }
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
  await page.goto(shared.server.url);
  await page.waitForSelector('.verdict:not([data-answer=none])');
  await showAll(page);
  const calls = await page.evaluate(() => window.calls);
  assert.ok(calls.length <= 1, calls.join('\n'));

  await page.focus('#host');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('metamask.io');
  await page.waitForFunction(() => window.calls.some((call) => call.includes('metamask.io')));
});

test('what is looked up stays out of the address and the history', async (t) => {
  const { page } = await open(t);
  const state = () => page.evaluate(() => [location.href, history.length]);
  const before = await state();
  await ask(page, 'private.example');
  await says(page, 'announce', 'private.example');
  assert.deepEqual(await state(), before);
  assert.ok(!before[0].includes('host='));
});

test('without scripts the page says so before anything else', async (t) => {
  for (const name of ['index.html', 'urls.html', 'pages.html']) {
    const context = await shared.browser.newContext({ javaScriptEnabled: false });
    t.after(() => context.close());
    const page = await context.newPage();
    await page.goto(shared.server.url + name);
    const [words, top] = await page.$eval('noscript', (note) => [
      note.textContent,
      note.getBoundingClientRect().top,
    ]);
    assert.match(words, /needs scripts/);
    assert.ok(top < 100, `${top}`);
  }
});

for (const colorScheme of ['light', 'dark']) {
  test(`axe finds nothing wrong with the whole page, ${colorScheme}`, async (t) => {
    const { page } = await open(t, { colorScheme });
    await showAll(page);
    assert.deepEqual(await axeOf(page), []);
  });
}
