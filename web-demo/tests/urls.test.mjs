import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { insertScript, press } from '../../tests/e2e/browser.mjs';
import { hostsAt } from '../history.mjs';
import { CSP, startServer } from '../serve.mjs';
import {
  assertFits,
  figures,
  focused,
  integer,
  LOOKS,
  says,
  shareDemo,
  tabTo,
} from './demo-page.mjs';
import {
  act,
  answered,
  ask,
  confirm,
  exchangesOf,
  listOf,
  manifestOf,
  openUrls,
  publish,
  questionsOf,
  row,
  shows,
  storedFile,
  update,
  updates,
} from './urls-page.mjs';

const LISTED = 'https://login.myetheerwallet.pw/restore?step=1';
const GOOD = 'https://en.wikipedia.org/wiki/Phishing';
/** The console's message about a server that is out of reach. */
const NO_SERVER = /net::ERR_CONNECTION_REFUSED/;

const sha256 = (text) => createHash('sha256').update(text).digest();

/** The paths that were requested of the static server. */
const served = [];
const shared = shareDemo({ handle: ({ url }) => void served.push(new URL(url).pathname) });

const bytesOf = (exchanges, pattern) =>
  exchanges.filter(({ path }) => pattern.test(path)).reduce((sum, { bytes }) => sum + bytes, 0);

const open = (t, options) => openUrls(t, shared, options);

test('a first visit fetches the list once, verifies it and stores it', async (t) => {
  const { page, response } = await open(t);
  assert.equal(response.headers()['content-security-policy'], CSP);
  await updates(page, 1);
  const byPage = await exchangesOf(page);
  const manifest = await manifestOf(page);
  await shows(page, manifest);
  assert.deepEqual(await row(page), {
    by: 'snapshot',
    what: 'whole list',
    version: manifest.version,
    manifest: integer(bytesOf(byPage, /manifest/)),
    list: integer(bytesOf(byPage, /snapshot/)),
    entries: integer(manifest.n),
  });
  assert.equal(bytesOf(byPage, /snapshot/), manifest.snapshot.bytes);
  assert.equal((await figures(page, 'figures'))['Came from'], 'the network');

  await page.reload();
  await updates(page, 2);
  const again = await row(page);
  assert.deepEqual([again.by, again.manifest, again.list], ['none', '0', '0']);
  assert.equal((await exchangesOf(page)).at(-1).status, 304);
  assert.equal((await figures(page, 'figures'))['Came from'], 'IndexedDB');
  await shows(page, manifest);

  for (const name of ['index.html', 'urls.html']) {
    await page.click('.pages a:not([aria-current])');
    await page.waitForURL(`${shared.server.url}${name}`);
  }
  await updates(page, 3);
});

test('the content security policy is in force', async (t) => {
  const { page } = await open(t, { expected: /Content Security Policy/ });
  assert.equal(await insertScript(page), 'script-src-elem');
});

test('links are checked here, in every disguise, and nothing is sent', async (t) => {
  const { page } = await open(t);
  const { hosts } = await hostsAt(0);
  for (let i = 0; i < hosts.length; i += 9001) {
    assert.equal(await ask(page, `https://x.${hosts[i]}/a?b`), 'May be on the list', hosts[i]);
  }
  for (const [text, word] of [
    ['someone@mailinator.com', 'May be on the list'],
    ['hTTp://good.example%2F@MyEtheer%57allet.PW.:8443//a#b', 'May be on the list'],
    [GOOD, 'Not on the list'],
    ['metamask.io', 'Not on the list'],
    ['javascript:alert(1)', 'No web page'],
    ['', 'Check a link'],
    ['no links in here', 'No links in this text'],
  ]) {
    assert.equal(await ask(page, text), word, text);
  }

  await ask(page, 'hTTp://a@www.MyEtheerWallet.pw:81/x/../%6cogin?q#top');
  assert.equal(await page.textContent('#canonical'), 'http://www.myetheerwallet.pw/login?q');
  const rows = await page.$$eval('#expressions tr', (rows) =>
    rows.map(({ cells }) => [...cells].map(({ textContent }) => textContent)),
  );
  assert.equal(rows.length, 6);
  for (const [expression, hash, answer] of rows) {
    assert.equal(hash, `${sha256(expression).toString('hex').slice(0, 24)}...`);
    assert.equal(answer, expression === 'myetheerwallet.pw/' ? 'hit' : 'no');
  }
  assert.deepEqual(await questionsOf(page), []);
  assert.equal(await page.textContent('#questions'), '');
});

