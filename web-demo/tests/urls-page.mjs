import assert from 'node:assert/strict';
import { UrlList } from 'tamis/url';
import { figures, integer, openPage, openSection } from './demo-page.mjs';

/** All requests to the publisher in the page since the page was loaded, in order. */
export function exchangesOf(page) {
  return page.$$eval('#seen li', (rows) =>
    rows
      .map(({ dataset: { method, path, sent, status, bytes, headers } }) => ({
        method,
        path,
        sent,
        status: Number(status),
        bytes: Number(bytes),
        headers: JSON.parse(headers),
      }))
      .reverse(),
  );
}

/** Those of the requests that went to the confirm server. */
export async function questionsOf(page) {
  return (await exchangesOf(page)).filter(({ path }) => path.endsWith('/confirm'));
}

/** The bytes of the file in a database of the page whose name ends so. With `change`, a bit of it is damaged then. */
export function storedFile(page, database, ending, change = '') {
  return page.evaluate(
    async ([name, ending, change]) => {
      const done = (request) =>
        new Promise((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
      const database = await done(indexedDB.open(name));
      const files = database.transaction('files', 'readwrite').objectStore('files');
      const key = (await done(files.getAllKeys())).find((key) => key.endsWith(ending));
      const bytes = await done(files.get(key));
      if (change === 'damage') {
        bytes[bytes.length >> 1] ^= 1;
        await done(files.put(bytes, key));
      }
      database.close();
      return [...bytes];
    },
    [database, ending, change],
  );
}

/** A file of the publisher, from its storage. */
const publishedFile = async (page, name) =>
  Buffer.from(await storedFile(page, 'tamis-demo-publisher', name));

/** The current manifest. */
export async function manifestOf(page) {
  return JSON.parse(await publishedFile(page, 'manifest.json'));
}

/** The list that a manifest names. */
export async function listOf(page, { snapshot }) {
  return UrlList.fromBytes(await publishedFile(page, snapshot.url));
}

/** Waits until the page has opened its list, or has searched for another update. */
export function updates(page, count) {
  return page.waitForFunction(
    (count) => document.querySelectorAll('#updates tr').length >= count,
    count,
  );
}

/** Opens the URL check, and waits until it has its list. */
export async function openUrls(t, shared, options) {
  const opened = await openPage(t, shared, 'urls.html', options);
  await updates(opened.page, 1);
  return opened;
}

/** Opens the section that makes a list of feeds. */
export const openFeeds = (page) => openSection(page, 'feeds', '#feed-example:not([disabled])');

/** Opens the section that asks two lists. */
export const openGuard = (page) => openSection(page, 'guard', '#guard-ask:not([disabled])');

/** The word of the answer, once the page has handled the question. */
export async function answered(page) {
  await page.waitForSelector('#verdict:not([aria-busy=true])');
  return page.textContent('#verdict-word');
}

/** Types a question, and returns the word of its answer. */
export async function ask(page, text) {
  await page.fill('#text', text);
  return answered(page);
}

export async function confirm(page) {
  await page.click('#ask');
  await page.waitForSelector('#ask', { state: 'hidden' });
  return page.textContent('#verdict-word');
}

/** Presses a button of the desk, and waits until it has acted. */
export async function act(page, button) {
  await page.click(button);
  await page.waitForSelector(`${button}:not([aria-disabled=true])`);
}

export async function publish(page) {
  await act(page, '#publish');
  assert.match(await page.textContent('#published'), /^Published/);
}

/** Presses a button that searches for an update, and returns the newest row of the table. */
export async function update(page, button = '#update') {
  const count = await page.locator('#updates tr').count();
  await page.click(button);
  await updates(page, count + 1);
  return row(page);
}

/** The newest row of the table of updates. */
export function row(page) {
  return page.$eval('#updates tr', ({ dataset, cells }) => ({
    by: dataset.by,
    what: cells[0].firstChild.textContent,
    version: cells[0].querySelector('small').textContent,
    manifest: cells[1].textContent,
    list: cells[2].textContent,
    entries: cells[3].firstChild.textContent,
  }));
}

/** Checks the page's text about the list of a manifest. */
export async function shows(page, { version, n }) {
  const { Version, Entries, State } = await figures(page, 'figures');
  assert.deepEqual(
    { Version, Entries, State },
    { Version: version, Entries: integer(n), State: 'in use' },
  );
}
