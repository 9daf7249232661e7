// Tests the demo's structures of a fixed list against the same ones built in Node.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import * as tamis from 'tamis';
import { press } from '../../tests/e2e/browser.mjs';
import { classesOf } from '../../tests/js/support/all-classes.mjs';
import {
  figures,
  integer,
  openDemo,
  openSection,
  outputOf,
  says,
  shareDemo,
  tabTo,
} from './demo-page.mjs';

const require = createRequire(import.meta.url);
const { blacklist, fuzzylist, whitelist } = require('eth-phishing-detect/src/config.json');
const hosts = [...new Set(blacklist)];
const legitimate = [...new Set([...fuzzylist, ...whitelist])].filter(
  (host) => !hosts.includes(host),
);

const fpr = 0.01;
/** Builders of each type in Node, from a list and from keys to exclude, as the page builds them. */
const types = {
  ribbon: (keys) => tamis.RibbonFilter.from(keys, { fpr }),
  'binary-fuse': (keys) => tamis.BinaryFuseFilter.from(keys, { fpr }),
  exact: (include, exclude) => tamis.ExactFilter.from({ include, exclude }, { fpr }),
  bloomier(keys) {
    const entries = keys.map((key) => [key, key.length]);
    const most = Math.max(...keys.map((key) => key.length));
    const valueBits = Math.floor(Math.log2(most)) + 1;
    return tamis.BloomierMap.from(entries, { valueBits, checkBits: 7 });
  },
};

/** The types to which keys are added, for the comparison. */
const changing = classesOf(tamis).filter(({ prototype }) => 'addMany' in prototype);

const shared = shareDemo();

/** Opens the page, and waits for the sample that it builds by itself. */
async function open(t, options) {
  const { page } = await openDemo(t, shared, options);
  await openSection(page, 'once', '#once-types input');
  await compared(page, 5000);
  return page;
}

/** Waits for the comparison of a list with this number of keys. The comparison comes last. */
async function compared(page, count) {
  const words = `${integer(count)} keys,`;
  await page.waitForFunction(
    (start) =>
      document.querySelector('#sizes-note-all').textContent.startsWith(start) &&
      document.querySelector('#once-note').textContent !== 'Building ...',
    words,
  );
}

const note = (page) => page.textContent('#once-note');

async function rebuild(page, start) {
  await page.click('#once-build');
  await says(page, 'once-note', start);
}

async function ask(page, key) {
  await page.fill('#once-key', key);
  return page.textContent('#once-answer');
}

const sizeRows = (page) =>
  page.$$eval('#once-sizes tr', (rows) =>
    rows.map((row) => ({
      name: row.cells[0].firstChild.textContent,
      bytes: Number(row.cells[1].textContent.replaceAll(',', '')),
      bar: row.querySelector('.bar')?.getBoundingClientRect().width,
      isChosen: row.className === 'chosen',
    })),
  );

for (const [type, make] of Object.entries(types)) {
  test(`${type}: of the phishing hosts, the bytes that Node gives`, async (t) => {
    const page = await open(t);
    await page.check(`#once-types input[value=${type}]`);
    await page.click('#once-phishing');
    await compared(page, hosts.length);
    const mine = make(hosts, legitimate);
    const { Keys: keys, Bytes: bytes } = await figures(page, 'once-figures');
    assert.deepEqual([keys, bytes], [integer(hosts.length), integer(mine.toBytes().length)]);
    assert.match(await note(page), /It missed 0 of its keys\./);
    assert.equal(await page.isVisible('#once-others'), type === 'exact');
    if (type === 'exact') {
      assert.ok(
        (await note(page)).endsWith(` 0 of ${integer(legitimate.length)} excluded are positive.`),
      );
    }

    const words = {
      bloomier: [/^\S+: \d+, unless it is not in the map/, /: certainly not in the map\.$/],
      exact: [/: included, unless it is on neither list\.$/, /: certainly not included\.$/],
    };
    const [yes, no] = words[type] ?? [
      /: probably on the list\.$/,
      /: certainly not on the list\.$/,
    ];
    let absent = 0;
    for (const host of [...hosts.slice(0, 20), ...legitimate.slice(0, 40)]) {
      assert.match(await ask(page, host), mine.has(host) ? yes : no, host);
      absent += mine.has(host) ? 0 : 1;
    }
    assert.ok(absent > 20);

    const snippet = await page.textContent('#once-snippet');
    assert.equal(await outputOf(snippet, 'console.log(there.type)'), type);
  });
}