test('a page of text is checked link by link, and its hits are confirmed', async (t) => {
  const { page } = await open(t);
  await page.click('text=a mail with links');
  await answered(page);
  assert.equal(await page.textContent('#verdict-word'), '3 of 5 links may be on the list');
  const links = () => page.$$eval('#links li', (rows) => rows.map((li) => li.textContent));
  assert.deepEqual(await links(), [
    'http://mailinator.com/may be listed',
    'http://myetheerwallet.pw/restoremay be listed',
    'https://www.poloniexsign.com:8443/login?from=mailmay be listed',
    'https://metamask.io/not listed',
    'https://en.wikipedia.org/wiki/Phishingnot listed',
  ]);
  await page.click('#links li:nth-child(4) button');
  await says(page, 'canonical', 'https://metamask.io/');
  assert.deepEqual(await questionsOf(page), []);
  assert.equal(await confirm(page), '3 of 5 links on the list');
  assert.equal((await questionsOf(page)).length, 3);
  assert.equal((await links()).filter((link) => link.includes('may be')).length, 0);
});

test('the server is asked for four bytes of what hits, among decoys, and for nothing else', async (t) => {
  const { page } = await open(t);
  await ask(page, GOOD);
  assert.equal(await page.isVisible('#ask'), false);
  await ask(page, LISTED);
  assert.equal(await confirm(page), 'On the list');
  const [question, ...more] = await questionsOf(page);
  assert.deepEqual(more, []);

  const prefixes = question.sent.match(/.{8}/g);
  assert.equal(question.sent.length, 2 * 16);
  assert.deepEqual(prefixes, [...new Set(prefixes)].sort());
  const mine = sha256('myetheerwallet.pw/').toString('hex').slice(0, 8);
  const list = await listOf(page, await manifestOf(page));
  const entries = new Set(Buffer.from(list.prefixes()).toString('hex').match(/.{8}/g));
  assert.ok(prefixes.includes(mine));
  assert.ok(prefixes.every((prefix) => entries.has(prefix)));
  const headers = new Headers(question.headers);
  for (const name of ['cookie', 'referer']) assert.equal(headers.get(name), null);
  const elsewhere = served.filter((path) => /lists|confirm|publisher$/.test(path));
  assert.deepEqual(elsewhere, [], 'the server of the files learns of none of it');

  const chips = await page.$$eval('#questions .prefix', (found) => found.map((p) => p.textContent));
  assert.deepEqual(
    chips,
    prefixes.map((prefix) => `${prefix} ${prefix === mine ? 'of the hit' : 'a decoy'}`),
  );
  const told = await figures(page, 'privacy-figures');
  assert.equal(told['Questions to the server'], '1');
  assert.equal(told['Bytes sent about URLs'], '16');

  // The same question again is answered from memory.
  await ask(page, GOOD);
  await ask(page, LISTED);
  assert.equal(await confirm(page), 'On the list');
  assert.equal((await questionsOf(page)).length, 1);
  assert.match(
    await page.textContent('#questions li'),
    /Nothing sent: an earlier answer still holds. Listed/,
  );
});

test('a false positive is found, and cleared by the server', async (t) => {
  const { page } = await open(t);
  await page.click('#hunt');
  await says(page, 'hunt', 'Find another');
  assert.match(await page.inputValue('#text'), /^https:\/\/.*\.example\/$/);
  assert.equal(await answered(page), 'May be on the list');
  assert.equal(await confirm(page), 'Not on the list: a false positive');
});

test('an update fetches what changed, and costs what the page says', async (t) => {
  const { page } = await open(t);
  const old = await manifestOf(page);
  const [before, after] = [await hostsAt(0), await hostsAt(2)];
  assert.equal(old.version, before.version);
  const had = new Set(before.hosts);
  const has = new Set(after.hosts);
  const added = [...has].filter((host) => !had.has(host)).slice(0, 5);
  const gone = [...had].filter((host) => !has.has(host)).slice(0, 5);
  for (const host of gone) assert.equal(await ask(page, host), 'May be on the list');
  assert.equal(await ask(page, added[0]), 'Not on the list');

  await publish(page);
  await publish(page);
  const manifest = await manifestOf(page);
  const from = (await exchangesOf(page)).length;
  const { by, what, ...shown } = await update(page);
  const exchanged = (await exchangesOf(page)).slice(from);
  assert.deepEqual([by, what], ['jump', 'one delta']);
  assert.deepEqual(shown, {
    version: after.version,
    manifest: integer(bytesOf(exchanged, /manifest/)),
    list: integer(bytesOf(exchanged, /jump/)),
    entries: integer(manifest.n),
  });
  assert.equal(exchanged.length, 2);
  assert.ok(bytesOf(exchanged, /jump/) < manifest.snapshot.bytes / 10);
  await shows(page, manifest);
  // The open question is answered again.
  assert.equal(await answered(page), 'May be on the list');
  for (const host of added) assert.equal(await ask(page, host), 'May be on the list');
  // A parent domain may still be listed.
  const list = await listOf(page, manifest);
  const safe = gone.filter((host) => list.check(host) === 'safe');
  assert.ok(safe.length > 0);
  for (const host of safe) assert.equal(await ask(page, host), 'Not on the list');
  await page.waitForSelector('#chart canvas');
  assert.equal(await page.locator('#chart canvas').count(), 1);
});

