// The extension of js/examples, which a team copies, in Chromium: the pages that it warns of, holds, and lets through.
// lab/web has more clicks, and Firefox.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { complaintsOf } from '../e2e/browser.mjs';
import {
  buildExtension,
  clickListed,
  startChromium,
  startWeb,
  until,
} from './extension-driver.mjs';

/** The SHA-256 of both, with a slash, begin with the same 4 bytes: a false alarm. */
const [LISTED, ALIKE] = ['host78123.example', 'host97030.example'];
const CLICKED = Array.from({ length: 10 }, (_, i) => `click-${i}.example`);
const HOSTS = ['evil.example', 'a.b.c.d.e.example', ...CLICKED];
const PAGES = ['http://good.example/~eve/login?x=1', 'http://good.example/~eve/Folder/'];
const shown = { label: 'Bad pages', severity: 8, report: 'https://lists.example/wrong?page={url}' };

let web;
let lists;
let extension;
let browser;
before(async () => {
  web = await startWeb();
  lists = {
    bad: await web.publish('bad', { hosts: HOSTS, urls: PAGES, shown }),
    asked: await web.publish(
      'asked',
      { hosts: [LISTED], prefixBytes: 4, shown: { label: 'Ads' } },
      { action: 'warn' },
    ),
    noted: await web.publish(
      'noted',
      { hosts: ['noted.example', 'evil.example'], shown: { label: 'Shops' } },
      { action: 'note' },
    ),
    company: await web.publish(
      'company',
      { hosts: ['games.example', 'a.b.c.d.f.example'], rule: 'labels5' },
      { canOverride: false },
    ),
  };
  extension = await buildExtension();
  browser = await startChromium(extension, web);
  await browser.setLists(lists);
});
after(async () => {
  await browser?.close();
  await web?.close();
  await extension?.remove();
});

/** The requests to hosts with that end, and to list servers, since the last call. */
const drain = (pattern) => web.asked.splice(0).filter((path) => pattern.test(path));

const goOn = async (page, name = 'Open it all the same') => {
  await page.getByText(name).click();
  await page.getByRole('button', { name: 'Open the page' }).click({ noWaitAfter: true });
};

test('its options page shows the lists, takes others, and says what is wrong with some', async (t) => {
  const { page: options } = await browser.newTab(t);
  const complaints = complaintsOf(options);
  await options.goto(`${browser.base}options.html`);
  await options.getByText('Pages are checked on this device').waitFor();
  const rows = options.locator('#lists li');
  assert.equal(await rows.count(), 4);
  // A mark is one of them.
  await options.getByText(/^15 entries, .+ old, from network$/).waitFor();
  await options.getByText('blocks, and nobody passes').waitFor();

  const more = await web.publish('more', { hosts: ['more.example', 'evil.example', 'g.example'] });
  await options.getByText('Add a list').click();
  const fill = async (values) => {
    for (const [label, value] of Object.entries(values))
      await options.getByLabel(label).fill(value);
    await options.getByRole('button', { name: 'Add', exact: true }).click();
  };
  const values = {
    'Name, as you': 'more',
    Manifest: lists.bad.manifest,
    'Name of the list': 'more',
    'Public keys': more.publicKeys[0],
  };
  await fill(values);
  await options.getByText(/lists.more must have another manifest than lists.bad/).waitFor();
  assert.equal(await rows.count(), 4);
  await fill({ Manifest: more.manifest });
  await options.getByText(/^3 entries/).waitFor();
  await options.getByRole('button', { name: 'Look for newer lists' }).click();
  await options.locator('body:not([inert])').waitFor();

  // One list cannot be loaded: nothing is safe, and nothing looks safe.
  await options.getByText('Add a list').click();
  await fill({
    ...values,
    'Name, as you': 'none',
    Manifest: `${web.url}/lists/none/manifest.json`,
  });
  await options.getByText(/^Of 6 lists 1 is missing/).waitFor();
  await options.getByText(/^no list: .*404/).waitFor();
  assert.equal(await options.locator('body').getAttribute('data-state'), 'missing');
  for (const name of ['none', 'more']) {
    await options.getByRole('button', { name: `Remove the list ${name}` }).click();
  }
  await until(() => rows.count(), 4);
  assert.deepEqual(complaints, []);
});

