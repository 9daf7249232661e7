// Chromium by its own protocol.
import { engineOf, launchBrowser } from '../browser.mjs';

export const startChromium = async () => engineOf('chromium', await launchBrowser());
