// The built site, served on 127.0.0.1, and its pages.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from '../../tests/e2e/browser.mjs';
import { startServer } from '../../web-demo/serve.mjs';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const docs = join(root, 'docs');
export const dist = join(docs, '.vitepress/dist');

// The policy of a careful host. VitePress has scripts and styles inside its pages; nothing may come from elsewhere.
const CSP = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
].join('; ');

export async function startSite() {
  if (!existsSync(dist)) throw new Error('the site is not built: run `npm run docs:build`');
  return startServer({ root: dist, port: 0, csp: CSP });
}

/** The site and a browser, for the tests of a file. `begin` runs once both are there, and before any test. */
export function shareSite(begin = async () => {}) {
  const shared = {};
  before(async () => {
    shared.site = await startSite();
    shared.browser = await launchBrowser();
    await begin();
  });
  after(async () => {
    await shared.browser?.close();
    await shared.site?.close();
  });
  return shared;
}

/** Opens a page of VitePress. Its script runs then, and what stands near the view has filled itself. */
export async function openPage(page, url) {
  await page.goto(url);
  await page.waitForFunction(() => {
    const isFilled = (element) =>
      element.getBoundingClientRect().top > innerHeight + 200 ||
      element.shadowRoot?.querySelector('.picture:not([aria-busy])');
    // Vue leaves its app there once it has mounted it.
    return (
      document.querySelector('#app').__vue_app__ !== undefined &&
      [...document.querySelectorAll('tamis-figure')].every(isFilled)
    );
  });
}

/** All built pages, by their paths from the site's root. */
export const pages = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.html') && name !== '404.html')
  .sort();

/** Those that somebody wrote. The demo has tests of its own. */
export const written = pages.filter((page) => !/^(api|demo)\//.test(page));

/** Of the API, the index of each entry, and one page of each kind, such as class: all of a kind are made alike. */
export const sampled = pages.filter((page, index) => {
  if (!page.startsWith('api/')) return false;
  const kind = (name) => name.split('/').at(-2);
  return (
    page.endsWith('index.html') || pages.findIndex((one) => kind(one) === kind(page)) === index
  );
});