test('lets a good page be, and warns of a listed one, with all that is known of it', async (t) => {
  const { page, click, shows } = await browser.newTab(t);
  drain(/./);
  await click('http://good.example/', 'http://good.example/');
  await shows('', 'not on the lists');
  const evil = 'http://www.EVIL.example/a/../login?x=%31&y=<b>#part';
  const warning = browser.warningFor(new URL(evil).href);
  await click(evil, warning);
  const text = await page.locator('main').textContent();
  assert.match(text, /^\s*This page is on the list "Bad pages"\s+www\.evil\.example\s/);
  assert.equal(await page.locator('body').getAttribute('data-tone'), 'severe');
  for (const part of [
    new URL(evil).href,
    'Bad pages (bad)',
    'Also onShops',
    'evil.example, the whole host',
    '8 of 10',
    'It may steal what you type',
    'Time of the list',
  ]) {
    assert.ok(text.includes(part), `${part} in ${text}`);
  }
  const report = page.getByRole('link', { name: 'Report a mistake' });
  const wanted = `https://lists.example/wrong?page=${encodeURIComponent(new URL(evil).href)}`;
  assert.equal(await report.getAttribute('href'), wanted);
  const isLeft = page.waitForEvent('close');
  await page.getByRole('button', { name: 'Leave' }).click({ noWaitAfter: true });
  await isLeft;
  // No server was asked, as the list has 8 bytes an entry.
  assert.deepEqual(drain(/^\//), []);
});

test('a list of 4 bytes asks its server; a false alarm stays where it is', async (t) => {
  const { page, click, shows } = await browser.newTab(t);
  drain(/./);
  await click(`http://${LISTED}/`, browser.warningFor(`http://${LISTED}/`));
  assert.deepEqual(drain(/^\//), ['/confirm/asked']);
  // The list has ads, and no severity: no word is about danger.
  await page
    .getByRole('heading', { name: 'This page is on the list "Ads"', exact: true })
    .waitFor();
  assert.equal(await page.locator('body').getAttribute('data-tone'), 'calm');
  const words = `${await page.title()} ${await page.locator('main').textContent()}`;
  assert.doesNotMatch(words, /danger|steal|harm|threat|unsafe|phish|attack|severity/i);
  // The part that opens the page is open, and no publisher gives a link for reports.
  assert.equal(await page.locator('details').getAttribute('open'), '');
  assert.equal(await page.getByRole('link', { name: 'Report' }).count(), 0);
  await click(`http://${ALIKE}/`, `http://${ALIKE}/`);
  await shows('', 'not on the lists');
  assert.ok(!(await browser.rulesNow()).includes(ALIKE));
});

test('a list that notes shows so on the button', async (t) => {
  const { click, shows } = await browser.newTab(t);
  await click('http://noted.example/', 'http://noted.example/');
  await shows('i', 'on the list "Shops"');
  assert.ok(!(await browser.rulesNow()).includes('noted.example'));
});

test('with the worker ended before each click no listed page stays, and no second visit is committed', async (t) => {
  const found = await clickListed(t, browser, CLICKED);
  t.diagnostic(JSON.stringify(found));
  assert.deepEqual({ ...found, first: 0 }, { first: 0, stayed: 0, second: 0 });
});

test('a host is held with all below it, and a page alone, by its address', async (t) => {
  const { committed, click, shows } = await browser.newTab(t);
  const below = 'http://very.deep.click-0.example/x';
  await click(below, browser.warningFor(below));
  assert.ok(!committed.includes(below));

  for (const listed of [PAGES[0], `${PAGES[1]}below/x.html`]) {
    await click(listed, browser.warningFor(listed));
    await until(async () => (await browser.rulesNow()).some((rule) => listed.match(rule)), true);
    await browser.stopWorker();
    await click(`${listed}#part`, browser.warningFor(`${listed}#part`));
    assert.ok(!committed.includes(`${listed}#part`));
  }
  // All other pages of the host are free, even if only the case of a letter differs.
  for (const path of ['', '~eve/', '~eve/login?x=2', '~eve/login?x=10', '~EVE/login?x=1']) {
    await click(`http://good.example/${path}`, `http://good.example/${path}`);
    await shows('', 'not on the lists');
  }
  // Another spelling is for the worker.
  const other = 'http://good.example/%7Eeve/login?x=1';
  await click(other, browser.warningFor(other));

  // A host of six labels stands for the hosts below it, but not by the rule 'labels5'.
  for (const deep of ['http://a.b.c.d.e.example/', 'http://a.b.c.d.f.example/']) {
    await click(deep, browser.warningFor(deep));
    await until(async () => (await browser.rulesNow()).some((rule) => deep.match(rule)), true);
  }
  const bad = 'http://x.a.b.c.d.e.example/';
  await click(bad, browser.warningFor(bad));
  assert.ok(!committed.includes(bad));
  const good = 'http://x.a.b.c.d.f.example/';
  await click(good, good);
  await shows('', 'not on the lists');
});

describe('goes on', () => {
  const url = 'http://www.evil.example/page?x=1&y=2#part';

  test('where the user wants to: once, and to that host alone', async (t) => {
    const { page, committed, click, shows } = await browser.newTab(t);
    await click(url, browser.warningFor(url));
    await browser.isHeld('evil.example');
    drain(/./);
    committed.length = 0;
    await goOn(page);
    await page.waitForURL(url);
    await shows('!', 'opened because you said so');
    // Also from another page, and after a sleep; and each time it opens at once.
    await browser.stopWorker();
    await click(url, url);
    await shows('!', 'opened because you said so');
    assert.deepEqual(committed, [url]);
    assert.deepEqual(drain(/evil/), Array(2).fill('www.evil.example/page'));
    // The browser still warns of other hosts below the listed one.
    for (const other of ['http://evil.example/', 'http://sub.evil.example/']) {
      await click(other, browser.warningFor(other));
      assert.ok(!committed.includes(other));
    }
  });

  for (const [kind, host, spelled = host] of [
    ['of many labels', 'x.y.z.a.evil.example'],
    ['that no rule can name', 'a*b.evil.example', 'a%2Ab.evil.example'],
  ]) {
    test(`to a host ${kind}, below one that is held`, async (t) => {
      const { page, committed, click, shows } = await browser.newTab(t);
      const deep = `http://${spelled}/`;
      await click(deep, browser.warningFor(deep));
      await browser.isHeld('evil.example');
      committed.length = 0;
      await goOn(page);
      await page.waitForURL(deep);
      await shows('!', 'opened because you said so');
      assert.deepEqual(committed, [deep]);
      const { overrides } = await browser.ask('tellStatus');
      const override = overrides.find(({ target }) => target === `${host}/`);
      await browser.ask('removeOverride', { override });
      await browser.isHeld('evil.example');
      await click(deep, browser.warningFor(deep));
      assert.ok(!committed.slice(1).includes(deep));
    });
  }

  test('until the user takes that back', async (t) => {
    const { page, committed, click } = await browser.newTab(t);
    await page.goto(`${browser.base}options.html`);
    await page.getByText('open: the host, until').waitFor();
    await page.getByRole('button', { name: 'Remove www.evil.example/' }).click();
    await page.getByText('Nothing. What you open').waitFor();
    await browser.stopWorker();
    await click(url, browser.warningFor(url));
    assert.ok(!committed.includes(url));
  });

  test('not where nobody may', async (t) => {
    const { page, click, committed } = await browser.newTab(t);
    const games = 'http://games.example/';
    await click(games, browser.warningFor(games));
    assert.equal(await page.locator('details').isVisible(), false);
    await assert.rejects(browser.ask('goOn', { url: games, forMs: 60_000 }), /nobody opens/);
    await browser.isHeld('games.example');
    await click(games, browser.warningFor(games));
    assert.ok(!committed.includes(games));
  });

  test('to what no list has any more, and nothing is remembered', async (t) => {
    const { page, click, shows } = await browser.newTab(t);
    const fresh = 'http://new.example/x';
    await web.publish('bad', { hosts: [...HOSTS, 'new.example'], urls: PAGES, shown });
    await browser.ask('update');
    await click(fresh, browser.warningFor(fresh));
    await browser.isHeld('new.example');
    // The warning is open, and the list changes.
    await web.publish('bad', { hosts: HOSTS, urls: PAGES, shown });
    await browser.ask('update');
    await browser.isFree('new.example');
    await page.reload();
    await page.getByRole('heading', { name: 'No list has this page now' }).waitFor();
    await page.getByRole('button', { name: 'Open the page' }).click({ noWaitAfter: true });
    await page.waitForURL(fresh);
    await shows('', 'not on the lists');
    assert.deepEqual((await browser.ask('tellStatus')).overrides, []);
  });
});

test('where a redirect leads to a listed host, the warning comes; at the second visit instead of it', async (t) => {
  const { committed, click } = await browser.newTab(t);
  const end = `http://${CLICKED[1]}/end?x=1`;
  const last = `http://second.example/redirect?${new URLSearchParams({ to: end })}`;
  const first = `http://first.example/redirect?${new URLSearchParams({ to: last })}`;
  await browser.isHeld(CLICKED[1]);
  await browser.stopWorker();
  await click(first, browser.warningFor(end));
  assert.deepEqual(committed, [browser.warningFor(end)]);
  const fresh = 'http://chain.evil.example/';
  await click(
    `http://first.example/redirect?${new URLSearchParams({ to: fresh })}`,
    browser.warningFor(fresh),
  );
});

/** Has timers of the page wait for a call of `passTime`. */
const stopTime = (page) =>
  page.addInitScript(() => {
    globalThis.setTimeout = (act) => {
      globalThis.passTime = act;
    };
  });

describe('a warning that a hostile page opens', () => {
  const HUGE = `http://evil.example/${'x'.repeat(300_000)}`;
  for (const [name, address, heading, shown] of [
    ['a script', 'javascript:alert(document.domain)', 'leads to no web page', 'javascript:alert'],
    ['data', 'data:text/html,<script>alert(1)</script>', 'leads to no web page', 'data:text/html'],
    ['HTML', '<img src=x onerror=alert(1)>', 'leads to no web page', '%3Cimg'],
    ['nothing', '', 'leads to no web page', ''],
    ['a file', 'file:///etc/passwd', 'leads to no web page', 'file:'],
    ['its own page', 'chrome-extension://x/options.html', 'leads to no web page', 'options.html'],
    ['a good host', 'http://good.example/', 'No list has this page now', 'good.example'],
    [
      'a listed host that hides',
      'http://bank.example@evil.example/',
      'on the list',
      'evil.example',
    ],
    ['a huge address', HUGE, 'on the list', '... (300,020 characters)'],
  ]) {
    test(`with ${name} does nothing by itself`, async (t) => {
      const { page, committed } = await browser.newTab(t);
      const complaints = complaintsOf(page);
      const dialogs = [];
      await stopTime(page);
      page.on('dialog', (dialog) => dialogs.push(dialog.message()) && dialog.dismiss());
      await page.goto('http://start.example/');
      await page.evaluate((to) => {
        location.href = to;
      }, browser.warningFor(address));
      await page.getByRole('heading', { name: heading }).waitFor();
      assert.ok((await page.locator('main').textContent()).includes(shown));
      assert.equal(await page.locator('img, script:not([src]), iframe').count(), 0);
      // The user presses the button. An address that is no web page has no button.
      assert.equal(await page.locator('details').isVisible(), !heading.includes('no web page'));
      await page.waitForFunction(() => globalThis.passTime);
      await page.evaluate(() => passTime());
      await until(() => page.locator('#go').isEnabled(), true);
      assert.deepEqual([dialogs, complaints], [[], []]);
      assert.equal(committed.length, 2);
      assert.deepEqual((await browser.ask('tellStatus')).overrides, []);
    });
  }

  test('cannot be pressed at once, or in a frame', async (t) => {
    const { page } = await browser.newTab(t);
    const warning = browser.warningFor('http://evil.example/');
    await stopTime(page);
    await page.goto(warning);
    await page.waitForFunction(() => globalThis.passTime);
    assert.equal(await page.locator('#go').isDisabled(), true);
    await page.evaluate(() => passTime());
    await until(() => page.locator('#go').isDisabled(), false);

    await page.goto(`http://start.example/?${new URLSearchParams({ frame: warning })}`);
    const frame = page.frames().find((one) => one !== page.mainFrame());
    await until(() => frame.url().startsWith('chrome-error:'), true);
  });
});

test('says of what is no web page that it was not checked', async (t) => {
  const { page, shows } = await browser.newTab(t);
  await page.goto('data:text/html,hello');
  await shows('?', 'no web page, and so not checked');
});

test('is woken for an update, and asks nobody for the list that it has', async (t) => {
  const { click } = await browser.newTab(t);
  await browser.stopWorker();
  drain(/./);
  const evil = 'http://x.evil.example/';
  await click(evil, browser.warningFor(evil));
  assert.deepEqual(drain(/^\//), []);
  await browser.stopWorker();
  await web.publish('bad', { hosts: [...HOSTS, 'late.example'], urls: PAGES, shown });
  await browser.probe.evaluate(async () => {
    const { name } = await chrome.alarms.get('update');
    await chrome.alarms.create(name, { when: Date.now() });
  });
  await until(async () => (await browser.ask('tellStatus')).status.bad.count, 15);
  await click('http://late.example/', browser.warningFor('http://late.example/'));
});

test('without the confirm server a hit is unknown, and a found one is held; without a list all is', async (t) => {
  const { page, click, shows } = await browser.newTab(t);
  const unknown = 'this page could not be checked';
  const listed = `http://${LISTED}/`;
  await click(listed, browser.warningFor(listed));
  await browser.isHeld(LISTED);
  const asked = { ...lists.asked, confirm: 'http://127.0.0.1:1/nowhere' };
  await browser.setLists({ ...lists, asked });
  await click(listed, browser.warningFor(listed));
  assert.match(await page.locator('main').textContent(), /Found.*; it cannot be asked again now/);
  await browser.ask('setLists', { lists: { ...lists, bad: { ...lists.bad, name: 'other' } } });
  await click('http://good.example/', 'http://good.example/');
  await shows('?', unknown);
  await browser.ask('setLists', { lists: {} });
  await click('http://good.example/', 'http://good.example/');
  await shows('?', unknown);
  // Nothing is held of lists that are gone.
  await until(browser.rulesNow, []);
  await browser.setLists(lists);
});

test('after the browser ended, and without a network, all holds as before', async (t) => {
  const before = await browser.newTab(t);
  for (const host of CLICKED.slice(0, 2)) {
    await before.click(`http://${host}/`, browser.warningFor(`http://${host}/`));
    await browser.isHeld(host);
  }
  await browser.close();
  await web.close();
  browser = await startChromium(extension, web);
  await browser.isHeld(CLICKED[0]);
  const { page } = await browser.newTab(t);
  for (const host of ['evil.example', ...CLICKED.slice(0, 3)]) {
    const url = `http://${host}/`;
    await page.goto(url).catch(() => {});
    await until(() => page.url(), browser.warningFor(url));
    await page.getByText('Bad pages (bad)').waitFor();
  }
});
