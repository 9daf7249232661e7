// The chooser against suggestFilter, and the calculator against the package's formulas and every sizeFor.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as tamis from 'tamis';
import { classesOf } from '../../tests/js/support/all-classes.mjs';
import { figures, openDemo, openSection, shareDemo } from './demo-page.mjs';

const integer = new Intl.NumberFormat('en').format;
const root = fileURLToPath(new URL('../..', import.meta.url));

const shared = shareDemo();

async function open(t, name, filled, hash = '', options = {}) {
  const opened = await openDemo(t, shared, {
    hash,
    reducedMotion: 'reduce',
    ...options,
  });
  await openSection(opened.page, name, filled);
  return opened;
}

const openChooser = (t, options) =>
  open(t, 'chooser', '#chooser-answer[data-state=found]', '', options);
const openCalculator = (t, search, options) =>
  open(t, 'calculator', '#calculator-sizes tr', search, options);

/** What each class says of so many keys at a rate, by the assumptions that the page states. */
const sizes = {
  ...Object.fromEntries(
    classesOf(tamis).map((Class) => [Class.name, (needs) => Class.sizeFor(needs)]),
  ),
  ExactFilter: ({ capacity, fpr }) =>
    tamis.ExactFilter.sizeFor({ capacity, excluded: capacity, fpr }),
  BloomierMap({ capacity, fpr }) {
    let checkBits = 0;
    while (2 ** -checkBits > fpr) checkBits++;
    return tamis.BloomierMap.sizeFor({ capacity, valueBits: 8, checkBits });
  },
  InvertibleBloomTable: ({ capacity }) =>
    tamis.InvertibleBloomTable.sizeFor({ differences: capacity, keyBytes: 16 }),
  BitArray: ({ capacity }) => tamis.BitArray.sizeFor(capacity),
};

/** Whole numbers below 2^32 that look random, the same in every run. */
function* random(seed) {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state;
  }
}

/** 200 inputs: a text for the keys and one for the rate, and what they mean. */
function inputs() {
  const numbers = random(20261123);
  const next = () => numbers.next().value / 2 ** 32;
  return Array.from({ length: 200 }, (_, i) => {
    const capacity = Math.max(1, Math.round(10 ** (7.5 * next())));
    const n = [String(capacity), integer(capacity), `${capacity}e0`][i % 3];
    const one = Math.round(10 ** (0.5 + 6 * next()));
    const share = Number((10 ** (-5 + 4.4 * next())).toPrecision(3));
    const rates = [
      [`1 in ${integer(one)}`, 1 / one],
      [`${100 * share} %`, (100 * share) / 100],
      [share.toExponential(), share],
    ];
    const [p, fpr] = rates[i % rates.length];
    return { n, p, needs: { capacity, fpr } };
  });
}

test('200 inputs give the four of a Bloom filter, and the bytes of every class', async (t) => {
  const { page } = await openCalculator(t, '');
  const cases = inputs();
  const shown = await page.evaluate((cases) => {
    const field = (name) => document.querySelector(`#calculator-${name}`);
    return cases.map(({ n, p }) => {
      field('n').value = n;
      field('p').value = p;
      field('p').dispatchEvent(new Event('input', { bubbles: true }));
      const rows = [...document.querySelectorAll('#calculator-sizes tr')];
      const figures = [...document.querySelectorAll('#calculator-figures dd')];
      return {
        sizes: Object.fromEntries(rows.map(({ dataset }) => [dataset.type, dataset.bytes])),
        order: rows.map(({ dataset }) => Number(dataset.bytes ?? Infinity)),
        figures: figures.map((dd) => dd.firstChild.textContent),
      };
    });
  }, cases);
  for (const [i, { n, p, needs }] of cases.entries()) {
    const expected = Object.entries(sizes).map(([name, size]) => [name, String(size(needs))]);
    assert.deepEqual(shown[i].sizes, Object.fromEntries(expected), `${n}, ${p}`);
    assert.deepEqual(
      shown[i].order,
      shown[i].order.toSorted((a, b) => a - b),
    );
    const { bits, hashes, fpr } = tamis.bloomSizing(needs);
    assert.deepEqual(
      shown[i].figures.slice(0, 4),
      [
        integer(needs.capacity),
        `${(100 * fpr).toPrecision(3)} %`,
        `${integer(bits)} bits`,
        `${hashes}`,
      ],
      `${n}, ${p}`,
    );
  }
});

