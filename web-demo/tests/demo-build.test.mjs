// The filters that the demo builds: overfilled, as a link and a program, and changed by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as tamis from 'tamis';
import { press } from '../../tests/e2e/browser.mjs';
import { classesOf } from '../../tests/js/support/all-classes.mjs';
import {
  ask,
  built,
  canvasColors,
  copied,
  figures,
  integer,
  openDemo,
  openLab,
  outputOf,
  palette,
  shareDemo,
  tabTo,
} from './demo-page.mjs';

/** The option of each type, with a value for a link to set, and the figure that is particular to the type. */
const particulars = {
  'counting-bloom': { option: ['counterBits', 8] },
  'tombstone-bloom': { shown: 'False negatives' },
  'deletable-bloom': { shown: 'Deletable now' },
  'scalable-bloom': { option: ['growth', 4], shown: 'Layers' },
  'rotating-bloom': { option: ['generations', 3], shown: 'Periods remembered' },
  cuckoo: { option: ['bucketSize', 2], shown: 'Places taken' },
};
/** Every class to which keys can be added. The other tests cover the first class, which the page shows at the start. */
const changing = classesOf(tamis).filter(
  (Class) => Class !== tamis.BloomFilter && 'addMany' in Class.prototype,
);

const shared = shareDemo();

async function open(t, hash, options) {
  const opened = await openDemo(t, shared, { hash, ...options });
  await openLab(opened.page);
  return opened;
}
const keys = (from, to) => Array.from({ length: to - from }, (_, i) => `key-${from + i}`);

test('the sliders build a real filter, whose measured rate is drawn', async (t) => {
  const { page } = await open(t, '#capacity=3000&fpr=0.02');
  await built(page);
  const { bits, hashes } = tamis.bloomSizing({ capacity: 3000, fpr: 0.02 });
  const shown = await figures(page, 'build-figures');
  assert.equal(shown.Bits, integer(bits));
  assert.equal(shown['Bits per look-up'], String(hashes));

  await page.click('summary');
  const rows = await page.$$eval('#points tr', (found) =>
    found.map((row) =>
      [...row.cells].map((cell) => Number.parseFloat(cell.textContent.replaceAll(',', ''))),
    ),
  );
  assert.equal(rows.length, 30);
  const mine = new tamis.BloomFilter({ capacity: 3000, fpr: 0.02 });
  const absentKeys = Array.from({ length: 500_000 }, (_, i) => `absent-${i}`);
  let added = 0;
  for (const [count, , measured, passed] of rows) {
    mine.addMany(Array.from({ length: count - added }, (_, i) => `key-${added + i}`));
    added = count;
    if (![300, 3000, 9000].includes(count)) continue;
    const hits = mine.hasMany(absentKeys).reduce((sum, hit) => sum + hit, 0);
    assert.equal(passed, hits);
    assert.ok(Math.abs(measured - (100 * hits) / absentKeys.length) < 0.06);
  }
  assert.equal(added, 9000);
  const rates = rows.map(([, , measured]) => measured);
  assert.deepEqual(
    rates,
    rates.toSorted((a, b) => a - b),
  );
  assert.ok(rates.at(-1) > 10 * rates[9], 'an overfull filter errs far more');
  assert.match(await page.textContent('#build-note'), /It missed 0 of its 9,000 keys/);
  const ink = await palette(page, 'set', 'clear');
  const { counts } = await canvasColors(page, '#chart canvas');
  assert.ok(counts[ink.set] > 300, 'the measured points');
  assert.ok(counts[ink.clear] > 300, 'the designed curve');

  await page.$eval('#fpr', (slider) => {
    slider.value = String(Math.log10(0.001));
    slider.dispatchEvent(new Event('input'));
  });
  assert.match(await page.textContent('#build-note'), /^Building/);
  await built(page);
  assert.equal(
    (await figures(page, 'build-figures')).Bits,
    integer(tamis.bloomSizing({ capacity: 3000, fpr: 0.001 }).bits),
  );
});

