// The demo consists of files, so any host can serve it, in any folder, with any headers.
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { insertScript } from '../../tests/e2e/browser.mjs';
import { BUILT } from '../serve.mjs';
import { ask as askForHost, openPage, openSection, SECTIONS, shareDemo } from './demo-page.mjs';
import { ask as askForPassword, newest, settled } from './pages-page.mjs';
import { ask, confirm, publish, update, updates } from './urls-page.mjs';

const shared = shareDemo({ root: dirname(BUILT), csp: 'upgrade-insecure-requests' });

const open = async (t, path) => (await openPage(t, shared, `dist/${path}`)).page;

test('in a folder, the first page answers, and every section fills itself', async (t) => {
  const page = await open(t, '');
  await page.waitForSelector('#verdict[data-answer=absent]');
  assert.equal(await askForHost(page, 'myetheerwallet.pw'), 'On the list');
  for (const name of Object.keys(SECTIONS)) await openSection(page, name);
});

test('in a folder, the URL check publishes, updates and confirms', async (t) => {
  const page = await open(t, 'urls.html');
  await updates(page, 1);
  await publish(page);
  assert.equal((await update(page)).by, 'jump');
  assert.equal(await ask(page, 'myetheerwallet.pw'), 'May be on the list');
  assert.equal(await confirm(page), 'On the list');
});

test('in a folder, the calculator computes', async (t) => {
  const page = await open(t, 'calculator.html?n=1000&p=1+%25');
  await page.waitForSelector('#calculator-sizes tr');
});

test('in a folder, a password is looked up by one request', async (t) => {
  const page = await open(t, 'pages.html');
  await settled(page);
  assert.match(await askForPassword(page, '123456'), /^On the list, or a false positive/);
  assert.equal((await newest(page)).requests.length, 1);
});

test('the page brings its own policy, where a host sends none', async (t) => {
  for (const name of ['index.html', 'urls.html', 'pages.html', 'calculator.html', 'figures.html']) {
    const page = await shared.browser.newPage();
    t.after(() => page.close());
    await page.goto(`${shared.server.url}dist/${name}`);
    assert.equal(await insertScript(page), 'script-src-elem');
  }
});