test('a download that is damaged is refused, the list stays, and the next one is whole', async (t) => {
  const { page } = await open(t);
  for (let i = 0; i < 2; i++) {
    await publish(page);
    await update(page);
  }
  const old = await manifestOf(page);
  await publish(page);
  await act(page, '#damage');
  const refused = await update(page);
  assert.deepEqual([refused.by, refused.version], ['refused', 'ERR_TAMIS_CORRUPT']);
  assert.match(
    await page.textContent('#updated'),
    /jump, delta, snapshot.*CORRUPT.*The list in use stays/,
  );
  await shows(page, old);
  assert.equal(await ask(page, LISTED), 'May be on the list');
  assert.equal(await ask(page, GOOD), 'Not on the list');

  const recovered = await update(page);
  assert.deepEqual([recovered.by, recovered.what], ['jump', 'one delta']);
  await shows(page, await manifestOf(page));

  await publish(page);
  await page.selectOption('#damage-what', 'deltas');
  await act(page, '#damage');
  assert.equal((await update(page)).by, 'snapshot');
  assert.match(await page.textContent('#updated'), /^The damaged delta was refused/);
  await shows(page, await manifestOf(page));

  const kept = await manifestOf(page);
  await publish(page);
  await page.selectOption('#damage-what', 'manifest');
  await act(page, '#damage');
  assert.equal((await update(page)).version, 'ERR_TAMIS_BAD_SIGNATURE');
  await shows(page, kept);
  assert.equal((await update(page)).by, 'jump');
  await shows(page, await manifestOf(page));

  // At the end of the history, the same list is published for another week. After that, only the header is fetched.
  await publish(page);
  const renewed = await update(page);
  assert.deepEqual([renewed.by, renewed.list], ['none', '0']);
  assert.match(await page.textContent('#updated'), /^The same list, for longer/);
  assert.equal((await update(page)).manifest, '0');
});

test('a stored copy that is damaged is no list: the network is asked again', async (t) => {
  const { page } = await open(t);
  await storedFile(page, 'tamis-demo-urls', '.img', 'damage');
  await page.reload();
  await updates(page, 2);
  assert.equal((await row(page)).by, 'snapshot');
  await shows(page, await manifestOf(page));
});

test('the button for offline cuts the checker off; without a list there is no answer', async (t) => {
  const { page } = await open(t);
  await act(page, '#offline');
  assert.equal((await update(page)).version, 'ERR_TAMIS_UNAVAILABLE');
  assert.equal(await ask(page, GOOD), 'Not on the list');
  const from = (await exchangesOf(page)).length;
  await page.click('#forget');
  await says(page, 'updated', 'There is no list.');
  assert.equal(await answered(page), 'No list, no answer');
  assert.equal((await figures(page, 'figures')).State, 'no list');
  assert.equal((await exchangesOf(page)).length, from);
  await act(page, '#offline');
  assert.equal((await update(page)).by, 'snapshot');
  assert.equal(await answered(page), 'Not on the list');
});

test('the keyboard alone asks, confirms and updates', async (t) => {
  const { page } = await open(t);
  const announced = (words) => says(page, 'announce', words);
  await press(page, 'Tab');
  await press(page, 'Enter');
  assert.equal(await focused(page), 'text');
  await press(page, 'Control+A');
  await page.keyboard.type(LISTED);
  await announced('May be on the list');
  await tabTo(page, 'ask');
  await press(page, 'Enter');
  await announced('On the list');
  assert.equal(await focused(page), 'text');
  await tabTo(page, 'update');
  await press(page, 'Enter');
  await updates(page, 2);
  assert.equal(await focused(page), 'update');
});

for (const [name, options] of LOOKS) {
  test(`the page fits ${name}, and axe finds nothing wrong with it`, async (t) => {
    const { page } = await open(t, options);
    await page.click('text=a mail with links');
    await answered(page);
    await confirm(page);
    await assertFits(page);
  });
}

test('without a network the page opens and answers, and makes nothing safe by that', async (t) => {
  const own = await startServer({ port: 0 });
  const { page } = await openUrls(t, { ...shared, server: own }, { expected: NO_SERVER });
  await says(page, 'offline-ready', 'This page now works offline');
  const manifest = await manifestOf(page);
  await own.close();
  await page.reload();
  await updates(page, 2);
  // The publisher is in this browser, so it needs no network either.
  assert.equal((await row(page)).by, 'none');
  await act(page, '#offline');
  const failed = await update(page);
  assert.deepEqual([failed.by, failed.version], ['refused', 'ERR_TAMIS_UNAVAILABLE']);
  await shows(page, manifest);
  assert.equal((await figures(page, 'figures'))['Came from'], 'IndexedDB');
  assert.equal(await ask(page, GOOD), 'Not on the list');
  assert.equal(await ask(page, LISTED), 'May be on the list');
  assert.equal(await confirm(page), 'May be on the list; nobody confirms it');
  await act(page, '#offline');
  assert.equal(await ask(page, 'poloniexsign.com'), 'May be on the list');
  assert.equal(await confirm(page), 'On the list');
});