test('the comparison has the bytes of every type, the smallest first', async (t) => {
  const page = await open(t);
  await page.click('#once-phishing');
  await compared(page, hosts.length);
  const rows = await sizeRows(page);
  const sizes = Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes]));
  const expected = Object.fromEntries(
    Object.values(types).map((make) => {
      const built = make(hosts, legitimate);
      return [built.constructor.name, built.toBytes().length];
    }),
  );
  for (const Type of changing) {
    const filter = new Type({ capacity: hosts.length, fpr });
    filter.addMany(hosts);
    expected[Type.name] = filter.toBytes().length;
  }
  expected['The list as text'] = Buffer.byteLength(`${hosts.join('\n')}\n`);
  expected['The list gzipped'] = sizes['The list gzipped'];
  assert.ok(sizes['The list gzipped'] < expected['The list as text'] / 2);
  assert.deepEqual(sizes, expected);

  const bytes = rows.map((row) => row.bytes);
  assert.deepEqual(
    bytes,
    bytes.toSorted((a, b) => a - b),
  );
  const bars = rows.filter(({ bar }) => bar !== undefined);
  assert.equal(bars.length, rows.length - 2);
  const scale = bars.at(-1).bar / bars.at(-1).bytes;
  for (const { name, bytes: size, bar } of bars) assert.ok(Math.abs(bar - scale * size) < 1, name);
  assert.deepEqual(
    rows.filter(({ isChosen }) => isChosen).map(({ name }) => name),
    ['RibbonFilter'],
  );
});

test('what is typed counts from the rebuild on', async (t) => {
  const page = await open(t);
  await page.fill('#once-list', '  alice \r\n\nbob\nbob\n');
  assert.equal(await note(page), 'The list was changed, and the filter was not. Rebuild it.');
  assert.equal(await ask(page, 'alice'), 'alice: certainly not on the list.');
  assert.equal((await figures(page, 'once-figures')).Keys, '5,000');
  await rebuild(page, 'Built from 2 keys');
  assert.equal(await ask(page, 'alice'), 'alice: probably on the list.');
  assert.equal((await figures(page, 'once-figures')).Keys, '2');

  await page.fill('#once-list', '');
  await rebuild(page, 'Built from 0 keys');
  assert.equal(await ask(page, 'alice'), 'alice: certainly not on the list.');
  await page.click('#once-names');
  await compared(page, 2);
  assert.equal(await ask(page, 'bob'), 'bob: probably on the list.');
});

test('a lower rate costs bytes, and is kept', async (t) => {
  const page = await open(t);
  await page.selectOption('#once-fpr', '0.001');
  await says(page, 'once-snippet', 'fpr: 0.001');
  await page.waitForFunction(() =>
    [...document.querySelectorAll('#once-figures dd')].some((dd) => dd.textContent === '0.0977 %'),
  );
  const keys = (await page.inputValue('#once-list')).split('\n');
  const mine = tamis.RibbonFilter.from(keys, { fpr: 0.001 });
  assert.equal((await figures(page, 'once-figures')).Bytes, integer(mine.toBytes().length));
});

test('lists that contradict are counted, and nothing is left to look up in', async (t) => {
  const page = await open(t);
  await page.check('#once-types input[value=exact]');
  await compared(page, 5000);
  await page.fill('#once-list', 'alice\nbob\ncarol');
  await page.fill('#once-others', 'bob\ncarol\ndave');
  await rebuild(page, 'Not built. 2 keys on both lists');
  assert.equal(await page.textContent('#once-answer'), 'There is nothing to look up in.');
  await compared(page, 3);
  assert.ok(!(await sizeRows(page)).some(({ name }) => name === 'ExactFilter'));
  await page.fill('#once-others', 'dave');
  await rebuild(page, 'Built from 3 keys');
  assert.equal(await ask(page, 'dave'), 'dave: certainly not included.');

  await page.check('#once-types input[value=bloomier]');
  await page.fill('#once-list', 'alice 7\nbob\nalice 8');
  await rebuild(page, 'Not built. One key with two values');
  await page.fill('#once-list', 'alice 7\nbob\nalice 7\ncarol king 300');
  await rebuild(page, 'Built from 3 keys');
  assert.match(await ask(page, 'alice'), /^alice: 7,/);
  assert.match(await ask(page, 'bob'), /^bob: 3,/);
  assert.match(await ask(page, 'carol king'), /^carol king: 300,/);
});

test('by keyboard alone: a type is chosen, a list typed, rebuilt and asked', async (t) => {
  const page = await open(t);
  await page.focus('#once-types input[value=ribbon]');
  await press(page, 'ArrowRight');
  assert.equal(await page.isChecked('#once-types input[value=binary-fuse]'), true);
  await tabTo(page, 'once-list', 6);
  await press(page, 'Control+A');
  await page.keyboard.type('alice');
  await tabTo(page, 'once-build', 6);
  await press(page, 'Enter');
  await says(page, 'once-note', 'Built from 1 key ');
  await tabTo(page, 'once-key', 6);
  await press(page, 'Control+A');
  await page.keyboard.type('alice');
  await page.waitForSelector('#once-answer:text-is("alice: probably on the list.")');
});
