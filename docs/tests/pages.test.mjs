// Each page of the built site, in a browser. A page is opened once; each test looks at one thing that was found. Colours
// are looked at on a page that has a kind of text or icon which no page before had.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { complaintsOf } from '../../tests/e2e/browser.mjs';
import { openPage, sampled, shareSite, written } from './site.mjs';

const require = createRequire(import.meta.url);
const axe = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');

/** The most that a page may transfer before a figure is played. */
const MOST_BYTES = 150_000;

/** The number of pages that are looked at side by side. */
const AT_ONCE = 2;

const looked = [...written, ...sampled];
/** The findings on each page. */
const found = new Map();

/** The kinds of text and icons on the pages so far. */
const kinds = new Set();

const shared = shareSite(async () => {
  const left = [...looked];
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let path = left.shift(); path !== undefined; path = left.shift())
      found.set(path, await look(path));
  });
  await Promise.all(workers);
});

/** Opens a page as a first visit, and looks at it. */
async function look(path) {
  const context = await shared.browser.newContext({
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  try {
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    const responses = [];
    const hosts = new Set();
    page.on('response', (response) => responses.push(response));
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== 'data:' && protocol !== 'blob:') hosts.add(origin);
    });
    await openPage(page, shared.site.url + path);
    const sizes = await Promise.all(responses.map(transferredBytes));
    await page.evaluate(axe);
    const bars = barsOf(path);
    const hasNewKinds = await addKinds(page, bars);
    const rules = Object.fromEntries(OF_COLOURS.map((rule) => [rule, { enabled: hasNewKinds }]));
    return {
      bytes: sizes.reduce((sum, size) => sum + size, 0),
      headings: await page.locator('h1').count(),
      light: await findViolations(page, bars, { rules }),
      ...(hasNewKinds && (await lookAtColours(page, bars))),
      ...(written.includes(path) && { wide: await findWide(page) }),
      complaints,
      hosts: [...hosts],
    };
  } finally {
    await context.close();
  }
}

/** Looks at a page in the dark, and under forced colours. */
async function lookAtColours(page, bars) {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForSelector('html.dark');
  const dark = await findViolations(page, bars, { runOnly: OF_COLOURS });
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' });
  await page.waitForSelector('html:not(.dark)');
  const forced = await findViolations(page, bars, { runOnly: OF_COLOURS });
  const hollow = await findHollow(page);
  await page.emulateMedia({ forcedColors: 'none' });
  return { dark, forced, hollow };
}

/**
 * Adds the kinds of text and icons that axe looks at on the page: an element's classes, those around it, its style in
 * code. True if one is new.
 */
async function addKinds(page, exclude) {
  const onPage = await page.evaluate((exclude) => {
    const within = (root) =>
      [...root.querySelectorAll('*')].flatMap((element) =>
        element.shadowRoot ? within(element.shadowRoot) : [element],
      );
    const isLookedAt = (element) =>
      element.checkVisibility() && !exclude.some((bar) => element.closest(bar));
    const hasLook = (element) =>
      element.matches('[class*="vpi-"], .vp-icon') ||
      [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    // VitePress gives the text of each page a class of its own, which begins with an underscore.
    const classesOf = ({ classList }) => [...classList].filter((name) => !name.startsWith('_'));
    const kindOf = (element, depth = 3) =>
      element && depth > 0
        ? [element.localName, classesOf(element), kindOf(element.parentElement, depth - 1)].join()
        : '';
    const styleOf = (element) => (element.closest('pre') ? element.getAttribute('style') : '');
    return within(document.body)
      .filter((element) => hasLook(element) && isLookedAt(element))
      .map((element) => kindOf(element) + styleOf(element));
  }, exclude);
  const isNew = onPage.some((kind) => !kinds.has(kind));
  for (const kind of onPage) kinds.add(kind);
  return isNew;
}

/** The bytes of a response on the wire, from a host that compresses text, and pictures not again. */
async function transferredBytes(response) {
  const body = await response.body();
  const isText = /text|javascript|json|svg/.test(response.headers()['content-type'] ?? '');
  return isText ? gzipSync(body).length : body.length;
}

/** The rules of axe that depend on colours. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** The bars around a page, which are the same on all pages of a folder: axe looks at them on the first one. */
const barsOf = (path) =>
  path === looked.find((other) => dirname(other) === dirname(path)) ? [] : ['.VPNav', '.VPSidebar'];

/** What axe finds under these options. */
async function findViolations(page, exclude, options) {
  const { violations } = await page.evaluate(
    ([exclude, options]) =>
      window.axe.run({ exclude }, { resultTypes: ['violations'], ...options }),
    [exclude, options],
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** Under forced colours: icons that are painted as a background of the page's own colour, and so cannot be seen. */
const findHollow = (page) =>
  page.evaluate(() => {
    const canvas = getComputedStyle(document.body).backgroundColor;
    const icons = [...document.querySelectorAll('[class*="vpi-"], .vp-icon')];
    return icons
      .filter((icon) => icon.checkVisibility())
      .filter((icon) => getComputedStyle(icon).backgroundColor === canvas)
      .map((icon) => icon.className);
  });

/** The elements that make the page scroll sideways on a small phone. */
async function findWide(page) {
  await page.setViewportSize({ width: 320, height: 640 });
  return page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    // Figures take their new width in the first frame.
    await frame();
    await frame();
    const { clientWidth, scrollWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const scrolls = (element) =>
      element !== document.documentElement && getComputedStyle(element).overflowX !== 'visible';
    const isBoxed = (element) =>
      element !== null && (scrolls(element) || isBoxed(element.parentElement));
    return [...document.body.querySelectorAll('*')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth)
      .filter((element) => !isBoxed(element.parentElement))
      .map((element) => element.outerHTML.slice(0, 200));
  });
}

/** The pages of which `isWrong` says so, with what was found there; {} where all are right. */
function pick(name, isWrong = (value) => value.length > 0) {
  const entries = looked.map((path) => [path, found.get(path)[name]]);
  const lookedAt = entries.filter(([, value]) => value !== undefined);
  assert.ok(lookedAt.length > 0);
  return Object.fromEntries(lookedAt.filter(([, value]) => isWrong(value)));
}

for (const setting of ['light', 'dark'])
  test(`axe finds nothing, ${setting}`, () => assert.deepEqual(pick(setting), {}));

test('axe finds nothing under forced colours, and every icon is seen', () => {
  assert.deepEqual(pick('forced'), {});
  assert.deepEqual(pick('hollow'), {});
});

test('no page scrolls sideways at 320 px', () => {
  assert.deepEqual(pick('wide'), {});
});

test('every page has one heading of the first level', () => {
  assert.deepEqual(
    pick('headings', (count) => count !== 1),
    {},
  );
});

test('no page complains in the console', () => {
  assert.deepEqual(pick('complaints'), {});
});

test('no request leaves the site', () => {
  const own = new URL(shared.site.url).origin;
  assert.deepEqual(
    pick('hosts', (hosts) => hosts.length !== 1 || hosts[0] !== own),
    {},
  );
});

test(`no page transfers more than ${MOST_BYTES / 1000} kB`, () => {
  assert.deepEqual(
    pick('bytes', (bytes) => bytes > MOST_BYTES),
    {},
  );
});
