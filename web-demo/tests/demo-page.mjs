import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'vite';
import { complaintsOf, holdTimers, launchBrowser, press } from '../../tests/e2e/browser.mjs';
import { startServer } from '../serve.mjs';

const { source: axe } = createRequire(import.meta.url)('axe-core');
export const root = fileURLToPath(new URL('../..', import.meta.url));
const demo = fileURLToPath(new URL('..', import.meta.url));

/** Makes the demo's data and bundles it, unless npm test has done that for all files at once. */
export async function buildDemo() {
  if (process.env.TAMIS_DEMO === 'built') return;
  await promisify(execFile)(process.execPath, ['web-demo/build-data.mjs'], { cwd: root });
  await build({ root: demo, configFile: `${demo}vite.config.ts`, logLevel: 'warn' });
}

/** A server of the built demo, with these options, and a browser, which exist while a file's tests run. */
export function shareDemo(options) {
  const shared = {};
  before(async () => {
    await buildDemo();
    shared.server = await startServer({ port: 0, ...options });
    shared.browser = await launchBrowser();
  });
  after(async () => {
    await shared.browser?.close();
    await shared.server?.close();
  });
  return shared;
}

/** The errors that axe finds, as rules and elements. */
export async function axeOf(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run({ resultTypes: ['violations'] }),
  );
  return violations.map(({ id, nodes }) => ({ id, html: nodes.map((node) => node.html) }));
}

export const integer = new Intl.NumberFormat('en').format;

/** How tests show a page: nothing moves, unless a test says so. */
export const STILL = { viewport: { width: 1200, height: 900 }, reducedMotion: 'reduce' };

/**
 * Opens a page of the demo. When the test ends, its console is checked and the context is closed. `expected` matches
 * messages that are no failure. With `isHeld`, timers run out only when the test says so.
 */
