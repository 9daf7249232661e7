// The chat that looks at its links. extension.test.mjs has the other example for a browser.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { bundleExample } from '../../js/examples/bundle.mjs';
import { startListServer } from '../../js/examples/list-server.mjs';
import { complaintsOf, holdTimers, launchWithTabs } from '../e2e/browser.mjs';

/** The SHA-256 of both, with a slash, begin with the same 4 bytes: a false alarm. */
const [LISTED, ALIKE] = ['host78123.example', 'host97030.example'];
const HOSTS = ['evil.example', LISTED];

let folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tamis-examples-'));
});
after(() => rm(folder, { recursive: true, maxRetries: 5 }));

/** Makes the server the host of every page that a link leads to. */
const hostAll = (server) => `--host-resolver-rules=MAP *.example ${new URL(server.url).host}`;

/** The requests to the list's server since the last call. */
const drain = (server) =>
  server.asked.splice(0).filter((path) => /^\/(lists\/|confirm$)/.test(path));

describe('a chat that looks at its links', () => {
  const good = 'notes.example/minutes';
  const evil = 'https://bank.example/login';
  let browser;
  let server;

  before(async () => {
    server = await startListServer(HOSTS);
    const pages = join(folder, 'chat-links');
    await bundleExample('chat-links', pages, { LIST_PUBLIC_KEY: server.publicKey });
    server.showPages(pages);
    // Else a link opens only for some seconds after the click.
    browser = await launchWithTabs(hostAll(server), '--disable-popup-blocking');
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  async function open(t, { context: given } = {}) {
    const context = given ?? (await browser.newContext());
    t.after(() => context.close());
    const page = await context.newPage();
    // The confirm server has as long as it takes.
    await holdTimers(page);
    await page.goto(server.url);
    const dialog = page.getByRole('alertdialog');
    const link = (name) => page.getByRole('link', { name });
    const opened = async (act) => {
      const [tab] = await Promise.all([context.waitForEvent('page'), act()]);
      await tab.waitForURL(/\.example/);
      const found = { url: tab.url(), opener: await tab.evaluate(() => window.opener) };
      await tab.close();
      return found;
    };
    return { context, page, dialog, link, opened };
  }
  const hasList = (page) =>
    page.getByText('Links are checked here, by a list of 2 entries').waitFor();

  const openButton = (page) => page.getByRole('button', { name: 'Open it' });

  test('what is safe opens at once, and nobody is asked', async (t) => {
    const { page, link, opened } = await open(t);
    const complaints = complaintsOf(page);
    await hasList(page);
    drain(server);
    const found = { url: `http://${good}?day=3`, opener: null };
    assert.deepEqual(await opened(() => link(good).click()), found);
    assert.deepEqual(await opened(() => link(good).click({ button: 'middle' })), found);
    await link(good).focus();
    assert.deepEqual(await opened(() => page.keyboard.press('Enter')), found);
    assert.deepEqual(drain(server), []);
    assert.deepEqual(complaints, []);
  });

  test('what is listed warns, says where it leads, and opens only when that is confirmed', async (t) => {
    const { context, page, dialog, link, opened } = await open(t);
    const complaints = complaintsOf(page);
    await hasList(page);
    drain(server);
    const name = 'This page is on a list of dangerous pages';
    const named = page.getByRole('alertdialog', { name });
    for (const leave of [
      () => page.keyboard.press('Enter'), // on the button that has the focus
      () => page.keyboard.press('Escape'),
      () => page.getByRole('button', { name: 'Stay here' }).click(),
    ]) {
      await link(evil).click();
      await named.waitFor();
      const target = 'http://login.evil.example/account?id=7';
      assert.match(await named.textContent(), new RegExp(target.replace('?', '\\?')));
      assert.equal(await page.evaluate(() => document.activeElement.value), 'stay');
      await leave();
      await dialog.waitFor({ state: 'hidden' });
      assert.equal(await page.evaluate(() => document.activeElement.textContent), evil);
    }
    await link(evil).click({ button: 'middle' });
    await named.waitFor();
    assert.deepEqual(context.pages(), [page]);
    const found = await opened(() => openButton(page).click());
    assert.deepEqual(found, { url: 'http://login.evil.example/account?id=7', opener: null });
    // One question, and its answer is remembered.
    assert.deepEqual(drain(server), ['/confirm']);
    assert.deepEqual(complaints, []);
  });

  test('a false alarm opens, once the server has said so', async (t) => {
    const { page, dialog, link, opened } = await open(t);
    await hasList(page);
    drain(server);
    const url = `http://${ALIKE}/`;
    const setActive = (isActive) =>
      page.evaluate((isActive) => {
        const value = { isActive };
        Object.defineProperty(navigator, 'userActivation', { value, configurable: true });
      }, isActive);
    await setActive(true);
    await link(good).evaluate((element, href) => {
      element.href = href;
    }, url);
    assert.equal((await opened(() => link(good).click())).url, url);
    assert.deepEqual(drain(server), ['/confirm']);

    // Too late for the click to open it.
    await setActive(false);
    await link(good).click();
    await dialog.waitFor();
    assert.match(await dialog.textContent(), /not on the list/);
    assert.equal((await opened(() => openButton(page).click())).url, url);
  });

  test('what leads to no web page is not opened', async (t) => {
    const { page, dialog, link } = await open(t);
    await hasList(page);
    await page.evaluate(() =>
      document.addEventListener('click', (event) => {
        document.title = `held: ${event.defaultPrevented}`;
      }),
    );
    await link('555-0100').click();
    assert.equal(await page.title(), 'held: true');
    await page.getByRole('alertdialog', { name: 'This link leads to no web page' }).waitFor();
    assert.equal(await openButton(page).count(), 0);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });

  const SVG = 'xmlns:xlink="http://www.w3.org/1999/xlink" width="40" height="40"';
  const shape = '<rect width="40" height="40" />';
  for (const [kind, message] of Object.entries({
    'an area of an image': (url) =>
      `<img width="40" height="40" src="data:," usemap="#m" />
       <map name="m"><area id="link" shape="rect" coords="0,0,40,40" href="${url}" /></map>`,
    'a link of SVG': (url) => `<svg ${SVG}><a id="link" href="${url}">${shape}</a></svg>`,
    'a link of older SVG': (url) =>
      `<svg ${SVG}><a id="link" xlink:href="${url}">${shape}</a></svg>`,
    'a link of SVG that is animated': (url) =>
      `<svg ${SVG}><a id="link" href="http://${good}">${shape}
       <animate attributeName="href" to="${url}" begin="0s" dur="1ms" fill="freeze" /></a></svg>`,
    'a link in a shadow root': (url) =>
      `<div id="host"><template shadowrootmode="open"><a href="${url}">x</a></template></div>`,
    // Chromium opens none of these, Firefox does.
    'a link of MathML': (url) => `<math><mtext id="link" href="${url}">x</mtext></math>`,
  })) {
    test(`${kind} is held as any link is, and opens as one`, async (t) => {
      const { context, page, opened } = await open(t);
      await hasList(page);
      const put = (url) =>
        page.evaluate(
          (html) => document.querySelector('#messages p').setHTMLUnsafe(html),
          message(url),
        );
      // In the middle of what is shown.
      const click = () =>
        page.locator('#messages p').first().locator('img, svg, mtext, #host a').click();
      await put('http://evil.example/x');
      await page.waitForFunction(() => {
        const { href } = document.querySelector('#link') ?? {};
        return href?.animVal === undefined || href.animVal.includes('evil');
      });
      await click();
      const name = 'This page is on a list of dangerous pages';
      await page.getByRole('alertdialog', { name }).waitFor();
      await page.keyboard.press('Escape');
      assert.deepEqual(context.pages(), [page]);

      if (kind.endsWith('MathML')) return;
      const url = `http://${good}`;
      await put(url);
      assert.deepEqual(await opened(click), { url, opener: null });
    });
  }

  test('a link that is opened before the list is here waits for it', async (t) => {
    const context = await browser.newContext();
    let release;
    const held = new Promise((resolve) => {
      release = resolve;
    });
    await context.route('**/lists/snapshot-*', async (route) => {
      await held;
      await route.continue();
    });
    const { page, dialog, link } = await open(t, { context });
    await link(good).click();
    await link(evil).click();
    release();
    await dialog.waitFor();
    assert.match(await dialog.textContent(), /login\.evil\.example/);
    // The first was given up for the second.
    assert.deepEqual(context.pages(), [page]);
  });

  test('without the confirm server a hit is unknown; without a list everything is', async (t) => {
    const unknown = 'Nobody could check this link';
    for (const [lacking, state] of [
      ['confirm', /^Links are checked here/],
      ['lists', /^There is no list/],
    ]) {
      const context = await browser.newContext();
      await context.route(`**/${lacking}**`, (route) => route.abort());
      const { page, link, opened } = await open(t, { context });
      await page.getByText(state).waitFor();
      const named = page.getByRole('alertdialog', { name: unknown });
      if (lacking === 'confirm') {
        assert.equal((await opened(() => link(good).click())).opener, null);
      } else {
        await link(good).click();
        await named.waitFor();
        await page.keyboard.press('Escape');
      }
      await link(evil).click();
      await named.waitFor();
      assert.deepEqual(context.pages(), [page]);
      const found = await opened(() => openButton(page).click());
      assert.equal(found.url, 'http://login.evil.example/account?id=7');
    }
  });
});
