// Tests the chooser against suggestFilter.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import * as tamis from 'tamis';
import { press } from '../../tests/e2e/browser.mjs';
import { figures, integer, openDemo, openSection, root, shareDemo } from './demo-page.mjs';

const shared = shareDemo();

async function openChooser(t, options) {
  const opened = await openDemo(t, shared, options);
  await openSection(opened.page, 'chooser');
  return opened;
}

test('five answers give what suggestFilter gives, with a program and a page', async (t) => {
  const { page } = await openChooser(t);
  const choose = async (fields) => {
    for (const [name, value] of Object.entries(fields)) {
      // An exact class has no rate, and no field for it.
      if (name === 'rate' && fields.error === 'exact') continue;
      const radio = page.locator(`input[type=radio][name=${name}][value="${value}"]`);
      if (await radio.count()) await radio.check();
      else await page.fill(`#chooser-form [name=${name}]`, value);
    }
  };
  const fixed = { change: 'fixed', error: 'rate', rate: '1 in 100' };
  const changes = {
    change: 'changes',
    deletes: 'no',
    grows: 'no',
    error: 'rate',
    rate: '1 in 100',
  };
  for (const [fields, needs] of [
    [
      { ...fixed, keys: '13,752' },
      { capacity: 13_752, static: true, fpr: 0.01 },
    ],
    [
      { ...fixed, keys: '50' },
      { capacity: 50, static: true, fpr: 0.01 },
    ],
    [
      { ...fixed, keys: '20,000', error: 'value', 'value-bits': '5' },
      { capacity: 20_000, static: true, fpr: 0.01, values: 5 },
    ],
    [
      { ...fixed, keys: '1e5', error: 'exact', others: '1e6' },
      { capacity: 1e5, static: true, universe: 1.1e6 },
    ],
    [
      { ...changes, keys: '1e5' },
      { capacity: 1e5, fpr: 0.01 },
    ],
    [
      { ...changes, keys: '5 million', rate: '0.1 %' },
      { capacity: 5e6, fpr: 0.001 },
    ],
    [
      { ...changes, keys: '1e5', deletes: 'yes' },
      { capacity: 1e5, fpr: 0.01, deletes: true },
    ],
    [
      { ...changes, keys: '1e5', grows: 'yes' },
      { capacity: 1e5, fpr: 0.01, grows: true },
    ],
    [
      { ...changes, keys: '1e5', error: 'exact', others: '2e5' },
      { capacity: 1e5, universe: 3e5 },
    ],
    [
      { ...changes, keys: '1e5', error: 'value' },
      { capacity: 1e5, fpr: 0.01, values: 5 },
    ],
  ]) {
    await choose(fields);
    const { type, className, why, sizeBytes } = tamis.suggestFilter(needs);
    const message = JSON.stringify(fields);
    assert.equal(await page.textContent('#chooser-name'), className, message);
    assert.equal(await page.textContent('#chooser-why'), why, message);
    const { Size: size } = await figures(page, 'chooser-figures');
    assert.equal(size, `${integer(sizeBytes)} bytes`, message);
    const program = await page.textContent('#chooser-program');
    assert.ok(program.includes(className), program);
    const link = await page.getAttribute('#chooser-link', 'href');
    const [, file] = /\/(docs\/.*\.md)$/.exec(link) ?? [];
    const slug = type === 'blocked-bloom' ? 'bloom' : type;
    assert.ok([`docs/filters/${slug}.md`, 'docs/guide/choose.md'].includes(file), link);
    assert.ok(existsSync(`${root}${file}`), `${file} is a page of the documentation`);
  }
  await choose({ keys: 'lots' });
  assert.equal(await page.textContent('#chooser-name'), 'No suggestion');
  assert.match(await page.textContent('#chooser-why'), /^Write keys as a whole number/);
  assert.equal(await page.isVisible('#chooser-link'), false);
});

test("the chooser's programs run as they are", async (t) => {
  const { page } = await openChooser(t);
  const keys = Array.from({ length: 2000 }, (_, i) => `key-${i}`);
  const names = 'keys, entries, others';
  const values = [['alice', ...keys], keys.map((key, i) => [key, i % 8]), ['bob']];
  for (const [name, value] of [
    ['change', 'fixed'],
    ['error', 'value'],
    ['error', 'exact'],
    ['change', 'changes'],
    ['error', 'rate'],
    ['deletes', 'yes'],
  ]) {
    await page.check(`#chooser-form [name=${name}][value=${value}]`);
    const program = await page.textContent('#chooser-program');
    const body = program.replace(/^import \{ (.*) \} from 'tamis';$/m, 'const { $1 } = tamis;');
    assert.doesNotThrow(() => new Function('tamis', names, body)(tamis, ...values), program);
  }
});

test('by keyboard alone a question is answered, and the calculator has its numbers', async (t) => {
  const { page } = await openChooser(t);
  await page.focus('#chooser-form [name=change][value=fixed]');
  await press(page, 'ArrowDown');
  assert.equal(await page.textContent('#chooser-name'), 'BloomFilter');
  await press(page, 'Tab');
  await press(page, 'ArrowDown');
  assert.equal(await page.textContent('#chooser-name'), 'CuckooFilter');
  await page.fill('#chooser-keys', '1e6');
  await page.focus('#to-calculator');
  await page.keyboard.press('Enter');
  await page.waitForURL(/calculator\.html\?n=1e6&p=1\+in\+100$/);
  assert.equal(await page.inputValue('#calculator-n'), '1e6');
  await page.goBack();
});

test('a link to the calculator of before there was a page of it leads there', async (t) => {
  const page = await shared.browser.newPage();
  t.after(() => page.close());
  await page.goto(`${shared.server.url}?n=2e6&p=1+in+500#calculator`);
  await page.waitForURL(`${shared.server.url}calculator.html?n=2e6&p=1+in+500`);
  assert.equal(await page.inputValue('#calculator-n'), '2e6');
});
