// The page of breached passwords. Its requests are counted at the server.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { RemoteFilter } from 'tamis/remote';
import { makePasswords } from '../../js/examples/passwords.mjs';
import { insertScript, press } from '../../tests/e2e/browser.mjs';
import { settles } from '../../tests/e2e/patience.mjs';
import { CSP } from '../serve.mjs';
import {
  assertFits,
  counts,
  figures,
  focused,
  integer,
  LOOKS,
  says,
  shareDemo,
  tabTo,
} from './demo-page.mjs';
import { ask, listenTo, newest, openPages, readPages, settled } from './pages-page.mjs';

const LISTED = 'On the list, or a false positive: 0.4 %';
const ABSENT = 'Certainly not on the list';

/** The requests for the list's files. */
const asked = [];
const shared = shareDemo({ handle: listenTo(asked) });
let list;

before(async () => {
  list = await readPages();
});

/** Opens the page. Its later requests are recorded in `asked`. */
function open(t, options) {
  asked.length = 0;
  return openPages(t, shared, options);
}

/** Switches the decoys on, for which the page opens its list again. */
async function takeDecoys(page) {
  await page.check('#decoys');
  await page.waitForFunction(() => document.querySelectorAll('#requests > li').length > 1);
}

test('a look-up is one request for a range, and none where its page is here', async (t) => {
  const { page, response, context } = await open(t);
  assert.equal(response.headers()['content-security-policy'], CSP);
  const { info, manifest, part } = list;
  assert.deepEqual(
    asked.map(({ file, range }) => [file, range]),
    [['manifest.json', null]],
  );
  const opening = await newest(page);
  assert.equal(opening.title, 'Open the list');
  assert.deepEqual(
    opening.requests.map(({ purpose, tag, status }) => [purpose, tag, status]),
    [['The manifest', 'signature verified', '200']],
  );

  const [request] = await Promise.all([
    page.waitForRequest(/[.]pages$/),
    page.click(`#picks-listed button:text-is("${info.picks.listed[0]}")`),
  ]);
  assert.equal(await settled(page), LISTED);
  assert.equal(asked.length, 2);
  const { file, range, search, headers } = asked[1];
  const [from, to] = range.match(/\d+/g).map(Number);
  assert.deepEqual([file, search, to - from + 1], [part, '', manifest.stride]);
  assert.equal(from % manifest.stride, 0);
  for (const name of ['cookie', 'referer']) assert.equal(headers[name], undefined);
  const number = from / manifest.stride + 1;
  const cold = await newest(page);
  assert.equal(cold.title, 'Look-up 1: on the list, or a false positive');
  assert.equal(cold.cost, `1 request, ${integer(manifest.stride)} bytes`);
  const [row] = cold.requests;
  assert.deepEqual(
    [row.purpose, row.tag, row.status, row.asked, Number(row.bytes)],
    [
      `Page ${number} of ${manifest.pages}`,
      'proof verified',
      '206',
      [`GET /passwords/${part}`, `Range: ${range}`],
      manifest.stride,
    ],
  );
  assert.equal((await (await request.response()).body()).length, manifest.stride);
  const { responseBodySize, responseHeadersSize } = await request.sizes();
  const received = responseBodySize + responseHeadersSize;
  assert.ok(received > manifest.stride && received <= 14_200, `${received}`);
  await page.waitForSelector('.request[data-role=wanted][data-transfer]');
  assert.ok(Number((await newest(page)).requests[0].transfer) > manifest.stride);

  // This is another password of that page.
  assert.equal(await ask(page, info.picks.neighbour), ABSENT);
  assert.equal(asked.length, 2);
  const warm = await newest(page);
  assert.deepEqual([warm.cost, warm.requests], ['0 requests: its page was here', []]);
  assert.match(await page.textContent('#verdict-cost'), /^0 requests: its page was here[.]/);
  assert.match(await page.textContent('#host-note'), /The host saw nothing of it/);

  const told = await figures(page, 'totals');
  const manifestBytes = JSON.stringify(manifest).length;
  assert.deepEqual(
    [told['Look-ups'], told.Requests, told.Bodies, told['Pages in memory']],
    ['2', '2', `${integer(manifestBytes + manifest.stride)} bytes`, `1 of ${manifest.pages}`],
  );
  assert.deepEqual(await context.cookies(), []);
});

