// Each page of the built site, in a browser.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { complaintsOf, launchBrowser } from '../e2e/browser.mjs';
import { pages, sampled, startSite, written } from './site.mjs';

const require = createRequire(import.meta.url);
const axe = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');

/** The most that a page may transfer before a figure is played. */
const MOST = 150_000;

/** How many pages are looked at side by side. */
const AT_ONCE = 2;

let browser;
let site;

before(async () => {
  site = await startSite();
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await site?.close();
});

/** Opens a page as a first visit, runs `look` on it, and gives what that found wrong. */
async function visit(path, look, options = {}) {
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    const requests = [];
    page.on('request', (request) => requests.push(request));
    await page.goto(site.url + path, { waitUntil: 'networkidle' });
    return [...(await look({ page, requests })), ...complaints];
  } finally {
    await context.close();
  }
}

/** What is wrong with each page, by its path; {} where nothing is. */
async function findTroubles(paths, look, options) {
  assert.ok(paths.length > 0);
  const troubles = {};
  const left = [...paths];
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let path = left.shift(); path !== undefined; path = left.shift()) {
      const found = await visit(path, look, options);
      if (found.length > 0) troubles[path] = found;
    }
  });
  await Promise.all(workers);
  return troubles;
}

async function findViolations({ page }) {
  // As text, so that the page's policy holds.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

const looked = [...written, ...sampled];

for (const colorScheme of ['light', 'dark']) {
  test(`axe finds nothing on any page, ${colorScheme}`, async () => {
    assert.deepEqual(await findTroubles(looked, findViolations, { colorScheme }), {});
  });
}