test('any of the four is computed from the others', async (t) => {
  const { page } = await openCalculator(t, '');
  const compute = async (given) => {
    for (const name of ['n', 'p', 'm', 'k']) {
      await page.fill(`#calculator-${name}`, given[name] ?? '');
    }
    const note = await page.textContent('#calculator-note');
    const rows = await figures(page, 'calculator-figures');
    const number = (text) => Number(text?.replaceAll(/[^\d.e-]/g, ''));
    const [n, p, m, k] = ['Keys (n)', 'False positives (p)', 'Memory (m)', 'Hashes (k)'].map(
      (label) => number(rows[label]),
    );
    return { n, p: p / 100, m, k, note };
  };
  const rate = ({ n, m, k }) => tamis.bloomRate({ bits: m, hashes: k, count: n });

  const megabyte = await compute({ p: '1 %', m: '1 MB' });
  assert.equal(megabyte.m, 8_000_000);
  assert.ok(tamis.bloomSizing({ bits: 8e6, capacity: megabyte.n }).fpr <= 0.01);
  assert.ok(tamis.bloomSizing({ bits: 8e6, capacity: megabyte.n + 1 }).fpr > 0.01);

  const two = await compute({ n: '10k', p: '0.01', k: '2' });
  assert.ok(rate(two) <= 0.01 && rate({ ...two, m: two.m - 1 }) > 0.01);

  const fixed = await compute({ p: '1e-3', m: '8 KiB', k: '3' });
  assert.equal(fixed.m, 65_536);
  assert.ok(rate(fixed) <= 1e-3 && rate({ ...fixed, n: fixed.n + 1 }) > 1e-3);

  const best = await compute({ n: '1 million', m: '10 Mbit' });
  assert.equal(best.k, tamis.bloomSizing({ bits: 1e7, capacity: 1e6 }).hashes);
  const few = await compute({ n: '1000', m: '20,000 bits', p: '1 in 1000' });
  assert.ok(rate(few) <= 1e-3 && rate({ ...few, k: few.k - 1 }) > 1e-3);
  const fromRate = await compute({ n: '1000', m: '2000', k: '4' });
  assert.equal(fromRate.p.toPrecision(3), rate({ n: 1000, m: 2000, k: 4 }).toPrecision(3));
  assert.match(
    (await compute({ n: '10', p: '0.5', m: '9', k: '1' })).note,
    /^Your rate is not kept/,
  );

  for (const [given, words] of [
    [{ n: 'many' }, /^Write keys as a whole number/],
    [{ n: '10', p: '2' }, /^Write a rate between 0 and 1/],
    [{ n: '10', m: '8 QB' }, /^Write a size/],
    [{ n: '10', k: '65' }, /^Write hashes/],
    [{ p: '1 %', k: '3' }, /^Give two of the four/],
    [{ n: '1e6', m: '1 kB', p: '1 %' }, /^No number of hashes reaches this rate/],
    [{}, /^Give two of the four/],
  ]) {
    assert.match((await compute(given)).note, words);
    assert.equal(await page.locator('#calculator-sizes tr').count(), 0);
  }
  await compute({ n: 'many', p: '1 %' });
  assert.equal(await page.getAttribute('#calculator-n', 'aria-invalid'), 'true');
  assert.equal(await page.getAttribute('#calculator-p', 'aria-invalid'), null);
});

test('the query string carries what was typed', async (t) => {
  const { page, context } = await openCalculator(t, '?n=2e6&p=1+in+500&other=1');
  assert.equal(await page.inputValue('#calculator-n'), '2e6');
  assert.equal(await page.inputValue('#calculator-p'), '1 in 500');
  assert.equal((await figures(page, 'calculator-figures'))['Keys (n)'], '2,000,000');
  await page.fill('#calculator-m', '4 MB');
  await page.waitForFunction(() => location.search.includes('m=4+MB'));
  assert.match(page.url(), /[?&]other=1/);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.click('#calculator-link');
  await page.waitForSelector('#calculator-link:text("Copied")');
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(link.endsWith('#calculator'), link);
  const copy = await openCalculator(t, new URL(link).search);
  assert.equal(await copy.page.inputValue('#calculator-m'), '4 MB');
  await copy.page.click('#calculator-clear');
  await copy.page.waitForFunction(() => location.search === '?other=1');
});

test('five answers give what suggestFilter gives, with a program and a page', async (t) => {
  const { page } = await openChooser(t);
  const choose = async (fields) => {
    for (const [name, value] of Object.entries(fields)) {
      // What is exact has no rate, and no field for it.
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
    assert.ok(file?.includes(type) || file === 'docs/guide/choose.md', link);
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

test('by keyboard alone: a question is answered, and a size calculated', async (t) => {
  const { page } = await openChooser(t);
  await page.focus('#chooser-form [name=change][value=fixed]');
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.textContent('#chooser-name'), 'BloomFilter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.textContent('#chooser-name'), 'CuckooFilter');
  await page.focus('#calculator-n');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('1e6');
  await page.waitForFunction(() =>
    document.querySelector('#calculator-figures dd')?.textContent.startsWith('1,000,000'),
  );
});

test('a phone of 320 pixels has room for every answer and every size', async (t) => {
  const viewport = { width: 320, height: 640 };
  const { page } = await openCalculator(t, '', { viewport });
  for (const n of ['1', '9007199254740991', 'x'.repeat(200)]) {
    await page.fill('#calculator-n', n);
    await page.fill('#chooser-keys', n);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
  }
});