test('the figures are those of the files, of the list as text, and of one filter', async (t) => {
  const { page } = await open(t);
  const { info, manifest, bytes } = list;
  const passwords = new Set(makePasswords(1_000_000));
  const text = [...passwords].reduce((sum, { length }) => sum + length + 1, 0);
  assert.deepEqual([manifest.keys, info.textBytes], [passwords.size, text]);
  assert.equal(bytes.length, manifest.pages * manifest.stride);
  const shown = await figures(page, 'figures');
  assert.deepEqual(
    [shown.Passwords, shown.Pages, shown['On this host']],
    [integer(passwords.size), String(manifest.pages), `${(bytes.length / 1e6).toFixed(2)} MB`],
  );
  const totals = await figures(page, 'totals');
  assert.deepEqual(
    [totals['The list as text'], totals['One filter of all']],
    [`${integer(text)} bytes`, `${integer(info.filterBytes)} bytes`],
  );
  const megabytes = (size) => `${Number((size / 1e6).toPrecision(3))} MB`;
  const note = await page.textContent('#sizes-note');
  assert.ok(note.includes(`as text: ${megabytes(text)}. One filter of all of it: `), note);
  assert.ok(note.includes(megabytes(info.filterBytes)), note);
  assert.ok(info.filterBytes > passwords.size && info.filterBytes < 1.1 * passwords.size);
});

test('no listed password is missed, and the others are answered as in Node', async (t) => {
  const { page } = await open(t);
  const filter = await RemoteFilter.open(`${shared.server.url}passwords/manifest.json`, {
    name: 'passwords',
    publicKeys: [list.info.publicKey],
  });
  t.after(() => filter.close());
  let i = 0;
  for (const password of makePasswords(1_000_000)) {
    if (i++ % 40_000 === 17) assert.equal(await ask(page, password), LISTED, password);
  }
  const { good, neighbour, unlucky } = list.info.picks;
  for (const password of [...good, neighbour, unlucky, ' 123456', 'p\u00e4ssword', '\u{1f511}']) {
    assert.equal(await ask(page, password), (await filter.has(password)) ? LISTED : ABSENT);
  }
  assert.equal(await ask(page, unlucky), LISTED);
  assert.match(
    await page.textContent('#verdict-why'),
    /This is one of them: nobody put it on the list/,
  );
  const before = asked.length;
  assert.equal(await ask(page, ''), 'Look up a password');
  await page.$eval('#password', (input) => {
    input.value = '\ud800';
    input.form.requestSubmit();
  });
  assert.equal(await settled(page), 'No answer');
  assert.match(await page.textContent('#verdict-why'), /ERR_TAMIS_INVALID_KEY/);
  assert.equal(asked.length, before);
});

test('with decoys the host sees four pages or more, and the page says which of them was wanted', async (t) => {
  const { page } = await open(t);
  await ask(page, '123456');
  const wanted = asked.at(-1).range;
  asked.length = 0;
  await page.check('#decoys');
  await counts(page, '#requests > li', 3);
  await settled(page);
  assert.equal(await ask(page, '123456'), LISTED);
  await page.waitForFunction(
    () => document.querySelector('#requests > li:first-child [data-outcome=running]') === null,
  );
  const ranges = asked.filter(({ range }) => range).map(({ range }) => range);
  // Near pages share a request, which includes the pages between them.
  const { stride, pages } = list.manifest;
  const pagesOf = (range) => {
    const [first, last] = range.match(/\d+/g).map(Number);
    return Array.from({ length: (last + 1 - first) / stride }, (_, i) => first / stride + i);
  };
  const others = ranges.flatMap(pagesOf).filter((one) => one !== pagesOf(wanted)[0]);
  assert.ok(others.length >= 3, ranges.join(' '));
  const { requests } = await newest(page);
  assert.deepEqual(requests.map(({ range }) => range).toSorted(), ranges.toSorted());
  const isWanted = (range) => pagesOf(range).includes(pagesOf(wanted)[0]);
  assert.deepEqual(
    requests.map(({ range, role, tag }) => [range, role, tag]),
    requests.map(({ range }) =>
      isWanted(range) ? [range, 'wanted', 'proof verified'] : [range, 'decoy', 'a decoy'],
    ),
  );
  assert.equal(requests.filter(({ range }) => isWanted(range)).length, 1);
  const note = await page.textContent('#host-note');
  assert.ok(note.includes(`It also saw requests for ${others.length} other pages`), note);
  assert.equal(await page.locator('#page-cells .decoy').count(), others.length);
  const last = await page.$$eval('#page-cells i', (cells) =>
    cells.findIndex((one) => one.className === 'wanted last'),
  );
  assert.equal(last, pagesOf(wanted)[0]);
  // Pages that arrived as decoys are in memory. The page counts them when something happens.
  await settles(async () => {
    await ask(page, '123456');
    assert.equal((await figures(page, 'totals'))['Pages in memory'], `4 of ${pages}`);
  });
});

test('what is typed stays out of the address, the history and every storage', async (t) => {
  const { page } = await open(t);
  const input = page.locator('#password');
  assert.equal(await input.getAttribute('autocomplete'), 'off');
  assert.equal(await input.getAttribute('name'), null);
  const state = () => page.evaluate(() => [location.href, history.length, history.state]);
  const before = await state();
  await ask(page, 'private-secret');
  assert.deepEqual(await state(), before);
  const stored = await page.evaluate(async () => [
    localStorage.length,
    sessionStorage.length,
    (await indexedDB.databases()).length,
    (await caches.keys()).length,
  ]);
  assert.deepEqual(stored, [0, 0, 0, 0]);
  assert.ok(!JSON.stringify(asked).includes('private-secret'));
  assert.ok(!(await page.textContent('#requests')).includes('private-secret'));
  await page.reload();
  await settled(page);
  assert.equal(await page.inputValue('#password'), '');
});

