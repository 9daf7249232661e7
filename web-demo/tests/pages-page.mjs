import { readFile } from 'node:fs/promises';
import { openPage } from './demo-page.mjs';

const data = new URL('../public/', import.meta.url);

/** The description of the list that build-pages.mjs wrote, and the list's manifest. */
export async function readPages() {
  const [info, manifest] = await Promise.all(
    ['passwords.json', 'passwords/manifest.json'].map(async (name) =>
      JSON.parse(await readFile(new URL(name, data), 'utf8')),
    ),
  );
  const part = `passwords.${manifest.root.slice(0, 16)}.0.pages`;
  return { info, manifest, part, bytes: await readFile(new URL(`passwords/${part}`, data)) };
}

/** A `handle` for startServer that passes every request on, and records requests for the list's folder. */
export function listenTo(asked) {
  return ({ url, headers }) => {
    const { pathname, search } = new URL(url);
    if (!/\/passwords\//.test(pathname)) return;
    asked.push({
      file: pathname.split('/').at(-1),
      search,
      range: headers.get('range'),
      headers: Object.fromEntries(headers),
    });
  };
}

/** Waits until the page has done the requested action. */
export async function settled(page) {
  await page.waitForSelector('#verdict:not([aria-busy=true])');
  return page.textContent('#verdict-word');
}

/** Opens the page of passwords, and waits until it has its list. */
export async function openPages(t, shared, options) {
  const opened = await openPage(t, shared, 'pages.html', options);
  await settled(opened.page);
  return opened;
}

/** Looks a password up, and returns the word of the answer. */
export async function ask(page, password) {
  await page.fill('#password', password);
  // A pressed key may submit the form after the call that pressed it.
  await page.$eval('#password', (input) => input.form.requestSubmit());
  return settled(page);
}

/** The newest entry of the log: its title, its cost, and its requests. */
export function newest(page) {
  return page.$eval('#requests > li', (row) => ({
    title: row.querySelector('h3').textContent,
    cost: row.querySelector('.task-cost').textContent,
    requests: [...row.querySelectorAll('.request')].map((one) => ({
      ...one.dataset,
      purpose: one.querySelector('.request-for').firstChild.textContent,
      tag: one.querySelector('.tag').textContent,
      asked: [...one.querySelectorAll('code')].map((code) => code.textContent),
      answer: one.querySelector('.note').textContent,
    })),
  }));
}
