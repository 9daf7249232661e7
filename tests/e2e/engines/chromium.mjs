// Chromium by its own protocol.
import { complaintsOf, launchBrowser } from '../browser.mjs';

export async function startChromium() {
  const browser = await launchBrowser();
  return {
    name: 'chromium',
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
