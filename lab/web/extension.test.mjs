// Tests the extension in js/examples: 60 clicks in Chromium, each with a new worker, and the same package in Firefox.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  buildExtension,
  clickListed,
  startChromium,
  startWeb,
  until,
} from '../../tests/examples/extension-driver.mjs';
import { launchFirefox } from './firefox.mjs';

const HOSTS = Array.from({ length: 30 }, (_, i) => `bad-${i}.example`);

async function start(t, makeLists = (bad) => ({ bad })) {
  const web = await startWeb();
  t.after(web.close);
  const lists = makeLists(
    await web.publish('bad', { hosts: HOSTS, shown: { label: 'Bad hosts' } }),
  );
  const extension = await buildExtension(lists);
  t.after(extension.remove);
  return { web, lists, extension };
}

test('Chromium: of 60 clicks no listed page stays, and no second visit is committed', async (t) => {
  const { web, lists, extension } = await start(t);
  const browser = await startChromium(extension, web);
  t.after(browser.close);
  await browser.setLists(lists);
  const { first, ...others } = await clickListed(t, browser, HOSTS);
  t.diagnostic(`${first} of ${HOSTS.length} first visits were committed before the warning`);
  assert.deepEqual(others, { stayed: 0, second: 0 });
});

test('Firefox: a first visit is warned of, a second held, and the user goes on once', async (t) => {
  const { web, extension } = await start(t);
  const [bad, other] = HOSTS;
  const browser = await launchFirefox({
    'network.dns.localDomains': `${bad},${other},good.example`,
  });
  t.after(() => browser.close());
  await browser.installExtension(extension.built);
  const page = await browser.newPage();
  page.setDefaultTimeout(0);
  const { port } = new URL(web.url);
  const hrefOf = () => page.evaluate(() => location.href).catch(() => undefined);
  /** Follows a link, and waits until the tab's address ends with `shown`. */
  const click = async (host, shown) => {
    const url = `http://${host}:${port}/login?x=1&y=%2F`;
    const from = `http://good.example:${port}/?${new URLSearchParams({ to: url })}`;
    await page.goto(from);
    web.asked.length = 0;
    await page.evaluate(() => document.querySelector('a').click());
    const end = `${shown}${url}`;
    await until(async () => (await hrefOf())?.endsWith(end), true);
    return web.asked.filter((asked) => asked.startsWith(host));
  };
  const warning = '/warning.html?url=';
  /** Waits until a browser rule blocks the host, so that the tab shows a page of the extension. */
  const isHeld = (host) =>
    until(
      () =>
        page.evaluate(async (host) => {
          const rules = await chrome.declarativeNetRequest.getSessionRules();
          return rules.some(({ condition }) => condition.requestDomains?.includes(host));
        }, host),
      true,
    );
  // The extension has its lists as soon as it has fetched them.
  await until(() => web.asked.some((path) => path.includes('/snapshot-')), true);
  await click(bad, warning);
  await page.waitForFunction(() => document.body.dataset.verdict === 'unsafe');
  assert.match(await page.evaluate(() => document.body.textContent), /Bad hosts \(bad\)/);
  await isHeld(bad);
  assert.deepEqual(await click(bad, warning), []);
  await page.waitForFunction(() => !document.getElementById('go').disabled);
  await page.evaluate(() => document.getElementById('go').click());
  const went = `http://${bad}:${port}/login?x=1&y=%2F`;
  await until(hrefOf, went);
  assert.deepEqual(web.asked.splice(0), [`${bad}/login`]);
  assert.deepEqual(await click(bad, ''), [`${bad}/login`]);
  await click(other, warning);
  await isHeld(other);
  assert.deepEqual(await click(other, warning), []);
});
