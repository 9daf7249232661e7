import assert from 'node:assert/strict';
import { test } from 'node:test';
import { press } from '../../../tests/e2e/browser.mjs';
import { settles } from '../../../tests/e2e/patience.mjs';
import { figureOf, openFigures } from './figure-page.mjs';

const typesOf = (page) =>
  page.locator('tamis-figure').evaluateAll((all) => all.map((each) => each.getAttribute('type')));

test('a figure is fetched when it comes into view, and not before', async (t) => {
  const page = await openFigures(t);
  const types = await typesOf(page);
  await figureOf(page, types[0]).ready();
  const last = page.locator(`tamis-figure[type="${types.at(-1)}"]`);
  assert.equal(await last.locator('.figure').count(), 0);
  await figureOf(page, types.at(-1)).ready();
  assert.equal(await last.locator('.figure').count(), 1);
});

test('the keyboard alone steps, scrubs, types and picks', async (t) => {
  const page = await openFigures(t);
  const figure = figureOf(page, 'bloom');
  await figure.ready();
  const pressOn = async (selector, ...keys) => {
    await figure.find(selector).focus();
    for (const key of keys) await press(page, key);
  };
  const count = Number((await figure.place()).split(' of ')[1]);
  await pressOn('.scrubber', 'End');
  assert.equal(await figure.place(), `${count} of ${count}`);
  await pressOn('.scrubber', 'Home');
  await pressOn('.step', 'Enter');
  assert.equal(await figure.place(), `2 of ${count}`);
  await pressOn('input[name=name]', 'Control+A', 'b', 'o', 'b', 'Enter');
  await settles(async () => assert.match(await figure.answer(), /^bob /));
  await pressOn('button[data-name=view][value=fill]', 'Enter');
  assert.match(await figure.caption(), /names in\./);
});

test('the drawing has the width that the figure has after a resize', async (t) => {
  const page = await openFigures(t);
  const figure = figureOf(page, 'bloom');
  await figure.ready();
  await page.setViewportSize({ width: 400, height: 900 });
  await page.waitForFunction(() => {
    const root = document.querySelector('tamis-figure').shadowRoot;
    const { clientWidth } = root.querySelector('.picture');
    return root.querySelector('svg').getAttribute('width') === String(clientWidth);
  });
});
