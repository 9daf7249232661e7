/**
 * A client of Google's Safe Browsing, version 5: checks URLs by its lists and its server.
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
