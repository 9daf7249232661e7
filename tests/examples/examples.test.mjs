// The examples that need a browser: a chat that looks at its links, and an extension that wakes and sleeps.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { bundleExample } from '../../js/examples/bundle.mjs';
import { startListServer } from '../../js/examples/list-server.mjs';
import { complaintsOf, launchBrowser, launchWithExtension } from '../e2e/browser.mjs';

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

/** What was asked of the list's server since the last call. */
const drain = (server) =>
  server.asked.splice(0).filter((path) => /^\/(lists\/|confirm$)/.test(path));

/** Ends when `look` resolves to what is expected. `waitForFunction` takes a promise for true. */
async function until(look, expected) {
  for (const end = Date.now() + 10_000; ; await setTimeout(50)) {
    const found = await look();
    if (isDeepStrictEqual(found, expected)) return;
    if (Date.now() > end) assert.deepEqual(found, expected);
  }
}

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
    browser = await launchBrowser(hostAll(server));
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  async function open(t, { context: given } = {}) {
    const context = given ?? (await browser.newContext());
    t.after(() => context.close());
    const page = await context.newPage();
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
    await link(good).evaluate((element, href) => {
      element.href = href;
    }, url);
    assert.equal((await opened(() => link(good).click())).url, url);
    assert.deepEqual(drain(server), ['/confirm']);

    // Too late for the click to open it.
    await page.evaluate(() =>
      Object.defineProperty(navigator, 'userActivation', { value: { isActive: false } }),
    );
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

describe('an extension', () => {
  let server;
  let context;
  let options;
  let extension;

  before(async () => {
    server = await startListServer(HOSTS);
    const built = join(folder, 'extension');
    await bundleExample('extension', built);
    context = await launchWithExtension(join(folder, 'profile'), built, hostAll(server));
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
    extension = new URL('/', worker.url()).href;
    // It opens its options when it is installed.
    const findOptions = () => context.pages().find((page) => page.url().endsWith('/options.html'));
    await until(async () => findOptions() !== undefined, true);
    options = findOptions();
    await setSource({}, /^2 entries, version .+, from network$/);
  });
  after(async () => {
    await context?.close();
    await server?.close();
  });

  /** Fills in the options, of which some may be others than the server's. */
  async function setSource(others, status) {
    const { manifest, name, publicKey, confirm } = { ...server, ...others };
    await options.getByLabel('Manifest').fill(manifest);
    await options.getByLabel('Name of the list').fill(name);
    await options.getByLabel('Public keys').fill(publicKey);
    await options.getByLabel('Confirm server').fill(confirm);
    await options.getByRole('button', { name: 'Save' }).click();
    await options.getByText(status).waitFor();
  }

  const warningFor = (url) => `${extension}warning.html?${new URLSearchParams({ url })}`;

  /** A tab of its own; `go` ends when the tab shows what is expected. */
  async function newTab(t) {
    const page = await context.newPage();
    t.after(() => page.close());
    await page.bringToFront();
    const tabId = await options.evaluate(async () => {
      const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
      return tab.id;
    });
    const go = async (url, shown) => {
      // Interrupted, where the warning takes its place.
      await page.goto(url).catch(() => {});
      await page.waitForFunction((shown) => location.href === shown, shown);
    };
    /** Ends when the extension's button shows that. */
    const shows = (badge, title) =>
      until(
        () =>
          options.evaluate(
            async (tabId) => [
              await chrome.action.getBadgeText({ tabId }),
              await chrome.action.getTitle({ tabId }),
            ],
            tabId,
          ),
        [badge, `URL check: ${title}`],
      );
    return { page, go, shows };
  }

  /** Ends the worker, as the browser does when it has had no work for a while. */
  async function stopWorker() {
    const session = await context.newCDPSession(options);
    const stopped = new Promise((resolve) => {
      session.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
        if (versions.some(({ runningStatus }) => runningStatus === 'stopped')) resolve();
      });
    });
    await session.send('ServiceWorker.enable');
    await session.send('ServiceWorker.stopAllWorkers');
    await stopped;
    await session.detach();
  }

  test('lets a good page be, and warns of a listed one', async (t) => {
    const { page, go, shows } = await newTab(t);
    drain(server);
    await go('http://good.example/', 'http://good.example/');
    await shows('', 'not on the list');
    assert.deepEqual(drain(server), []);
    const evil = 'http://www.EVIL.example/a/../login?x=%31';
    await go(evil, warningFor(new URL(evil).href));
    await page.getByRole('heading', { name: 'This page is on a list' }).waitFor();
    assert.match(await page.getByRole('alert').textContent(), /www\.evil\.example\/login\?x=%31/);
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.waitForFunction(() => location.protocol !== 'chrome-extension:');
    assert.deepEqual(drain(server), ['/confirm']);
    // A false alarm stays where it is.
    await go(`http://${ALIKE}/`, `http://${ALIKE}/`);
    await shows('', 'not on the list');
  });

  test('wakes with the list in IndexedDB, and asks nobody for it', async (t) => {
    const { go, shows } = await newTab(t);
    const evil = 'http://evil.example/';
    await go(evil, warningFor(evil));
    drain(server);
    await go(evil, warningFor(evil));
    assert.deepEqual(drain(server), []);
    await stopWorker();
    await go(evil, warningFor(evil));
    // What was confirmed is forgotten with the worker; the list is not.
    assert.deepEqual(drain(server), ['/confirm']);
    await stopWorker();
    await go('http://good.example/', 'http://good.example/');
    await options.reload();
    await options.getByText(/^2 entries, version .+, from storage$/).waitFor();
    await shows('', 'not on the list');
    assert.deepEqual(drain(server), []);
  });

  test('goes on where the user wants to, to that host alone', async (t) => {
    const { page, go, shows } = await newTab(t);
    await go('http://evil.example/page', warningFor('http://evil.example/page'));
    await page.getByRole('button', { name: 'Open it' }).click();
    await page.waitForURL('http://evil.example/page');
    await shows('!', 'this page is on the list');
    // Also after a sleep; of another host it warns.
    await stopWorker();
    await go('http://evil.example/other', 'http://evil.example/other');
    await shows('!', 'this page is on the list');
    await go('http://sub.evil.example/', warningFor('http://sub.evil.example/'));
  });

  test('is woken for an update', async (t) => {
    const { go, shows } = await newTab(t);
    const fresh = 'http://new.example/';
    await go(fresh, fresh);
    await shows('', 'not on the list');
    await stopWorker();
    await server.publish([...HOSTS, 'new.example']);
    await options.evaluate(async () => {
      const { name } = await chrome.alarms.get('update');
      await chrome.alarms.create(name, { when: Date.now() });
    });
    const status = () => options.evaluate(() => chrome.runtime.sendMessage('status'));
    await until(async () => (await status()).count, 3);
    await go(fresh, warningFor(fresh));
  });

  test('says of what is no web page that it was not checked', async (t) => {
    const { go, shows } = await newTab(t);
    const page = 'data:text/html,hello';
    await go(page, page);
    await shows('?', 'no web page, and so not checked');
  });

  test('without the confirm server a hit is unknown; without a list all is', async (t) => {
    const { go, shows } = await newTab(t);
    const unknown = 'this page could not be checked';
    const nowhere = 'http://127.0.0.1:1/nowhere';
    const [good, listed] = ['http://good.example/', `http://${LISTED}/`];
    await setSource({ confirm: nowhere }, /^3 entries, version .+, from storage$/);
    await go(listed, listed);
    await shows('?', unknown);
    await go(good, good);
    await shows('', 'not on the list');
    await setSource({ manifest: nowhere }, /^no list: /);
    await go(good, good);
    await shows('?', unknown);
    await setSource({ publicKey: 'f'.repeat(64) }, /^no list: .+ none of publicKeys$/);
    await setSource({ name: 'other' }, /^no list: .+ not of 'other'$/);
  });
});