test('the content security policy is in force, and no other host is asked', async (t) => {
  const { page, context } = await open(t, { expected: /Content Security Policy/ });
  const hosts = new Set();
  context.on('request', (request) => hosts.add(new URL(request.url()).host));
  await page.reload();
  await settled(page);
  await ask(page, '123456');
  assert.deepEqual([...hosts].filter(Boolean), [new URL(shared.server.url).host]);
  assert.equal(await insertScript(page), 'script-src-elem');
});

test('the buttons damage and cut off what a look-up needs, and that is an error', async (t) => {
  const { page } = await open(t);
  await page.click('#damage');
  assert.equal(await ask(page, '123456'), 'No answer');
  assert.match(await page.textContent('#verdict-why'), /ERR_TAMIS_CORRUPT.*damaged a bit/);
  const { title, requests } = await newest(page);
  assert.equal(title, 'Look-up 1: no answer');
  assert.equal(requests.length, asked.length - 1);
  assert.ok(requests.length > 1 && requests.every(({ tag }) => tag === 'refused'));
  assert.equal((await figures(page, 'totals'))['Pages in memory'], `0 of ${list.manifest.pages}`);

  await page.click('#damage');
  await page.click('#offline');
  const before = asked.length;
  assert.equal(await ask(page, '123456'), 'No answer');
  assert.match(await page.textContent('#verdict-why'), /ERR_TAMIS_UNAVAILABLE.*cuts off the host/);
  assert.equal(asked.length, before);
  await page.click('#offline');
  assert.equal(await ask(page, '123456'), LISTED);
});

test('a later look-up breaks off the one that waits', async (t) => {
  const { page } = await open(t);
  let held;
  await page.route('**/*.pages', (route) => {
    held ??= route;
    if (held !== route) route.continue();
  });
  await page.fill('#password', '123456');
  await page.press('#password', 'Enter');
  await page.waitForSelector('.request[data-role=wanted]');
  assert.equal(await ask(page, list.info.picks.good[0]), ABSENT);
  assert.equal((await newest(page)).title, 'Look-up 2: certainly not on the list');
  const first = page.locator('#requests > li:nth-child(2)');
  assert.equal(await first.locator('h3').textContent(), 'Look-up 1: broken off');
  assert.equal(await first.locator('.tag').last().textContent(), 'broken off');
});

test('the keyboard alone looks up, and the answer is called out without the password', async (t) => {
  const { page } = await open(t);
  await press(page, 'Tab');
  await press(page, 'Enter');
  assert.equal(await focused(page), 'password');
  await page.keyboard.type('letmein');
  await press(page, 'Enter');
  await says(page, 'announce', LISTED);
  assert.equal(await page.getAttribute('#announce', 'role'), 'status');
  assert.ok(!(await page.textContent('#announce')).includes('letmein'));
  assert.equal(await focused(page), 'password');
  await tabTo(page, 'decoys');
  await press(page, 'Space');
  await counts(page, '#requests > li', 3);
});

for (const [name, options] of LOOKS) {
  test(`the page fits ${name}, and axe finds nothing wrong with it`, async (t) => {
    const { page } = await open(t, options);
    await takeDecoys(page);
    await ask(page, '123456');
    await page.click('#offline');
    await ask(page, `${'long-'.repeat(40)}password`);
    await assertFits(page);
  });
}

for (const viewport of [
  { width: 1200, height: 900 },
  { width: 390, height: 844 },
]) {
  test(`at ${viewport.width} pixels nothing jumps while it loads`, async (t) => {
    const { page } = await open(t, { viewport });
    const shifts = await page.evaluate(async () => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      await frame();
      await frame();
      return window.shifts;
    });
    assert.ok(shifts < 0.02, `cumulative layout shift ${shifts}`);
  });
}

test('forced colours keep the pages and the bars apart', async (t) => {
  const { page } = await open(t, { forcedColors: 'active' });
  await takeDecoys(page);
  await ask(page, '123456');
  const paint = (selector) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => getComputedStyle(element).backgroundColor);
  const states = ['.wanted', '.decoy', ':not(.wanted, .decoy)'];
  const paints = await Promise.all(states.map((state) => paint(`#page-cells i${state}`)));
  assert.equal(new Set(paints).size, 3, paints.join(' '));
  for (const bar of ['#bar-text', '#bar-filter', '#bar-fetched']) {
    assert.notEqual(await paint(bar), await paint('body'), bar);
  }
});
