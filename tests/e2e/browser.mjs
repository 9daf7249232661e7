import assert from 'node:assert/strict';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { env } from 'node:process';
import { chromium } from 'playwright-core';
import { PATIENCE_MS } from './patience.mjs';

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The Chromium to test in: `CHROMIUM`, or the first of these programs in Debian's place or on PATH. */
export function findChromium(names = ['chromium']) {
  const folders = ['/usr/bin', ...(env.PATH ?? '').split(delimiter)];
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = [env.CHROMIUM, ...paths].find((path) => path && isProgram(path));
  if (!found) {
    throw new Error('no Chromium: install Debian\'s "chromium", or set CHROMIUM to its path');
  }
  return found;
}

const ARGS = ['--no-sandbox', '--disable-background-networking', '--disable-gpu'];

async function launch(executablePath, args) {
  const settings = { executablePath, args: [...ARGS, ...args], timeout: PATIENCE_MS };
  const browser = await chromium.launch(settings);
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS));
  return browser;
}

/** The shell of Chromium if it is there: the same engine without tabs and extensions opens a page for half of the CPU. */
export const launchBrowser = (...args) =>
  launch(findChromium(['chromium-headless-shell', 'chromium']), args);

/** The whole Chromium, in which links open tabs. */
export const launchWithTabs = (...args) => launch(findChromium(), args);

/** A browser with the profile and the extension of these folders: its one context. */
export async function launchWithExtension(profile, extension, ...args) {
  const only = [`--disable-extensions-except=${extension}`, `--load-extension=${extension}`];
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findChromium(),
    args: [...ARGS, ...only, ...args],
    timeout: PATIENCE_MS,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** The complaints of the page so far: errors and warnings of its console, and throws. */
export function complaintsOf(page) {
  const complaints = [];
  page.on('console', (message) => {
    if (['error', 'warn', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return complaints;
}

/** Calls `act`, and waits until the page has handled the event of this type: a driver may go on before that. */
export async function handled(page, type, act) {
  const handle = await page.evaluateHandle((type) => {
    const event = new Promise((resolve) =>
      addEventListener(type, resolve, { once: true, capture: true }),
    );
    return { event };
  }, type);
  await act();
  await handle.evaluate(async ({ event }) => void (await event));
}

/** Presses a key, and waits until the page has handled it. */
export const press = (page, key) => handled(page, 'keyup', () => page.keyboard.press(key));

/** From now on the page's timers run out only when a test moves `page.clock`. */
export async function holdTimers(page) {
  const now = Date.now();
  await page.clock.install({ time: now });
  await page.clock.pauseAt(now + PATIENCE_MS);
}

/** Puts a script into the page, which its policy must refuse. Returns the directive that refused it. */
export async function insertScript(page) {
  const directive = await page.evaluate(
    () =>
      new Promise((resolve) => {
        document.addEventListener('securitypolicyviolation', (event) =>
          resolve(event.effectiveDirective),
        );
        const script = document.createElement('script');
        script.textContent = 'globalThis.hasRun = true';
        document.body.append(script);
      }),
  );
  assert.equal(await page.evaluate(() => globalThis.hasRun), undefined);
  return directive;
}

/** A browser of Playwright's or Puppeteer's as an engine of engines/index.mjs. */
export const engineOf = (name, browser) => ({
  name,
  open: async (url) => {
    const page = await browser.newPage();
    const complaints = complaintsOf(page);
    await page.goto(url, { timeout: 0 });
    return {
      evaluate: (expression) => page.evaluate(expression),
      complaints: async () => complaints,
      close: () => page.close(),
    };
  },
  close: () => browser.close(),
});
