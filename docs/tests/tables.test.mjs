// Every page of the site but the demo, at the widths of a laptop and a phone. No table is cut without a sign, and no page
// scrolls sideways. Pages follow one another by links, which takes a fifth of the time of loading each.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage, pages, shareSite } from './site.mjs';

/** The heights of the pages by their widths, in CSS pixels. */
const sizes = { 1280: 800, 390: 844 };

/** A page with a table that no width fits. */
const WIDE = 'format.html';

/** The findings, by width. */
const found = new Map();

const shared = shareSite(async () => {
  await Promise.all(Object.keys(sizes).map(async (width) => found.set(width, await walk(width))));
});

/** Opens every page at a width: how many tables there are, and what is wrong. */
async function walk(width) {
  const page = await shared.browser.newPage({
    viewport: { width: Number(width), height: sizes[width] },
  });
  await openPage(page, shared.site.url);
  const sum = { tables: 0, cut: [], unsigned: [], wide: [] };
  for (const path of pages.filter((name) => !name.startsWith('demo/'))) {
    const { tables, cut, unsigned, isWide } = await page.evaluate(look, path);
    sum.tables += tables;
    if (cut > 0) sum.cut.push(path);
    sum.unsigned.push(...unsigned.map((name) => `${path}: ${name}`));
    if (isWide) sum.wide.push(path);
  }
  await page.close();
  return sum;
}

/** Goes to a page by a link, and looks at its tables; runs in the page. */
async function look(path) {
  const address = `/${path.replace(/(^|\/)index\.html$/, '$1')}`;
  const link = Object.assign(document.createElement('a'), { href: address });
  document.body.append(link);
  link.click();
  link.remove();
  // VitePress names the text of a page so.
  const name = address.replace(/[./]+/g, '_').replace(/_html$/, '');
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  while (!document.querySelector('.vp-doc')?.classList.contains(name)) await frame();
  // Boxes are measured before the second frame.
  await frame();
  await frame();

  const { documentElement: root } = document;
  const boxOf = (element) =>
    element === null || /auto|scroll|hidden/.test(getComputedStyle(element).overflowX)
      ? element
      : boxOf(element.parentElement);
  const isSigned = (box) => {
    const shadow = getComputedStyle(box.parentElement, '::after');
    return (
      box.tabIndex === 0 &&
      box.localName === 'section' &&
      Boolean(box.ariaLabel) &&
      shadow.opacity === '1' &&
      parseFloat(shadow.borderRightWidth) >= 2
    );
  };
  const tables = [...document.querySelectorAll('.vp-doc table')].filter((table) =>
    table.checkVisibility(),
  );
  const cut = tables
    .map((table) => boxOf(table.parentElement) ?? root)
    .filter((box) => box.scrollWidth > box.clientWidth + 1);
  return {
    tables: tables.length,
    cut: cut.length,
    unsigned: cut.filter((box) => !isSigned(box)).map((box) => box.ariaLabel ?? box.className),
    isWide: root.scrollWidth > root.clientWidth,
  };
}

for (const width of Object.keys(sizes)) {
  test(`no table is cut without a sign at ${width} px`, () => {
    const { tables, cut, unsigned } = found.get(width);
    assert.ok(tables > 300, `${tables} tables`);
    assert.ok(cut.length > 0, 'no table is cut, so that nothing was tested');
    assert.deepEqual(unsigned, []);
  });

  test(`no page scrolls sideways at ${width} px`, () => {
    assert.deepEqual(found.get(width).wide, []);
  });
}

test('no guide, filter or recipe has a table that is cut at 1280 px', () => {
  const cut = found.get('1280').cut.filter((path) => /^(guide|filters|recipes)\//.test(path));
  assert.deepEqual(cut, []);
});

/** Whether the signs on the left and on the right of a table are seen; runs in the page. */
const signsOf = (frame) =>
  ['::before', '::after'].map((side) => getComputedStyle(frame, side).opacity === '1');

test('the keyboard scrolls a table, and the sign follows, also under forced colours', async () => {
  for (const forcedColors of ['none', 'active']) {
    const page = await shared.browser.newPage({
      viewport: { width: 390, height: 844 },
      forcedColors,
    });
    await openPage(page, shared.site.url + WIDE);
    const frame = await page.waitForSelector('.table.more-end');
    assert.deepEqual(await frame.evaluate(signsOf), [false, true]);
    await (await frame.$('.scroll')).focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('.table.more-start');
    await frame.evaluate((element) => {
      element.firstElementChild.scrollLeft = element.firstElementChild.scrollWidth;
    });
    await page.waitForFunction((element) => !element.classList.contains('more-end'), frame);
    assert.deepEqual(await frame.evaluate(signsOf), [true, false]);
    await page.close();
  }
});
