// Starts Debian's Firefox, and controls it with WebDriver BiDi.
import { launch } from 'puppeteer-core';
import { findProgram } from '../../js/scripts/setup.mjs';
import { engineOf } from '../../tests/e2e/browser.mjs';

/** Starts Firefox with preferences. */
export async function launchFirefox(extraPrefsFirefox = {}) {
  const executablePath = process.env.FIREFOX || findProgram('firefox-esr', 'firefox');
  if (!executablePath) {
    throw new Error('no Firefox: install Debian\'s "firefox-esr", or set FIREFOX to its path');
  }
  return launch({
    browser: 'firefox',
    executablePath,
    extraPrefsFirefox,
    headless: true,
    timeout: 0,
    protocolTimeout: 0,
  });
}

export const startFirefox = async () => engineOf('firefox', await launchFirefox());
