/**
 * Google's Safe Browsing, version 5: what its lists and its server say of URLs.
 *
 * @packageDocumentation
 */

export {
  SafeBrowsing,
  type SafeBrowsingMode,
  type SafeBrowsingOptions,
  type SafeBrowsingVerdict,
  type SafeBrowsingVerifyOptions,
  type Threat,
} from './safe-browsing.js';
