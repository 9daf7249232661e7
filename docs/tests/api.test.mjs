// The pages of the API's classes: a table of all members first, methods before the rest, what is inherited folded.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseHTML } from 'linkedom';
import { press } from '../../tests/e2e/browser.mjs';
import { dist, openPage, pages, shareSite } from './site.mjs';

/** The lowest place of `has()` in the table, in pixels from the top of the page. */
const LOWEST = 3000;

const viewport = { width: 1280, height: 800 };

/** The number of pages that are open at once. */
const AT_ONCE = 2;

const read = (page) => readFileSync(join(dist, page), 'utf8');
const api = pages.filter((page) => page.startsWith('api/'));
/** The pages that can have members: of classes and interfaces. */
const documents = new Map(
  api
    .filter((page) => /\/(classes|interfaces)\//.test(page))
    .map((page) => [page, parseHTML(read(page)).document]),
);
/** The rows of the table of members. */
const rowsOf = (document) =>
  document.querySelector('#members ~ .table').querySelectorAll('tbody tr');
/** Every page that has members with parts of their own. */
const tabled = [...documents].filter(([, document]) => document.getElementById('members'));
const classes = tabled.filter(([page]) => page.includes('/classes/'));
const withHas = classes.filter(([, document]) => document.getElementById('has'));

const shared = shareSite();

async function open(t, path) {
  const page = await shared.browser.newPage({ viewport });
  t.after(() => page.close());
  await openPage(page, shared.site.url + path);
  return page;
}

const text = (element) => element.textContent.replaceAll('\u200B', '').trim();

/** The target of a link on a page: a heading, or the anchor in a table of properties. */
function targetOf(link, document) {
  const anchor = decodeURIComponent(link.getAttribute('href').split('#')[1]);
  const target = document.getElementById(anchor);
  assert.ok(target, `${anchor} is missing`);
  return target;
}

const titleOf = (target) => text(target.closest('td') ?? target).replace(/\?$/, '');

/** The heading of the second level above an element. */
function sectionOf(element) {
  let above = element;
  while (above && above.tagName !== 'H2') above = above.previousElementSibling;
  return above?.id;
}

test('no page names [toStringTag]', () => {
  assert.ok(api.length > 200);
  assert.deepEqual(
    api.filter((page) => read(page).includes('toStringTag')),
    [],
  );
});

test('every class has a table of its members before any of them', () => {
  const all = [...documents.keys()].filter((page) => page.includes('/classes/'));
  assert.deepEqual(
    classes.map(([page]) => page),
    all,
  );
  for (const [page, document] of tabled) {
    const parts = [...document.querySelectorAll('.vp-doc h2')].map(({ id }) => id);
    const early = parts.slice(0, parts.indexOf('members'));
    assert.deepEqual(
      early.filter((id) => !/^examples?$/.test(id)),
      [],
      page,
    );
    const first = document.querySelector('.vp-doc tbody tr');
    assert.equal(rowsOf(document)[0], first, `${page}: the first table`);
  }
});

test('each row leads to the member that it names, and methods come first', () => {
  for (const [page, document] of tabled) {
    const rows = [...rowsOf(document)];
    assert.ok(rows.length > 0, page);
    const names = rows.map((row) => {
      const link = row.querySelector('a');
      const name = text(link)
        .replace(/^new .*/, 'Constructor')
        .replace(/^[A-Z]\w*\./, '');
      assert.equal(titleOf(targetOf(link, document)), name, `${page}: ${text(link)}`);
      assert.notEqual(text(row.lastElementChild), '', page);
      return text(link);
    });
    const targets = new Set(rows.map((row) => row.querySelector('a').getAttribute('href')));
    assert.equal(targets.size, rows.length, `${page}: a row a member`);
    const isMethod = (name) => !name.startsWith('new ') && name.endsWith(')');
    assert.ok(
      !/01/.test(names.map((name) => Number(isMethod(name))).join('')),
      `${page}: ${names}`,
    );
  }
});

test('inherited members are in a closed part with a summary', () => {
  const bloom = documents.get('api/tamis/classes/BloomFilter.html');
  assert.ok(bloom.querySelector('details.inherited #has'));
  assert.equal(bloom.querySelector('details #bitat'), null);
  for (const [page, document] of tabled) {
    for (const heading of document.querySelectorAll('.vp-doc [id^="inherited-from"]')) {
      const fold = heading.closest('details.inherited');
      const isFolded = fold !== null && !fold.hasAttribute('open');
      assert.ok(isFolded || sectionOf(heading) === 'constructors', `${page}: ${heading.id}`);
    }
    const links = [...rowsOf(document)].map((row) => row.querySelector('a'));
    const folded = links.filter((link) => targetOf(link, document).closest('details.inherited'));
    const summary = document.querySelector('details.inherited > summary');
    const count = `${folded.length} inherited member${folded.length === 1 ? '' : 's'}`;
    assert.equal(summary ? text(summary) : '0 inherited members', count, page);
  }
});

test(`has() is above ${LOWEST} px on every class that has it`, async (t) => {
  assert.ok(withHas.length > 25);
  const left = withHas.map(([page]) => page);
  const places = new Map();
  const work = async () => {
    // The built page is measured, and no script moves its parts.
    const page = await shared.browser.newPage({ viewport, javaScriptEnabled: false });
    await page.route('**/*.js', (route) => route.abort());
    t.after(() => page.close());
    for (let path = left.shift(); path !== undefined; path = left.shift()) {
      await page.goto(shared.site.url + path);
      const { y } = await page.locator('.vp-doc .table a[href$="#has"]').boundingBox();
      places.set(path, Math.round(y));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  t.diagnostic(`lowest: ${Math.max(...places.values())} px`);
  assert.equal(places.size, withHas.length);
  assert.deepEqual(
    [...places].filter(([, y]) => !(y > 0 && y < LOWEST)),
    [],
  );
});

/** True if the part of `has()` is unfolded, and its place on the screen. */
const placeOfHas = (page) =>
  page.waitForFunction(() => {
    const heading = document.getElementById('has');
    const { top } = heading.getBoundingClientRect();
    return heading.checkVisibility() && top > 0 && top < innerHeight / 2;
  });

test('a link to an inherited member unfolds it', async (t) => {
  const path = 'api/tamis/classes/BloomFilter.html';
  const page = await open(t, path);
  assert.equal(await page.locator('#has').isVisible(), false);
  const row = page.locator('.vp-doc .table a[href$="#has"]');
  await row.click();
  await placeOfHas(page);
  // Folded again, the same link unfolds it again.
  await page.locator('details.inherited > summary').click();
  assert.equal(await page.locator('#has').isVisible(), false);
  await row.click();
  await placeOfHas(page);
  await placeOfHas(await open(t, `${path}#has`));
  const other = await open(t, 'api/tamis/interfaces/MutableFilter.html');
  assert.equal(await other.locator('#has').isVisible(), false);
});

test('the inherited part unfolds by keyboard', async (t) => {
  const page = await open(t, 'api/tamis/classes/BloomFilter.html');
  await page.locator('h2#inherited .header-anchor').focus();
  await press(page, 'Tab');
  const focused = await page.evaluate(() => document.activeElement.matches('.inherited > summary'));
  assert.ok(focused);
  await press(page, 'Enter');
  assert.ok(await page.locator('#has').isVisible());
});
