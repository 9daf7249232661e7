// Debian's Firefox by WebDriver BiDi.
import { launch } from 'puppeteer-core';
import { findProgram } from '../../js/scripts/setup.mjs';
import { engineOf } from '../../tests/e2e/browser.mjs';

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
  return engineOf('firefox', browser);
}