export async function openPage(t, { browser, server }, path, options = {}) {
  const { expected = /^$/, isHeld = false, ...rest } = options;
  const context = await browser.newContext({ ...STILL, ...rest });
  const page = await context.newPage();
  if (isHeld) await holdTimers(page);
  const complaints = complaintsOf(page);
  t.after(async () => {
    const trouble = await page.locator('#trouble').allTextContents();
    await context.close();
    assert.deepEqual([...complaints.filter((one) => !expected.test(one)), trouble.join('')], ['']);
  });
  await page.addInitScript(() => {
    window.shifts = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if (!entry.hadRecentInput) window.shifts += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  const response = await page.goto(server.url + path);
  return { page, response, context };
}

/** Opens the first page, and waits for its first answer. */
export async function openDemo(t, shared, { hash = '', ...options } = {}) {
  const opened = await openPage(t, shared, hash, options);
  await opened.page.waitForSelector('.verdict:not([data-answer=none])');
  return opened;
}

/** Looks of a page for which `assertFits` checks it: a name, and the options of its context. */
export const LOOKS = [
  ['320 pixels', { viewport: { width: 320, height: 640 } }],
  ['a phone', { viewport: { width: 390, height: 844 } }],
  ['a dark desktop', { colorScheme: 'dark' }],
];

/** Checks that nothing of the page is wider than the window, and that axe finds nothing wrong with it. */
export async function assertFits(page) {
  assert.equal(
    await page.evaluate(() => document.documentElement.scrollWidth),
    page.viewportSize().width,
  );
  assert.deepEqual(await axeOf(page), []);
}

/** For each section below the first answer, what is there once its script has filled it. */
export const SECTIONS = {
  figure: 'tamis-figure .picture:not([aria-busy])',
  bits: '#owners:not([disabled])',
  chooser: '#chooser-answer[data-state=found]',
  drop: '#drop-file:not([disabled])',
  lab: '#points tr',
  once: '#once-sizes tr',
};

/** Scrolls to a section, and waits until its script has filled it. */
export async function openSection(page, name, filled = SECTIONS[name]) {
  await page.locator(`[data-section=${name}]`).first().scrollIntoViewIfNeeded();
  await page.waitForSelector(filled, { state: 'attached' });
}

/** Opens the section of the filter that is built, and of the filter that is changed by hand. */
export const openLab = (page) => openSection(page, 'lab', '#types input');

/** Waits until the element of that id says these words. */
export const says = (page, id, words) =>
  page.waitForFunction(
    ([id, words]) => document.querySelector(`#${id}`).textContent.includes(words),
    [id, words],
  );

/** Waits until a selector matches that many elements. */
export const counts = (page, selector, count) =>
  page.waitForFunction(
    ([selector, count]) => document.querySelectorAll(selector).length === count,
    [selector, count],
  );

/** The output of a program that a page shows, with a line added. */
export async function outputOf(program, line) {
  const args = ['--input-type=module', '--eval', `${program}\n${line}`];
  return (await promisify(execFile)(process.execPath, args, { cwd: root })).stdout.trim();
}

/** Waits until the worker has reported on the filter of the present settings. */
export async function built(page) {
  await openLab(page);
  await says(page, 'build-note', 'At its capacity');
}

/** Scrolls through the whole page, and waits until every section has filled itself. */
export async function showAll(page) {
  for (const name of Object.keys(SECTIONS)) await openSection(page, name);
  await page.evaluate(() => scrollTo(0, 0));
}

/** The labels and values of a list of figures, without their notes. */
export async function figures(page, id) {
  return Object.fromEntries(
    await page.$$eval(`#${id} > div`, (rows) =>
      rows.map((row) => [
        row.querySelector('dt').textContent,
        row.querySelector('dd').firstChild.textContent,
      ]),
    ),
  );
}

/** Types a question, and returns the word of the answer. If the page needs the list for it, this waits for the list. */
export async function ask(page, text) {
  await page.fill('#host', text);
  await page.waitForSelector('#verdict:not([aria-busy=true])');
  return page.textContent('#verdict-word');
}

/** Presses Tab until the element of that id has the focus, `most` times at most. */
export async function tabTo(page, id, most = 60) {
  for (let presses = 0; presses < most; presses++) {
    await press(page, 'Tab');
    if ((await focused(page)) === id) return;
  }
  assert.fail(`Tab never reached #${id}`);
}

/** The id of the element that has the focus. */
export const focused = (page) => page.evaluate(() => document.activeElement.id);

/** The text that a button copies. For a moment, the button says that it did. */
export async function copied(page, id) {
  const button = page.locator(`#${id}`);
  const change = await button.evaluateHandle((button) => {
    const label = new Promise((resolve) => {
      const tell = () => resolve(button.textContent);
      new MutationObserver(tell).observe(button, { childList: true });
    });
    return { label };
  });
  await button.click();
  assert.equal(await change.evaluate(({ label }) => label), 'Copied');
  return page.evaluate(() => navigator.clipboard.readText());
}

/** The bits that were read, as the page lists them. */
export async function shownBits(page) {
  await openSection(page, 'bits');
  return page.$$eval('#positions button', (buttons) =>
    buttons.map(({ dataset, textContent }) => ({
      position: Number(dataset.bit),
      set: dataset.set === 'true',
      text: textContent,
    })),
  );
}

/**
 * The colours of a canvas as `#rrggbb`: the colours at the places `at`, and the number of pixels of each colour there.
 * Places are shares of the width and height.
 */
export async function canvasColors(page, selector, places = []) {
  return page.$eval(
    selector,
    (canvas, places) => {
      const { width, height } = canvas;
      const pen = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
      pen.drawImage(canvas, 0, 0);
      const { data } = pen.getImageData(0, 0, width, height);
      const color = (pixel) => {
        const at = 4 * pixel;
        const rgb = (data[at] << 16) | (data[at + 1] << 8) | data[at + 2];
        return `#${rgb.toString(16).padStart(6, '0')}`;
      };
      const counts = {};
      for (let pixel = 0; pixel < width * height; pixel++) {
        counts[color(pixel)] = (counts[color(pixel)] ?? 0) + 1;
      }
      const at = places.map(([x, y]) => Math.floor(y * height) * width + Math.floor(x * width));
      return { at: at.map(color), counts };
    },
    places,
  );
}

/** The colours that the style sheet gives to those custom properties. */
export async function palette(page, ...names) {
  return page.evaluate((names) => {
    const style = getComputedStyle(document.documentElement);
    return Object.fromEntries(
      names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]),
    );
  }, names);
}
