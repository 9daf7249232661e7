// The first view of a newcomer: README, the first page of the site, and the way to the demo.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { settles } from '../../tests/e2e/patience.mjs';
import { renderReadme } from './readme.mjs';
import { openPage, root, shareSite, written } from './site.mjs';

const { homepage } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The lowest place at which the first block of code may begin, in CSS pixels from the top. */
const FIRST_CODE_PX = 400;

/** The lowest place on the page of a class where `has()` may first be seen. */
const HAS_PX = 3000;

let page;
const shared = shareSite(async () => {
  page = await shared.browser.newPage({ viewport: { width: 1280, height: 800 } });
});

const open = (path) => openPage(page, shared.site.url + path);

/** The two beginnings: how to open each, and what holds its text. */
const beginnings = {
  README: { open: () => page.setContent(renderReadme()), body: 'article' },
  home: { open: () => open(''), body: '.vp-doc' },
};

/** The words of five letters or more, without the s of a plural. */
const wordsOf = (text) =>
  (text.toLowerCase().match(/[a-z]{5,}/g) ?? []).map((word) => word.replace(/s$/, ''));

for (const [name, beginning] of Object.entries(beginnings)) {
  test(`${name}: the first code begins above ${FIRST_CODE_PX} px`, async () => {
    await beginning.open();
    const code = page.locator(`${beginning.body} :is(.vp-code-group, pre)`);
    const { y } = await code.first().boundingBox();
    assert.ok(y > 0 && y < FIRST_CODE_PX, `${y} px`);
  });

  test(`${name}: the first paragraph names a use, to which a link leads`, async () => {
    await beginning.open();
    const paragraphs = page.locator(`${beginning.body} p`);
    const first = wordsOf(await paragraphs.first().textContent());
    const uses = await page
      .locator(`${beginning.body} p a[href*="recipes/"], ${beginning.body} p a[href*="guide/urls"]`)
      .allTextContents();
    const named = uses.filter((use) => wordsOf(use).every((word) => first.includes(word)));
    assert.ok(named.length >= 1, `of ${uses.join(', ')}: ${named.join(', ')}`);
  });

  test(`${name}: it fits a phone`, async () => {
    await beginning.open();
    await page.setViewportSize({ width: 390, height: 844 });
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    await settles(async () => assert.equal(await width(), 390));
    await page.setViewportSize({ width: 1280, height: 800 });
  });
}

/** Where the parts of the home page begin, in CSS pixels from the top. */
const beginningsOf = (selectors) =>
  page
    .locator('.vp-doc')
    .evaluate(
      (doc, all) =>
        all.map((one) => doc.querySelector(one)?.getBoundingClientRect().top ?? Number.NaN),
      selectors,
    );

test("home has README's order: a sentence, buttons, code, uses, a table; then the recipes", async () => {
  await beginnings.home.open();
  const order = await beginningsOf([
    'h1 + p',
    'a[href$="guide/start.html"]',
    '.language-sh',
    '.language-ts',
    'a[href*="recipes/"]',
    'table',
    '#recipes',
  ]);
  assert.ok(!order.includes(Number.NaN), order.join(', '));
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
  const buttons = await page.locator('.vp-doc h1 + p + p > a').allTextContents();
  assert.deepEqual(buttons, ['Get started', 'Try it', 'Repository']);
});

test('the figure of a false positive is beside the code, and shows one', async () => {
  await beginnings.home.open();
  const figure = page.locator('tamis-figure');
  const [box, code] = [
    await figure.boundingBox(),
    await page.locator('.language-ts').boundingBox(),
  ];
  assert.ok(box.x > code.x + code.width && box.y < code.y, `${box.x} ${box.y}`);
  assert.ok(box.y + box.height <= 800, `${box.y + box.height} px`);
  assert.match(await figure.locator('.answer').textContent(), /^Ruth .* a false positive\.$/);
});

test('on a phone, the code and bits of the figure are in the first view', async (t) => {
  t.after(() => page.setViewportSize({ width: 1280, height: 800 }));
  await page.setViewportSize({ width: 390, height: 844 });
  await beginnings.home.open();
  const [code] = await beginningsOf(['.language-ts']);
  const bit = await page.locator('tamis-figure svg rect').nth(3).boundingBox();
  assert.ok(code < bit.y && bit.y + bit.height < 844, `${code} ${bit.y}`);
});

test('each way to install has a tab, which the keyboard opens', async () => {
  await beginnings.home.open();
  const tabs = page.getByRole('radiogroup').getByRole('radio');
  const shown = page.locator('.vp-code-group pre:visible');
  await tabs.first().focus();
  for (const command of ['npm install tamis', 'pnpm add tamis', 'bun add tamis', 'cdn/bloom.js']) {
    assert.ok((await shown.textContent()).includes(command), command);
    await page.keyboard.press('ArrowRight');
  }
});

const hrefsOf = (body) =>
  page.locator(`${body} a`).evaluateAll((links) => links.map((link) => link.getAttribute('href')));

test('README leads to the demo and to the site', async () => {
  await beginnings.README.open();
  const hrefs = await hrefsOf('article');
  assert.ok(hrefs.includes(homepage) && hrefs.includes(`${homepage}demo/`), hrefs.join(', '));
});

test('every recipe is one click from home', async () => {
  await beginnings.home.open();
  const hrefs = await hrefsOf('.vp-doc');
  const recipes = written.filter((path) => path.startsWith('recipes/'));
  assert.ok(recipes.length > 10);
  assert.deepEqual(
    recipes.filter((path) => !hrefs.some((href) => href.endsWith(path))),
    [],
  );
});

test('the demo is one click from home, and it opens', async () => {
  await beginnings.home.open();
  const button = page.locator('.vp-doc').getByRole('link', { name: 'Try it' });
  assert.equal(await button.getAttribute('target'), '_self');
  const address = await button.evaluate((link) => link.href);
  assert.equal(address, `${shared.site.url}demo/`);
  const [response] = await Promise.all([page.waitForResponse(address), button.click()]);
  assert.equal(response.status(), 200);
  await page.locator('h1').first().waitFor();
});

test(`has() stands above ${HAS_PX} px on the page of a class`, async () => {
  for (const name of ['BloomFilter', 'CuckooFilter', 'RibbonFilter']) {
    await open(`api/tamis/classes/${name}.html`);
    const { y } = await page
      .locator('.vp-doc')
      .getByText('has()', { exact: true })
      .first()
      .boundingBox();
    assert.ok(y > 0 && y < HAS_PX, `${name}: ${y} px`);
  }
});