test('a link carries the state, and the snippet is the present settings', async (t) => {
  const { page, context } = await open(t, '#host=azukishop.live&capacity=2500&fpr=0.005');
  assert.equal(await page.inputValue('#host'), 'azukishop.live');
  assert.equal(await page.textContent('#capacity-value'), '2,500 keys');
  assert.equal(await page.textContent('#fpr-value'), '0.500 %');
  const snippet = await page.textContent('#snippet');
  assert.match(snippet, /new BloomFilter\(\{ capacity: 2500, fpr: 0\.005 \}\)/);
  const probe =
    'console.log(filter.capacity, filter.has("alice"), filter.has("carol"), bytes.length)';
  const output = await outputOf(snippet, probe);
  const length = new tamis.BloomFilter({ capacity: 2500, fpr: 0.005 }).toBytes().length;
  assert.equal(output, `2500 true false ${length}`);

  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await ask(page, 'opensea.io');
  const link = await copied(page, 'copy-link');
  assert.match(link, /[#&]host=opensea\.io&/);
  const copy = await open(t, new URL(link).hash);
  assert.equal(await copy.page.inputValue('#host'), 'opensea.io');
  assert.equal(await copy.page.textContent('#capacity-value'), '2,500 keys');

  const odd = await open(t, '#capacity=-5&fpr=NaN&type=nonsense');
  assert.equal(await odd.page.textContent('#capacity-value'), '10,000 keys');
  assert.equal(await odd.page.textContent('#fpr-value'), '1.00 %');
});

test('code and link can be copied', async (t) => {
  const { page, context } = await open(t, '');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  for (const [id, expected] of [
    ['copy-snippet', await page.textContent('#snippet')],
    ['copy-link', `${shared.server.url}#host=metamask.io&type=bloom&capacity=10000&fpr=0.01`],
  ]) {
    assert.equal(await copied(page, id), expected);
  }
});

/** True if some keys have no room. */
function isFull(act) {
  try {
    act();
    return false;
  } catch ({ code }) {
    return code === 'ERR_TAMIS_FULL';
  }
}

for (const Type of changing) {
  const { type } = Type.prototype;
  const { option, shown } = particulars[type] ?? {};
  const fills = isFull(() => new Type({ capacity: 2000 }).addMany(keys(0, 6000)));
  const [deletes, rotates] = ['delete', 'rotate'].map((name) => name in Type.prototype);
  test(`${type}: built as in Node, and changed by hand`, async (t) => {
    const chosen = option ? { [option[0]]: option[1] } : {};
    const settings = { capacity: 2000, fpr: 0.01, ...chosen };
    const hash = `#type=${type}&capacity=2000&fpr=0.01${option ? `&option=${option[1]}` : ''}`;
    const { page } = await open(t, hash);
    await built(page);
    assert.equal(await page.isChecked(`input[value=${type}]`), true);
    assert.match(await page.textContent('#type-summary'), new RegExp(`^${Type.name}: [A-Z]`));
    const memory = (await figures(page, 'build-figures')).Memory;
    const size = Type.sizeFor(settings);
    assert.ok(Math.abs(Number.parseFloat(memory) - size / 1000) < 0.06, `${memory}, ${size} bytes`);
    assert.equal(await page.isVisible('#option'), option !== undefined);

    const mine = new Type(settings);
    const absentKeys = Array.from({ length: 500_000 }, (_, i) => `absent-${i}`);
    const rows = await page.$$eval('#points tr', (found) =>
      found.map((row) => [...row.cells].map((cell) => cell.textContent.replaceAll(',', ''))),
    );
    assert.equal(rows.length < 30, fills);
    const most = Number(rows.at(-1)[0]);
    let added = 0;
    for (const [count, expected, , passed] of rows) {
      mine.addMany(keys(added, Number(count)));
      added = Number(count);
      if (added !== 2000 && added !== most) continue;
      assert.equal(expected, `${(100 * mine.estimatedFpr).toPrecision(3)} %`);
      const hits = mine.hasMany(absentKeys).reduce((sum, hit) => sum + hit, 0);
      assert.equal(Number(passed), hits);
    }
    assert.equal(most === 6000, !fills);
    const note = await page.textContent('#build-note');
    assert.ok(note.endsWith(`It missed 0 of its ${integer(most)} keys.`), note);
    if (fills) {
      assert.ok(most >= 2000, 'it has room for its capacity');
      assert.ok(note.includes(`Full at ${integer(most)} keys: it takes no more`), note);
      assert.throws(() => mine.addMany(keys(most, most + 1)), { code: 'ERR_TAMIS_FULL' });
    }
    const literal = Object.entries(settings).map(([name, value]) => `${name}: ${value}`);
    const snippet = await page.textContent('#snippet');
    assert.ok(snippet.includes(`new ${Type.name}({ ${literal.join(', ')} })`), snippet);
    const probe = 'console.log(filter.type, filter.has("alice"), bytes.length)';
    const output = await outputOf(snippet, probe);
    assert.equal(output, `${type} true ${new Type(settings).toBytes().length}`);

    assert.equal(await page.isVisible('#hand-delete'), deletes);
    assert.equal(await page.isVisible('#hand-rotate'), rotates);
    const small = new Type({ capacity: 20, fpr: 0.05, ...chosen });
    const act = async (id) => {
      await page.click(`#hand-${id}`);
      const now = await figures(page, 'hand-figures');
      assert.equal(now.Keys, String(small.count), id);
      if (shown) assert.ok(now[shown], shown);
      return page.textContent('#hand-answer');
    };
    assert.equal(await act('ask'), 'alice: certainly absent.');
    small.add('alice');
    assert.equal(await act('add'), 'alice: added; it was certainly new.');
    small.addMany(keys(1, 11));
    assert.equal(await act('fill'), 'Added key-1 to key-10.');
    assert.match(await act('ask'), /^alice: probably present/);
    if (deletes) {
      small.delete('alice');
      assert.equal(await act('delete'), 'alice: deleted.');
      assert.equal(small.has('alice'), false);
      assert.match(await act('ask'), /^alice: (certainly absent|absent, but not for certain)/);
    }
    if (fills) {
      for (let i = 0; i < 50; i++) await page.click('#hand-fill');
      const said = await page.textContent('#hand-answer');
      assert.match(said, /^key-\d+: no room: the filter is full, and nothing was changed\./);
      assert.ok(Number((await figures(page, 'hand-figures')).Keys) >= 20);
    }
    small.clear();
    assert.match(await act('clear'), new RegExp(`^An empty ${Type.name}, made for 20 keys`));
  });
}

test('counts, tombstones and periods, as the visitor meets them', async (t) => {
  const { page } = await open(t, '#type=counting-bloom&capacity=100');
  const click = async (...ids) => {
    for (const id of ids) await page.click(`#hand-${id}`);
    return page.textContent('#hand-answer');
  };
  assert.equal(await click('add', 'add', 'ask'), 'alice: probably present, 2 copies.');
  assert.equal(await click('delete', 'ask'), 'alice: probably present, one copy.');
  await page.fill('#hand-key', 'nobody');
  assert.equal(await click('delete'), 'nobody: nothing to delete: it was certainly absent.');
  await page.fill('#hand-key', '');
  assert.equal(await click('add'), 'Type a key first.');

  await page.fill('#hand-key', 'alice');
  await page.check('input[value=tombstone-bloom]');
  assert.match(await page.textContent('#hand-answer'), /^An empty TombstoneBloomFilter/);
  const refused = await click('add', 'delete', 'add');
  assert.match(refused, /^alice: it was deleted, or looks as if it were, and cannot come back/);

  await page.check('input[value=deletable-bloom]');
  const both = await click('add', 'add', 'delete');
  assert.match(both, /^alice: not deletable: other keys may share every one of its regions/);

  await page.check('input[value=rotating-bloom]');
  await click('add', 'rotate');
  assert.equal(await click('ask'), 'alice: probably present.');
  assert.equal(await click('rotate'), 'A new period: the oldest is forgotten.');
  assert.equal(await click('ask'), 'alice: certainly absent.');

  await page.check('input[value=scalable-bloom]');
  const layers = async () => Number((await figures(page, 'hand-figures')).Layers);
  assert.equal(await layers(), 1);
  await click('fill', 'fill', 'fill', 'fill', 'fill');
  assert.ok((await layers()) > 1);
});

test('the option is part of a link, and starts over by hand', async (t) => {
  const { page, context } = await open(t, '#type=scalable-bloom&capacity=100&option=4');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  assert.equal(await page.inputValue('#option'), '4');
  await page.click('#hand-add');
  await page.selectOption('#option', '8');
  assert.match(await page.textContent('#hand-answer'), /^An empty ScalableBloomFilter/);
  assert.match(await page.textContent('#snippet'), /growth: 8 \}/);
  assert.match(await copied(page, 'copy-link'), /&option=8$/);
  await page.check('input[value=bloom]');
  await page.waitForSelector('text="Copy link"');
  assert.doesNotMatch(await copied(page, 'copy-link'), /option/);
  const odd = await open(t, '#type=scalable-bloom&option=99');
  assert.equal(await odd.page.inputValue('#option'), '2');
});

test('by keyboard alone: a type is chosen, a key added, asked and taken out', async (t) => {
  const { page } = await open(t, '#type=bloom&capacity=100');
  await page.focus('input[value=bloom]');
  await press(page, 'ArrowRight');
  await press(page, 'ArrowRight');
  assert.equal(await page.isChecked('input[value=counting-bloom]'), true);
  await page.focus('#hand-key');
  await press(page, 'Control+A');
  await page.keyboard.type('bob');
  await press(page, 'Enter');
  assert.equal(await page.textContent('#hand-answer'), 'bob: certainly absent.');
  await tabTo(page, 'hand-add', 6);
  await press(page, 'Enter');
  assert.match(await page.textContent('#hand-answer'), /^bob: added/);
  await tabTo(page, 'hand-delete', 6);
  await press(page, 'Space');
  assert.equal(await page.textContent('#hand-answer'), 'bob: deleted.');
});
