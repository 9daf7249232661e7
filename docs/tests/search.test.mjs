// The search of the built site, in a browser: which page comes first, and what it says while it loads.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { openPage, shareSite } from './site.mjs';

const synonyms = JSON.parse(
  await readFile(new URL('../.vitepress/theme/search/synonyms.json', import.meta.url), 'utf8'),
);

/** What readers search for, with the page that must come first. */
const firstPages = {
  addon: 'recipes/browser-extension',
  angular: 'guide/frameworks',
  cors: 'guide/publishing',
  csp: 'guide/runtimes.html#content-security-policy',
  dedup: 'recipes/dedupe',
  dedupe: 'recipes/dedupe',
  deduplicate: 'recipes/dedupe',
  deduplication: 'recipes/dedupe',
  delete: 'guide/choose.html#delete-keys',
  duplicates: 'recipes/dedupe',
  expiry: 'guide/choose.html#keys-that-grow-or-age',
  extension: 'recipes/browser-extension',
  gdpr: 'guide/privacy',
  hibp: 'recipes/breached-passwords',
  iblt: 'filters/invertible-bloom-table',
  middleware: 'guide/frameworks',
  mv3: 'recipes/browser-extension',
  'next.js': 'guide/frameworks',
  offline: 'guide/updating.html#work-offline',
  persist: 'guide/saving',
  postgres: 'guide/saving',
  privacy: 'guide/privacy',
  pwned: 'recipes/breached-passwords',
  'rotate key': 'guide/publishing',
  serialize: 'guide/saving',
  size: 'guide/choose',
  ttl: 'guide/choose.html#keys-that-grow-or-age',
  username: 'recipes/username-taken',
  usernames: 'recipes/username-taken',
  uuid: 'guide/saving.html#use-uuids-as-keys',
  version: 'guide/updating',
  vite: 'guide/frameworks',
  vitest: 'guide/frameworks',
};

let page;
const shared = shareSite(async () => {
  page = await shared.browser.newPage({ viewport: { width: 1280, height: 800 } });
});

/** Opens the first page and, by the keyboard, its search. */
async function openSearch() {
  await openPage(page, `${shared.site.url}index.html`);
  await page.keyboard.press('Control+k');
  await page.waitForSelector('.VPLocalSearchBox .search-input');
}

/** The addresses that the search shows for a query, in their order and from the site's root. */
async function find(query) {
  const results = page.locator('.VPLocalSearchBox .result');
  await page.fill('.search-input', '');
  await results.first().waitFor({ state: 'detached' });
  await page.fill('.search-input', query);
  await results.first().waitFor();
  const hrefs = await results.evaluateAll((links) => links.map((link) => link.href));
  return hrefs.map((href) => href.slice(shared.site.url.length));
}

test('the search says that its index loads, and stops when it is there', async () => {
  let release;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  await page.route(/@?localSearchIndex/, async (route) => {
    await held;
    await route.continue();
  });
  await openSearch();
  const status = page.locator('.VPLocalSearchBox [role=status]');
  await page.waitForFunction(() =>
    document.querySelector('.VPLocalSearchBox [role=status]')?.checkVisibility(),
  );
  assert.match(await status.textContent(), /^Loading/);
  release();
  await status.waitFor({ state: 'hidden' });
  await page.unrouteAll();
});

test('the search says that its index did not load', async () => {
  await page.route(/@?localSearchIndex/, (route) => route.abort());
  await openSearch();
  const status = page.locator('.VPLocalSearchBox [role=status]');
  await status.filter({ hasText: 'did not load' }).waitFor();
  await page.unrouteAll();
});

test('each word finds the right page first', async () => {
  const missing = Object.keys(synonyms).filter((word) => !Object.hasOwn(firstPages, word));
  assert.deepEqual(missing, [], 'synonyms without a row in this test');
  await openSearch();
  const found = {};
  for (const [word, wanted] of Object.entries(firstPages)) {
    const [first] = await find(word);
    found[word] = first.startsWith(wanted) ? wanted : first;
  }
  assert.deepEqual(found, firstPages);
});

test('guides come before the API', async () => {
  await openSearch();
  for (const word of ['delete', 'merge', 'password', 'service worker', 'toBytes', 'BloomFilter']) {
    const [first] = await find(word);
    assert.match(first, /^(guide|recipes)\//, word);
  }
});

test('the whole name of a class or function finds its page of the API', async () => {
  await openSearch();
  for (const name of ['BloomFilter', 'hashKey', 'suggestFilter', 'UrlChecker']) {
    const found = await find(name);
    const isPage = (address) => address.startsWith('api/') && address.includes(`/${name}.html`);
    assert.ok(found.some(isPage), `${name}: ${found.join(', ')}`);
  }
});
