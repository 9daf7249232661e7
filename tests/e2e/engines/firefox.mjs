// Debian's Firefox by WebDriver BiDi.
import { launch } from 'puppeteer-core';
import { findProgram } from '../../../js/scripts/setup.mjs';
import { complaintsOf } from '../browser.mjs';

export async function startFirefox() {
  const executablePath = process.env.FIREFOX || findProgram('firefox-esr', 'firefox');
  if (!executablePath) {
    throw new Error('no Firefox: install Debian\'s "firefox-esr", or set FIREFOX to its path');
  }
  const browser = await launch({
    browser: 'firefox',
    executablePath,
    headless: true,
    timeout: 0,
    protocolTimeout: 0,
  });
  return {
    name: 'firefox',
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
  };
}
