// Tests the calculator against the package's formulas and every sizeFor, and tests its address.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as tamis from 'tamis';
import { holdTimers, press } from '../../tests/e2e/browser.mjs';
import { classesOf } from '../../tests/js/support/all-classes.mjs';
import {
  assertFits,
  copied,
  figures,
  focused,
  integer,
  LOOKS,
  openPage,
  shareDemo,
} from './demo-page.mjs';

const shared = shareDemo();

async function openCalculator(t, search, options) {
  const opened = await openPage(t, shared, `calculator.html${search}`, options);
  await opened.page.waitForSelector('#calculator-note:not(:text-is("\u00a0"))');
  return opened;
}

/** The texts in the fields. */
const typed = (page) =>
  page.$$eval('#calculator-form input', (inputs) => inputs.map(({ value }) => value));

/** Each class's own size for a number of keys at a rate, under the assumptions that the page states. */
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

/** 200 inputs: a text for the keys and one for the rate, and their meanings. */
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
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const link = await copied(page, 'calculator-link');
  assert.match(link, /[?&]other=1/);
  assert.equal(link, await page.evaluate(() => location.href));
  const copy = await openCalculator(t, new URL(link).search);
  assert.equal(await copy.page.inputValue('#calculator-m'), '4 MB');
  await copy.page.click('#calculator-clear');
  await copy.page.waitForFunction(() => location.search === '?other=1');
});

test('a link restores all four inputs', async (t) => {
  const given = { n: '10k', p: '1 %', m: '16 KiB', k: '5' };
  const { page } = await openCalculator(t, `?${new URLSearchParams(given)}`);
  assert.deepEqual(await typed(page), Object.values(given));
  assert.equal(await page.isVisible('#calculator-refused'), false);
  assert.equal((await figures(page, 'calculator-figures'))['Hashes (k)'], '5');
});

test('back and forward go from edit to edit', async (t) => {
  const { page } = await openCalculator(t, '?n=1000&p=1+%25');
  await holdTimers(page);
  const written = (name) =>
    page.evaluate((name) => new URLSearchParams(location.search).get(name), name);
  const edit = async (name, text) => {
    await page.focus(`#calculator-${name}`);
    await press(page, 'Control+A');
    for (const [i, letter] of [...text].entries()) {
      await press(page, letter);
      await page.clock.runFor(300);
      assert.equal(await written(name), text.slice(0, i + 1).trim());
    }
    await press(page, 'Tab');
    assert.equal(await written(name), text);
  };
  await edit('n', '2 million');
  await edit('p', '1e-4');
  const is = (values) =>
    page.waitForFunction(
      (values) =>
        [...document.querySelectorAll('#calculator-form input')]
          .map(({ value }) => value)
          .join('|') === values,
      values.join('|'),
    );
  await page.goBack();
  await is(['2 million', '1 %', '', '']);
  assert.equal((await figures(page, 'calculator-figures'))['Keys (n)'], '2,000,000');
  await page.goBack();
  await is(['1000', '1 %', '', '']);
  await page.goForward();
  await page.goForward();
  await is(['2 million', '1e-4', '', '']);
});

test('what a link has and nobody can read is refused, and said', async (t) => {
  const { page } = await openCalculator(t, '?n=many&p=1+in+500&k=65');
  const [n, ...others] = await typed(page);
  assert.match(n, /^\d+,\d+$/);
  assert.deepEqual(others, ['1 in 500', '', '']);
  assert.equal(
    await page.textContent('#calculator-refused'),
    `The link is not right. Keys: "many" cannot be read, and ${n} is in its place. ` +
      'Hashes: "65" cannot be read, and nothing is in its place.',
  );
  assert.equal((await figures(page, 'calculator-figures'))['Keys (n)'], n);
  await page.fill('#calculator-n', '5');
  assert.equal(await page.isVisible('#calculator-refused'), false);

  const long = await openCalculator(t, `?p=${'<b>'.repeat(2000)}`);
  assert.match(await long.page.textContent('#calculator-refused'), /"(<b>){13}<\.\.\."/);
});

test('by keyboard alone a size is calculated', async (t) => {
  const { page } = await openCalculator(t, '');
  await press(page, 'Tab');
  await press(page, 'Enter');
  assert.equal(await focused(page), 'calculator-n');
  await press(page, 'Control+A');
  await page.keyboard.type('1e6');
  await page.waitForFunction(() =>
    document.querySelector('#calculator-figures dd')?.textContent.startsWith('1,000,000'),
  );
});

for (const [name, options] of LOOKS) {
  test(`every size fits ${name}, and axe finds nothing wrong`, async (t) => {
    const { page } = await openCalculator(t, '?n=many', options);
    await assertFits(page);
    for (const n of ['1', '9007199254740991', 'x'.repeat(200)]) {
      await page.fill('#calculator-n', n);
      await assertFits(page);
    }
  });
}
