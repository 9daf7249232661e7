// The first view of a newcomer: README, the first page of the site, and the way to the demo.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settles } from '../../tests/e2e/patience.mjs';
import { renderReadme } from './readme.mjs';
import { openPage, shareSite } from './site.mjs';

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
    const { y } = await page.locator(`${beginning.body} pre`).first().boundingBox();
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

test("home has README's order: a sentence, two buttons, code, uses, a table, the figure", async () => {
  await beginnings.home.open();
  const order = await page
    .locator('.vp-doc')
    .evaluate((doc) =>
      [
        'h1 + p',
        'a[href$="guide/start.html"]',
        'a[href$="/demo/"]',
        '.language-sh',
        '.language-ts',
        'a[href*="recipes/"]',
        'table',
        'tamis-figure',
      ].map((selector) => doc.querySelector(selector)?.getBoundingClientRect().top ?? -1),
    );
  assert.ok(!order.includes(-1), order.join(', '));
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
  const buttons = await page.locator('.vp-doc h1 + p + p > a').allTextContents();
  assert.deepEqual(buttons, ['Get started', 'Try it']);
});

/** The site's page for a link of README, or undefined. */
function pageOfReadme(href) {
  const [, path] = /\/blob\/main\/docs\/([^#]*)\.md/.exec(href) ?? [];
  return path && `${path}.html`;
}

const hrefsOf = (body) =>
  page.locator(`${body} a`).evaluateAll((links) => links.map((link) => link.getAttribute('href')));

test('the demo is two clicks from README', async () => {
  await beginnings.README.open();
  const near = (await hrefsOf('article')).map(pageOfReadme).filter((path) => path !== undefined);
  assert.ok(near.length > 20);
  // README says where.
  const label = page.locator('article a', { hasText: 'Try it' });
  const first = pageOfReadme(await label.getAttribute('href'));
  assert.ok(near.includes(first), first);
  await open(first);
  assert.ok((await hrefsOf('.vp-doc')).includes('/demo/'));
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
