// Two lists with different actions give one answer. It names the list that decides, and asks no server without need.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { press } from '../../tests/e2e/browser.mjs';
import { assertFits, figures, focused, LOOKS, says, shareDemo } from './demo-page.mjs';
import { act, openFeeds, openGuard, openUrls, publish, questionsOf, update } from './urls-page.mjs';

const PHISHING = 'https://login.poloniexsign.com/a?b';
const YOURS = 'https://www.login-bank.example/start';
const BOTH = 'https://www.myetheerwallet.pw/restore';
const NONE = 'https://en.wikipedia.org/wiki/Phishing';

const shared = shareDemo();

async function open(t, options) {
  const { page } = await openUrls(t, shared, options);
  await openFeeds(page);
  await openGuard(page);
  return page;
}

/** The page's answer, once the page has handled the input. */
async function said(page) {
  await page.waitForSelector('#guard-verdict:not([aria-busy=true])');
  const [word, why] = await page.$$eval('#guard-verdict p', (all) => all.map((p) => p.textContent));
  return { word, why };
}

/** Types a link, and returns the answer of the lists alone. A list that is still on its way would change it later. */
async function check(page, link) {
  await said(page);
  await page.fill('#guard-text', link);
  return said(page);
}

/** Types a link, and asks for the verdict. */
async function verify(page, link) {
  await check(page, link);
  await page.focus('#guard-text');
  await press(page, 'Enter');
  return said(page);
}

/** Makes the example the visitor's list. */
async function takeExample(page) {
  await page.click('#feed-example');
  await page.waitForSelector('#feed-reports > li[data-state=read]');
  await page.waitForSelector('#feed-stop[aria-disabled=true]');
}

async function choose(page, list, action) {
  await page.selectOption(`#guard-${list}-action`, action);
}

test('a link is checked against two lists, and the answer names the list and its action', async (t) => {
  const page = await open(t);
  await takeExample(page);
  assert.equal((await check(page, NONE)).word, 'On no list');
  assert.equal((await check(page, YOURS)).word, 'May be on your list');
  assert.equal((await check(page, PHISHING)).word, 'May be on the phishing list');
  assert.equal((await check(page, BOTH)).word, 'May be on the phishing list and your list');
  assert.equal((await check(page, 'javascript:alert(1)')).word, 'No web page');
  assert.equal((await check(page, '')).word, 'Check a link');
  assert.deepEqual(await questionsOf(page), [], 'nobody is asked while the visitor types');

  const yours = await verify(page, YOURS);
  assert.equal(yours.word, 'Warn: on your list');
  assert.match(yours.why, /^Your list has login-bank\.example\/\. .* without a server/);
  assert.equal((await verify(page, NONE)).word, 'On no list');
  assert.deepEqual(await questionsOf(page), []);

  const phishing = await verify(page, PHISHING);
  assert.equal(phishing.word, 'Block: on the phishing list');
  assert.match(phishing.why, /has poloniexsign\.com\/\. Its confirm server says so\. $/);
  const both = await verify(page, BOTH);
  assert.equal(both.word, 'Block: on the phishing list');
  assert.match(both.why, /Your list has it too/);
  assert.equal((await questionsOf(page)).length, 2);
  const told = await figures(page, 'privacy-figures');
  assert.equal(told['Questions to the server'], '2');
  assert.match(await page.textContent('#questions li:first-child'), /Listed/);
  assert.match((await verify(page, BOTH)).why, /said so before/);
  assert.equal((await questionsOf(page)).length, 2);

  await page.click('#picks-guard button:nth-child(2)');
  assert.equal((await said(page)).word, 'Warn: on your list');
});

test('of two lists the stricter action wins, whichever has it', async (t) => {
  const page = await open(t);
  await takeExample(page);
  assert.equal((await verify(page, BOTH)).word, 'Block: on the phishing list');
  // The displayed verdict is that of the new actions.
  await choose(page, 'phishing', 'note');
  await says(page, 'guard-word', 'Warn: on your list');
  assert.match((await said(page)).why, /The phishing list has it too/);
  await choose(page, 'yours', 'note');
  await says(page, 'guard-word', 'Note: on the phishing list');
  await choose(page, 'yours', 'block');
  await says(page, 'guard-word', 'Block: on your list');
  assert.equal((await verify(page, PHISHING)).word, 'Note: on the phishing list');
  assert.equal((await verify(page, YOURS)).word, 'Block: on your list');
});

test('lists that change or are missing are told, and make nothing safe', async (t) => {
  const page = await open(t);
  assert.match(await page.textContent('#guard-yours-note'), /there is none yet/);
  const none = await verify(page, NONE);
  assert.deepEqual([none.word, /You have no list yet/.test(none.why)], ['On no list', true]);
  assert.equal((await verify(page, YOURS)).word, 'On no list');

  await takeExample(page);
  assert.match(await page.textContent('#guard-yours-note'), /entries: \d/);
  assert.equal((await said(page)).word, 'May be on your list');
  const buffer = Buffer.from('0.0.0.0 more.example\n');
  await page.setInputFiles('#feed-file', { name: 'more', mimeType: 'text/plain', buffer });
  await page.waitForSelector('#feed-reports > li:nth-child(2)');
  assert.equal((await verify(page, 'http://more.example/')).word, 'Warn: on your list');

  // The publisher of the other list has a new version.
  await publish(page);
  await publish(page);
  await page.fill('#guard-text', 'https://nft-opensea.com/mint/');
  await update(page);
  await says(page, 'guard-word', 'phishing');

  await page.click('#feed-empty');
  await says(page, 'guard-yours-note', 'none yet');
  assert.equal((await verify(page, YOURS)).word, 'On no list');
});

test('where the publisher is cut off, its list gives no answer, and the other one does', async (t) => {
  const page = await open(t);
  await act(page, '#offline');
  await takeExample(page);
  const none = await verify(page, NONE);
  assert.equal(none.word, 'No answer');
  assert.match(none.why, /The phishing list gave no answer\. That makes no link safe/);
  const yours = await verify(page, YOURS);
  assert.equal(yours.word, 'Warn: on your list');
  assert.match(yours.why, /The phishing list gave no answer/);

  await act(page, '#offline');
  await update(page);
  assert.equal((await verify(page, NONE)).word, 'On no list');
  await act(page, '#offline');
  const hit = await verify(page, PHISHING);
  assert.equal(hit.word, 'No answer');
  assert.match(hit.why, /That makes no link safe/);
});

test('the keyboard alone asks for the verdict, and a screen reader is told', async (t) => {
  const page = await open(t);
  await takeExample(page);
  await page.focus('#guard-text');
  await page.keyboard.type(YOURS);
  await press(page, 'Tab');
  assert.equal(await focused(page), 'guard-ask');
  await press(page, 'Enter');
  await says(page, 'guard-announce', 'Warn: on your list');
  assert.equal(await page.getAttribute('#guard-announce', 'role'), 'status');
  assert.equal(await focused(page), 'guard-ask');
});

for (const [name, options] of LOOKS) {
  test(`answers fit ${name}, and axe finds nothing wrong with them`, async (t) => {
    const page = await open(t, options);
    await takeExample(page);
    for (const link of [BOTH, YOURS, `${NONE}/${'x'.repeat(200)}`, '']) {
      await verify(page, link);
      await assertFits(page);
    }
  });
}
